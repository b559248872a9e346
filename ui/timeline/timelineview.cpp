// SPDX-License-Identifier: GPL-3.0-or-later
// The arithmetic is in viewrange.h, what lies where in timelineplaces.h.
#include "ui/timeline/timelineview.h"

#include "ui/kit/theme.h"
#include "ui/timeline/timelineinput.h"
#include "ui/timeline/timelinepainter.h"

#include <QHelpEvent>
#include <QNativeGestureEvent>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace cudal1::ui {

using timeline::Side;
using Kind = TimelineBand::Kind;
using Phase = TimelineMeasure::Phase;

TimelineView::TimelineView(QWidget* parent)
    : QAbstractScrollArea(parent), m_input(std::make_unique<TimelineInput>(*this)),
      m_painter(std::make_unique<TimelinePainter>(*this))
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

int TimelineView::nameWidth() const
{
    return Theme::instance().unit(46);
}
int TimelineView::rulerHeight() const
{
    return Theme::instance().unit(6);
}

TimelinePlaces TimelineView::places() const
{
    const int width = std::max(1, viewport()->width() - nameWidth());
    return {m_sides,     m_layout,      {m_range.from_ns, m_range.length_ns() / width, width},
            nameWidth(), rulerHeight(), verticalScrollBar()->value()};
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
    m_found.clear();
    arrange();
    if (!same) {
        m_pins.set({});
        m_layout.foldToFit(m_sides,
                           viewport()->height() - rulerHeight()); // strips, so that more of what works is in view
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

void TimelineView::fitAll()
{
    setRange(m_limits);
}

void TimelineView::zoom(double factor)
{
    const QPoint pointer = viewport()->mapFromGlobal(QCursor::pos());
    const bool over = viewport()->rect().contains(pointer) && pointer.x() > nameWidth() && underMouse();
    setRange(
        zoomed(m_range, factor, over ? places().timeAt(pointer.x()) : (m_range.from_ns + m_range.to_ns) / 2, m_limits));
}

void TimelineView::moveBy(double part)
{
    setRange(moved(m_range, part * m_range.length_ns(), m_limits));
}

void TimelineView::zoomTo(const Picked& picked)
{
    if (!picked)
        return;
    unfold(picked);
    setRange(fitted(places().rangeOf(picked), m_limits));
    reveal(picked);
}

void TimelineView::step(int by)
{
    m_picked ? pick(places().beside(m_picked, by)) : goTo(places().first());
}

void TimelineView::climb(int by)
{
    goTo(m_picked ? places().below(m_picked, by) : places().first());
}

void TimelineView::mark(const Marked& marked)
{
    m_marked = marked;
    viewport()->update();
}

void TimelineView::setFound(const std::vector<std::pair<int, timeline::EventIndex>>& found)
{
    m_found.assign(m_sides.size(), {});
    for (const auto& [side, event] : found)
        if (side < int(m_found.size()))
            m_found[std::size_t(side)].push_back(event);
    for (auto& events : m_found)
        std::ranges::sort(events);
    viewport()->update();
}

const std::vector<timeline::EventIndex>& TimelineView::found(int side) const
{
    static const std::vector<timeline::EventIndex> none;
    return side < int(m_found.size()) ? m_found[std::size_t(side)] : none;
}

std::optional<double> TimelineView::momentToPin() const
{
    const QPoint pointer = viewport()->mapFromGlobal(QCursor::pos());
    const bool over = viewport()->rect().contains(pointer) && pointer.x() > nameWidth();
    if (m_sides.empty() || (!m_picked && !over))
        return {};
    return m_picked ? places().rangeOf(m_picked).from_ns : snapped(pointer);
}

void TimelineView::pin()
{
    const auto time = momentToPin();
    if (!time)
        return;
    describe(m_pins.toggle(*time) ? tr("Pinned") : tr("The pin is gone"));
    viewport()->update();
    emit pinsChanged();
}

void TimelineView::goToNextPin()
{
    const double middle = (m_range.from_ns + m_range.to_ns) / 2;
    const int next = m_pins.next(middle + places().scale.perPixel_ns);
    if (next < 0)
        return;
    const TimelinePin& pin = pins()[std::size_t(next)];
    setRange(moved(m_range, pin.time_ns - middle, m_limits));
    describe((tr("Pin %1 of %2").arg(next + 1).arg(pins().size()) + u' ' + pin.name).trimmed());
}

void TimelineView::namePin()
{
    editPin(m_pins.nearest(momentToPin().value_or((m_range.from_ns + m_range.to_ns) / 2)));
}

bool TimelineView::namePinAt(const QPoint& position)
{
    const int pin = m_pins.flagAt(position, places().scale, tracksRect());
    editPin(pin);
    return pin >= 0;
}

void TimelineView::editPin(int pin)
{
    m_pins.edit(pin, *viewport(), places().scale, tracksRect(), [this, pin](const QString& name) {
        m_pins.rename(pin, name);
        viewport()->update();
        emit pinsChanged();
    });
}

void TimelineView::setPicked(const Picked& picked)
{
    if (picked == m_picked)
        return;
    m_picked = picked;
    if (m_measure.phase() == Phase::Walking && picked) {
        m_measure.setEnd(places().rangeOf(picked).to_ns);
        spanMoved();
    }
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
    if (top < bar->value() + m_layout.headingHeight) // which stays at the top
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
    const auto first = std::size_t(
        std::ranges::find_if(bands, [&](const TimelineBand& band) { return band.bottom() > scroll; }) - bands.begin());
    if (first == bands.size())
        return;
    const TimelineBand before = bands[first];
    for (const TimelineBand& band : bands)
        if (band.kind != Kind::Heading && which(band))
            m_layout.setFolded(m_sides, band, folded);
    arrange();
    const int above = scroll - before.top; // of it; nothing once its height is another
    verticalScrollBar()->setValue(bands[first].top +
                                  (bands[first].height == before.height ? above : std::min(0, above)));
    describe((folded ? tr("Folded: %1") : tr("Unfolded: %1")).arg(what));
}

void TimelineView::toggle(const TimelineBand& band)
{
    const QString name = places().nameOf(band);
    if (band.kind == Kind::Heading)
        return fold(!band.folded, tr("all tracks of %1").arg(name),
                    [side = band.side](const TimelineBand& b) { return b.side == side; });
    fold(!band.folded, name, [&](const TimelineBand& b) { return &b == &band; });
}

void TimelineView::foldTrack()
{
    const auto pointed = [this] {
        return viewport()->underMouse() ? places().bandAt(viewport()->mapFromGlobal(QCursor::pos())) : nullptr;
    };
    if (const TimelineBand* band = m_picked ? places().bandOf(m_picked) : pointed())
        toggle(*band);
    if (m_picked)
        reveal(m_picked);
}

void TimelineView::foldHostTracks()
{
    const auto onHost = [this](const TimelineBand& band) { return places().isOnHost(band); };
    const bool open = std::ranges::any_of(m_layout.bands,
                                          [&](const TimelineBand& band) { return !band.folded && onHost(band); });
    fold(open, tr("tracks without work on a device"), onHost);
}

void TimelineView::unfold(const Picked& picked)
{
    if (const TimelineBand* band = places().bandOf(picked); band && band->folded)
        toggle(*band);
}

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

void TimelineView::measure()
{
    if (m_sides.empty())
        return;
    const QPoint pointer = viewport()->mapFromGlobal(QCursor::pos());
    if (m_measure.isGoingOn()) {
        m_measure.stop();
    } else if (m_picked) {
        const ViewRange range = places().rangeOf(m_picked);
        m_measure.begin(Phase::Walking, range.from_ns);
        m_measure.setEnd(range.to_ns);
    } else if (viewport()->rect().contains(pointer)) {
        m_measure.begin(Phase::Following, snapped(pointer));
    } else {
        m_measure.wait(); // the first click is the first edge
    }
    spanMoved();
}

void TimelineView::measureFrom(const QPoint& position, Phase phase)
{
    m_measure.begin(phase, snapped(position));
    spanMoved();
}

void TimelineView::measureTo(const QPoint& position)
{
    m_measure.setEnd(snapped(position));
    spanMoved();
}

void TimelineView::clearSpan()
{
    if (m_measure.phase() == Phase::None)
        return;
    m_measure.clear();
    spanMoved();
}

void TimelineView::spanMoved()
{
    viewport()->update();
    emit spanChanged();
}

double TimelineView::snapped(const QPoint& position) const
{
    return places().snapped(position, Theme::instance().unit(2));
}

// ---- events ---------------------------------------------------------------------------------------------------------

void TimelineView::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    m_painter->paint(painter);
}

void TimelineView::resizeEvent(QResizeEvent*)
{
    placeScrollBar();
}

void TimelineView::keyPressEvent(QKeyEvent* event)
{
    if (!m_input->key(*event))
        QAbstractScrollArea::keyPressEvent(event);
}

void TimelineView::mousePressEvent(QMouseEvent* event)
{
    m_input->press(*event);
}
void TimelineView::mouseMoveEvent(QMouseEvent* event)
{
    m_input->move(*event);
}
void TimelineView::mouseReleaseEvent(QMouseEvent* event)
{
    m_input->release(*event);
}
void TimelineView::mouseDoubleClickEvent(QMouseEvent* event)
{
    m_input->doubleClick(*event);
}

void TimelineView::wheelEvent(QWheelEvent* event)
{
    if (m_input->wheel(*event))
        return event->accept();
    QAbstractScrollArea::wheelEvent(event);
    point(event->position().toPoint());
}

bool TimelineView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString tip = places().tipAt(help->pos());
        // As rich text, so that long names wrap.
        const QString wrapped =
            QStringLiteral("<p>%1</p>").arg(tip.toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")));
        tip.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), wrapped, this);
        return true;
    }
    if (event->type() == QEvent::Leave)
        point({-1, -1});
    if (event->type() == QEvent::NativeGesture && m_input->gesture(*static_cast<QNativeGestureEvent*>(event)))
        return true;
    return QAbstractScrollArea::viewportEvent(event);
}

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
