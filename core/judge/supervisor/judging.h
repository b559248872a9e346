// SPDX-License-Identifier: GPL-3.0-or-later
// One candidate on its way to a verdict: built, checked, timed.
#pragma once

#include "core/judge/supervisor/reference.h"
#include "core/judge/wire/steadyclock.h"
#include "core/judge/supervisor/timing.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace cudal1::judge {

class Judging {
public:
    Judging(Supervisor& supervisor, const protocol::EvaluateRequest& request, const Budget& budget);

    /// Once. Throws Cancelled, RequestFailed and WireClosed; everything else is a verdict.
    protocol::Evaluation run();

private:
    enum class Phase { Reference, Build, Call };

    void judge();

    // judging.cpp: the candidate's process, trials
    void startCandidate(ReferenceSession& reference);
    void endCandidate(bool wait = true); ///< until all that it started is gone
    bool endsSoon() const; ///< nobody need wait until this candidate's process is gone
    void build(ReferenceSession& reference);
    void check(ReferenceSession& reference);
    bool trial(ReferenceSession& reference, const std::string& family, double limit_s); ///< false when the family cannot be used here
    void checkWithOtherWeights(ReferenceSession& reference, double limit_s);
    void noteUncheckedWeights(ReferenceSession& reference);
    void noteOracle(const OracleErrors& errors);
    double callLimit(const ReferenceSession& reference) const;

    // judgingtiming.cpp: timing and what follows from it
    void time(ReferenceSession& reference);
    void timeInstances(ReferenceSession& reference, Pairing& pairing, double limit_s);
    void noteCharges(const Pairing& pairing);
    void observeActivity(ReferenceSession& reference, double limit_s);
    void noteLibraryCalls(const std::map<std::string, int>& theirs, const std::map<std::string, int>& own);
    void readPrecision(ReferenceSession& reference, const GpuState& gpu, double limit_s);
    void measureFloor(ReferenceSession& reference);
    /// Standard deviation of ln(ratio) from one process to another, for work of this kind.
    double instanceSpread() const;
    void noteDropped();
    void noteClocks();
    void notePrecision();

    // judgingpaper.cpp: the paper's protocol
    void measureAsPaper(ReferenceSession& reference, const GpuState& gpu, double limit_s);
    void attemptAsPaper(ReferenceSession& reference, const GpuState& gpu, double limit_s, const std::function<void()>& onRound);

    bool onCpu() const { return m_out.device.name == "cpu"; }
    protocol::Verdict verdictOf(const Refused& refused) const;
    void conclude(protocol::Verdict verdict, protocol::Reason reason);
    void report(const char* phase, double fraction, const std::string& text);
    void label(const char* code, const std::string& text, const std::string& evidence = {});

    Supervisor& m_supervisor;
    const protocol::EvaluateRequest& m_request;
    Budget m_budget;
    std::string m_folder;
    protocol::Evaluation m_out;
    std::shared_ptr<SubjectHandle> m_candidate;
    std::string m_weightsDiffer; ///< why the candidate cannot be given weights by name; empty when it can
    std::optional<SeedSequence> m_inputSeeds;
    std::string m_doing;
    Phase m_phase = Phase::Reference;
    bool m_otherWeights = false;
    double m_firstCall_s = 0;
    double m_shortestReferenceCall_s = std::numeric_limits<double>::infinity(); ///< of all trials; infinite before the first
    std::int64_t m_arenaBytes = 0; ///< inputs, weights and results: a measure of what a call needs
    bool m_flagsMatch = true;
    std::vector<protocol::PairSamples> m_pairsAtCandidateSettings;
};

/// "3.14" by a printf format.
std::string number(double value, const char* format);

} // namespace cudal1::judge
