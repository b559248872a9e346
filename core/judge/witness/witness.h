// SPDX-License-Identifier: GPL-3.0-or-later
// The process that what is evidence comes from. It holds the task's reference, makes the inputs of every call in memory of its own,
// lets the subjects see them only for a call, holds the clock, takes the results out of their reach, and compares.
//
// It runs the task's code, which is trusted, and nothing that a candidate wrote. The supervisor tells it what to do; keys of
// contents, seeds of calls and the choice of what is compared are drawn here and never leave it.
#pragma once

#include "core/judge/capture/capturehost.h"
#include "core/judge/witness/comparison.h"
#include "core/judge/witness/contents.h"
#include "core/judge/witness/driver.h"
#include "core/judge/witness/inputfamily.h"
#include "core/judge/witness/nullcandidates.h"

#include <functional>
#include <map>
#include <optional>

namespace cudal1::judge {

class Witness : public CaptureHost {
public:
    /// `socket` is the supervisor's: what comes there while a subject is driven means that it is to be given up.
    Witness(int socket, int memoryFile, std::string folder);

private:
    using Tensors = std::vector<at::Tensor>;

    /// How far a result may be from the reference's; see comparison.h.
    struct Bound {
        double tolerance = 0, slack = 0;
    };
    struct Comparison {
        Bound bound; ///< that the difference was held against
        Difference difference;
    };
    /// What a family does to this task: whether it can be used, and what rounding does to the result.
    struct FamilyFacts {
        bool usable = true;
        std::string why;
        std::vector<Bound> bounds; ///< per output
    };
    /// A call's inputs and seed; nobody else has them. Its result, once the reference or a candidate has given it.
    struct SecretCall {
        std::string family = "as_given";
        Tensors inputs;
        std::uint64_t seed = 0;
        std::size_t slot = 0; ///< where its inputs lie ready
        Tensors expected, actual;
    };

    // witness.cpp: the task
    LoadTask::Reply loadTask(const LoadTask& request);
    void attach(const Attach& request, Descriptors& descriptors);
    TraceTask::Reply trace(const TraceTask& request);
    DeriveFacts::Reply facts(const DeriveFacts& request);
    OfferArena::Reply offerArena(const OfferArena& request);
    void runTask(const std::string& source); ///< source, constructor arguments
    std::vector<PyRef> drawArguments(std::uint64_t seed); ///< get_inputs, drawn on the device
    Tensors draw(std::uint64_t seed);
    void placeWeights(std::size_t& offset);
    void writeWeights();
    Tensors runReference(const Tensors& inputs, std::uint64_t seed);
    bool drawsAtRandom(std::uint64_t seed); ///< whether a call takes numbers from the framework's generators

    // rounds.cpp: calls of a subject, or of the reference
    RunTrial::Reply trial(const RunTrial& request);
    RunRound::Reply round(const RunRound& request);
    RunRound::Reply localRound(const RunRound& request);
    CompareKept::Reply compareKept(const CompareKept& request);
    void drawBase(std::uint64_t seed);
    SecretCall newCall(); ///< for timing
    std::size_t mostKept() const; ///< results of one round that are compared
    SecretCall& pairedCall(Side side);
    std::uint32_t callFlags() const { return m_layout.random ? std::uint32_t{SeedFirst} : 0; }
    Driver::Patience patienceOf(double limit_s) const; ///< until the supervisor says something, or a step takes so long
    class Round;

    // audits.cpp: what else is asked of the reference
    void reweigh(const Reweigh& request);
    OracleErrors oracle(Yardstick yardstick);                 ///< of the present call, whose results are known on both sides
    OracleErrors againstReference(const std::string& why);
    void tryNulls(); ///< on the present call
    MeasureTraffic::Reply traffic(const MeasureTraffic& request);
    MeasureBandwidth::Reply bandwidth() const;

    // tolerance.cpp: how far a result may be off
    FamilyFacts measureFamily(const std::string& family);
    std::vector<double> movedByRounding();
    Comparison compareOutput(std::size_t output, const at::Tensor& actual); ///< with the present call's
    Tensors againIn(const char* precision);
    std::vector<double> missedByOtherPrecisions();
    std::vector<double> movedByOperators();
    Bound boundOf(std::size_t output, c10::ScalarType type) const; ///< with the present family
    double compareResults(const std::string& inputs); ///< of the present call; largest relative error; throws Refusal
    void setPresent(SecretCall call); ///< and forgets what was found about the last one
    Tensors again() { return runReference(m_present.inputs, m_present.seed); }

    int m_socket;
    PyRef m_task;       ///< the module that the task file became
    PyRef m_initInputs;
    PyRef m_factsMaker; ///< the module that derives facts, once they were asked for
    PyRef m_rounding;   ///< the module that rounds otherwise, likewise
    std::vector<InputTraits> m_traits;
    std::unique_ptr<Contents> m_contents;
    std::unique_ptr<CacheFlush> m_flush;
    std::unique_ptr<Driver> m_driver;
    std::map<Side, std::unique_ptr<DrivenSubject>> m_driven;
    SecretCall m_present;                   ///< that is compared
    std::vector<SecretCall> m_kept;         ///< of the last round, for CompareKept
    SecretCall m_pair;                      ///< of calls that both sides make on the same contents
    std::vector<Side> m_pairSides;          ///< that have made it
    std::vector<double> m_missed; ///< by other precisions in the present call, per output; empty until it is asked for
    std::vector<double> m_moved;  ///< by operators that round otherwise, likewise
    Tensors m_initialWeights;
    std::map<std::string, FamilyFacts> m_initialFamilies; ///< while other weights are in place
    NullCandidates m_nulls;
    std::map<std::string, FamilyFacts> m_families;
    bool m_modifiesInputs = false;
    bool m_ieee = false;
    bool m_copied = false; ///< results cannot be read where they lie: both sides copy them to the arena, on the clock
};

/// Complex numbers as pairs of real ones, which is how they are compared; anything else as it is.
at::Tensor asReal(const at::Tensor& result);
/// Whether two tensors of one size hold the same bytes.
bool sameBytes(const at::Tensor& a, const at::Tensor& b);

} // namespace cudal1::judge
