// SPDX-License-Identifier: GPL-3.0-or-later
// Keys, pointer and wheel of the timelines; what they change is in viewrange.h, what they meet in timelineplaces.h, what is
// drawn in timelinepainter.cpp.
#include "ui/timeline/timelineview.h"

#include "ui/shell/theme.h"
#include "ui/timeline/timelinepainter.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QNativeGestureEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace cudal1::ui {

using timeline::Side;
using Kind = TimelineBand::Kind;

namespace {

constexpr double zoomStep = 1.4; ///< of a key
constexpr double moveStep = 0.15; ///< of what is shown, of a key

} // namespace

TimelineView::TimelineView(QWidget* parent) : QAbstractScrollArea(parent), m_painter(std::make_unique<TimelinePainter>(*this))
{
    setObjectName(QStringLiteral("timelineView"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Timelines"));
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(Theme::instance().unit(80), Theme::instance().unit(30));
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        m_painter->forget();
        arrange();
    });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, viewport(), QOverload<>::of(&QWidget::update));
    arrange();
}

TimelineView::~TimelineView() = default;

int TimelineView::nameWidth() const { return Theme::instance().unit(46); }
int TimelineView::rulerHeight() const { return Theme::instance().unit(6); }

TimelinePlaces TimelineView::places() const
{
    const int width = std::max(1, viewport()->width() - nameWidth());
    return {m_sides, m_layout, {m_range.from_ns, m_range.length_ns() / width, width}, nameWidth(), rulerHeight(), verticalScrollBar()->value()};
}

void TimelineView::setSides(Sides sides)
{
    ViewRange limits;
    bool any = false;
    for (const Side& side : sides) {
        const double from = double(side.model->first_ns), to = double(side.model->last_ns);
        limits = any ? ViewRange{std::min(limits.from_ns, from), std::max(limits.to_ns, to)} : ViewRange{from, to};
        any = true;
    }
    const double margin = std::max(limits.length_ns() * 0.02, shortest_ns);
    limits = {limits.from_ns - margin, limits.to_ns + margin};
    const bool same = limits == m_limits && !m_sides.empty();
    m_sides = std::move(sides);
    m_limits = limits;
    m_painter->forget();
    m_marked = {};
    if (!same)
        m_layout.unfoldIdle();
    arrange();
    if (!same && m_layout.height > viewport()->height() - rulerHeight()) {
        m_layout.foldIdle(m_sides); // strips, so that more of what works is in view
        arrange();
    }
    setPicked({});
    clearSpan();
    if (!same)
        fitAll();
}

void TimelineView::arrange()
{
    const Theme& theme = Theme::instance();
    m_layout.rowHeight = theme.unit(5);
    m_layout.foldedHeight = theme.unit(2);
    m_layout.headingHeight = theme.unit(7);
    m_layout.gap = theme.unit(1);
    m_layout.arrange(m_sides);
    m_pointed = -1;
    viewport()->unsetCursor();
    placeScrollBar();
    viewport()->update();
}

void TimelineView::placeScrollBar()
{
    const int room = viewport()->height() - rulerHeight();
    verticalScrollBar()->setPageStep(room);
    verticalScrollBar()->setSingleStep(m_layout.rowHeight);
    verticalScrollBar()->setRange(0, std::max(0, m_layout.height - room));
}

void TimelineView::setRange(const ViewRange& range)
{
    const ViewRange next = bounded(range, m_limits);
    if (next == m_range)
        return;
    m_range = next;
    viewport()->update();
    emit rangeChanged();
}

void TimelineView::fit()
{
    if (const auto measured = span())
        setRange(fitted({double(measured->begin_ns), double(measured->end_ns)}, m_limits));
    else if (m_picked)
        zoomTo(m_picked);
    else
        fitAll();
}

void TimelineView::fitAll() { setRange(m_limits); }

