// SPDX-License-Identifier: GPL-3.0-or-later
// Keys, pointer, wheel and touchpad of the timelines.
#include "ui/timeline/timelineview.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QNativeGestureEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>

namespace cudal1::ui {

namespace {

constexpr double zoomStep = 1.4; ///< of a key
constexpr double moveStep = 0.15; ///< of what is shown, of a key

} // namespace

void TimelineView::keyPressEvent(QKeyEvent* event)
{
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return QAbstractScrollArea::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_W:
    case Qt::Key_Plus: return zoom(1 / zoomStep);
    case Qt::Key_S:
    case Qt::Key_Minus: return zoom(zoomStep);
    case Qt::Key_A: return moveBy(-moveStep);
    case Qt::Key_D: return moveBy(moveStep);
    case Qt::Key_F: return fit();
    case Qt::Key_Home: return fitAll();
    case Qt::Key_Left: return step(-1);
    case Qt::Key_Right: return step(1);
    case Qt::Key_Up: return climb(-1);
    case Qt::Key_Down: return climb(1);
    case Qt::Key_M: return measure();
    case Qt::Key_C: return event->modifiers() & Qt::ShiftModifier ? foldHostTracks() : foldTrack();
    case Qt::Key_Slash: emit searchRequested(); return;
    case Qt::Key_Return:
    case Qt::Key_Enter: return zoomTo(m_picked);
    case Qt::Key_Escape:
        if (m_measure != Measure::None)
            return clearSpan();
        if (m_picked)
            return setPicked({});
        break;
    default: break;
    }
    QAbstractScrollArea::keyPressEvent(event);
}

// ---- pointer --------------------------------------------------------------------------------------------------------

void TimelineView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
        return;
    m_pressed = event->position().toPoint();
    m_pressedRange = m_range;
    m_pressedScroll = verticalScrollBar()->value();
    if (m_measure == Measure::Waiting)
        return beginSpan(m_pressed);
    if (m_measure == Measure::Following) {
        setSpanEnd(snapped(m_pressed));
        return measure();
    }
    const bool onRuler = m_pressed.y() < rulerHeight() && m_pressed.x() > nameWidth();
    m_drag = event->button() == Qt::LeftButton && (onRuler || event->modifiers() & Qt::ShiftModifier) && !m_sides.empty() ? Drag::Measuring : Drag::Pressed;
    if (m_drag == Drag::Measuring) {
        m_measure = Measure::Done;
        m_anchor_ns = m_end_ns = snapped(m_pressed);
        viewport()->update();
    }
}

void TimelineView::mouseMoveEvent(QMouseEvent* event)
{
    const QPoint position = event->position().toPoint();
    if (m_drag == Drag::Measuring || (m_measure == Measure::Following && m_drag == Drag::None))
        return setSpanEnd(snapped(position));
    if (m_drag == Drag::Pressed && (position - m_pressed).manhattanLength() >= QApplication::startDragDistance()) {
        m_drag = Drag::Moving;
        viewport()->setCursor(Qt::ClosedHandCursor);
    }
    if (m_drag == Drag::None)
        return point(position);
    if (m_drag == Drag::Moving) {
        const double perPixel = m_pressedRange.length_ns() / std::max(1, viewport()->width() - nameWidth());
        setRange(moved(m_pressedRange, (m_pressed.x() - position.x()) * perPixel, m_limits));
        verticalScrollBar()->setValue(m_pressedScroll + m_pressed.y() - position.y());
    }
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event)
{
    const Drag drag = std::exchange(m_drag, Drag::None);
    const QPoint position = event->position().toPoint();
    if (drag == Drag::Moving) {
        viewport()->unsetCursor();
        m_pointed = -1;
    }
    if (drag == Drag::Measuring && m_anchor_ns == m_end_ns)
        clearSpan();
    if (drag == Drag::Pressed && event->button() == Qt::LeftButton) {
        if (const TimelineBand* band = places().foldAt(position))
            toggle(*band);
        else
            setPicked(places().pickedAt(position));
    }
    point(position);
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const QPoint position = event->position().toPoint();
    if (places().foldAt(position))
        return mousePressEvent(event); // two quick clicks fold and unfold
    const Picked found = places().pickedAt(position);
    if (!found)
        return;
    setPicked(found);
    zoomTo(found);
}

void TimelineView::wheelEvent(QWheelEvent* event)
{
    const QPoint pixels = event->pixelDelta(), angle = event->angleDelta();
    if (event->modifiers() & Qt::ControlModifier) {
        const double notches = angle.y() / 120.0;
        setRange(zoomed(m_range, std::pow(zoomStep, -notches), places().timeAt(event->position().x()), m_limits));
        return event->accept();
    }
    const bool sideways = event->modifiers() & Qt::ShiftModifier || std::abs(angle.x()) > std::abs(angle.y());
    if (sideways) {
        const int across = angle.x() ? angle.x() : angle.y();
        const double by = pixels.isNull() ? across / 120.0 * moveStep * m_range.length_ns() : (pixels.x() ? pixels.x() : pixels.y()) * places().scale.perPixel_ns;
        setRange(moved(m_range, -by, m_limits));
        return event->accept();
    }
    QAbstractScrollArea::wheelEvent(event);
    point(event->position().toPoint());
}

bool TimelineView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString tip = places().tipAt(help->pos());
        // As rich text, so that long names wrap.
        tip.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), QStringLiteral("<p>%1</p>").arg(tip.toHtmlEscaped().replace(u'\n', QStringLiteral("<br>"))), this);
        return true;
    }
    if (event->type() == QEvent::Leave)
        point({-1, -1});
    if (event->type() == QEvent::NativeGesture) {
        const auto* gesture = static_cast<QNativeGestureEvent*>(event);
        if (gesture->gestureType() == Qt::ZoomNativeGesture) {
            setRange(zoomed(m_range, 1 / std::max(0.2, 1 + gesture->value()), places().timeAt(gesture->position().x()), m_limits));
            return true;
        }
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace cudal1::ui
