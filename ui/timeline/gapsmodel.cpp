// SPDX-License-Identifier: GPL-3.0-or-later
// The longest gaps, and their cells.
#include "ui/timeline/gapsmodel.h"

#include "ui/timeline/timelinetexts.h"
#include "ui/variants/texts.h"

#include <algorithm>

namespace cudal1::ui {

using timeline::Gap;
using Picked = TimelineView::Picked;

GapsModel::GapsModel(QObject* parent)
    : TimelineTableModel({{tr("Side"), tr("Reference or variant")},
                          {tr("Cause"), tr("What the host did for most of the gap")},
                          {tr("Duration"), {}, Qt::AlignRight},
                          {tr("Start"), tr("After the start of the first timed window"), Qt::AlignRight},
                          {tr("Why"), {}}},
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

QString GapsModel::text(int row, int column) const
{
    const Picked at = pickedOf(row);
    const timeline::Side& side = m_sides[std::size_t(at.side)];
    const Gap& gap = side.model->gaps[std::size_t(at.gap)];
    switch (column) {
    case Side: return sideLetter(at.side);
    case Cause: return QString::fromUtf8(word(gap.cause).data(), qsizetype(word(gap.cause).size()));
    case Duration: return timeText(double(gap.duration_ns()));
    case Start: return momentText(double(gap.begin_ns));
    case Why: return QString::fromStdString(sentence(*side.model, gap));
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
    default: return text(row, column);
    }
}

QString GapsModel::tip(int row, int column) const
{
    return column == Why  ? text(row, column)
         : column == Side ? QString::fromStdString(m_sides[std::size_t(pickedOf(row).side)].title)
                          : QString();
}

} // namespace cudal1::ui
