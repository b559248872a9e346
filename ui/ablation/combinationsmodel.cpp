// SPDX-License-Identifier: GPL-3.0-or-later
// Combinations as cells, tool tips and sort keys.
#include "ui/ablation/combinationsmodel.h"

#include "core/ablation/bottleneck.h"
#include "core/ablation/text.h"
#include "core/protocol/marks.h"
#include "ui/kit/setupview.h"
#include "ui/variants/texts.h"

namespace cudal1::ui {

namespace {

VerdictStyle styleOf(const ablation::Row& row)
{
    return row.found ? verdictStyle(row.found->verdict) : VerdictStyle{CombinationsModel::tr("not judged"), QStringLiteral("clock"), Role::Muted};
}

bool isOn(const ablation::Row& row, int toggle)
{
    return row.on >> toggle & 1U;
}

} // namespace

CombinationsModel::CombinationsModel(QObject* parent) : QAbstractTableModel(parent)
{
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        if (rowCount() > 0)
            emit dataChanged(createIndex(0, 0), createIndex(rowCount() - 1, columnCount() - 1), {Qt::DecorationRole, Qt::ForegroundRole, Qt::FontRole});
    });
}

void CombinationsModel::setView(std::shared_ptr<const AblationView> view)
{
    const bool same = m_view && view && m_view->plan.combinations == view->plan.combinations && m_view->plan.names() == view->plan.names();
    if (!same)
        beginResetModel();
    m_view = std::move(view);
    m_axis = {};
    for (int row = 0; row < rowCount(); ++row)
        m_axis.include(speedup(row));
    if (!same)
        endResetModel();
    else if (rowCount() > 0)
        emit dataChanged(createIndex(0, 0), createIndex(rowCount() - 1, columnCount() - 1));
}

base::Interval CombinationsModel::speedup(int row) const
{
    const auto& found = m_view->rows[std::size_t(row)].found;
    return found ? found->wall.speedup : base::Interval();
}

int CombinationsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_view ? 0 : int(m_view->rows.size());
}

int CombinationsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_view ? 0 : toggles() + FixedCount;
}

void CombinationsModel::setBottlenecks(Bottlenecks shown)
{
    if (shown == m_bottlenecks)
        return;
    m_bottlenecks = shown;
    if (rowCount() > 0)
        emit dataChanged(index(0, column(Bottleneck)), index(rowCount() - 1, column(Bottleneck)), {Qt::DisplayRole});
}

QString CombinationsModel::bottleneckWithShare(int row, Bottlenecks how) const
{
    const ablation::Row& one = m_view->rows[std::size_t(row)];
    const auto share = one.correct() ? ablation::busyShare(one.found->wall, one.found->gpuBusy) : std::nullopt;
    QString word = text(one, Bottleneck).section(u':', 0, 0);
    if (how == Bottlenecks::ShortShare)
        word.remove(QStringLiteral("-bound"));
    return share ? QStringLiteral("%1, %2 %").arg(word, QString::number(100 * *share, 'f', 0)) : QString();
}

/// What a combination that is not correct has instead, a reason, is never shortened.
QString CombinationsModel::shownBottleneck(int row) const
{
    const ablation::Row& one = m_view->rows[std::size_t(row)];
    const QString sentence = text(one, Bottleneck);
    if (m_bottlenecks == Bottlenecks::Sentence || !one.correct())
        return sentence;
    const QString withShare = m_bottlenecks == Bottlenecks::Word ? QString() : bottleneckWithShare(row, m_bottlenecks);
    return withShare.isEmpty() ? sentence.section(u':', 0, 0) : withShare;
}

QString CombinationsModel::text(const ablation::Row& row, int fixed) const
{
    const auto& found = row.found;
    switch (fixed) {
    case Wall:
        return row.correct() ? speedupSentence(found->wall.speedup, found->marks) : QString();
    case Event:
        return found && found->event.valid() ? speedupPhrase(found->event.speedup) : QString();
    case Call:
        return found && found->wall.valid() ? timeText(found->wall.candidate_ns) : QString();
    case Verdict:
        return styleOf(row).word;
    case Bottleneck:
        return found ? QString::fromStdString(row.correct() ? found->bottleneck : found->reason.text) : QString();
    case Variant:
        return row.variant ? variantName(row.variant) : QString();
    default:
        return {};
    }
}

QVariant CombinationsModel::sortKey(const ablation::Row& row, int fixed) const
{
    const auto& found = row.found;
    switch (fixed) {
    case Wall:
        return !found ? -3.0 : !row.correct() ? -2.0 : found->wall.valid() ? found->wall.speedup.estimate : -1.0;
    case Event:
        return found && found->event.valid() ? found->event.speedup.estimate : -1.0;
    case Call:
        return found && found->wall.valid() ? found->wall.candidate_ns : 1e300;
    case Verdict:
        return found ? int(found->verdict) : 100;
    case Variant:
        return qlonglong(row.variant.value);
    default:
        return text(row, fixed);
    }
}

