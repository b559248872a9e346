// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of the claims of others.
#include "ui/charts/claimsmodel.h"

#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/variants/badge.h"
#include "ui/variants/texts.h"

namespace cudal1::ui {

ClaimsModel::ClaimsModel(QObject* parent)
    : TableModel(
          {{tr("Task")},
           {tr("Claimed"), tr("The highest claim over eager, by the publisher's clock and device"), Qt::AlignRight},
           {tr("Found here"), tr("The same program by our wall clock, where it was judged here"), Qt::AlignRight},
           {tr("Device"), tr("That the claim is of; in brackets where the file's name alone tells it")},
           {tr("Techniques"), tr("That the program is seen to use")}},
          parent)
{
}

void ClaimsModel::setClaims(std::vector<rejudge::RankedClaim> claims)
{
    beginResetModel();
    m_claims = std::move(claims);
    endResetModel();
}

QVariant ClaimsModel::text(const rejudge::RankedClaim& claim, int column) const
{
    switch (column) {
    case Task:
        return QStringLiteral("%1  %2").arg(QString::fromStdString(claim.claim.task.value),
                                            QString::fromStdString(claim.name));
    case Claimed: return speedupText(*claim.claim.speedup);
    case Found:
        if (!claim.found)
            return tr("not judged");
        return claim.found->verdict == protocol::Verdict::Correct ? speedupPhrase(claim.found->wall)
                                                                  : verdictStyle(claim.found->verdict).word;
    case Device: {
        const rejudge::ClaimedDevice device = rejudge::claimedDevice(claim.claim);
        const QString name = QString::fromStdString(device.name);
        return device.byFileName ? QStringLiteral("(%1)").arg(name) : name;
    }
    case Techniques: return techniquesText(claim.techniques);
    default: return {};
    }
}

QVariant ClaimsModel::sortKey(const rejudge::RankedClaim& claim, int column) const
{
    switch (column) {
    case Task: return claim.level * 100'000;
    case Claimed: return *claim.claim.speedup;
    case Found: return claim.found && claim.found->wall.valid() ? claim.found->wall.low : -1.0;
    default: return text(claim, column);
    }
}

QVariant ClaimsModel::cell(int row, int column, int role) const
{
    const rejudge::RankedClaim& claim = at(row);
    const Theme& theme = Theme::instance();
    const bool judged = claim.found && claim.found->verdict == protocol::Verdict::Correct;
    const std::string marks = judged ? claim.found->marks : std::string();
    switch (role) {
    case Qt::DisplayRole:
    case CopyRole:
    case Qt::AccessibleTextRole: return text(claim, column);
    case Qt::ToolTipRole:
        return QStringLiteral("%1\n%2\n%3")
            .arg(text(claim, Task).toString(), QString::fromStdString(rejudge::claimText(claim.claim)),
                 claim.claim.variant ? tr("Double-click to see the code before and after")
                                     : tr("It was published without code"));
    case BadgeRole: return column == Found ? marksBadge(marks) : QString();
    case Qt::ForegroundRole:
        if (column == Found)
            return theme.color(judged ? speedupRole(claim.found->wall, marks) : Role::Muted);
        return claim.claim.variant ? QVariant() : QVariant(theme.color(Role::Muted));
    case Qt::FontRole: return column == Claimed || column == Found ? QVariant(theme.monoFont()) : QVariant();
    case SortRole: return sortKey(claim, column);
    default: return {};
    }
}

} // namespace cudal1::ui
