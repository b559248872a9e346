// SPDX-License-Identifier: GPL-3.0-or-later
// One sweep over what begins and ends at each step.
#include "core/costs/liveness.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cudal1::costs {

int Liveness::allocate(double bytes)
{
    constexpr double block = 512;
    m_storages.push_back({m_step, m_step, std::ceil(bytes / block) * block});
    return static_cast<int>(m_storages.size()) - 1;
}

void Liveness::use(int storage)
{
    Span& span = m_storages.at(static_cast<std::size_t>(storage));
    span.last = std::max(span.last, m_step);
}

void Liveness::keep(int storage)
{
    m_storages.at(static_cast<std::size_t>(storage)).last = std::numeric_limits<std::size_t>::max();
}

double Liveness::peak_bytes() const
{
    std::vector<double> change(m_step + 2, 0);
    for (const Span& span : m_storages) {
        change[span.first] += span.bytes;
        if (span.last <= m_step)
            change[span.last + 1] -= span.bytes;
    }
    double held = 0, peak = 0;
    for (const double one : change)
        peak = std::max(peak, held += one);
    return peak;
}

} // namespace cudal1::costs
