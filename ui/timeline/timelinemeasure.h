// SPDX-License-Identifier: GPL-3.0-or-later
// The span that is measured between two edges, and what moves the second of them. No widgets.
#pragma once

#include "core/timeline/eventtables.h"
#include "ui/timeline/viewrange.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace cudal1::ui {

class TimelineMeasure {
public:
    /// Waiting for the first edge; Following the pointer; Walking with what is picked.
    enum class Phase { None, Waiting, Following, Walking, Done };

    Phase phase() const { return m_phase; }
    bool isGoingOn() const { return m_phase != Phase::None && m_phase != Phase::Done; }
    /// Both edges are there, perhaps at one place.
    bool hasEdges() const { return m_phase >= Phase::Following; }
    ViewRange range() const { return {std::min(m_anchor_ns, m_end_ns), std::max(m_anchor_ns, m_end_ns)}; }
    /// Nothing while there are no edges, or where they are at one place.
    std::optional<timeline::Span> span() const
    {
        if (!hasEdges() || m_anchor_ns == m_end_ns)
            return {};
        return timeline::Span{std::llround(range().from_ns), std::llround(range().to_ns)};
    }

    void wait() { m_phase = Phase::Waiting; }
    /// Both edges are here, and in this phase the second one may move.
    void begin(Phase phase, double at_ns)
    {
        m_phase = phase;
        m_anchor_ns = m_end_ns = at_ns;
    }
    void setEnd(double at_ns) { m_end_ns = at_ns; }
    /// Keeps the span, if there is one.
    void stop() { m_phase = hasEdges() ? Phase::Done : Phase::None; }
    void clear() { m_phase = Phase::None; }

private:
    Phase m_phase = Phase::None;
    double m_anchor_ns = 0, m_end_ns = 0;
};

} // namespace cudal1::ui
