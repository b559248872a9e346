// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of the ledger.
#include "ui/samples/ledgermodel.h"

#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/samples/samplesmodel.h"

#include <algorithm>

namespace cudal1::ui {

LedgerModel::LedgerModel(const QString& of, QObject* parent)
    : TableModel(
          {{of},
           {tr("Questions"), tr("Prompts that were sent; each counts once for all of its replies"), Qt::AlignRight},
           {tr("Replies"), {}, Qt::AlignRight},
           {tr("Correct"), tr("Replies whose program the judge found correct"), Qt::AlignRight},
           {tr("Repairs"), tr("Replies that were asked to mend another one, and how many are correct"), Qt::AlignRight},
           {tr("Prompt tokens"), {}, Qt::AlignRight},
           {tr("Reply tokens"), {}, Qt::AlignRight},
           {tr("Cost"), tr("As far as it is known"), Qt::AlignRight},
           {tr("Best reward"), tr("The highest reward of a reply, also where its gain is questioned"), Qt::AlignRight}},
          parent)
{
}

void LedgerModel::setRows(std::vector<LedgerRow> rows)
{
    const bool same = std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(),
                                 [](const LedgerRow& a, const LedgerRow& b) { return a.name == b.name; });
    if (!same)
        beginResetModel();
    m_rows = std::move(rows);
    same ? cellsChanged() : endResetModel();
}

QString LedgerModel::text(const LedgerRow& row, int column)
{
    const optimize::SampleSum& sum = row.sum;
    switch (column) {
    case Name: return row.name;
    case Questions: return QString::number(sum.questions);
    case Replies: return QString::number(sum.samples);
    case Correct: return QString::number(sum.correct);
    case Repairs: return sum.repairs > 0 ? tr("%1 of %2").arg(sum.mended).arg(sum.repairs) : QString();
    case Asked: return tokensText(sum.promptTokens);
    case Answered: return tokensText(sum.replyTokens);
    case Cost: return costsText(sum.costs);
    case Reward: return rewardText(sum.bestReward);
    default: return {};
    }
}

QVariant LedgerModel::sortKey(const LedgerRow& row, int column)
{
    const optimize::SampleSum& sum = row.sum;
    switch (column) {
    case Questions: return sum.questions;
    case Replies: return sum.samples;
    case Correct: return sum.correct;
    case Repairs: return sum.repairs;
    case Asked: return qlonglong(sum.promptTokens);
    case Answered: return qlonglong(sum.replyTokens);
    case Cost: return sum.costs.empty() ? -1.0 : sum.costs.begin()->second;
    case Reward: return sum.bestReward.value_or(-1);
    default: return row.name;
    }
}

QVariant LedgerModel::cell(int row, int column, int role) const
{
    const LedgerRow& one = m_rows[std::size_t(row)];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
    case CopyRole: return text(one, column);
    case SortRole: return sortKey(one, column);
    case TaskRole: return QString::fromStdString(one.task.value);
    case Qt::FontRole: return isRight(column) ? QVariant(Theme::instance().monoFont()) : QVariant();
    default: return {};
    }
}

} // namespace cudal1::ui
