// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of the table of replies.
#include "ui/training/repliesmodel.h"

#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/samples/samplesmodel.h"
#include "ui/variants/texts.h"

namespace cudal1::ui {

namespace {

/// Word, icon and colour of what became of a reply.
VerdictStyle styleOf(const optimize::SampleFacts& facts)
{
    if (!facts.usable())
        return {RepliesModel::tr("no program"), QStringLiteral("error"), Role::Muted};
    if (!facts.evaluation)
        return {RepliesModel::tr("not judged"), QStringLiteral("clock"), Role::Muted};
    return verdictStyle(facts.evaluation->verdict);
}

} // namespace

RepliesModel::RepliesModel(QObject* parent)
    : TableModel(
          {{tr("Reply"), {}, Qt::AlignRight},
           {tr("Verdict")},
           {tr("Reward"), tr("That the update was made with; empty where nothing can be said of the reply"),
            Qt::AlignRight},
           {tr("Advantage"), tr("By how many standard deviations the reward is above the group's mean (equation 4)"),
            Qt::AlignRight},
           {tr("Tokens"), {}, Qt::AlignRight},
           {tr("Variant")},
           {tr("Why"), tr("The first reason of the verdict")}},
          parent)
{
}

void RepliesModel::setGroup(std::optional<TrainingGroup> group, const std::string& verdict)
{
    beginResetModel();
    m_group = std::move(group);
    m_rows.clear();
    for (std::size_t i = 0; m_group && i < m_group->replies.size(); ++i)
        if (verdict.empty() || m_group->replies[i].verdict() == verdict)
            m_rows.push_back(i);
    endResetModel();
}

const optimize::SampleFacts* RepliesModel::reply(int row) const
{
    return row < 0 || row >= rows() ? nullptr : &m_group->replies[m_rows[std::size_t(row)]];
}

int RepliesModel::rowOf(base::SampleId id) const
{
    for (int row = 0; row < rows(); ++row)
        if (reply(row)->sample.id == id)
            return row;
    return -1;
}

QString RepliesModel::text(std::size_t at, int column) const
{
    const optimize::SampleFacts& one = m_group->replies[at];
    switch (column) {
    case Reply: return QString::number(at + 1);
    case Verdict: return styleOf(one).word;
    case Reward: return rewardText(one.sample.reward);
    case Advantage:
        return m_group->advantages[at] ? QStringLiteral("%1%2").arg(*m_group->advantages[at] > 0 ? "+" : "",
                                                                    QString::number(*m_group->advantages[at], 'f', 2))
                                       : QString();
    case Tokens: return tokensText(one.sample.replyTokens.value_or(0));
    case Variant: return one.sample.variant ? variantName(one.sample.variant) : QString();
    case Why:
        return QString::fromStdString(!one.usable()     ? one.sample.unusable
                                      : !one.evaluation ? std::string()
                                                        : one.evaluation->firstReason);
    default: return {};
    }
}

QVariant RepliesModel::sortKey(std::size_t at, int column) const
{
    const optimize::SampleFacts& one = m_group->replies[at];
    switch (column) {
    case Reply: return int(at);
    case Reward: return one.sample.reward.value_or(-1);
    case Advantage: return m_group->advantages[at].value_or(-1e9);
    case Tokens: return qlonglong(one.sample.replyTokens.value_or(0));
    case Variant: return qlonglong(one.sample.variant.value);
    default: return text(at, column);
    }
}

QVariant RepliesModel::cell(int row, int column, int role) const
{
    const std::size_t at = m_rows[std::size_t(row)];
    const Theme& theme = Theme::instance();
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
    case CopyRole: return text(at, column);
    case SortRole: return sortKey(at, column);
    case Qt::FontRole: return isRight(column) ? QVariant(theme.monoFont()) : QVariant();
    case Qt::DecorationRole:
        if (column == Verdict) {
            const VerdictStyle style = styleOf(m_group->replies[at]);
            return theme.icon(style.icon, style.role);
        }
        return {};
    case Qt::ForegroundRole:
        if (column == Advantage && m_group->advantages[at] && *m_group->advantages[at] != 0)
            return theme.color(*m_group->advantages[at] > 0 ? Role::GainText : Role::LossText);
        return {};
    default: return {};
    }
}

} // namespace cudal1::ui
