// SPDX-License-Identifier: GPL-3.0-or-later
// One frame: windows behind, then blocks of every row in view, names, ruler and what is measured in front.
#include "ui/timeline/timelinepainter.h"

#include "ui/kit/theme.h"
#include "ui/timeline/timelinetexts.h"
#include "ui/variants/texts.h"

#include <QFontMetricsF>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace cudal1::ui {

using timeline::EventBlock;
using timeline::Gap;
using timeline::Model;
using Category = protocol::TimelineEvent::Category;
using Kind = TimelineBand::Kind;

namespace {

constexpr int narrowest = 3;            ///< pixels of an event that keeps a gap to the next
constexpr std::uint32_t foldedRows = 4; ///< what is nested deeper lies within these, but for ends of events that cross
constexpr double farPixels = 1e6;       ///< beyond it a coordinate is cut, since painting counts in 16 bits and more

Role roleOf(Category category)
{
    switch (category) {
    case Category::Operator: return Role::Level2;
    case Category::UserScope: return Role::Level0;
    case Category::Runtime: return Role::Reference;
    case Category::Driver: return Role::Muted;
    case Category::Wait: return Role::Border;
    case Category::Kernel: return Role::Gain;
    case Category::Copy: return Role::Warning;
    case Category::Memset: return Role::Loss;
    }
    return Role::Text;
}

QColor mixed(const QColor& a, const QColor& b, double part)
{
    return QColor::fromRgbF(float(a.redF() + (b.redF() - a.redF()) * part),
                            float(a.greenF() + (b.greenF() - a.greenF()) * part),
                            float(a.blueF() + (b.blueF() - a.blueF()) * part));
}

/// In the middle: names of kernels differ at their ends.
QString cut(const QString& text, int room)
{
    const int after = room > 8 ? (room - 1) / 3 : 0;
    return text.left(room - 1 - after) + u'…' + text.right(after);
}

int pixel(double x)
{
    return int(std::floor(std::clamp(x, -farPixels, farPixels)));
}

} // namespace

void TimelinePainter::forget()
{
    m_ready = false;
    m_names.clear();
}

void TimelinePainter::prepare()
{
    m_names.resize(m_view.sides().size());
    if (m_ready)
        return;
    m_ready = true;
    const Theme& theme = Theme::instance();
    m_font = theme.monoFont();
    m_font.setPointSizeF(theme.smallFont().pointSizeF());
    const QFontMetricsF metrics(m_font);
    m_charWidth = metrics.horizontalAdvance(QStringLiteral("MMMMMMMMMM")) / 10;
    m_baseline = int(std::round((m_view.bandLayout().rowHeight - 2 + metrics.ascent() - metrics.descent()) / 2));
    const QColor surface = theme.color(Role::Surface);
    for (std::size_t c = 0; c < m_inks.size(); ++c) {
        const QColor color = theme.color(roleOf(Category(c)));
        for (int t = 0; t < tints; ++t) {
            Ink& ink = m_inks[c][std::size_t(t)];
            ink.fill = mixed(color, surface, 0.13 * t);
            ink.text = contrast(ink.fill, Qt::white) >= 4.5 ? QColor(Qt::white) : QColor(Qt::black);
        }
        for (int s = 0; s <= steps; ++s)
            m_strips[c][std::size_t(s)] = mixed(surface, color, 0.5 + 0.5 * s / steps).rgb();
    }
}

const TimelinePainter::Ink& TimelinePainter::inkOf(Category category, std::uint32_t name) const
{
    return m_inks[std::size_t(category)][name * 2654435761u >> 30];
}

const QString& TimelinePainter::nameOf(int side, std::uint32_t name)
{
    auto& names = m_names[std::size_t(side)];
    const auto [it, isNew] = names.try_emplace(name);
    if (isNew)
        it->second = shortName(m_view.sides()[std::size_t(side)].model->names[name]);
    return it->second;
}

/// Of one width a character: cutting a text needs no measuring.
void TimelinePainter::paintText(QPainter& painter, const QRect& area, const QString& text, const QColor& color)
{
    const int room = int((area.width() - 6) / m_charWidth);
    if (room < 2)
        return;
    painter.setPen(color);
    painter.drawText(QPointF(area.left() + 3, area.top() + m_baseline), text.size() <= room ? text : cut(text, room));
}

void TimelinePainter::hatch(QPainter& painter, const QRect& area, const QColor& color)
{
    painter.fillRect(area, QBrush(color, Qt::BDiagPattern));
}

