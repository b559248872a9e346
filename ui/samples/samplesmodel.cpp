// SPDX-License-Identifier: GPL-3.0-or-later
// Cells, tool tips and sort keys of questions and replies.
#include "ui/samples/samplesmodel.h"

#include "core/base/ratiotext.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/variants/texts.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>

namespace cudal1::ui {

using optimize::SampleFacts;

namespace {

/// Rows of questions have this as their internal id; a reply has the place of its question, from 0.
constexpr quintptr question = ~quintptr(0);

bool isRight(int column)
{
    using M = SamplesModel;
    return column == M::Reward || column == M::Asked || column == M::Answered || column == M::Cost ||
           column == M::Variant || column == M::Age;
}

QString verdictWord(const SampleFacts& facts)
{
    if (!facts.usable())
        return SamplesModel::tr("no program");
    return facts.evaluation ? verdictStyle(facts.evaluation->verdict).word : SamplesModel::tr("not judged");
}

VerdictStyle styleOf(const SampleFacts& facts)
{
    if (!facts.usable())
        return {verdictWord(facts), QStringLiteral("error"), Role::LossText};
    return facts.evaluation ? verdictStyle(facts.evaluation->verdict)
                            : VerdictStyle{verdictWord(facts), QStringLiteral("clock"), Role::Muted};
}

/// "Run 26, question 9".
QString runName(const SampleGroup& group, const QString& what)
{
    return group.run ? SamplesModel::tr("Run %1, %2").arg(group.run.value).arg(what)
                     : SamplesModel::tr("Outside a run, %1").arg(what);
}

QString turnText(const store::SampleRecord& one)
{
    if (one.repair)
        return SamplesModel::tr("repair of %1").arg(one.parent.value);
    return one.turn > 0 ? SamplesModel::tr("%1, after %2").arg(one.turn + 1).arg(one.parent.value) : QString();
}

} // namespace

QString costsText(const std::map<std::string, double>& costs)
{
    QStringList out;
    for (const auto& [unit, cost] : costs)
        out << QStringLiteral("%1 %2").arg(unit.ends_with(" s") ? QString::fromStdString(base::threeDigits(cost))
                                                                : QLocale::c().toString(cost, 'g', 4),
                                           QString::fromStdString(unit));
    return out.join(QStringLiteral(" + "));
}

QString tokensText(std::int64_t tokens)
{
    return tokens > 0 ? countText(tokens) : QString();
}

QString rewardText(const std::optional<double>& reward)
{
    return reward ? QLocale::c().toString(*reward, 'f', 2) : QString();
}

SamplesModel::SamplesModel(QObject* parent) : QAbstractItemModel(parent)
{
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        if (rowCount() > 0)
            emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1),
                             {Qt::DecorationRole, Qt::ForegroundRole, Qt::FontRole});
    });
}

/// Whether the questions of the older one are the first of the newer one, with the same replies.
bool SamplesModel::begins(const SamplesView& older, const SamplesView& newer)
{
    if (older.task != newer.task || older.groups.size() > newer.groups.size())
        return false;
    for (std::size_t at = 0; at < older.groups.size(); ++at) {
        const SampleGroup &a = older.groups[at], &b = newer.groups[at];
        if (!a.isSame(b, older.samples[a.first].sample.id.value, newer.samples[b.first].sample.id.value))
            return false;
    }
    return true;
}

void SamplesModel::setView(std::shared_ptr<const SamplesView> view)
{
    const int before = rowCount();
    if (!m_view || !view || before == 0 || !begins(*m_view, *view)) {
        beginResetModel();
        m_view = std::move(view);
        endResetModel();
        return;
    }
    const int added = int(view->groups.size()) - before;
    if (added > 0) {
        beginInsertRows({}, before, before + added - 1);
        m_view = std::move(view);
        endInsertRows();
    } else {
        m_view = std::move(view);
    }
    emit dataChanged(index(0, 0), index(before - 1, ColumnCount - 1));
    for (int row = 0; row < before; ++row)
        if (const QModelIndex parent = index(row, 0); const int replies = rowCount(parent))
            emit dataChanged(index(0, 0, parent), index(replies - 1, ColumnCount - 1, parent));
}

QModelIndex SamplesModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) : question);
}

QModelIndex SamplesModel::parent(const QModelIndex& index) const
{
    return !index.isValid() || index.internalId() == question ? QModelIndex()
                                                              : createIndex(int(index.internalId()), 0, question);
}

int SamplesModel::rowCount(const QModelIndex& parent) const
{
    if (!m_view || parent.column() > 0)
        return 0;
    if (!parent.isValid())
        return int(m_view->groups.size());
    const SampleGroup* one = group(parent);
    return one && one->count > 1 ? int(one->count) : 0;
}

