// SPDX-License-Identifier: GPL-3.0-or-later
// The reference's results of a call when it is made otherwise: it rounds differently, or computes in another precision.
#pragma once

#include "core/judge/witness/referencehost.h"
#include "core/judge/witness/secretcall.h"

#include <string>
#include <vector>

namespace cudal1::judge {

/// What lies farther from the reference's result, over its root mean square, is another result and not a more exact
/// one: no format leaves as much. It may have drawn other random numbers; or rounding decides about the result.
constexpr double anotherResult = 0.05;

/// Used from the witness's main thread; keeps a reference to its argument. All but inDouble() call the reference once,
/// with the inputs and the seed of the call that they are given.
class ReferenceReruns {
public:
    explicit ReferenceReruns(ReferenceHost& reference) : m_reference(reference) {}

    /// With products and convolutions in "tf32" or "fp32". Throws what ReferenceHost::runReference throws.
    std::vector<at::Tensor> inPrecision(const SecretCall& call, const char* precision);
    /// With the operands of products and convolutions rounded as TF32 rounds them (rounding.py), whether or not the
    /// library uses TF32 there. Empty where the reference does not run so.
    std::vector<at::Tensor> withTF32Products(const SecretCall& call);
    /// With every operator rounding otherwise (rounding.py), `times` as much as rounding does, in another way for each
    /// `seed`; and what it leaves in its inputs, where that is asked for. Empty where the reference does not run so.
    std::vector<at::Tensor> rounded(const SecretCall& call, int times, int seed, std::vector<at::Tensor>* left);
    /// In double precision; behind the results what the reference leaves in its inputs, where it writes into some. Kept
    /// for a call that stays for other candidates. Empty where they cannot be had; then `why` says it.
    std::vector<at::Tensor> inDouble(const SecretCall& call, std::string& why);

private:
    /// In a mode of rounding.py, which gets the device and these arguments if there are any.
    std::vector<at::Tensor> runUnder(const char* mode, const std::vector<long>& arguments, const SecretCall& call,
                                     std::vector<at::Tensor>* left);

    ReferenceHost& m_reference;
    PyRef m_rounding; ///< rounding.py; loaded when it is first needed
};

} // namespace cudal1::judge