void TimelinePainter::paint(QPainter& painter)
{
    prepare();
    const Theme& theme = Theme::instance();
    const QRect all = m_view.viewport()->rect();
    m_scale = m_view.places().scale;
    m_left = m_view.nameWidth();
    m_top = m_view.rulerHeight();
    m_scroll = m_view.verticalScrollBar()->value();
    m_width = all.width() - m_left;
    m_height = all.height();
    painter.fillRect(all, theme.color(Role::Surface));
    if (m_width <= 0)
        return;
    if (m_strip.width() != m_width)
        m_strip = QImage(m_width, 1, QImage::Format_ARGB32_Premultiplied);

    painter.setFont(m_font);
    painter.setClipRect(QRect(m_left, m_top, m_width, m_height - m_top));
    for (int side = 0; side < int(m_view.bandLayout().sides.size()); ++side) {
        const auto [top, bottom] = m_view.bandLayout().sides[std::size_t(side)];
        const QRect area(m_left, m_top + top - m_scroll, m_width, bottom - top);
        if (area.bottom() >= m_top && area.top() < m_height)
            paintWindows(painter, side, area);
    }
    for (const TimelineBand& band : m_view.bandLayout().bands) {
        const int y = m_top + band.top - m_scroll;
        if (y + band.height <= m_top || y >= m_height)
            continue;
        if (band.kind == Kind::Gaps)
            paintGaps(painter, band, y);
        else if (band.kind == Kind::Track)
            paintTrack(painter, band, y);
    }
    paintPicked(painter);
    paintSpan(painter);
    painter.setClipping(false);
    paintNames(painter);
    paintRuler(painter);
    m_view.paintPins(painter);
}

/// What is not timed is hatched; edges of a window are lines, the end of the caller's stream a dashed one.
void TimelinePainter::paintWindows(QPainter& painter, int side, const QRect& area)
{
    const Model& model = *m_view.sides()[std::size_t(side)].model;
    if (model.windows.empty())
        return;
    const Theme& theme = Theme::instance();
    const QRect visible = area.intersected(QRect(m_left, m_top, m_width, m_height - m_top));
    std::vector<std::pair<int, int>> inside; // pixels
    for (const auto& window : model.windows) {
        const int from = m_left + pixel(m_scale.x(double(window.start_ns))),
                  to = m_left + pixel(m_scale.x(double(window.end_ns)));
        if (to >= m_left && from <= m_left + m_width)
            inside.emplace_back(from, to);
    }
    std::sort(inside.begin(), inside.end());
    int at = m_left;
    const auto outside = [&](int to) {
        const QRect part(at, visible.top(), std::min(to, m_left + m_width) - at, visible.height());
        if (part.width() <= 0)
            return;
        painter.fillRect(part, theme.color(Role::Window));
        hatch(painter, part, theme.color(Role::Border));
    };
    for (const auto& [from, to] : inside) {
        outside(from);
        at = std::max(at, to);
    }
    outside(m_left + m_width);
    painter.setPen(theme.color(Role::Accent));
    for (const auto& [from, to] : inside) {
        painter.drawLine(from, visible.top(), from, visible.bottom());
        painter.drawLine(to, visible.top(), to, visible.bottom());
    }
    painter.setPen(QPen(theme.color(Role::Accent), 1, Qt::DashLine));
    for (const auto& window : model.windows) {
        const double x = m_scale.x(double(window.streamDone_ns));
        if (window.streamDone_ns >= 0 && x >= 0 && x <= m_width)
            painter.drawLine(m_left + pixel(x), visible.top(), m_left + pixel(x), visible.bottom());
    }
}

void TimelinePainter::paintGaps(QPainter& painter, const TimelineBand& band, int y)
{
    const Model& model = *m_view.sides()[std::size_t(band.side)].model;
    const Theme& theme = Theme::instance();
    const QColor line = theme.color(Role::Muted);
    const int tall = m_view.bandLayout().tall(band);
    auto gap = std::partition_point(model.gaps.begin(), model.gaps.end(),
                                    [&](const Gap& g) { return double(g.end_ns) <= m_scale.from_ns; });
    const double to_ns = m_scale.to_ns();
    while (gap != model.gaps.end() && double(gap->begin_ns) < to_ns) {
        const double x0 = m_scale.x(double(gap->begin_ns)), x1 = m_scale.x(double(gap->end_ns));
        const int left = std::max(0, pixel(x0)), right = std::min(m_width, std::max(left + 1, pixel(x1)));
        const QRect area(m_left + left, y, right - left, tall);
        if (x1 - x0 >= narrowest) {
            painter.setPen(line);
            painter.drawRect(area.adjusted(0, 0, -1, -1));
            if (const auto text = word(gap->cause); !band.folded)
                paintText(painter, area, QString::fromUtf8(text), theme.color(Role::Text));
            ++gap;
            continue;
        }
        painter.fillRect(QRect(area.left(), y + tall / 2, area.width(), 1), line);
        const double next_ns = m_scale.time_ns(left + 1);
        gap = std::lower_bound(gap + 1, model.gaps.end(), next_ns,
                               [](const Gap& g, double time_ns) { return double(g.begin_ns) < time_ns; });
    }
}

