// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of what took the time.
#include "ui/timeline/workmodel.h"

#include "core/base/percenttext.h"
#include "ui/timeline/timelinetexts.h"
#include "ui/variants/texts.h"

namespace cudal1::ui {

using timeline::Model;
using Picked = TimelineView::Picked;

namespace {

/// What has this share of all the time has run several at a time.
bool isSideBySide(double share)
{
    return share > 1.0005;
}

QString shareText(double share)
{
    return isSideBySide(share) ? QStringLiteral("∥ ") + QString::fromStdString(base::percentText(share))
                               : QString::fromStdString(base::tenthsText(share));
}

} // namespace

WorkModel::WorkModel(QObject* parent)
    : TimelineTableModel(
          {{tr("Side"), tr("Reference or variant")},
           {tr("What"), tr("Kernel, copy, operator, CUDA call …")},
           {tr("Name"), {}},
           {tr("Count"), tr("How often, in all calls"), Qt::AlignRight},
           {tr("Total"), tr("Time in all; of operators, without what ran inside them"), Qt::AlignRight},
           {tr("A call"),
            tr("The same of one call, since two sides may have been recorded for different numbers of calls; not of a "
               "measured span"),
            Qt::AlignRight},
           {tr("Share"),
            tr("Of the timed windows, or of the measured span; more than 100 %, with ∥, where it ran side by side"),
            Qt::AlignRight},
           {tr("Grid"), tr("Blocks of a launch; … where launches differ, then of the longest"), Qt::AlignRight},
           {tr("Block"), tr("Threads of a block"), Qt::AlignRight},
           {tr("Registers"), tr("Of a thread"), Qt::AlignRight},
           {tr("Shared"), tr("Shared memory of a block, static and dynamic"), Qt::AlignRight},
           {tr("Rate"),
            tr("Bytes per second where the bytes are known: of copies, and of elementwise kernels and reductions, "
               "whose operator tells them"),
            Qt::AlignRight}},
          parent)
{
}

WorkModel::Rows WorkModel::rowsOf(const TimelineView::Sides& sides, const std::optional<timeline::Span>& span)
{
    Rows rows;
    for (int side = 0; side < int(sides.size()); ++side)
        for (const timeline::TableRow& row : timeline::tableOf(*sides[std::size_t(side)].model, span)) {
            const std::size_t calls = span ? 0 : sides[std::size_t(side)].model->windows.size();
            rows.push_back({side, row, calls > 0 ? double(row.total_ns) / double(calls) : 0});
        }
    return rows;
}

void WorkModel::setRows(TimelineView::Sides sides, Rows rows)
{
    beginResetModel();
    m_sides = std::move(sides);
    m_rows = std::move(rows);
    endResetModel();
}

int WorkModel::rows() const
{
    return int(m_rows.size());
}

int WorkModel::rowOf(const Picked& picked) const
{
    if (!picked || picked.gap >= 0 || picked.side >= int(m_sides.size()))
        return -1;
    const Model& model = *m_sides[std::size_t(picked.side)].model;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const timeline::TableRow& row = m_rows[i].row;
        if (m_rows[i].side == picked.side && row.name == model.name[picked.event] &&
            row.category == model.category[picked.event] &&
            (!row.detail || row.detail == model.facts[picked.event].detail))
            return int(i);
    }
    return -1;
}

Picked WorkModel::pickedOf(int row) const
{
    return {at(row).side, at(row).row.longest, -1};
}

QString WorkModel::text(int number, int column) const
{
    const timeline::TableRow& row = at(number).row;
    const timeline::Side& side = m_sides[std::size_t(at(number).side)];
    const Model& model = *side.model;
    const protocol::KernelLaunch* launch = row.launch ? &model.launches[row.launch - 1] : nullptr;
    switch (column) {
    case Side: return sideLetter(at(number).side);
    case What: return categoryText(row.category);
    case Name:
        return shortName(model.names[row.name]) +
               (row.detail ? QStringLiteral(", ") + QString::fromStdString(model.names[row.detail]) : QString());
    case Count: return countText(std::int64_t(row.count));
    case Total: return timeText(double(row.total_ns));
    case PerCall: return at(number).call_ns > 0 ? timeText(at(number).call_ns) : QString();
    case Share: return shareText(row.share);
    case Grid:
        return launch ? extentText(launch->grid) + (row.oneLaunch ? QString() : QStringLiteral(" …")) : QString();
    case Block: return launch ? extentText(launch->block) : QString();
    case Registers: return launch ? QString::number(launch->registers) : QString();
    case Shared:
        return launch ? bytesText(double(launch->staticShared_bytes + launch->dynamicShared_bytes)) : QString();
    case Rate: return rateText(row.moved.bytesPerSecond());
    default: return {};
    }
}

QVariant WorkModel::sortKey(int number, int column) const
{
    const timeline::TableRow& row = at(number).row;
    const protocol::KernelLaunch* launch = row.launch
                                             ? &m_sides[std::size_t(at(number).side)].model->launches[row.launch - 1]
                                             : nullptr;
    const auto product = [](const std::array<std::int32_t, 3>& e) { return double(e[0]) * e[1] * e[2]; };
    switch (column) {
    case Side: return at(number).side;
    case Count: return qlonglong(row.count);
    case Total: return qlonglong(row.total_ns);
    case PerCall: return at(number).call_ns;
    case Share: return row.share;
    case Grid: return launch ? product(launch->grid) : -1.0;
    case Block: return launch ? product(launch->block) : -1.0;
    case Registers: return launch ? launch->registers : -1;
    case Shared: return launch ? qlonglong(launch->staticShared_bytes + launch->dynamicShared_bytes) : qlonglong(-1);
    case Rate: return row.moved.bytesPerSecond();
    default: return text(number, column);
    }
}

QString WorkModel::tip(int number, int column) const
{
    const timeline::Side& side = m_sides[std::size_t(at(number).side)];
    return column == Name ? QString::fromStdString(side.model->names[at(number).row.name])
         : column == Side ? QString::fromStdString(side.title)
         : column == Share && isSideBySide(at(number).row.share)
             ? tr("Side by side: %1 of these ran at a time on average, on several streams or threads, as long as the "
                  "calls took")
                   .arg(at(number).row.share, 0, 'g', 3)
             : QString();
}

} // namespace cudal1::ui
