// SPDX-License-Identifier: GPL-3.0-or-later
// Which request begins next.
#include "core/judge/supervisor/requestqueue.h"

#include <algorithm>

namespace cudal1::judge {

bool RequestQueue::withdraw(std::uint64_t id)
{
    return std::erase_if(m_requests, [id](const QueuedRequest& one) { return one.id == id; }) > 0;
}

RequestQueue::Place RequestQueue::next(const Test& mayBegin, const Test& isServed) const
{
    const Place first = std::find_if(m_requests.begin(), m_requests.end(), mayBegin);
    if (first == m_requests.end() || m_overtaken >= mostOvertaken || first->type != "evaluate" || isServed(*first))
        return first;
    const Place served = std::find_if(first, m_requests.end(), [&](const QueuedRequest& one) {
        return one.type == "evaluate" && mayBegin(one) && isServed(one);
    });
    return served == m_requests.end() ? first : served;
}

QueuedRequest RequestQueue::take(const Place& place)
{
    m_overtaken = place == m_requests.begin() ? 0 : m_overtaken + 1;
    QueuedRequest out = *place;
    m_requests.erase(place);
    return out;
}

} // namespace cudal1::judge
