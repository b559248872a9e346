// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of what was found.
#include "ui/timeline/foundmodel.h"

#include "ui/timeline/timelinetexts.h"
#include "ui/variants/texts.h"

namespace cudal1::ui {

using timeline::Model;
using Picked = TimelineView::Picked;

FoundModel::FoundModel(QObject* parent)
    : TimelineTableModel({{tr("Name")},
                          {tr("What")},
                          {tr("Side")},
                          {tr("Track")},
                          {tr("Start"), tr("After the start of the first timed window"), Qt::AlignRight},
                          {tr("Duration"), {}, Qt::AlignRight}},
                         parent)
{
}

void FoundModel::setFound(TimelineView::Sides sides, Found found)
{
    beginResetModel();
    m_sides = std::move(sides);
    m_found = std::move(found);
    endResetModel();
}

int FoundModel::rows() const
{
    return int(m_found.size());
}

Picked FoundModel::pickedOf(int row) const
{
    return {m_found[std::size_t(row)].first, m_found[std::size_t(row)].second, -1};
}

QString FoundModel::text(int row, int column) const
{
    const Picked at = pickedOf(row);
    const Model& model = *m_sides[std::size_t(at.side)].model;
    switch (column) {
    case Name: return shortName(model.nameOf(at.event));
    case What: return categoryText(model.category[at.event]);
    case Side: return sideLetter(at.side);
    case Track: return QString::fromStdString(model.trackOf(at.event).name);
    case Start: return momentText(double(model.begin_ns[at.event]));
    case Duration: return timeText(double(model.duration_ns(at.event)));
    default: return {};
    }
}

QString FoundModel::tip(int row, int column) const
{
    const Picked at = pickedOf(row);
    const timeline::Side& side = m_sides[std::size_t(at.side)];
    return column == Name ? QString::fromStdString(side.model->nameOf(at.event))
         : column == Side ? QString::fromStdString(side.title)
                          : QString();
}

QVariant FoundModel::sortKey(int row, int column) const
{
    const Picked at = pickedOf(row);
    const Model& model = *m_sides[std::size_t(at.side)].model;
    switch (column) {
    case Side: return at.side;
    case Start: return qlonglong(model.begin_ns[at.event]);
    case Duration: return qlonglong(model.duration_ns(at.event));
    default: return text(row, column);
    }
}

} // namespace cudal1::ui
