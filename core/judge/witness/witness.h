// SPDX-License-Identifier: GPL-3.0-or-later
// The witness: the process that all evidence comes from. It holds the task's reference, makes the inputs of every call
// in its own memory, shows them to a subject for one call only, reads the clock, takes the results out of the subject's
// reach, and compares them.
//
// The witness runs the task's code, which is trusted, and nothing that a candidate wrote. The supervisor tells it what
// to do. Three things are drawn here: the keys of input contents, the seed of each call, and the choice of the calls
// that are compared. Keys and choices never leave this process; a seed is written to the subject's page together with
// its call.
#pragma once

#include "core/judge/capture/capturehost.h"
#include "core/judge/wire/screentask.h"
#include "core/judge/witness/comparison.h"
#include "core/judge/witness/contents.h"
#include "core/judge/witness/driver.h"
#include "core/judge/witness/inputfamily.h"
#include "core/judge/witness/nullcandidates.h"

#include <functional>
#include <map>
#include <optional>

namespace cudal1::judge {

/// All members are used from the process's main thread. Handlers of requests throw Refusal for a finding against a
/// candidate or a task, and other exceptions when the witness itself cannot go on.
class Witness : public CaptureHost {
public:
    /// `socket` leads to the supervisor and stays the caller's. A message that arrives there while a subject is being
    /// driven tells the witness to give that subject up. `memoryFile` holds the arena on the CPU. `folder` is the
    /// process's own.
    Witness(int socket, int memoryFile, std::string folder);

private:
    using Tensors = std::vector<at::Tensor>;

    /// How far a result may be from the reference's: |difference| <= tolerance · (rms + |reference|) + slack
    /// (comparison.h).
    struct Bound {
        double tolerance = 0, slack = 0;
    };
    struct Comparison {
        Bound bound; ///< the widest bound that was tried
        Difference difference;
    };
    /// What is known of one input family for this task.
    struct FamilyFacts {
        bool usable = true;
        std::string why;           ///< why it cannot be used; empty when it can
        std::vector<Bound> bounds; ///< one for each output; the slack is what rounding does to it under this family
    };
    /// The inputs and the seed of one call, before the subject sees them, and the results once they are known.
    struct SecretCall {
        std::string family = "as_given";
        Tensors inputs;
        std::uint64_t seed = 0;
        std::size_t slot = 0; ///< where the driver has the inputs staged (Driver::lay)
        Tensors expected;     ///< the reference's results
        Tensors actual;       ///< the candidate's results
    };

    // witness.cpp: loading a task and running its reference
    LoadTask::Reply loadTask(const LoadTask& request);
    void attach(const Attach& request, Descriptors& descriptors);
    TraceTask::Reply trace(const TraceTask& request);
    DeriveFacts::Reply facts(const DeriveFacts& request);
    OfferArena::Reply offerArena(const OfferArena& request);
    /// Runs the task file as a module and asks it for the constructor's arguments.
    void runTask(const std::string& source);
    /// What get_inputs() returns under this seed, with the tensors created on the device.
    std::vector<PyRef> drawArguments(std::uint64_t seed);
    /// The tensors among them, contiguous.
    Tensors draw(std::uint64_t seed);
    void placeWeights(std::size_t& offset); ///< gives each weight a place in the arena, from `offset` bytes on
    void writeWeights();                    ///< copies the reference's present weights there
    /// One forward of the reference; waits for the device. The inputs are left unchanged.
    Tensors runReference(const Tensors& inputs, std::uint64_t seed);
    /// Whether one forward advances the framework's random generators.
    bool drawsAtRandom(std::uint64_t seed);

    // screen.cpp: a task before any candidate is judged for it
    ScreenTask::Reply screen(const ScreenTask& request);
    void loadForScreening(std::uint64_t seed); ///< the task that ran last, on the CPU, without an arena

