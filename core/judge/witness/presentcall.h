// SPDX-License-Identifier: GPL-3.0-or-later
// The call that is being compared: are the candidate's results the reference's, and what does rounding do to them?
#pragma once

#include "core/judge/witness/comparison.h"
#include "core/judge/witness/knownfamilies.h"
#include "core/judge/witness/nullcandidates.h"
#include "core/judge/witness/referencehost.h"
#include "core/judge/witness/referencereruns.h"
#include "core/judge/witness/secretcall.h"

#include <string>
#include <vector>

namespace cudal1::judge {

/// Inputs of the present call's family cannot be used with this task, as KnownFamilies says from now on.
struct FamilyLeftOut {
    std::string why;
};

/// Used from the witness's main thread; the witness owns it. Keeps references to its arguments. Members other than
/// set() need a call whose expected results are known; they may call the reference some more times, and then throw what
/// ReferenceHost::runReference throws.
class PresentCall {
public:
    PresentCall(ReferenceHost& reference, KnownFamilies& families);

    void set(SecretCall call); ///< and forgets what was measured of the call before
    const SecretCall& call() const { return m_call; }
    /// Adds one of the candidate's results, as asReal() has it, on the device.
    void addActual(at::Tensor result) { m_call.actual.push_back(std::move(result)); }

    /// What the candidate's call has left in its inputs (SecretCall::inputsAfter).
    void setInputsAfter(at::Tensor bytes) { m_call.inputsAfter = std::move(bytes); }

    /// Whether inputs of the call's family can be used, and how far results may miss under it.
    FamilyFacts measureFamily();
    /// The same without calling the reference once more where that can wait: FamilyFacts::measured.
    FamilyFacts lookAtFamily();
    /// Measures now what has waited; throws FamilyLeftOut where the family cannot be used after all.
    void measureWhatWaits();
    struct Comparison {
        ResultBound bound; ///< the widest bound that was tried
        Difference difference;
        std::string whyNotInDouble; ///< of a result that was near enough to be held against float64, where it was not
    };
    /// Compares `actual` with the expected result of that output. Throws FamilyLeftOut where rounding under the call's
    /// family had to be measured for it, and the family cannot be used.
    Comparison compareOutput(std::size_t output, const at::Tensor& actual);
    /// Compares all outputs and returns the largest relative error. Throws Refusal when one is wrong. `inputs`
    /// describes the inputs in its evidence.
    double compareResults(const std::string& inputs);
    /// Where the reference writes into its inputs: compares what the candidate's call has left there, as far as it was
    /// read. Throws Refusal where that is something else.
    void compareLeft(const std::string& inputs) const;
    struct LeftInput {
        std::size_t input;
        at::Tensor expected, actual;
    };
    /// What the reference leaves in its inputs and what the candidate's call has left there; none where that was not
    /// read or the reference writes into none.
    std::vector<LeftInput> left() const;
    /// How far each result was from the one that it was found equal to (the reference's own, or a more exact one) when
    /// compareResults() was called last (Difference::relativeError).
    const std::vector<double>& relativeErrors() const { return m_errors; }
    /// Holds the null candidates that are left against the call.
    void tryNulls(NullCandidates& nulls);
    /// How far each output moves when every operator rounds differently (rounding.py), and behind the outputs what the
    /// reference leaves in each input that is a tensor, where it writes into some; 0 for the outputs alone where the
    /// reference does not run so. Measured once for a call.
    const std::vector<RoundingMove>& movedByOperators();
    /// The reference's results where every operator rounds otherwise (rounding.py), in another way for each `seed`, and
    /// what it leaves in its inputs where that is asked for. Empty where it does not run so.
    std::vector<at::Tensor> roundedOtherwise(int times, int seed, std::vector<at::Tensor>* left = nullptr)
    {
        return m_reruns.rounded(m_call, times, seed, left);
    }
    /// ReferenceReruns::inDouble() of the call.
    std::vector<at::Tensor> inDouble(std::string& why) { return m_reruns.inDouble(m_call, why); }

private:
    std::vector<at::Tensor> again() { return m_reference.runReference(m_call.inputs, m_call.seed); }
    bool isFiniteAsGiven() const;
    RoundingMove movedTo(const at::Tensor& expected, const at::Tensor& result) const;
    std::vector<RoundingMove> movedByRounding();   ///< per output, by the last digits of the inputs
    std::vector<double> missedByOtherPrecisions(); ///< per output, largest relative difference of their results
    std::vector<RoundingMove> measureMovedByOperators(int times);        ///< by so many times what rounding does
    ResultBound boundOf(std::size_t output, c10::ScalarType type) const; ///< under the call's family

    void measureBounds(FamilyFacts& facts); ///< of a family that can be used otherwise
    /// Whether the slack that rounding of the operators may add on the dataset's own inputs, at its most, would leave
    /// more wrong than may jump. `found` gets the comparison with that slack then.
    bool isBeyondRounding(std::size_t output, const at::Tensor& actual, Comparison& found) const;
    /// Of a result that is not much farther off than rounding goes: compares it with more exact results of the
    /// reference, if there are any, under the same bound. `found` gets that comparison where it is equal to one.
    void compareWithMoreExact(std::size_t output, const at::Tensor& actual, Comparison& found);

    ReferenceHost& m_reference;
    ReferenceReruns m_reruns;
    KnownFamilies& m_families;
    SecretCall m_call;
    std::vector<double> m_errors; ///< relativeErrors()
};

} // namespace cudal1::judge
