// SPDX-License-Identifier: GPL-3.0-or-later
// Which result is to be measured once more.
#include "core/optimize/claims.h"

namespace cudal1::optimize {

const JudgedVariant* Claims::open(const JudgedList& list) const
{
    const JudgedVariant* best = list.best();
    if (!best || best->exemplar.wall.low <= 1 || !m_judged.contains(best->variant) || m_again.contains(best->variant))
        return nullptr;
    return best;
}

} // namespace cudal1::optimize
