// SPDX-License-Identifier: GPL-3.0-or-later
// What is where: from a pixel to the event, gap or track there and back, and from an event to its neighbours. No
// widgets.
#pragma once

#include "core/timeline/blocks.h"
#include "core/timeline/traceimport.h"
#include "ui/timeline/timelinelayout.h"
#include "ui/timeline/viewrange.h"

#include <QPoint>
#include <QRect>
#include <QString>

#include <vector>

namespace cudal1::ui {

/// An event or a gap of a side, or nothing.
struct TimelinePicked {
    int side = -1;
    timeline::EventIndex event = timeline::noEvent;
    int gap = -1; ///< in the model's gaps, when it is one and no event
    explicit operator bool() const { return side >= 0; }
    bool operator==(const TimelinePicked&) const = default;
};

/// One state of the view, made when something is asked of it. Positions are pixels of the viewport.
struct TimelinePlaces {
    const std::vector<timeline::Side>& sides;
    const TimelineLayout& layout;
    timeline::Scale scale;
    int left = 0, top = 0; ///< where names and ruler end
    int scroll = 0;        ///< how much of the layout is above the ruler

    double timeAt(double x) const { return scale.time_ns(x - left); }
    /// Null on the ruler and below everything.
    const TimelineBand* bandAt(const QPoint& position) const;
    /// The band that a click folds: on a name in the left column, or on a heading.
    const TimelineBand* foldAt(const QPoint& position) const;
    TimelinePicked pickedAt(const QPoint& position) const;
    /// The nearest edge of an event of the row under the pointer, of a window or of a gap, within some pixels; else the
    /// time.
    double snapped(const QPoint& position, int within) const;
    QString tipAt(const QPoint& position) const;

    QString nameOf(const TimelineBand& band) const;
    /// A track without work on a device.
    bool isOnHost(const TimelineBand& band) const;

    // Of something that is picked.
    ViewRange rangeOf(const TimelinePicked& picked) const;
    const TimelineBand* bandOf(const TimelinePicked& picked) const;
    QString sentenceOf(const TimelinePicked& picked) const; ///< for a screen reader
    int topOf(const TimelinePicked& picked) const;          ///< of its row, in the layout
    QRect rectOf(const TimelinePicked& picked) const;       ///< empty when it is out of view in time

    /// The first event in view of the first track; nothing where there is none.
    TimelinePicked first() const;
    /// `by` places further in its row.
    TimelinePicked beside(const TimelinePicked& picked, int by) const;
    /// The nearest event of the row `by` rows further down, also of the next side. A folded track is one row.
    TimelinePicked below(const TimelinePicked& picked, int by) const;

private:
    std::uint32_t rowOf(const TimelinePicked& picked) const;
};

} // namespace cudal1::ui