void TimelinePainter::paintTrack(QPainter& painter, const TimelineBand& band, int y)
{
    const Model& model = *m_view.sides()[std::size_t(band.side)].model;
    const Model::Track& track = model.tracks[band.track];
    if (band.folded)
        return paintFolded(painter, band.side, track, y);
    for (std::uint32_t row = track.firstRow; row < track.lastRow; ++row) {
        const int top = y + int(row - track.firstRow) * m_view.bandLayout().rowHeight;
        if (top + m_view.bandLayout().rowHeight > m_top && top < m_height)
            paintBlocks(painter, band.side, model.rows[row], top);
    }
}

void TimelinePainter::paintBlocks(QPainter& painter, int side, const Model::Row& row, int y)
{
    const Model& model = *m_view.sides()[std::size_t(side)].model;
    const Theme& theme = Theme::instance();
    m_blocks.clear();
    blocksOf(model, row, m_scale, m_blocks);
    const int tall = m_view.bandLayout().rowHeight - 2;
    auto* const strip = reinterpret_cast<QRgb*>(m_strip.scanLine(0));
    int first = m_width, last = 0; // of the strip
    for (const EventBlock& block : m_blocks)
        if (block.right - block.left < narrowest) {
            if (first == m_width)
                std::fill(strip, strip + m_width, 0);
            first = std::min(first, block.left);
            last = std::max(last, block.right);
            const QRgb color =
                m_strips[std::size_t(model.category[block.first])][std::size_t(std::lround(block.filled * steps))];
            std::fill(strip + block.left, strip + block.right, color);
        }
    if (first < last)
        painter.drawImage(QRect(m_left + first, y, last - first, tall), m_strip, QRect(first, 0, last - first, 1));
    for (const EventBlock& block : m_blocks) {
        const int width = block.right - block.left;
        if (width < narrowest)
            continue;
        const timeline::EventIndex i = block.first;
        const Ink& ink = inkOf(model.category[i], model.name[i]);
        const QRect area(m_left + block.left, y, width - 1, tall);
        painter.fillRect(area, ink.fill);
        if (model.category[i] == Category::Wait)
            hatch(painter, area, theme.color(Role::Muted));
        paintText(painter, area, nameOf(side, model.name[i]), ink.text);
    }
    paintMarks(painter, side, y, tall);
}

/// The outer rows in one strip: where one has nothing, the next shows.
void TimelinePainter::paintFolded(QPainter& painter, int side, const Model::Track& track, int y)
{
    const Model& model = *m_view.sides()[std::size_t(side)].model;
    const int tall = m_view.bandLayout().foldedHeight;
    m_blocks.clear();
    for (std::uint32_t row = track.firstRow; row < std::min(track.lastRow, track.firstRow + foldedRows); ++row)
        blocksOf(model, model.rows[row], m_scale, m_blocks);
    auto* const strip = reinterpret_cast<QRgb*>(m_strip.scanLine(0));
    std::fill(strip, strip + m_width, 0);
    for (const EventBlock& block : m_blocks) {
        const timeline::EventIndex i = block.first;
        const QRgb color = block.right - block.left < narrowest
                             ? m_strips[std::size_t(model.category[i])][std::size_t(std::lround(block.filled * steps))]
                             : inkOf(model.category[i], model.name[i]).fill.rgb();
        std::replace(strip + block.left, strip + block.right, QRgb(0), color);
    }
    painter.drawImage(QRect(m_left, y, m_width, tall), m_strip);
    paintMarks(painter, side, y, tall);
}

