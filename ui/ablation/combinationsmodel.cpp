// SPDX-License-Identifier: GPL-3.0-or-later
// Combinations as cells, tool tips and sort keys.
#include "ui/ablation/combinationsmodel.h"

#include "core/ablation/bottleneck.h"
#include "core/ablation/findingstext.h"
#include "core/base/percenttext.h"
#include "core/protocol/marks.h"
#include "ui/kit/setupview.h"
#include "ui/variants/texts.h"

#include <algorithm>

namespace cudal1::ui {

namespace {

/// It may well be judged on another device, so the device is named: as in the tool bar where it is the chosen one. It
/// is not where it would tell nothing apart, as other results are of the same device, nor while its model is not known.
QString notJudgedText(const AblationView& view)
{
    const ablation::AblationSettings& settings = view.settings;
    const ablation::AblationSettings* other = view.here      ? &view.here->settings
                                            : view.elsewhere ? &*view.elsewhere
                                                             : nullptr;
    if (other && (settings.deviceModel.empty() || other->deviceModel == settings.deviceModel))
        return CombinationsModel::tr("not judged");
    const std::string& device = view.here && !settings.deviceModel.empty() ? settings.deviceModel : settings.device;
    return device.empty() ? CombinationsModel::tr("not judged")
                          : CombinationsModel::tr("not judged on %1").arg(QString::fromStdString(device));
}

VerdictStyle styleOf(const AblationView& view, const ablation::CombinationRow& row)
{
    return row.found ? verdictStyle(row.found->verdict)
                     : VerdictStyle{notJudgedText(view), QStringLiteral("clock"), Role::Muted};
}

bool isOn(const ablation::CombinationRow& row, int toggle)
{
    return row.on >> toggle & 1U;
}

} // namespace

CombinationsModel::CombinationsModel(QObject* parent) : TableModel({}, parent) {}

bool CombinationsModel::areAllCorrect() const
{
    return m_view && !m_view->rows.empty() &&
           std::ranges::all_of(m_view->rows, [](const ablation::CombinationRow& row) {
               return row.found && row.found->verdict == protocol::Verdict::Correct;
           });
}

std::vector<TableModel::Column> CombinationsModel::columnsFor(const AblationView& view)
{
    std::vector<Column> columns;
    for (const policy::Toggle& toggle : view.plan.toggles) {
        const QString name = QString::fromStdString(toggle.name);
        columns.push_back({QString::fromStdString(policy::techniqueOf(toggle.name)).replace(u'_', u'\n'), name,
                           Qt::AlignHCenter, name});
    }
    const Column fixed[FixedCount] = {
        {tr("Speed-up, wall clock"),
         tr("Reference time / candidate time from an idle device to an idle device, with its 95 % interval. Sorted, "
            "the best comes first, as in the table of variants: questioned gains come last, and among equals the lower "
            "end of the interval counts")},
        {tr("Events"), tr("The same by events on the caller's stream, as the paper measured; struck through where it "
                          "contradicts the wall clock")},
        {tr("Verdict")},
        {tr("Bottleneck"), tr("What a call waits for, from the share of it in which the GPU was busy")},
        {tr("Call"), tr("Time of a call of this combination, by the wall clock"), Qt::AlignRight},
        {tr("Variant"), {}, Qt::AlignRight}};
    columns.insert(columns.end(), std::begin(fixed), std::end(fixed));
    return columns;
}

void CombinationsModel::setView(std::shared_ptr<const AblationView> view)
{
    const bool same = m_view && view && m_view->plan.combinations == view->plan.combinations &&
                      m_view->plan.names() == view->plan.names();
    if (!same)
        beginResetModel();
    m_view = std::move(view);
    setColumns(m_view ? columnsFor(*m_view) : std::vector<Column>());
    m_axis = {};
    for (int row = 0; row < rowCount(); ++row)
        m_axis.include(speedup(row), marksBadge(marks(row)));
    if (!same)
        endResetModel();
    else
        cellsChanged();
}

base::Interval CombinationsModel::speedup(int row) const
{
    const auto& found = m_view->rows[std::size_t(row)].found;
    return found ? found->wall.speedup : base::Interval();
}

std::string CombinationsModel::marks(int row) const
{
    const auto& found = m_view->rows[std::size_t(row)].found;
    return found ? found->marks : std::string();
}

int CombinationsModel::rows() const
{
    return m_view ? int(m_view->rows.size()) : 0;
}

void CombinationsModel::setBottlenecks(Bottlenecks shown)
{
    if (shown == m_bottlenecks)
        return;
    m_bottlenecks = shown;
    columnChanged(column(Bottleneck), {Qt::DisplayRole});
}

QString CombinationsModel::bottleneckWithShare(int row, Bottlenecks how) const
{
    const ablation::CombinationRow& one = m_view->rows[std::size_t(row)];
    const auto share = one.correct() ? ablation::busyShare(one.found->wall, one.found->gpuBusy) : std::nullopt;
    QString word = text(one, Bottleneck).section(u':', 0, 0);
    if (how == Bottlenecks::ShortShare)
        word.remove(QStringLiteral("-bound"));
    return share ? tr("%1, busy %2").arg(word, QString::fromStdString(base::percentText(*share))) : QString();
}

/// What a combination that is not correct has instead, a reason, is never shortened.
QString CombinationsModel::shownBottleneck(int row) const
{
    const ablation::CombinationRow& one = m_view->rows[std::size_t(row)];
    const QString sentence = text(one, Bottleneck);
    if (!one.correct())
        return sentence;
    const QString withShare = m_bottlenecks == Bottlenecks::Word ? QString() : bottleneckWithShare(row, m_bottlenecks);
    return withShare.isEmpty() ? sentence.section(u':', 0, 0) : withShare;
}

QString CombinationsModel::text(const ablation::CombinationRow& row, int fixed) const
{
    const auto& found = row.found;
    switch (fixed) {
    case Wall: return row.correct() ? speedupSentence(found->wall.speedup, found->marks) : QString();
    case Event: return found && found->event.valid() ? speedupPhrase(found->event.speedup) : QString();
    case Call: return found && found->wall.valid() ? timeText(found->wall.candidate_ns) : QString();
    case Verdict: return styleOf(*m_view, row).word;
    case Bottleneck:
        return found ? QString::fromStdString(row.correct() ? found->bottleneck : found->reason.text) : QString();
    case Variant: return row.variant ? variantName(row.variant) : QString();
    default: return {};
    }
}

QVariant CombinationsModel::sortKey(const ablation::CombinationRow& row, int fixed) const
{
    const auto& found = row.found;
    switch (fixed) {
    case Wall: return !found ? -3.0 : !row.correct() ? -2.0 : gainOrder(found->wall.speedup, found->marks);
    case Event: return found && found->event.valid() ? found->event.speedup.estimate : -1.0;
    case Call: return found && found->wall.valid() ? found->wall.candidate_ns : 1e300;
    case Verdict: return found ? int(found->verdict) : 100;
    case Variant: return qlonglong(row.variant.value);
    default: return text(row, fixed);
    }
}

QString CombinationsModel::toolTip(const ablation::CombinationRow& row, int fixed) const
{
    if (!row.found)
        return tr("Not judged on %1 yet: Run judges it with the chosen device, precision and preset")
            .arg(conditionsText(m_view->settings));
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

QVariant CombinationsModel::toggleCell(const ablation::CombinationRow& row, int toggle, int role) const
{
    const bool on = isOn(row, toggle);
    switch (role) {
    case Qt::DisplayRole: return on ? QStringLiteral("✓") : QStringLiteral("✗");
    case CopyRole: return on ? 1 : 0;
    case SortRole: return on ? 0 : 1;
    case Qt::AccessibleTextRole:
    case Qt::ToolTipRole:
        return (on ? tr("%1 on") : tr("%1 off"))
            .arg(QString::fromStdString(m_view->plan.toggles[std::size_t(toggle)].name));
    case Qt::ForegroundRole: return Theme::instance().color(on ? Role::GainText : Role::Muted);
    default: return {};
    }
}

QVariant CombinationsModel::cell(int place, int column, int role) const
{
    const ablation::CombinationRow& row = m_view->rows[std::size_t(place)];
    if (role == VariantRole)
        return qlonglong(row.variant.value);
    if (column < toggles())
        return toggleCell(row, column, role);
    const Theme& theme = Theme::instance();
    const int fixed = column - toggles();
    switch (role) {
    case Qt::AccessibleTextRole:
    case CopyRole:
        if (fixed == Event && row.found && row.found->event.valid())
            return speedupSentence(row.found->event.speedup);
        return text(row, fixed);
    case Qt::DisplayRole: return fixed == Bottleneck ? shownBottleneck(place) : text(row, fixed);
    case Qt::ToolTipRole: return toolTip(row, fixed);
    case SortRole: return sortKey(row, fixed);
    case Qt::DecorationRole:
        if (fixed == Verdict)
            return theme.icon(styleOf(*m_view, row).icon, styleOf(*m_view, row).role);
        return {};
    case Qt::ForegroundRole:
        return fixed == Verdict                   ? theme.color(styleOf(*m_view, row).role)
             : fixed == Event || fixed == Variant ? theme.color(Role::Muted)
                                                  : QVariant();
    case Qt::FontRole:
        if (fixed == Event || fixed == Call || fixed == Variant) {
            QFont font = theme.monoFont();
            font.setStrikeOut(fixed == Event && row.found &&
                              protocol::clocksDisagree(row.found->wall.speedup, row.found->event.speedup));
            return font;
        }
        return {};
    default: return {};
    }
}

} // namespace cudal1::ui
