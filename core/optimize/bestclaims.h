// SPDX-License-Identifier: GPL-3.0-or-later
// The best of many measurements is also the luckiest. What claims to be best is measured once more, in new processes
// with seeds of their own, and that measurement, which nothing was chosen by, is the one that counts. Where nothing is
// faster by its whole interval, the likeliest is measured so: its interval was too wide to tell.
#pragma once

#include "core/optimize/judged.h"

#include <set>

namespace cudal1::optimize {

class BestClaims {
public:
    /// This run has judged the variant.
    void judged(base::VariantId variant) { m_judged.insert(variant); }
    /// The best of `list`, where it is faster than the reference and this run has judged it, but once only. Where
    /// nothing is faster, and nothing was measured once more, the one that seems fastest of those that this run has
    /// judged, if it seems faster. Else null.
    const JudgedVariant* open(const JudgedList& list) const;
    /// It is being measured once more.
    void again(base::VariantId variant) { m_again.insert(variant); }
    bool isAgain(base::VariantId variant) const { return m_again.contains(variant); }
    bool isAny() const { return !m_again.empty(); } ///< something was, or is being, measured once more

private:
    std::set<base::VariantId> m_judged, m_again;
};

} // namespace cudal1::optimize