/// On the blocks of m_blocks: what the table has marked below, what a search found above, and what lies where it should
/// not.
void TimelinePainter::paintMarks(QPainter& painter, int side, int y, int tall)
{
    const Model& model = *m_view.sides()[std::size_t(side)].model;
    const QColor ink = Theme::instance().color(Role::Text), foundInk = Theme::instance().color(Role::Warning);
    const TimelineView::Marked& marked = m_view.marked();
    int hatchedFrom = -1, hatchedTo = -1; // neighbours are hatched at once
    const auto flush = [&] {
        if (hatchedTo > hatchedFrom)
            hatch(painter, QRect(m_left + hatchedFrom, y, hatchedTo - hatchedFrom, tall), ink);
        hatchedFrom = hatchedTo = -1;
    };
    for (const EventBlock& block : m_blocks) {
        const timeline::EventIndex i = block.first;
        if (marked.side == side && block.isOne() && model.name[i] == marked.name &&
            model.category[i] == marked.category)
            painter.fillRect(QRect(m_left + block.left, y + tall - 3, std::max(1, block.right - block.left - 1), 3),
                             ink);
        if (const auto found = std::ranges::lower_bound(m_view.found(side), i);
            found != m_view.found(side).end() && *found < block.last)
            painter.fillRect(QRect(m_left + block.left, y, std::max(2, block.right - block.left - 1), 3), foundInk);
        if (!block.misplaced)
            continue;
        if (block.left != hatchedTo) {
            flush();
            hatchedFrom = block.left;
        }
        hatchedTo = block.right;
    }
    flush();
}

void TimelinePainter::paintPicked(QPainter& painter)
{
    const TimelineView::Picked& picked = m_view.picked();
    if (!picked)
        return;
    const QRect area = m_view.rectOf(picked);
    if (area.isEmpty())
        return;
    painter.setPen(QPen(Theme::instance().color(Role::Text), 2));
    painter.drawRect(area.adjusted(0, 0, -1, -1));
}

void TimelinePainter::paintSpan(QPainter& painter)
{
    if (!m_view.measured().hasEdges())
        return;
    const Theme& theme = Theme::instance();
    const auto [from, to] = m_view.measured().range();
    const int left = m_left + pixel(m_scale.x(from)), right = m_left + pixel(m_scale.x(to));
    QColor fill = theme.color(Role::Accent);
    fill.setAlpha(36);
    painter.fillRect(QRect(left, m_top, right - left, m_height - m_top), fill);
    painter.setPen(QPen(theme.color(Role::Accent), 2));
    painter.drawLine(left, m_top, left, m_height);
    painter.drawLine(right, m_top, right, m_height);
    const QString text = timeText(to - from);
    const int width = int(m_charWidth * double(text.size())) + 12;
    const int middle = std::clamp((std::max(left, m_left) + std::min(right, m_left + m_width)) / 2, m_left + width / 2,
                                  m_left + m_width - width / 2);
    const QRect label(middle - width / 2, m_top + 4, width, m_view.bandLayout().rowHeight);
    painter.fillRect(label, theme.color(Role::Accent));
    painter.setPen(theme.color(Role::AccentText));
    painter.drawText(label, Qt::AlignCenter, text);
}

void TimelinePainter::paintHeading(QPainter& painter, const TimelineBand& band, int y)
{
    const Theme& theme = Theme::instance();
    const timeline::Side& side = m_view.sides()[std::size_t(band.side)];
    const QRect area(0, y, m_left + m_width, band.height);
    painter.fillRect(area, theme.color(m_view.isPointed(band) ? Role::Hover : Role::Raised));
    painter.setPen(theme.color(Role::Border));
    painter.drawLine(area.topLeft(), area.topRight());
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    QFont bold = theme.textFont();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(theme.color(Role::Text));
    const QString title = QString::fromStdString(side.title);
    const int margin = theme.unit(2), mark = paintFoldMark(painter, band, y), chip = theme.unit(4) + 2;
    const QRect letter(mark, y + (band.height - chip) / 2, chip, chip);
    painter.fillRect(letter, theme.color(Role::Accent));
    painter.setPen(theme.color(Role::AccentText));
    painter.drawText(letter, Qt::AlignCenter, sideLetter(band.side));
    painter.setPen(theme.color(Role::Text));
    const int left = letter.right() + theme.unit(2);
    painter.drawText(area.adjusted(left, 0, -margin, 0), Qt::AlignVCenter | Qt::AlignLeft, title);
    const int used = left + QFontMetrics(bold).horizontalAdvance(title) + theme.unit(3);
    painter.setFont(theme.smallFont());
    painter.setPen(theme.color(side.model->misplacedBefore.back() ? Role::WarningText : Role::Muted));
    painter.drawText(area.adjusted(used, 0, -margin, 0), Qt::AlignVCenter | Qt::AlignLeft, sideSentence(side));
}

