// SPDX-License-Identifier: GPL-3.0-or-later
// What each key, drag and turn of the wheel does.
#include "ui/timeline/timelineinput.h"

#include "ui/timeline/timelineview.h"

#include <QApplication>
#include <QKeyEvent>
#include <QNativeGestureEvent>
#include <QScrollBar>
#include <QWheelEvent>

#include <cmath>
#include <utility>

namespace cudal1::ui {

using Phase = TimelineMeasure::Phase;

namespace {

constexpr double zoomStep = 1.4;  ///< of a key
constexpr double moveStep = 0.15; ///< of what is shown, of a key

} // namespace

bool TimelineInput::key(const QKeyEvent& event)
{
    if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return false;
    switch (event.key()) {
    case Qt::Key_W:
    case Qt::Key_Plus: m_view.zoom(1 / zoomStep); return true;
    case Qt::Key_S:
    case Qt::Key_Minus: m_view.zoom(zoomStep); return true;
    case Qt::Key_A: m_view.moveBy(-moveStep); return true;
    case Qt::Key_D: m_view.moveBy(moveStep); return true;
    case Qt::Key_F: m_view.fit(); return true;
    case Qt::Key_Home: m_view.fitAll(); return true;
    case Qt::Key_Left: m_view.step(-1); return true;
    case Qt::Key_Right: m_view.step(1); return true;
    case Qt::Key_Up: m_view.climb(-1); return true;
    case Qt::Key_Down: m_view.climb(1); return true;
    case Qt::Key_M: m_view.measure(); return true;
    case Qt::Key_P: event.modifiers() & Qt::ShiftModifier ? m_view.goToNextPin() : m_view.pin(); return true;
    case Qt::Key_N: m_view.namePin(); return true;
    case Qt::Key_C: event.modifiers() & Qt::ShiftModifier ? m_view.foldHostTracks() : m_view.foldTrack(); return true;
    case Qt::Key_Slash: emit m_view.searchRequested(); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: m_view.zoomTo(m_view.picked()); return true;
    case Qt::Key_Escape: return escape();
    default: return false;
    }
}

/// Lets go of the span, then of what is picked.
bool TimelineInput::escape()
{
    if (m_view.measured().phase() != Phase::None)
        m_view.clearSpan();
    else if (m_view.picked())
        m_view.setPicked({});
    else
        return false;
    return true;
}

// ---- pointer --------------------------------------------------------------------------------------------------------

void TimelineInput::press(const QMouseEvent& event)
{
    if (event.button() != Qt::LeftButton && event.button() != Qt::MiddleButton)
        return;
    m_pressed = event.position().toPoint();
    m_pressedRange = m_view.range();
    m_pressedScroll = m_view.verticalScrollBar()->value();
    if (m_view.measured().phase() == Phase::Waiting)
        return m_view.measureFrom(m_pressed, Phase::Following);
    if (m_view.measured().phase() == Phase::Following) {
        m_view.measureTo(m_pressed);
        return m_view.measure();
    }
    const bool onRuler = m_pressed.y() < m_view.rulerHeight() && m_pressed.x() > m_view.nameWidth();
    const bool measures = event.button() == Qt::LeftButton && (onRuler || event.modifiers() & Qt::ShiftModifier) &&
                          !m_view.sides().empty();
    m_drag = measures ? Drag::Measuring : Drag::Pressed;
    if (measures)
        m_view.measureFrom(m_pressed, Phase::Done);
}

void TimelineInput::move(const QMouseEvent& event)
{
    const QPoint position = event.position().toPoint();
    if (m_drag == Drag::Measuring || (m_view.measured().phase() == Phase::Following && m_drag == Drag::None))
        return m_view.measureTo(position);
    if (m_drag == Drag::Pressed && (position - m_pressed).manhattanLength() >= QApplication::startDragDistance()) {
        m_drag = Drag::Moving;
        m_view.viewport()->setCursor(Qt::ClosedHandCursor);
    }
    if (m_drag == Drag::None)
        return m_view.point(position);
    if (m_drag == Drag::Moving) {
        const double perPixel = m_pressedRange.length_ns() /
                                std::max(1, m_view.viewport()->width() - m_view.nameWidth());
        m_view.setRange(moved(m_pressedRange, (m_pressed.x() - position.x()) * perPixel, m_view.limits()));
        m_view.verticalScrollBar()->setValue(m_pressedScroll + m_pressed.y() - position.y());
    }
}

void TimelineInput::release(const QMouseEvent& event)
{
    const Drag drag = std::exchange(m_drag, Drag::None);
    const QPoint position = event.position().toPoint();
    if (drag == Drag::Moving) {
        m_view.viewport()->unsetCursor();
        m_view.point({-1, -1}); // so that pointing somewhere sets the cursor anew
    }
    if (drag == Drag::Measuring && !m_view.span())
        m_view.clearSpan();
    if (drag == Drag::Pressed && event.button() == Qt::LeftButton) {
        if (const TimelineBand* band = m_view.places().foldAt(position))
            m_view.toggle(*band);
        else
            m_view.setPicked(m_view.places().pickedAt(position));
    }
    m_view.point(position);
}

void TimelineInput::doubleClick(const QMouseEvent& event)
{
    const QPoint position = event.position().toPoint();
    if (m_view.namePinAt(position))
        return;
    if (m_view.places().foldAt(position))
        return press(event); // two quick clicks fold and unfold
    const TimelinePicked found = m_view.places().pickedAt(position);
    if (!found)
        return;
    m_view.setPicked(found);
    m_view.zoomTo(found);
}

// ---- wheel and touchpad ---------------------------------------------------------------------------------------------

bool TimelineInput::wheel(const QWheelEvent& event)
{
    const QPoint pixels = event.pixelDelta(), angle = event.angleDelta();
    const ViewRange range = m_view.range();
    if (event.modifiers() & Qt::ControlModifier) {
        const double notches = angle.y() / 120.0;
        m_view.setRange(
            zoomed(range, std::pow(zoomStep, -notches), m_view.places().timeAt(event.position().x()), m_view.limits()));
        return true;
    }
    const bool sideways = event.modifiers() & Qt::ShiftModifier || std::abs(angle.x()) > std::abs(angle.y());
    if (!sideways)
        return false;
    const int across = angle.x() ? angle.x() : angle.y();
    const double by = pixels.isNull() ? across / 120.0 * moveStep * range.length_ns()
                                      : (pixels.x() ? pixels.x() : pixels.y()) * m_view.places().scale.perPixel_ns;
    m_view.setRange(moved(range, -by, m_view.limits()));
    return true;
}

bool TimelineInput::gesture(const QNativeGestureEvent& event)
{
    if (event.gestureType() != Qt::ZoomNativeGesture)
        return false;
    const double factor = 1 / std::max(0.2, 1 + event.value());
    m_view.setRange(zoomed(m_view.range(), factor, m_view.places().timeAt(event.position().x()), m_view.limits()));
    return true;
}

} // namespace cudal1::ui
