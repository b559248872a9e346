// SPDX-License-Identifier: GPL-3.0-or-later
// Is the candidate's result the reference's? Shape and type are checked before; this compares values.
//
// A float element passes when |candidate - reference| <= tolerance · (rms + |reference|) + slack, where rms is that of
// the reference's finite elements (so that zeros do not pass for small results) and slack is what rounding does to the
// reference: of the inputs, and of every operator's result. What differs by less than the least normal number of
// float32, bfloat16 or double passes in any case. The tolerance is wider where TF32, or doing without, does more than
// it allows. Rounding has tails: of a result with hundreds of millions of elements one in a million may miss that by up
// to as much again. Where rounding makes a few elements jump, as at the steps of a sign, that tells nothing of the
// others: one in a hundred may be anything then. NaN and infinities must stand at the same places. Other types must be
// equal.
#pragma once

#include "core/judge/module/torchsupport.h"

#include <cstdint>
#include <utility>

namespace cudal1::judge {

struct Difference {
    std::int64_t elements = 0;
    std::int64_t wrong = 0;       ///< outside the tolerance
    std::int64_t far = 0;         ///< of these, outside twice the tolerance; of other types, all
    std::int64_t misplaced = 0;   ///< NaN or infinity on one side alone
    std::int64_t firstWrong = -1; ///< flat index
    double expectedThere = 0, actualThere = 0;
    double worstRelative = 0; ///< max |difference| / (rms + |reference|) over finite elements
    double rms = 0;
    double least = 0;   ///< the least normal number of the type: a smaller difference passes
    double squares = 0; ///< sum of the squares of differences of finite elements
    double jumping = 0; ///< the share of finite elements that may be anything

    /// Root mean square of the difference over that of the reference; 0 where the reference has nothing but zeros, or
    /// numbers that may be zero as well.
    double relativeError() const;
    bool equal() const
    {
        return misplaced == 0 && ((far == 0 && wrong <= elements / 1'000'000) ||
                                  static_cast<double>(wrong) <= jumping * static_cast<double>(elements));
    }
};

/// The tolerance for results of this type: float32 1e-2 as in KernelBench and the paper, 1e-4 where TF32 is not
/// allowed.
double toleranceFor(c10::ScalarType type, bool ieee);

/// Whether a floating result has nothing but numbers that may be zero as well: all finite ones are below the least
/// normal number of float32, bfloat16 or double.
bool vanishes(const at::Tensor& result);

/// Of floating tensors; what is not finite counts in neither. 0 for an empty one.
double rmsOfFinite(const at::Tensor& tensor);
double largestDifference(const at::Tensor& a, const at::Tensor& b); ///< of two with as many elements
/// Root mean square of the difference over that of `exact`, a floating tensor with as many elements, of those that are
/// finite in both.
double relativeDistance(const at::Tensor& actual, const at::Tensor& exact);
/// Both as rows of numbers; where they have more than `most` elements, so many of them, of both the same ones, which
/// are drawn in secret.
std::pair<at::Tensor, at::Tensor> someOfBoth(const at::Tensor& a, const at::Tensor& b, std::int64_t most);
/// The difference that one element in a thousand exceeds, of finite elements; of many, some are drawn.
double differenceOfMost(const at::Tensor& a, const at::Tensor& b);
bool allFinite(const at::Tensor& tensor); ///< true for integers

/// A complex tensor as pairs of real numbers, which is how it is compared; any other tensor as it is.
at::Tensor asReal(const at::Tensor& result);
/// Whether two contiguous tensors of the same size and device hold the same bytes.
bool sameBytes(const at::Tensor& a, const at::Tensor& b);

/// Both contiguous, of the same shape, type and device.
Difference compareValues(const at::Tensor& expected, const at::Tensor& actual, double tolerance, double slack);

} // namespace cudal1::judge
