// SPDX-License-Identifier: GPL-3.0-or-later
// Which result is to be measured once more.
#include "core/optimize/bestclaims.h"

namespace cudal1::optimize {

namespace {

/// A speed-up from which a wide interval is worth another measurement.
constexpr double seemsFaster = 1.03;

} // namespace

const JudgedVariant* BestClaims::open(const JudgedList& list) const
{
    const JudgedVariant* best = list.best();
    if (!best)
        return nullptr;
    if (best->exemplar.wall.low > 1)
        return m_judged.contains(best->variant) && !m_again.contains(best->variant) ? best : nullptr;
    if (!m_again.empty())
        return nullptr;
    const JudgedVariant* likeliest = nullptr;
    for (const JudgedVariant& one : list.items()) {
        const policy::Exemplar& found = one.exemplar;
        if (found.verdict == protocol::Verdict::Correct && found.wall.valid() && m_judged.contains(one.variant) &&
            found.wall.estimate > (likeliest ? likeliest->exemplar.wall.estimate : seemsFaster))
            likeliest = &one;
    }
    return likeliest;
}

} // namespace cudal1::optimize
