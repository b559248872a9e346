// SPDX-License-Identifier: GPL-3.0-or-later
// In which precision was a result computed? Tells by the errors of both sides' results against float64.
#pragma once

#include "core/judge/wire/oracleerrors.h"
#include "core/judge/witness/presentcall.h"

#include <optional>
#include <string>

namespace cudal1::judge {

/// How far a result is from another. A few large elements decide the first; who leaves out others shows in the rest.
struct ResultErrors {
    double all = 0;         ///< root mean square of the difference over that of the other
    double ofMost = 0;      ///< the relative error that one in ten elements exceeds; 0 of a handful of elements
    double ofAllButFew = 0; ///< that one in a hundred exceeds, or ten
};

/// Adds both sides' errors in floating numbers of this type whose right values are known, if they are the worst so far.
void noteErrors(OracleErrors& errors, const at::Tensor& actual, const at::Tensor& expected, const at::Tensor& exact,
                at::ScalarType type);
/// Whether numbers of this type are farther from the reference's than rounding of a few operators takes them.
bool isBeyondRounding(const at::Tensor& actual, const at::Tensor& expected, at::ScalarType type);

/// Used from the witness's main thread; the witness owns it. Keeps references to its arguments.
class PrecisionOracle {
public:
    PrecisionOracle(ReferenceHost& reference, PresentCall& present) : m_reference(reference), m_present(present) {}

    /// The errors of both sides' results of the present call, and of what it leaves in inputs that the reference writes
    /// to. The results must be known: against float64, or against
    /// the reference's own result where `yardstick` says so or float64 cannot be used. Throws what
    /// ReferenceHost::runReference throws.
    OracleErrors errors(Yardstick yardstick);
    /// How far the present call's results, which have been compared, are from the reference's, over the least distance
    /// at which one can be less precise: with errors of the reference as they were seen last. Above 1 it is worth
    /// asking for errors().
    double doubt() const;

private:
    /// One of the floating tensors that a call makes.
    struct Made {
        std::size_t place; ///< among the results, and behind these the inputs
        at::Tensor expected, actual;
    };
    /// The results, and what is left in the inputs that the reference writes to.
    std::vector<Made> madeByCall() const;

    /// How far the candidate's result is from the reference's own, where float64 cannot say how far both are from the
    /// right one. `why` float64 could not be used.
    OracleErrors againstReference(const std::string& why);

    /// What operators that round otherwise make of the reference's, over its root mean square.
    double ofRounding(const Made& made);
    /// The same, and the candidate's distance from the reference's, of those elements of a result that rounding moves
    /// far less than the others; nothing where they are few.
    struct SteadyElements {
        double byRounding = 0, candidate = 0;
    };
    std::optional<SteadyElements> steadyElements(const Made& made);

    ReferenceHost& m_reference;
    PresentCall& m_present;
    std::vector<ResultErrors> m_ofReference; ///< by place, when it was held against float64 last
};

} // namespace cudal1::judge
