// SPDX-License-Identifier: GPL-3.0-or-later
// What of the timelines is in view, picked and measured. Keys, pointer and wheel are in timelineinput.cpp, the arithmetic in
// viewrange.h, what lies where in timelineplaces.h, what is drawn in timelinepainter.cpp.
#include "ui/timeline/timelineview.h"

#include "ui/kit/theme.h"
#include "ui/timeline/timelinepainter.h"

#include <QEvent>
#include <QScrollBar>

#include <algorithm>
#include <utility>

namespace cudal1::ui {

using timeline::Side;
using Kind = TimelineBand::Kind;

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
    arrange();
    if (!same) {
        m_layout.foldToFit(m_sides, viewport()->height() - rulerHeight()); // strips, so that more of what works is in view
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
    if (m_measure == Measure::Walking && picked)
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
        m_measure = m_measure == Measure::Waiting ? Measure::None : Measure::Done;
        viewport()->update();
        emit spanChanged();
        return;
    }
    const QPoint pointer = viewport()->mapFromGlobal(QCursor::pos());
    if (m_picked) {
        m_measure = Measure::Walking;
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
