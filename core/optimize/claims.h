// SPDX-License-Identifier: GPL-3.0-or-later
// The best of many measurements is also the luckiest. What claims to be best is measured once more, in new processes
// with seeds of their own, and that measurement, which nothing was chosen by, is the one that counts.
#pragma once

#include "core/optimize/judged.h"

#include <set>

namespace cudal1::optimize {

class Claims {
public:
    /// This run has judged the variant.
    void judged(base::VariantId variant) { m_judged.insert(variant); }
    /// The best of `list`, where it is faster than the reference and this run has judged it, but once only; else null.
    const JudgedVariant* open(const JudgedList& list) const;
    /// It is being measured once more.
    void again(base::VariantId variant) { m_again.insert(variant); }
    bool isAgain(base::VariantId variant) const { return m_again.contains(variant); }

private:
    std::set<base::VariantId> m_judged, m_again;
};

} // namespace cudal1::optimize
