// SPDX-License-Identifier: GPL-3.0-or-later
// Requests of the client that have not begun, and which of them begins next.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>

namespace cudal1::judge {

struct QueuedRequest {
    std::string type;
    std::uint64_t id = 0;
    nlohmann::json body;
};

class RequestQueue {
public:
    using Place = std::deque<QueuedRequest>::const_iterator;
    using Test = std::function<bool(const QueuedRequest&)>;

    bool empty() const { return m_requests.empty(); }
    std::size_t size() const { return m_requests.size(); }
    const QueuedRequest& operator[](std::size_t place) const { return m_requests[place]; }
    Place end() const { return m_requests.end(); }

    void add(QueuedRequest request) { m_requests.push_back(std::move(request)); }
    bool withdraw(std::uint64_t id); ///< false where it is not in the queue
    /// The first request that may begin. Where `isServed` does not hold for it, and it is to evaluate a candidate, a
    /// request behind it for which both hold: loading another task takes longer than judging a small candidate. A
    /// request is overtaken in this way `mostOvertaken` times at most. end() where none may begin.
    Place next(const Test& mayBegin, const Test& isServed) const;
    QueuedRequest take(const Place& place); ///< it begins

    static constexpr int mostOvertaken = 64;

private:
    std::deque<QueuedRequest> m_requests;
    int m_overtaken = 0; ///< requests in a row that have begun before the first one
};

} // namespace cudal1::judge