int SamplesModel::columnCount(const QModelIndex&) const
{
    return ColumnCount;
}

const SampleGroup* SamplesModel::group(const QModelIndex& index) const
{
    return index.isValid() && index.internalId() == question ? &m_view->groups[std::size_t(index.row())] : nullptr;
}

const SampleFacts* SamplesModel::sample(const QModelIndex& index) const
{
    if (!index.isValid())
        return nullptr;
    if (const SampleGroup* one = group(index))
        return one->count == 1 ? &m_view->samples[one->first] : nullptr;
    return &m_view->samples[m_view->groups[index.internalId()].first + std::size_t(index.row())];
}

QModelIndex SamplesModel::indexOf(base::SampleId id) const
{
    if (!m_view || !id)
        return {};
    for (std::size_t at = 0; at < m_view->groups.size(); ++at)
        for (std::size_t reply = 0; reply < m_view->groups[at].count; ++reply)
            if (m_view->samples[m_view->groups[at].first + reply].sample.id == id)
                return m_view->groups[at].count == 1 ? createIndex(int(at), 0, question)
                                                     : createIndex(int(reply), 0, quintptr(at));
    return {};
}

void SamplesModel::refreshAges()
{
    if (rowCount() > 0)
        emit dataChanged(index(0, Age), index(rowCount() - 1, Age), {Qt::DisplayRole});
    for (int row = 0; row < rowCount(); ++row)
        if (const QModelIndex parent = index(row, 0); const int replies = rowCount(parent))
            emit dataChanged(index(0, Age, parent), index(replies - 1, Age, parent), {Qt::DisplayRole});
}

QVariant SamplesModel::groupKey(const SampleGroup& group, int column) const
{
    const store::SampleRecord& first = m_view->samples[group.first].sample;
    switch (column) {
    case Verdict: return group.sum.correct;
    case Reward: return group.sum.bestReward.value_or(-1);
    case Asked: return qlonglong(group.sum.promptTokens);
    case Answered: return qlonglong(group.sum.replyTokens);
    case Cost: return group.sum.costs.empty() ? -1.0 : group.sum.costs.begin()->second;
    case Task: return QString::fromStdString(first.task.value);
    case Policy: return QString::fromStdString(first.policy);
    case Method: return QString::fromStdString(first.method);
    case Age: return qlonglong(-first.created_ms);
    default: return qlonglong(first.id.value);
    }
}

QVariant SamplesModel::groupCell(const SampleGroup& group, int column, int role) const
{
    const Theme& theme = Theme::instance();
    const store::SampleRecord& first = m_view->samples[group.first].sample;
    if (role == SortRole)
        return groupKey(group, column);
    if (role == TaskRole)
        return QString::fromStdString(first.task.value);
    if (role == Qt::FontRole && column == Name) {
        QFont font = theme.textFont();
        font.setWeight(QFont::DemiBold);
        return font;
    }
    if (role == Qt::FontRole && isRight(column))
        return theme.monoFont();
    if (role == Qt::ForegroundRole && column == Age)
        return theme.color(Role::Muted);
    if (role == Qt::ToolTipRole && column == Reward)
        return tr("The best reward of its replies");
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole && role != Qt::ToolTipRole)
        return {};
    switch (column) {
    case Name: return runName(group, tr("question %1").arg(group.group));
    case Task: return QString::fromStdString(first.task.value);
    case Policy: return QString::fromStdString(first.policy);
    case Method: return QString::fromStdString(first.method);
    case Turn: return first.repair ? tr("repair") : first.turn > 0 ? tr("turn %1").arg(first.turn + 1) : QString();
    case Verdict: return tr("%1 of %2 correct").arg(group.sum.correct).arg(group.sum.samples);
    case Reward: return rewardText(group.sum.bestReward);
    case Asked: return tokensText(group.sum.promptTokens);
    case Answered: return tokensText(group.sum.replyTokens);
    case Cost: return costsText(group.sum.costs);
    case Age: return ageText(first.created_ms, QDateTime::currentMSecsSinceEpoch());
    default: return {};
    }
}

