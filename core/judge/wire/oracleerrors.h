// SPDX-License-Identifier: GPL-3.0-or-later
// How precise both sides' results are, and whether a candidate's precision is still the reference's.
#pragma once

#include "core/judge/wire/travels.h"

#include <algorithm>
#include <string>

namespace cudal1::judge {

/// Errors of both sides' results: the root mean square of the difference from the float64 result, over that of the
/// float64 result. Without a float64 result, `candidate` is the error against the reference's own result, and
/// `reference` is the error that rounding alone may cause.
struct OracleErrors {
    double reference = 0, candidate = 0;
    bool measured = true;  ///< false when there is nothing to compare; both errors are 0 then
    std::string why;       ///< why they were not measured, or not against float64
    double least = 1.5e-6; ///< no smaller error is one of another format
};
CUDAL1_TRAVELS(OracleErrors)

/// The largest error that still counts as the reference's precision. Another order of summation costs some of the last
/// bits; eight times the reference's error is a matter of format. What a half type rounds is in the reference's error
/// already, so there less is.
inline double mostOf(double referenceError, double least)
{
    return std::max((referenceError > 2e-4 ? 3 : 8) * referenceError, least);
}

/// The candidate's error over that.
inline double excessOf(const OracleErrors& errors)
{
    return errors.candidate / mostOf(errors.reference, errors.least);
}

} // namespace cudal1::judge
