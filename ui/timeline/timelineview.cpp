// SPDX-License-Identifier: GPL-3.0-or-later
// Keys, pointer and wheel of the timelines; what they change is in viewrange.h, what is drawn in timelinepainter.cpp.
#include "ui/timeline/timelineview.h"

#include "ui/shell/theme.h"
#include "ui/timeline/timelinepainter.h"
#include "ui/timeline/timelinetexts.h"
#include "ui/variants/texts.h"

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

using timeline::EventIndex;
using timeline::Gap;
using timeline::Model;
using timeline::noEvent;
using timeline::Side;
using Kind = TimelineBand::Kind;

namespace {

constexpr double zoomStep = 1.4; ///< of a key
constexpr double moveStep = 0.15; ///< of what is shown, of a key
constexpr std::uint32_t noRow = ~std::uint32_t(0);

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

timeline::Scale TimelineView::scale() const
{
    const int width = std::max(1, viewport()->width() - nameWidth());
    return {m_range.from_ns, m_range.length_ns() / width, width};
}

double TimelineView::timeAt(double x) const { return scale().time_ns(x - nameWidth()); }

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
    arrange();
    setPicked({});
    clearSpan();
    if (!same)
        fitAll();
}

void TimelineView::arrange()
{
    const Theme& theme = Theme::instance();
    m_layout.rowHeight = theme.unit(5);
    m_layout.headingHeight = theme.unit(7);
    m_layout.gap = theme.unit(1);
    m_layout.arrange(m_sides);
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
    setRange(zoomed(m_range, factor, over ? timeAt(pointer.x()) : (m_range.from_ns + m_range.to_ns) / 2, m_limits));
}

void TimelineView::moveBy(double part) { setRange(moved(m_range, part * m_range.length_ns(), m_limits)); }

ViewRange TimelineView::rangeOf(const Picked& picked) const
{
    const Model& model = *m_sides[std::size_t(picked.side)].model;
    if (picked.gap >= 0)
        return {double(model.gaps[std::size_t(picked.gap)].begin_ns), double(model.gaps[std::size_t(picked.gap)].end_ns)};
    return {double(model.begin_ns[picked.event]), double(model.end_ns[picked.event])};
}

void TimelineView::zoomTo(const Picked& picked)
{
    if (!picked)
        return;
    setRange(fitted(rangeOf(picked), m_limits));
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
        setSpanEnd(rangeOf(picked).to_ns);
    QString words;
    if (picked) {
        const Side& side = m_sides[std::size_t(picked.side)];
        words = picked.gap >= 0 ? QString::fromStdString(sentence(*side.model, side.model->gaps[std::size_t(picked.gap)])) : eventSentence(*side.model, picked.event);
    }
    setAccessibleDescription(words);
    viewport()->update();
    emit pickedChanged();
}

void TimelineView::pick(const Picked& picked)
{
    setPicked(picked);
    if (picked) {
        setRange(showing(m_range, rangeOf(picked), m_limits));
        reveal(picked);
    }
}

/// Scrolls so that its row is in view.
void TimelineView::reveal(const Picked& picked)
{
    int top = 0;
    if (picked.gap < 0) {
        top = m_layout.topOf(m_sides, picked.side, m_sides[std::size_t(picked.side)].model->rowOf[picked.event]);
    } else {
        for (const TimelineBand& band : m_layout.bands)
            if (band.side == picked.side && band.kind == Kind::Gaps)
                top = band.top;
    }
    QScrollBar* bar = verticalScrollBar();
    const int room = viewport()->height() - rulerHeight();
    if (top < bar->value())
        bar->setValue(top - m_layout.headingHeight);
    else if (top + m_layout.rowHeight > bar->value() + room)
        bar->setValue(top + 2 * m_layout.rowHeight - room);
}

QRect TimelineView::rectOf(const Picked& picked) const
{
    if (!picked)
        return {};
    const ViewRange range = rangeOf(picked);
    const timeline::Scale now = scale();
    const double x0 = now.x(range.from_ns), x1 = now.x(range.to_ns);
    if (x1 < 0 || x0 > now.width)
        return {};
    int top = 0;
    if (picked.gap < 0) {
        top = m_layout.topOf(m_sides, picked.side, m_sides[std::size_t(picked.side)].model->rowOf[picked.event]);
    } else {
        for (const TimelineBand& band : m_layout.bands)
            if (band.side == picked.side && band.kind == Kind::Gaps)
                top = band.top;
    }
    const int left = int(std::max(0.0, x0)), right = int(std::min(double(now.width), std::max(x1, x0 + 1)));
    return {nameWidth() + left, rulerHeight() + top - verticalScrollBar()->value(), std::max(1, right - left), m_layout.rowHeight - 2};
}

// ---- measuring ------------------------------------------------------------------------------------------------------

std::optional<timeline::Span> TimelineView::span() const
{
    if (m_measure == Measure::None || m_anchor_ns == m_end_ns)
        return {};
    return timeline::Span{std::llround(std::min(m_anchor_ns, m_end_ns)), std::llround(std::max(m_anchor_ns, m_end_ns))};
}

