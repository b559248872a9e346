// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of variants as cells, tool tips and sort keys.
#include "ui/variants/variantsmodel.h"

#include "core/optimize/outcometext.h"
#include "core/protocol/marks.h"
#include "ui/kit/setupview.h"
#include "ui/variants/texts.h"

#include <QDateTime>

#include <algorithm>

namespace cudal1::ui {

namespace {

// Sorts as the command and the strip of variants do: the best first (protocol::isBetter), then what was judged, then
// what was judged at a precision that does not count, then what waits.
double wallKey(const store::VariantRow& row)
{
    constexpr double most = 1e6; // of claims, which order what was not judged
    if (!row.evaluation)
        return -4 + std::min(row.claimed, most) / most;
    if (!row.counts) // judged at another precision alone
        return -3;
    if (row.evaluation->verdict != protocol::Verdict::Correct)
        return -2;
    return gainOrder(row.evaluation->wall, row.evaluation->marks);
}

/// Of a correct variant, in nanoseconds; 0 where it is not known.
double callTime(const store::VariantRow& row)
{
    return row.evaluation && row.evaluation->verdict == protocol::Verdict::Correct ? row.evaluation->candidate_ns : 0;
}

} // namespace

VariantsModel::VariantsModel(QObject* parent)
    : TableModel(
          {{tr("Id"), {}, Qt::AlignRight},
           {tr("Verdict")},
           {tr("Speed-up, wall clock"),
            tr("Reference time / candidate time from an idle device to an idle device, with its 95 % interval. Sorted, "
               "the best comes first: gains that nothing puts in question, then those at another precision, then "
               "questioned ones; among such by the lower end of the interval, which is what is certain")},
           {tr("Call"), tr("The time of one call by the wall clock, the median"), Qt::AlignRight},
           {tr("Events"),
            tr("The speed-up by events on the caller's stream, as the paper measured; struck through where it "
               "contradicts the wall clock"),
            Qt::AlignRight},
           {tr("Floor share"),
            tr("Floor time / the variant's time, by the wall clock: the floor is what the device needs to move the "
               "bytes of inputs and result once, so at 100 % nothing is left to gain by moving less. A call whose time "
               "goes into products has a small share. Empty where the floor is not known, as on a CPU"),
            Qt::AlignRight},
           {tr("Techniques")},
           {tr("Origin")},
           {tr("Device")},
           {tr("Age"), {}, Qt::AlignRight}},
          parent)
{
}

void VariantsModel::reset(const std::shared_ptr<const std::vector<store::VariantRow>>& rows)
{
    beginResetModel();
    m_rows = rows ? *rows : std::vector<store::VariantRow>();
    rebuild();
    endResetModel();
}

void VariantsModel::update(const std::shared_ptr<const std::vector<store::VariantRow>>& rows)
{
    std::vector<const store::VariantRow*> added;
    std::size_t kept = 0;
    if (rows) {
        for (const store::VariantRow& row : *rows) {
            const bool known = m_places.contains(row.id);
            kept += known;
            if (!known)
                added.push_back(&row);
        }
    }
    if (kept != m_rows.size()) {
        reset(rows);
        return;
    }
    const SpeedupAxis before = m_axis;
    for (const store::VariantRow& row : *rows)
        if (const auto place = m_places.find(row.id); place != m_places.end())
            m_rows[place->second] = row;
    if (kept > 0)
        emit dataChanged(createIndex(0, 0), createIndex(int(kept) - 1, ColumnCount - 1));
    if (!added.empty()) {
        beginInsertRows({}, int(m_rows.size()), int(m_rows.size() + added.size()) - 1);
        for (const store::VariantRow* row : added)
            m_rows.push_back(*row);
        rebuild();
        endInsertRows();
    } else {
        rebuild();
    }
    if (!(m_axis == before) && kept > 0)
        emit dataChanged(createIndex(0, Wall), createIndex(int(kept) - 1, Wall));
}

void VariantsModel::rebuild()
{
    m_places.clear();
    m_axis = {};
    for (int row = 0; row < int(m_rows.size()); ++row) {
        m_places.emplace(m_rows[row].id, row);
        if (m_rows[row].evaluation && m_rows[row].evaluation->verdict == protocol::Verdict::Correct)
            m_axis.include(m_rows[row].evaluation->wall, marksBadge(m_rows[row].evaluation->marks));
    }
}

int VariantsModel::rows() const
{
    return int(m_rows.size());
}

int VariantsModel::rowOf(base::VariantId id) const
{
    const auto place = m_places.find(id);
    return place == m_places.end() ? -1 : place->second;
}

void VariantsModel::setFloors(std::map<std::string, double> floors_ns)
{
    if (floors_ns == m_floors_ns)
        return;
    m_floors_ns = std::move(floors_ns);
    columnChanged(FloorShare);
}

double VariantsModel::floorShare(const store::VariantRow& row) const
{
    if (!row.evaluation || row.evaluation->verdict != protocol::Verdict::Correct)
        return 0;
    // The judge's limit is another floor, which leaves out inputs with a structure and what caches may hold. So it
    // takes the place of the task's floor where that is known of no device, and never beside it in one column.
    const auto ofTask = m_floors_ns.find(row.evaluation->deviceModel);
    const double floor_ns = ofTask != m_floors_ns.end() ? ofTask->second
                          : m_floors_ns.empty()         ? row.evaluation->floor_ns
                                                        : 0;
    return floor_ns > 0 && row.evaluation->candidate_ns > 0 ? floor_ns / row.evaluation->candidate_ns : 0;
}

bool VariantsModel::hasFloorShares() const
{
    return std::ranges::any_of(m_rows, [this](const store::VariantRow& row) { return floorShare(row) > 0; });
}

void VariantsModel::refreshAges()
{
    columnChanged(Age, {Qt::DisplayRole});
}

QVariant VariantsModel::text(const store::VariantRow& row, int column) const
{
    const auto& evaluation = row.evaluation;
    switch (column) {
    case Name: return variantName(row.id);
    case Verdict: return verdictStyle(row).word;
    case Wall:
        if (!evaluation)
            return row.claimed > 0 ? tr("claimed %1").arg(speedupText(row.claimed)) : QString();
        return evaluation->verdict == protocol::Verdict::Correct ? speedupSentence(evaluation->wall, evaluation->marks)
                                                                 : QString::fromStdString(evaluation->firstReason);
    case Call: return callTime(row) > 0 ? timeText(callTime(row)) : QString();
    case Event: return evaluation && evaluation->event.valid() ? speedupText(evaluation->event) : QString();
    case FloorShare: return floorShareText(floorShare(row));
    case Techniques: return techniquesText(row.techniques);
    case Origin: return originText(row.origin);
    case Device: return evaluation ? QString::fromStdString(optimize::measuredOn(*evaluation)) : QString();
    case Age: return ageText(row.created_ms, QDateTime::currentMSecsSinceEpoch());
    default: return {};
    }
}

QVariant VariantsModel::toolTip(const store::VariantRow& row, int column) const
{
    if (!row.evaluation && row.claimed > 0)
        return tr("Its publication claims a speed-up of %1. It has not been judged here: Evaluate again, in the menu "
                  "of the row, judges it")
            .arg(speedupText(row.claimed));
    if (!row.evaluation)
        return tr("It was proposed and is not judged: its run waits to judge it, had no time left for it, or was "
                  "stopped. Evaluate again, in the menu of the row, judges it");
    const store::EvaluationSummary& evaluation = *row.evaluation;
    const QString reason = QString::fromStdString(evaluation.firstReason);
    if (column == Event && protocol::clocksDisagree(evaluation.wall, evaluation.event))
        return tr("Events on the stream say %1, the wall clock says %2: the two do not meet, so the work is not all "
                  "inside the "
                  "events, or the time is not spent on the GPU. The wall clock counts.")
            .arg(speedupSentence(evaluation.event), speedupSentence(evaluation.wall));
    if (column == Call && callTime(row) > 0)
        return tr("%1 a call; the reference took %2 beside it")
            .arg(timeText(callTime(row)), timeText(evaluation.reference_ns));
    if (column == FloorShare && floorShare(row) > 1)
        return tr("Faster than moving every byte of inputs and result: it reads a part of them, a part stayed in a "
                  "cache, or the bandwidth was measured too low");
    if ((column == Wall || column == Verdict) && !evaluation.marks.empty())
        return marksNote(evaluation.marks);
    if (column == Wall && evaluation.wall.valid() && base::compare(evaluation.wall) == base::Comparison::Unclear)
        return tr("The 95 % interval %1 holds 1: this measurement cannot tell faster from slower")
            .arg(intervalText(evaluation.wall));
    if (column == Age)
        return QDateTime::fromMSecsSinceEpoch(row.created_ms).toString(Qt::ISODate);
    if (column == Device)
        return tr("%1 · precision %2 · preset %3")
            .arg(QString::fromStdString(evaluation.device), QString::fromUtf8(protocol::toString(evaluation.precision)),
                 QString::fromUtf8(protocol::toString(evaluation.preset)));
    return reason.isEmpty() ? text(row, column) : QVariant(reason);
}

QVariant VariantsModel::sortKey(const store::VariantRow& row, int column) const
{
    switch (column) {
    case Name: return qlonglong(row.id.value);
    case Verdict: return row.evaluation ? int(row.evaluation->verdict) : 100;
    case Wall: return wallKey(row);
    case Call: return callTime(row) > 0 ? -callTime(row) : -1e300; // the shortest first, as the best is
    case Event: return row.evaluation ? row.evaluation->event.estimate : -1.0;
    case FloorShare: return floorShare(row);
    case Age: return qlonglong(-row.created_ms);
    default: return text(row, column);
    }
}

QVariant VariantsModel::cell(int place, int column, int role) const
{
    const store::VariantRow& row = at(place);
    const auto& evaluation = row.evaluation;
    const Theme& theme = Theme::instance();
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
    case CopyRole: return text(row, column);
    case Qt::ToolTipRole: return toolTip(row, column);
    case IdRole: return qlonglong(row.id.value);
    case SortRole: return sortKey(row, column);
    case Qt::DecorationRole:
        if (column == Verdict) {
            const VerdictStyle style = verdictStyle(row);
            return theme.icon(style.icon, style.role);
        }
        return {};
    case Qt::ForegroundRole:
        if (column == Verdict)
            return theme.color(verdictStyle(row).role);
        if (column == Origin || column == Device || column == Age || column == Call || column == Event ||
            column == FloorShare)
            return theme.color(Role::Muted);
        return {};
    case Qt::FontRole:
        if (column == Name || column == Call || column == Event || column == FloorShare) {
            QFont font = theme.monoFont();
            font.setStrikeOut(column == Event && evaluation &&
                              protocol::clocksDisagree(evaluation->wall, evaluation->event));
            return font;
        }
        return {};
    default: return {};
    }
}

} // namespace cudal1::ui
