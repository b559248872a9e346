// SPDX-License-Identifier: GPL-3.0-or-later
// Judges one candidate: builds it, checks its results, times it, and gives the verdict.
#pragma once

#include "core/judge/supervisor/reference.h"
#include "core/judge/supervisor/timing.h"
#include "core/judge/wire/steadyclock.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace cudal1::judge {

/// Used from the supervisor's thread. Keeps references to `supervisor` and `request`.
class Judging {
public:
    /// Throws RequestFailed when this machine lacks the device.
    Judging(Supervisor& supervisor, const protocol::EvaluateRequest& request, const Budget& budget);

    /// Call it once. What a candidate does wrong is a verdict in the evaluation, and so is a reference that fails.
    /// Throws Cancelled, RequestFailed, WireClosed when the zygote is gone, and json::exception when a process of the
    /// reference sends what cannot be read.
    protocol::Evaluation run();

private:
    enum class Phase { Reference, Build, Call };

    void judge();

    // judging.cpp: the candidate's process and the trials
    void startCandidate(ReferenceSession& reference);
    void endCandidate(bool wait = true); ///< `wait`: until the process and all that it started are gone
    bool endsSoon() const; ///< it holds so little memory that the next candidate need not wait for its end
    void build(ReferenceSession& reference);
    void check(ReferenceSession& reference);
    /// Runs one trial. Returns false when the family cannot be used with this task. Throws Refused when the result is
    /// wrong.
    bool trial(ReferenceSession& reference, const std::string& family, double limit_s);
    void checkWithOtherWeights(ReferenceSession& reference, double limit_s);
    void noteUncheckedWeights(ReferenceSession& reference);
    void noteOracle(const OracleErrors& errors);
    double callLimit(const ReferenceSession& reference) const; ///< seconds

    // judgingtiming.cpp: timing, activity, precision and the labels that follow from them
    void time(ReferenceSession& reference);
    void timeInstances(ReferenceSession& reference, Pairing& pairing, double limit_s);
    void noteCharges(const Pairing& pairing);
    void observeActivity(ReferenceSession& reference, double limit_s);
    void noteLibraryCalls(const std::map<std::string, int>& theirs, const std::map<std::string, int>& own);
    void readPrecision(ReferenceSession& reference, const GpuState& gpu, double limit_s);
    void measureFloor(ReferenceSession& reference);
    /// The standard deviation of ln(reference time / candidate time) from one pair of processes to another, for work of
    /// this kind.
    double instanceSpread() const;
    void noteDropped();
    void noteClocks();
    void notePrecision();

    // judgingpaper.cpp: the paper's protocol
    void measureAsPaper(ReferenceSession& reference, const GpuState& gpu, double limit_s);
    void attemptAsPaper(ReferenceSession& reference, const GpuState& gpu, double limit_s,
                        const std::function<void()>& onRound);

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
    std::shared_ptr<SubjectHandle> m_candidate; ///< null when there is no process
    std::string m_weightsDiffer; ///< why the candidate cannot be given weights by name; empty when it can
    std::optional<SeedSequence> m_inputSeeds;
    std::string m_doing; ///< what the candidate is doing, for the sentence about a call that hangs
    Phase m_phase = Phase::Reference;
    bool m_otherWeights = false; ///< the reference has other weights than its own at the moment
    double m_firstCall_s = 0;    ///< the candidate's first call
    /// Of all trials; infinite before the first.
    double m_shortestReferenceCall_s = std::numeric_limits<double>::infinity();
    std::int64_t m_arenaBytes = 0; ///< size of inputs, weights and results: a measure of the memory that a call needs
    bool m_flagsMatch = true;      ///< both sides' precision flags are equal
    std::vector<protocol::PairSamples> m_pairsAtCandidateSettings;
};

/// A number as text, by a printf format: "3.14".
std::string number(double value, const char* format);

} // namespace cudal1::judge