void TimelineView::measure()
{
    if (m_sides.empty())
        return;
    if (m_measure == Measure::Following) {
        m_measure = Measure::Done;
        viewport()->update();
        emit spanChanged();
        return;
    }
    m_measure = Measure::Following;
    const QPoint pointer = viewport()->mapFromGlobal(QCursor::pos());
    if (m_picked) {
        m_anchor_ns = rangeOf(m_picked).from_ns;
        setSpanEnd(rangeOf(m_picked).to_ns);
    } else {
        m_anchor_ns = m_end_ns = snapped(viewport()->rect().contains(pointer) ? pointer : viewport()->rect().center());
    }
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

/// The nearest edge of an event of the row under the pointer, of a window or of a gap, within a few pixels; else the time.
double TimelineView::snapped(const QPoint& position) const
{
    const double time = timeAt(position.x());
    double best = time, distance = Theme::instance().unit(2) * scale().perPixel_ns;
    const auto offer = [&](double edge) {
        if (std::abs(edge - time) < distance) {
            distance = std::abs(edge - time);
            best = edge;
        }
    };
    const int y = position.y() - rulerHeight() + verticalScrollBar()->value();
    const TimelineBand* band = m_layout.at(y);
    const auto ofRow = [&](const Model& model, std::uint32_t row) {
        const EventIndex near = model.nearest(row, std::llround(time));
        if (near == noEvent)
            return;
        for (EventIndex i = near > model.rows[row].first ? near - 1 : near; i <= near + 1 && i < model.rows[row].last; ++i) {
            offer(double(model.begin_ns[i]));
            offer(double(model.end_ns[i]));
        }
    };
    for (int s = 0; s < int(m_sides.size()); ++s) {
        if (band && band->side != s)
            continue;
        const Model& model = *m_sides[std::size_t(s)].model;
        for (const auto& window : model.windows) {
            offer(double(window.start_ns));
            offer(double(window.end_ns));
        }
        if (!band || band->kind != Kind::Track)
            continue;
        if (const std::uint32_t row = m_layout.rowAt(m_sides, *band, y); row != noRow)
            ofRow(model, row);
    }
    return best;
}

// ---- what is where --------------------------------------------------------------------------------------------------

TimelineView::Picked TimelineView::pickedAt(const QPoint& position) const
{
    if (position.x() < nameWidth() || position.y() < rulerHeight())
        return {};
    const int y = position.y() - rulerHeight() + verticalScrollBar()->value();
    const TimelineBand* band = m_layout.at(y);
    if (!band || band->kind == Kind::Heading)
        return {};
    const Model& model = *m_sides[std::size_t(band->side)].model;
    const timeline::Scale now = scale();
    // Within a pixel or two, so that the narrowest can be hit.
    const double time = timeAt(position.x() + 0.5), slack = 2 * now.perPixel_ns;
    if (band->kind == Kind::Gaps) {
        const auto gap = std::partition_point(model.gaps.begin(), model.gaps.end(), [&](const Gap& g) { return double(g.end_ns) < time - slack; });
        if (gap != model.gaps.end() && double(gap->begin_ns) <= time + slack)
            return {band->side, noEvent, int(gap - model.gaps.begin())};
        return {};
    }
    const std::uint32_t row = m_layout.rowAt(m_sides, *band, y);
    const EventIndex event = row == noRow ? noEvent : model.nearest(row, std::llround(time));
    if (event == noEvent || double(model.begin_ns[event]) > time + slack || double(model.end_ns[event]) < time - slack)
        return {};
    return {band->side, event, -1};
}

QString TimelineView::tipAt(const QPoint& position) const
{
    const int y = position.y() - rulerHeight() + verticalScrollBar()->value();
    const TimelineBand* band = position.y() >= rulerHeight() ? m_layout.at(y) : nullptr;
    if (!band)
        return {};
    const Side& side = m_sides[std::size_t(band->side)];
    if (position.x() < nameWidth())
        return band->kind == Kind::Track ? QString::fromStdString(side.model->tracks[band->track].name)
            : band->kind == Kind::Gaps  ? tr("Times in which the device had nothing to do; without a GPU, in which no operator ran")
                                        : QString::fromStdString(side.title);
    if (band->kind == Kind::Heading) {
        QStringList notes;
        for (const std::string& note : side.model->notes)
            notes << QString::fromStdString(note);
        return notes.join(u'\n');
    }
    if (const Picked found = pickedAt(position)) {
        if (found.gap >= 0) {
            const Gap& gap = side.model->gaps[std::size_t(found.gap)];
            return tr("Gap of %1. %2").arg(timeText(double(gap.duration_ns())), QString::fromStdString(sentence(*side.model, gap)));
        }
        return eventSentence(*side.model, found.event);
    }
    const double time = timeAt(position.x());
    const auto& windows = side.model->windows;
    const bool timed = windows.empty() || std::any_of(windows.begin(), windows.end(), [&](const auto& w) { return time >= double(w.start_ns) && time <= double(w.end_ns); });
    return timed ? QString() : tr("Not timed: outside the timed windows");
}

// ---- keys -----------------------------------------------------------------------------------------------------------

/// To the event `by` places further in the row, or, with none picked, to the first one in view.
void TimelineView::step(int by)
{
    if (m_sides.empty())
        return;
    if (!m_picked) {
        for (const TimelineBand& band : m_layout.bands) {
            if (band.kind != Kind::Track)
                continue;
            const Model& model = *m_sides[std::size_t(band.side)].model;
            const EventIndex event = model.nearest(model.tracks[band.track].firstRow, std::llround(std::max(m_range.from_ns, double(model.first_ns))));
            if (event != noEvent)
                return pick({band.side, event, -1});
        }
        return;
    }
    const Model& model = *m_sides[std::size_t(m_picked.side)].model;
    if (m_picked.gap >= 0)
        return pick({m_picked.side, noEvent, std::clamp(m_picked.gap + by, 0, int(model.gaps.size()) - 1)});
    const Model::Row& row = model.rows[model.rowOf[m_picked.event]];
    const std::int64_t wanted = std::int64_t(m_picked.event) + by;
    pick({m_picked.side, EventIndex(std::clamp<std::int64_t>(wanted, row.first, std::int64_t(row.last) - 1)), -1});
}

/// To the row above or below, also of the next side, where its nearest event is.
void TimelineView::climb(int by)
{
    if (!m_picked)
        return step(0);
    struct Place {
        int side;
        std::uint32_t row; ///< noRow: the gaps
    };
    std::vector<Place> places;
    for (const TimelineBand& band : m_layout.bands) {
        if (band.kind == Kind::Gaps)
            places.push_back({band.side, noRow});
        if (band.kind != Kind::Track)
            continue;
        const Model::Track& track = m_sides[std::size_t(band.side)].model->tracks[band.track];
        for (std::uint32_t row = track.firstRow; row < track.lastRow; ++row)
            places.push_back({band.side, row});
    }
    const std::uint32_t row = m_picked.gap >= 0 ? noRow : m_sides[std::size_t(m_picked.side)].model->rowOf[m_picked.event];
    const auto at = std::find_if(places.begin(), places.end(), [&](const Place& p) { return p.side == m_picked.side && p.row == row; });
    const std::ptrdiff_t next = at - places.begin() + by;
    if (at == places.end() || next < 0 || next >= std::ptrdiff_t(places.size()))
        return;
    const ViewRange seen = rangeOf(m_picked);
    const auto time = std::llround((std::max(seen.from_ns, m_range.from_ns) + std::min(seen.to_ns, m_range.to_ns)) / 2);
    const Place& place = places[std::size_t(next)];
    const Model& model = *m_sides[std::size_t(place.side)].model;
    if (place.row != noRow)
        return pick({place.side, model.nearest(place.row, time), -1});
    const auto gap = std::partition_point(model.gaps.begin(), model.gaps.end(), [&](const Gap& g) { return g.end_ns < time; });
    pick({place.side, noEvent, int(std::min<std::ptrdiff_t>(gap - model.gaps.begin(), std::ptrdiff_t(model.gaps.size()) - 1))});
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
    if (m_drag == Drag::Moving) {
        const double perPixel = m_pressedRange.length_ns() / std::max(1, viewport()->width() - nameWidth());
        setRange(moved(m_pressedRange, (m_pressed.x() - position.x()) * perPixel, m_limits));
        verticalScrollBar()->setValue(m_pressedScroll + m_pressed.y() - position.y());
    }
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event)
{
    const Drag drag = std::exchange(m_drag, Drag::None);
    viewport()->unsetCursor();
    if (drag == Drag::Measuring && m_anchor_ns == m_end_ns)
        clearSpan();
    if (drag == Drag::Pressed && event->button() == Qt::LeftButton)
        setPicked(pickedAt(event->position().toPoint()));
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const Picked found = pickedAt(event->position().toPoint());
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
        setRange(zoomed(m_range, std::pow(zoomStep, -notches), timeAt(event->position().x()), m_limits));
        return event->accept();
    }
    const bool sideways = event->modifiers() & Qt::ShiftModifier || std::abs(angle.x()) > std::abs(angle.y());
    if (sideways) {
        const int across = angle.x() ? angle.x() : angle.y();
        const double by = pixels.isNull() ? across / 120.0 * moveStep * m_range.length_ns() : (pixels.x() ? pixels.x() : pixels.y()) * scale().perPixel_ns;
        setRange(moved(m_range, -by, m_limits));
        return event->accept();
    }
    QAbstractScrollArea::wheelEvent(event);
}

bool TimelineView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString tip = tipAt(help->pos());
        // As rich text, so that long names wrap.
        tip.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), QStringLiteral("<p>%1</p>").arg(tip.toHtmlEscaped().replace(u'\n', QStringLiteral("<br>"))), this);
        return true;
    }
    if (event->type() == QEvent::NativeGesture) {
        const auto* gesture = static_cast<QNativeGestureEvent*>(event);
        if (gesture->gestureType() == Qt::ZoomNativeGesture) {
            setRange(zoomed(m_range, 1 / std::max(0.2, 1 + gesture->value()), timeAt(gesture->position().x()), m_limits));
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