QVariant SamplesModel::replyCell(const SampleFacts& facts, const SampleGroup& group, int column, int role) const
{
    const Theme& theme = Theme::instance();
    const store::SampleRecord& one = facts.sample;
    const bool isAlone = group.count == 1;
    const auto whole = [&]() -> QString {
        switch (column) {
        case Name: return isAlone ? runName(group, tr("reply %1").arg(one.id.value)) : tr("Reply %1").arg(one.id.value);
        case Task: return QString::fromStdString(one.task.value);
        case Policy: return QString::fromStdString(one.policy);
        case Method: return QString::fromStdString(one.method);
        case Turn: return turnText(one);
        case Verdict: return verdictWord(facts);
        case Reward: return rewardText(facts.reward());
        case Asked: return one.promptTokens ? tokensText(*one.promptTokens) : QString();
        case Answered: return one.replyTokens ? tokensText(*one.replyTokens) : QString();
        case Cost: return one.cost ? costsText({{one.costUnit, *one.cost}}) : QString();
        case Variant: return one.variant ? variantName(one.variant) : QString();
        case Age: return ageText(one.created_ms, QDateTime::currentMSecsSinceEpoch());
        default: return {};
        }
    };
    switch (role) {
    case IdRole: return qlonglong(one.id.value);
    case VariantRole: return qlonglong(one.variant.value);
    case TaskRole: return QString::fromStdString(one.task.value);
    case CopyRole:
    case Qt::AccessibleTextRole: return whole();
    case Qt::DisplayRole: // what its question says already is said once
        return !isAlone && (column == Task || column == Policy || column == Method ||
                            (column == Asked && !optimize::readsPromptEachTime(one.policy)))
                 ? QVariant()
                 : whole();
    case Qt::ToolTipRole:
        if (column == Verdict && !facts.usable())
            return QString::fromStdString(one.unusable);
        if (column == Verdict && facts.evaluation && !facts.evaluation->firstReason.empty())
            return QString::fromStdString(facts.evaluation->firstReason);
        if (column == Variant && one.variant)
            return tr("A click selects variant %1; Enter compares it with the reference").arg(one.variant.value);
        return whole();
    case Qt::DecorationRole:
        return column == Verdict ? QVariant(theme.icon(styleOf(facts).icon, styleOf(facts).role)) : QVariant();
    case Qt::ForegroundRole:
        if (column == Verdict)
            return theme.color(styleOf(facts).role);
        if (column == Variant)
            return theme.color(Role::Link);
        return column == Age || column == Turn ? QVariant(theme.color(Role::Muted)) : QVariant();
    case Qt::FontRole: return isRight(column) ? QVariant(theme.monoFont()) : QVariant();
    case SortRole:
        switch (column) {
        case Reward: return facts.reward().value_or(-1);
        case Asked: return qlonglong(one.promptTokens.value_or(0));
        case Answered: return qlonglong(one.replyTokens.value_or(0));
        case Cost: return one.cost.value_or(-1);
        case Variant: return qlonglong(one.variant.value);
        case Age: return qlonglong(-one.created_ms);
        case Name: return qlonglong(one.id.value);
        default: return whole();
        }
    default: return {};
    }
}

QVariant SamplesModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || !m_view)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((isRight(index.column()) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    const SampleGroup* one = group(index);
    if (one && (one->count > 1 || role == SortRole)) // rows of one level are sorted by keys of one kind
        return groupCell(*one, index.column(), role);
    return replyCell(*sample(index), one ? *one : m_view->groups[index.internalId()], index.column(), role);
}

QVariant SamplesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((isRight(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    static const std::pair<const char*, const char*> texts[ColumnCount] = {
        {QT_TR_NOOP("Reply"), QT_TR_NOOP("Replies stand below the question that they answer")},
        {QT_TR_NOOP("Task"), ""},
        {QT_TR_NOOP("Policy"), QT_TR_NOOP("Who was asked")},
        {QT_TR_NOOP("Method"), QT_TR_NOOP("How it was asked")},
        {QT_TR_NOOP("Turn"), QT_TR_NOOP("Of what it is a repair, or which reply of a conversation it follows")},
        {QT_TR_NOOP("Verdict"), QT_TR_NOOP("Of the newest evaluation of its variant")},
        {QT_TR_NOOP("Reward"), QT_TR_NOOP("The speed-up, rounded toward 1; 0 for what is not correct")},
        {QT_TR_NOOP("Prompt tokens"), QT_TR_NOOP("As often as the prompt was read: by a server for each reply")},
        {QT_TR_NOOP("Reply tokens"), ""},
        {QT_TR_NOOP("Cost"), ""},
        {QT_TR_NOOP("Variant"), QT_TR_NOOP("What the reply led to; equal programs are one variant")},
        {QT_TR_NOOP("Age"), ""}};
    if (role == Qt::DisplayRole || role == CopyRole)
        return tr(texts[section].first);
    return role == Qt::ToolTipRole && *texts[section].second ? QVariant(tr(texts[section].second)) : QVariant();
}

} // namespace cudal1::ui