QString CombinationsModel::toolTip(const ablation::Row& row, int fixed) const
{
    if (!row.found)
        return tr("Not judged with these settings yet: Run judges it");
    if (fixed == Event && protocol::clocksDisagree(row.found->wall.speedup, row.found->event.speedup))
        return tr("Events on the stream say %1, the wall clock says %2: the two do not meet. The wall clock counts.")
            .arg(speedupSentence(row.found->event.speedup), speedupSentence(row.found->wall.speedup));
    if (fixed == Event && row.found->event.valid())
        return speedupSentence(row.found->event.speedup);
    if (fixed == Wall && !row.found->marks.empty())
        return marksNote(row.found->marks);
    if (fixed == Variant)
        return tr("Double-click to compare it with the variant that was taken apart");
    return row.found->reason.text.empty() ? text(row, fixed) : QString::fromStdString(row.found->reason.text);
}

QVariant CombinationsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const ablation::Row& row = m_view->rows[std::size_t(index.row())];
    const Theme& theme = Theme::instance();
    if (role == VariantRole)
        return qlonglong(row.variant.value);
    if (index.column() < toggles()) {
        const bool on = isOn(row, index.column());
        switch (role) {
        case Qt::DisplayRole: return on ? QStringLiteral("✓") : QStringLiteral("✗");
        case CopyRole: return on ? 1 : 0;
        case SortRole: return on ? 0 : 1;
        case Qt::AccessibleTextRole:
        case Qt::ToolTipRole:
            return (on ? tr("%1 on") : tr("%1 off")).arg(QString::fromStdString(m_view->plan.toggles[std::size_t(index.column())].name));
        case Qt::ForegroundRole: return theme.color(on ? Role::GainText : Role::Muted);
        case Qt::TextAlignmentRole: return int(Qt::AlignCenter);
        default: return {};
        }
    }
    const int fixed = index.column() - toggles();
    switch (role) {
    case Qt::AccessibleTextRole:
    case CopyRole:
        if (fixed == Event && row.found && row.found->event.valid())
            return speedupSentence(row.found->event.speedup);
        return text(row, fixed);
    case Qt::DisplayRole:
        return fixed == Bottleneck ? shownBottleneck(index.row()) : text(row, fixed);
    case Qt::ToolTipRole:
        return toolTip(row, fixed);
    case SortRole:
        return sortKey(row, fixed);
    case Qt::DecorationRole:
        if (fixed == Verdict)
            return theme.icon(styleOf(row).icon, styleOf(row).role);
        return {};
    case Qt::ForegroundRole:
        return fixed == Verdict ? theme.color(styleOf(row).role) : fixed == Event || fixed == Variant ? theme.color(Role::Muted) : QVariant();
    case Qt::FontRole:
        if (fixed == Event || fixed == Call || fixed == Variant) {
            QFont font = theme.monoFont();
            font.setStrikeOut(fixed == Event && row.found && protocol::clocksDisagree(row.found->wall.speedup, row.found->event.speedup));
            return font;
        }
        return {};
    case Qt::TextAlignmentRole:
        return int((fixed == Call || fixed == Variant ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    default:
        return {};
    }
}

QVariant CombinationsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return QAbstractTableModel::headerData(section, orientation, role);
    if (section < toggles()) {
        const std::string& name = m_view->plan.toggles[std::size_t(section)].name;
        if (role == Qt::ToolTipRole || role == CopyRole)
            return QString::fromStdString(name);
        if (role == Qt::DisplayRole)
            return QString::fromStdString(policy::techniqueOf(name)).replace(u'_', u'\n');
        return role == Qt::TextAlignmentRole ? QVariant(int(Qt::AlignCenter)) : QVariant();
    }
    static const char* const names[FixedCount] = {QT_TR_NOOP("Speed-up, wall clock"), QT_TR_NOOP("Events"), QT_TR_NOOP("Verdict"),
                                                  QT_TR_NOOP("Bottleneck"), QT_TR_NOOP("Call"), QT_TR_NOOP("Variant")};
    const int fixed = section - toggles();
    if (role == Qt::DisplayRole || role == CopyRole)
        return tr(names[fixed]);
    if (role == Qt::TextAlignmentRole)
        return int((fixed == Call || fixed == Variant ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) {
        switch (fixed) {
        case Wall: return tr("Reference time / candidate time from an idle device to an idle device, with its 95 % interval");
        case Event: return tr("The same by events on the caller's stream, as the paper measured; struck through where it contradicts the wall clock");
        case Call: return tr("Time of a call of this combination, by the wall clock");
        case Bottleneck: return tr("What a call waits for, from the share of it in which the GPU was busy");
        default: break;
        }
    }
    return {};
}

} // namespace cudal1::ui