void TimelineView::zoom(double factor)
{
    const QPoint pointer = viewport()->mapFromGlobal(QCursor::pos());
    const bool over = viewport()->rect().contains(pointer) && pointer.x() > nameWidth() && underMouse();
    setRange(zoomed(m_range, factor, over ? places().timeAt(pointer.x()) : (m_range.from_ns + m_range.to_ns) / 2, m_limits));
}

void TimelineView::moveBy(double part) { setRange(moved(m_range, part * m_range.length_ns(), m_limits)); }

void TimelineView::zoomTo(const Picked& picked)
{
    if (!picked)
        return;
    unfold(picked);
    setRange(fitted(places().rangeOf(picked), m_limits));
    reveal(picked);
}

void TimelineView::mark(const Marked& marked)
{
    m_marked = marked;
    viewport()->update();
}

void TimelineView::setPicked(const Picked& picked)
{
    if (picked == m_picked)
        return;
    m_picked = picked;
    if (m_measure == Measure::Following && picked)
        setSpanEnd(places().rangeOf(picked).to_ns);
    describe({});
    viewport()->update();
    emit pickedChanged();
}

/// For a screen reader: what was done, and what is picked.
void TimelineView::describe(const QString& done)
{
    QStringList words{done, m_picked ? places().sentenceOf(m_picked) : QString()};
    words.removeAll(QString());
    setAccessibleDescription(words.join(QStringLiteral(". ")));
}

void TimelineView::pick(const Picked& picked)
{
    if (picked)
        unfold(picked);
    goTo(picked);
}

/// Picks it and brings it into view, also in a folded track.
void TimelineView::goTo(const Picked& picked)
{
    setPicked(picked);
    if (picked) {
        setRange(showing(m_range, places().rangeOf(picked), m_limits));
        reveal(picked);
    }
}

/// Scrolls so that its row is in view.
void TimelineView::reveal(const Picked& picked)
{
    const int top = places().topOf(picked);
    QScrollBar* bar = verticalScrollBar();
    const int room = viewport()->height() - rulerHeight();
    if (top < bar->value())
        bar->setValue(top - m_layout.headingHeight);
    else if (top + m_layout.rowHeight > bar->value() + room)
        bar->setValue(top + 2 * m_layout.rowHeight - room);
}

// ---- folding --------------------------------------------------------------------------------------------------------

/// What is at the top of the view stays there. `what` is for a screen reader.
void TimelineView::fold(bool folded, const QString& what, const std::function<bool(const TimelineBand&)>& which)
{
    const auto& bands = m_layout.bands;
    const int scroll = verticalScrollBar()->value();
    const auto first = std::size_t(std::ranges::find_if(bands, [&](const TimelineBand& band) { return band.bottom() > scroll; }) - bands.begin());
    if (first == bands.size())
        return;
    const TimelineBand before = bands[first];
    for (const TimelineBand& band : bands)
        if (band.kind != Kind::Heading && which(band))
            m_layout.setFolded(m_sides, band, folded);
    arrange();
    const int above = scroll - before.top; // of it; nothing once its height is another
    verticalScrollBar()->setValue(bands[first].top + (bands[first].height == before.height ? above : std::min(0, above)));
    describe((folded ? tr("Folded: %1") : tr("Unfolded: %1")).arg(what));
}

void TimelineView::toggle(const TimelineBand& band)
{
    const QString name = places().nameOf(band);
    if (band.kind == Kind::Heading)
        return fold(!band.folded, tr("all tracks of %1").arg(name), [side = band.side](const TimelineBand& b) { return b.side == side; });
    fold(!band.folded, name, [&](const TimelineBand& b) { return &b == &band; });
}

void TimelineView::foldTrack()
{
    const auto pointed = [this] { return viewport()->underMouse() ? places().bandAt(viewport()->mapFromGlobal(QCursor::pos())) : nullptr; };
    if (const TimelineBand* band = m_picked ? places().bandOf(m_picked) : pointed())
        toggle(*band);
    if (m_picked)
        reveal(m_picked);
}

