// SPDX-License-Identifier: GPL-3.0-or-later
// Keys, pointer, wheel and touchpad of the timelines, as what they ask of the view.
#pragma once

#include "ui/timeline/viewrange.h"

#include <QPoint>

class QKeyEvent;
class QMouseEvent;
class QNativeGestureEvent;
class QWheelEvent;

namespace cudal1::ui {

class TimelineView;

/// A part of the view, which hands its events over. What gives back a bool says whether the event was one for the
/// timelines.
class TimelineInput {
public:
    explicit TimelineInput(TimelineView& view) : m_view(view) {}

    bool key(const QKeyEvent& event);
    void press(const QMouseEvent& event);
    void move(const QMouseEvent& event);
    void release(const QMouseEvent& event);
    void doubleClick(const QMouseEvent& event);
    bool wheel(const QWheelEvent& event);
    bool gesture(const QNativeGestureEvent& event);

private:
    enum class Drag { None, Pressed, Moving, Measuring };

    bool escape();

    TimelineView& m_view;
    Drag m_drag = Drag::None;
    // Where it began.
    QPoint m_pressed;
    ViewRange m_pressedRange;
    int m_pressedScroll = 0;
};

} // namespace cudal1::ui
