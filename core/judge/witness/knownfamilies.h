// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of the families of inputs (inputfamily.h) for one task: which can be used, and how far results may
// miss.
#pragma once

#include "core/judge/module/torchsupport.h"

#include <map>
#include <string>
#include <vector>

namespace cudal1::judge {

/// How far a result may be from the reference's: |difference| <= tolerance · (rms + |reference|) + slack
/// (comparison.h).
struct ResultBound {
    double tolerance = 0, slack = 0;
    double jumping = 0; ///< Difference::jumping
};
/// What is known of one family. PresentCall measures it.
struct FamilyFacts {
    static constexpr const char* changesNothing = "it would change none of these inputs"; ///< `why`, of a task's inputs
    static std::string raises(const std::string& what) { return "the reference raises an exception: " + what; }

    bool usable = true;
    std::string why; ///< why it cannot be used; empty when it can
    /// What rounding does under this family is known. Where calls are long it is measured when a result is wrong
    /// without it, or when a call is to be timed with such inputs; until then bounds have no slack.
    bool measured = true;
    std::vector<ResultBound> bounds; ///< one for each output; the slack is what rounding does to it under this family
    /// Where each output is neither NaN nor infinite, of the dataset's own inputs ("as_given"); undefined of an output
    /// that is so nowhere.
    std::vector<at::Tensor> finite;
};

/// Used from the witness's main thread; the witness owns it. How rounding shows depends on the weights, so all of this
/// holds for the present ones.
class KnownFamilies {
public:
    /// Null for a family that has not been measured.
    const FamilyFacts* find(const std::string& family) const;
    const FamilyFacts& add(const std::string& family, FamilyFacts facts); ///< unless it is known
    /// In the place of what was known.
    const FamilyFacts& replace(const std::string& family, FamilyFacts facts);
    void leaveOut(const std::string& family, std::string why); ///< it cannot be used after all
    void clear() { m_present.clear(); }
    /// Those that can be used, without the dataset's own ("as_given"), in the order of their names.
    std::vector<std::string> usableOthers() const;
    /// The reference has got other weights, so what is known no longer holds. `initial`: they are its own again, and
    /// what was known of those holds again.
    void weightsChanged(bool initial);

private:
    std::map<std::string, FamilyFacts> m_present;
    std::map<std::string, FamilyFacts> m_initial; ///< under the initial weights, while others are in place
    bool m_areInitial = true;
};

} // namespace cudal1::judge