void TimelineView::foldHostTracks()
{
    const auto onHost = [this](const TimelineBand& band) { return places().isOnHost(band); };
    const bool open = std::ranges::any_of(m_layout.bands, [&](const TimelineBand& band) { return !band.folded && onHost(band); });
    fold(open, tr("tracks without work on a device"), onHost);
}

void TimelineView::unfold(const Picked& picked)
{
    if (const TimelineBand* band = places().bandOf(picked); band && band->folded)
        toggle(*band);
}

/// Shows what a click would fold.
void TimelineView::point(const QPoint& position)
{
    const TimelineBand* band = places().foldAt(position);
    const int pointed = band ? int(band - m_layout.bands.data()) : -1;
    if (pointed == m_pointed)
        return;
    m_pointed = pointed;
    band ? viewport()->setCursor(Qt::PointingHandCursor) : viewport()->unsetCursor();
    viewport()->update();
}

// ---- measuring ------------------------------------------------------------------------------------------------------

std::optional<timeline::Span> TimelineView::span() const
{
    if (!hasSpan() || m_anchor_ns == m_end_ns)
        return {};
    return timeline::Span{std::llround(std::min(m_anchor_ns, m_end_ns)), std::llround(std::max(m_anchor_ns, m_end_ns))};
}

void TimelineView::measure()
{
    if (m_sides.empty())
        return;
    if (isMeasuring()) {
        m_measure = m_measure == Measure::Following ? Measure::Done : Measure::None;
        viewport()->update();
        emit spanChanged();
        return;
    }
    const QPoint pointer = viewport()->mapFromGlobal(QCursor::pos());
    if (m_picked) {
        m_measure = Measure::Following;
        m_anchor_ns = places().rangeOf(m_picked).from_ns;
        setSpanEnd(places().rangeOf(m_picked).to_ns);
    } else if (viewport()->rect().contains(pointer)) {
        return beginSpan(pointer);
    } else {
        m_measure = Measure::Waiting; // the first click is the first edge
    }
    viewport()->update();
    emit spanChanged();
}

void TimelineView::beginSpan(const QPoint& edge)
{
    m_measure = Measure::Following;
    m_anchor_ns = m_end_ns = snapped(edge);
    viewport()->update();
    emit spanChanged();
}

void TimelineView::clearSpan()
{
    if (m_measure == Measure::None)
        return;
    m_measure = Measure::None;
    viewport()->update();
    emit spanChanged();
}

void TimelineView::setSpanEnd(double time_ns)
{
    m_end_ns = time_ns;
    viewport()->update();
    emit spanChanged();
}

double TimelineView::snapped(const QPoint& position) const { return places().snapped(position, Theme::instance().unit(2)); }

// ---- keys -----------------------------------------------------------------------------------------------------------

/// To the event `by` places further in the row, or, with none picked, to the first one in view.
void TimelineView::step(int by)
{
    m_picked ? pick(places().beside(m_picked, by)) : goTo(places().first());
}

/// To the row above or below. Folded tracks are passed as they are.
void TimelineView::climb(int by)
{
    goTo(m_picked ? places().below(m_picked, by) : places().first());
}

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

void TimelineView::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    m_painter->paint(painter);
}

void TimelineView::resizeEvent(QResizeEvent*) { placeScrollBar(); }

void TimelineView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) {
        m_painter->forget();
        arrange();
    }
    QAbstractScrollArea::changeEvent(event);
}

void TimelineView::focusInEvent(QFocusEvent* event)
{
    viewport()->update();
    QAbstractScrollArea::focusInEvent(event);
}

void TimelineView::focusOutEvent(QFocusEvent* event)
{
    viewport()->update();
    QAbstractScrollArea::focusOutEvent(event);
}

} // namespace cudal1::ui
