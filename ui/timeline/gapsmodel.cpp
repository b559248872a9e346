// SPDX-License-Identifier: GPL-3.0-or-later
// The longest gaps, and their cells.
#include "ui/timeline/gapsmodel.h"

#include "core/base/percenttext.h"
#include "ui/timeline/timelinetexts.h"
#include "ui/variants/texts.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace cudal1::ui {

using timeline::Gap;
using Picked = TimelineView::Picked;

namespace {

constexpr qsizetype mostDigits = 7; ///< of a start, as many as a momentText() has

/// Whether the host was seen doing something; the other causes are of the whole gap.
bool isSeen(const Gap& gap)
{
    return gap.cause != Gap::Cause::Queued && gap.cause != Gap::Cause::Ending;
}

} // namespace

GapsModel::GapsModel(QObject* parent)
    : TimelineTableModel({{tr("Side"), tr("Reference or variant")},
                          {tr("Cause"), tr("What the host did for most of the gap")},
                          {tr("Duration"), {}, Qt::AlignRight},
                          {tr("Start"), tr("After the start of the first timed window"), Qt::AlignRight},
                          {tr("Share"), tr("How much of the gap the cause was seen in"), Qt::AlignRight},
                          {tr("Host call"), tr("The call or operator that took most of it")},
                          {tr("Next"), tr("The work that ends the gap")}},
                         parent)
{
}

void GapsModel::setSides(TimelineView::Sides sides)
{
    beginResetModel();
    m_sides = std::move(sides);
    m_rows.clear();
    for (int side = 0; side < int(m_sides.size()); ++side)
        for (int gap = 0; gap < int(m_sides[std::size_t(side)].model->gaps.size()); ++gap)
            m_rows.push_back({side, timeline::noEvent, gap});
    if (m_rows.size() > most) {
        const auto length = [&](const Picked& p) {
            return m_sides[std::size_t(p.side)].model->gaps[std::size_t(p.gap)].duration_ns();
        };
        std::nth_element(m_rows.begin(), m_rows.begin() + most, m_rows.end(),
                         [&](const Picked& a, const Picked& b) { return length(a) > length(b); });
        m_rows.resize(most);
    }
    m_largestStart_ns = 0;
    for (const Picked& at : m_rows)
        m_largestStart_ns = std::max(m_largestStart_ns,
                                     std::abs(m_sides[std::size_t(at.side)].model->gaps[std::size_t(at.gap)].begin_ns));
    endResetModel();
}

int GapsModel::rows() const
{
    return int(m_rows.size());
}

int GapsModel::rowOf(const Picked& picked) const
{
    const auto it = picked && picked.gap >= 0 ? std::find(m_rows.begin(), m_rows.end(), picked) : m_rows.end();
    return it == m_rows.end() ? -1 : int(it - m_rows.begin());
}

Picked GapsModel::pickedOf(int row) const
{
    return m_rows[std::size_t(row)];
}

QString GapsModel::startText(std::int64_t time_ns) const
{
    const struct {
        std::int64_t size_ns;
        const char* name;
        qsizetype exact; ///< decimals
    } units[] = {{1, "ns", 0}, {1'000, "µs", 3}, {1'000'000, "ms", 6}, {1'000'000'000, "s", 9}};
    std::size_t at = 0;
    while (at + 1 < std::size(units) && m_largestStart_ns >= units[at + 1].size_ns)
        ++at;
    const qsizetype digits = QString::number(m_largestStart_ns / units[at].size_ns).size();
    const qsizetype decimals = std::min(units[at].exact, std::max<qsizetype>(1, mostDigits - digits));
    return QString::number(double(time_ns) / double(units[at].size_ns), 'f', int(decimals)) + u' ' +
           QString::fromUtf8(units[at].name);
}

QString GapsModel::text(int row, int column) const
{
    const Picked at = pickedOf(row);
    const timeline::Side& side = m_sides[std::size_t(at.side)];
    const Gap& gap = side.model->gaps[std::size_t(at.gap)];
    switch (column) {
    case Side: return sideLetter(at.side);
    case Cause: return QString::fromUtf8(word(gap.cause).data(), qsizetype(word(gap.cause).size()));
    case Duration: return timeText(double(gap.duration_ns()));
    case Start: return startText(gap.begin_ns);
    case Share: return isSeen(gap) ? QString::fromStdString(base::percentText(gap.share)) : QString();
    case During: return gap.during ? shortName(side.model->names[gap.during]) : QString();
    case Next: return gap.next == timeline::noEvent ? QString() : shortName(side.model->nameOf(gap.next));
    default: return {};
    }
}

QVariant GapsModel::sortKey(int row, int column) const
{
    const Picked at = pickedOf(row);
    const Gap& gap = m_sides[std::size_t(at.side)].model->gaps[std::size_t(at.gap)];
    switch (column) {
    case Side: return at.side;
    case Duration: return qlonglong(gap.duration_ns());
    case Start: return qlonglong(gap.begin_ns);
    case Share: return isSeen(gap) ? gap.share : -1.0;
    default: return text(row, column);
    }
}

QString GapsModel::tip(int row, int column) const
{
    const Picked at = pickedOf(row);
    const timeline::Side& side = m_sides[std::size_t(at.side)];
    switch (column) {
    case Side: return QString::fromStdString(side.title);
    case Duration: return {};
    case Start: return momentText(double(side.model->gaps[std::size_t(at.gap)].begin_ns));
    default: return QString::fromStdString(sentence(*side.model, side.model->gaps[std::size_t(at.gap)]));
    }
}

} // namespace cudal1::ui