/// ▾ or ▸ in the pen's colour. Gives where the name begins.
int TimelinePainter::paintFoldMark(QPainter& painter, const TimelineBand& band, int y)
{
    const int unit = Theme::instance().unit();
    const QPointF middle(
        2.5 * unit, y + (band.kind == Kind::Heading
                             ? band.height
                             : std::min(band.height - m_view.bandLayout().gap / 2, m_view.bandLayout().rowHeight)) /
                            2.0);
    const double a = unit * 0.9, b = unit * 0.55; // half its length and width
    const QPointF down[] = {{-a, -b}, {a, -b}, {0, b}}, right[] = {{-b, -a}, {b, 0}, {-b, a}};
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(painter.pen().color());
    painter.setPen(Qt::NoPen);
    painter.translate(middle);
    painter.drawPolygon(band.folded ? right : down, 3);
    painter.restore();
    return 4 * unit + unit / 2;
}

void TimelinePainter::paintNames(QPainter& painter)
{
    const Theme& theme = Theme::instance();
    painter.setClipRect(QRect(0, m_top, m_left + m_width, m_height - m_top));
    painter.fillRect(QRect(0, m_top, m_left, m_height - m_top), theme.color(Role::Raised));
    QFont folded = theme.smallFont(); // as high as there is room
    folded.setPixelSize(std::max(1, m_view.bandLayout().foldedHeight + m_view.bandLayout().gap / 2));
    const QFontMetrics metrics(theme.smallFont()), foldedMetrics(folded);
    const TimelinePlaces places = m_view.places();
    for (const TimelineBand& band : m_view.bandLayout().bands) {
        const int y = m_top + band.top - m_scroll;
        if (y + band.height <= m_top || y >= m_height)
            continue;
        if (band.kind == Kind::Heading)
            continue;
        if (m_view.isPointed(band))
            painter.fillRect(QRect(0, y, m_left, band.height), theme.color(Role::Hover));
        painter.setFont(band.folded ? folded : theme.smallFont());
        painter.setPen(theme.color(band.folded ? Role::Muted : Role::Text));
        const int left = paintFoldMark(painter, band, y), room = m_left - left - theme.unit(2);
        const QFontMetrics& own = band.folded ? foldedMetrics : metrics;
        painter.drawText(
            QRect(left, y, room, std::min(band.height - m_view.bandLayout().gap / 2, m_view.bandLayout().rowHeight)),
            Qt::AlignVCenter | Qt::AlignLeft, own.elidedText(places.nameOf(band), Qt::ElideMiddle, room));
        painter.fillRect(QRect(0, y + band.height - m_view.bandLayout().gap / 2, m_left, 1), theme.color(Role::Border));
    }
    painter.setPen(theme.color(Role::Border));
    painter.drawLine(m_left - 1, m_top, m_left - 1, m_height);
    for (const TimelineBand& band : m_view.bandLayout().bands) // over that line
        if (const int y = m_top + band.top - m_scroll;
            band.kind == Kind::Heading && y + band.height > m_top && y < m_height)
            paintHeading(painter, band, y);
    if (const TimelineBand* heading = m_view.bandLayout().headingAt(m_scroll))
        paintHeading(painter, *heading, m_top + m_view.bandLayout().topOf(*heading, m_scroll));
    painter.setClipping(false);
}

void TimelinePainter::paintRuler(QPainter& painter)
{
    const Theme& theme = Theme::instance();
    const QRect area(0, 0, m_left + m_width, m_top);
    painter.fillRect(area, theme.color(Role::Raised));
    painter.setPen(theme.color(Role::Border));
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    painter.setFont(theme.smallFont());
    painter.setPen(theme.color(Role::Muted));
    painter.drawText(QRect(theme.unit(2), 0, m_left - theme.unit(4), m_top), Qt::AlignVCenter | Qt::AlignLeft,
                     timeText(m_view.range().length_ns()));
    painter.setClipRect(QRect(m_left, 0, m_width, m_top));
    const double step = rulerStep_ns(m_scale.perPixel_ns * theme.unit(24));
    for (auto mark = std::llround(std::ceil(m_scale.from_ns / step)); double(mark) * step < m_scale.to_ns(); ++mark) {
        const double time = double(mark) * step;
        const int x = m_left + pixel(m_scale.x(time));
        painter.setPen(theme.color(Role::Border));
        painter.drawLine(x, m_top / 2, x, m_top);
        painter.setPen(theme.color(Role::Text));
        painter.drawText(QRect(x + 3, 0, theme.unit(40), m_top), Qt::AlignVCenter | Qt::AlignLeft, momentText(time));
    }
    painter.setClipping(false);
    if (m_view.hasFocus()) {
        painter.setPen(QPen(theme.color(Role::Accent), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRect(1, 1, m_left + m_width - 2, m_height - 2));
    }
}

} // namespace cudal1::ui