    // timedround.cpp and trials.cpp: rounds and trials of a subject, and rounds of the reference in this process
    RunTrial::Reply trial(const RunTrial& request);
    RunRound::Reply round(const RunRound& request);
    RunRound::Reply localRound(const RunRound& request);
    CompareKept::Reply compareKept(const CompareKept& request);
    void drawBase(std::uint64_t seed); ///< adds to the draws that contents of timed calls are made of
    SecretCall newCall();              ///< fresh contents for one timed call
    std::size_t mostKept() const;      ///< how many calls of a round memory allows to compare: 1 to 4
    SecretCall& pairedCall(Side side); ///< contents for long calls: each side gets the same ones once
    std::uint32_t callFlags() const { return m_layout.random ? std::uint32_t{SeedFirst} : 0; }
    /// Gives up ("abandoned") when the supervisor sends a message, or ("silent") when a step takes longer than
    /// `limit_s`.
    Driver::Patience patienceOf(double limit_s) const;
    class Round;

    // audits.cpp: other weights, precision, null candidates, bytes moved, bandwidth
    void reweigh(const Reweigh& request);
    /// The errors of both sides' results of the present call against float64, or against the reference's own result.
    OracleErrors oracle(Yardstick yardstick);
    OracleErrors againstReference(const std::string& why); ///< `why` float64 could not be used
    void tryNulls();                                       ///< holds null candidates against the present call
    MeasureTraffic::Reply traffic(const MeasureTraffic& request);
    MeasureBandwidth::Reply bandwidth() const;

    // tolerance.cpp: how far a result may be from the reference's. All of these are about the present call.
    FamilyFacts measureFamily(const std::string& family);
    std::vector<double> movedByRounding(); ///< per output, by the last digits of the inputs
    Comparison compareOutput(std::size_t output, const at::Tensor& actual); ///< with the expected result of that output
    Tensors againIn(const char* precision);        ///< the reference's results with products in "tf32" or "fp32"
    std::vector<double> missedByOtherPrecisions(); ///< per output, largest relative difference of those
    std::vector<double> movedByOperators();        ///< per output, when every operator rounds differently (rounding.py)
    Bound boundOf(std::size_t output, c10::ScalarType type) const; ///< under the present family
    /// Compares all outputs and returns the largest relative error. Throws Refusal when one is wrong. `inputs`
    /// describes the inputs in its evidence.
    double compareResults(const std::string& inputs);
    void setPresent(SecretCall call); ///< and forgets what was measured of the call before
    Tensors again() { return runReference(m_present.inputs, m_present.seed); } ///< the reference once more

    int m_socket;
    PyRef m_task; ///< the module that the task file became
    PyRef m_initInputs;
    PyRef m_factsMaker; ///< facts.py; loaded when it is first needed
    PyRef m_rounding;   ///< rounding.py; loaded when it is first needed
    std::vector<InputTraits> m_traits;
    std::unique_ptr<Contents> m_contents;
    std::unique_ptr<CacheFlush> m_flush;
    std::unique_ptr<Driver> m_driver;
    std::map<Side, std::unique_ptr<DrivenSubject>> m_driven;
    SecretCall m_present;           ///< the call that is being compared
    std::vector<SecretCall> m_kept; ///< calls of the candidate's last round whose results CompareKept will compare
    SecretCall m_pair;              ///< the contents that both sides of a pair of long calls get
    std::vector<Side> m_pairSides;  ///< the sides that have had them
    std::vector<double> m_missed;   ///< missedByOtherPrecisions() of the present call; empty until it is needed
    std::vector<double> m_moved;    ///< movedByOperators() of the present call; empty until it is needed
    Tensors m_initialWeights;       ///< copies, made before the first time that other weights are given
    std::map<std::string, FamilyFacts> m_initialFamilies; ///< under the initial weights, while others are in place
    NullCandidates m_nulls;
    std::map<std::string, FamilyFacts> m_families; ///< under the present weights
    bool m_modifiesInputs = false;                 ///< the reference writes into its inputs
    bool m_ieee = false;                           ///< the precision setting is "ieee": no TF32, tighter tolerance
    /// Results cannot be read where they lie, so both sides copy them to the arena, on the clock.
    bool m_copied = false;
};

/// A complex tensor as pairs of real numbers, which is how it is compared; any other tensor as it is.
at::Tensor asReal(const at::Tensor& result);
/// Whether two contiguous tensors of the same size and device hold the same bytes.
bool sameBytes(const at::Tensor& a, const at::Tensor& b);

} // namespace cudal1::judge
