// SPDX-License-Identifier: GPL-3.0-or-later
// The list of claims, and what a row opens.
#include "ui/charts/claimsview.h"

#include "ui/charts/claimsmodel.h"
#include "ui/kit/filterchips.h"
#include "ui/kit/rowtable.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/variants/badge.h"
#include "ui/variants/whymarked.h"
#include "ui/work/selection.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

namespace cudal1::ui {

ClaimsView::ClaimsView(ProjectModel& project, Selection& selection, QWidget* parent)
    : QFrame(parent), m_selection(selection), m_model(new ClaimsModel(this)), m_proxy(new QSortFilterProxyModel(this)),
      m_table(new QTableView)
{
    const Theme& theme = Theme::instance();
    setProperty("class", QStringLiteral("card"));
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(ClaimsModel::SortRole);
    m_table->setModel(m_proxy);
    m_table->setItemDelegateForColumn(ClaimsModel::Found, new BadgeDelegate(m_table));
    setUpRows(*m_table, QStringLiteral("claims"), tr("The highest claims of others"));
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(ClaimsModel::Claimed, Qt::DescendingOrder);
    QHeaderView* header = m_table->horizontalHeader();
    // Names are read whole before techniques are.
    header->setStretchLastSection(true);
    header->setMinimumSectionSize(theme.unit(14));
    const int widths[ClaimsModel::ColumnCount] = {46, 20, 28, 19, 30};
    for (int column = 0; column < ClaimsModel::ColumnCount; ++column)
        header->resizeSection(column, theme.unit(widths[column]));
    m_tools = setupView(m_table, QStringLiteral("claims"));
    new BadgeClicks(m_table, project, [this](const QModelIndex& index) {
        const rejudge::RankedClaim& claim = m_model->at(m_proxy->mapToSource(index).row());
        return claim.found && !claim.found->marks.empty() ? claim.claim.variant : base::VariantId();
    });

    auto* title = new QLabel(tr("Highest claims"));
    title->setFont(theme.titleFont(2));
    auto* line = new QHBoxLayout;
    line->setContentsMargins(theme.unit(4), theme.unit(3), theme.unit(3), theme.unit(2));
    line->setSpacing(theme.unit(3));
    line->addWidget(title);
    line->addWidget(m_tools->makeChips(), 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, theme.unit(1));
    layout->setSpacing(0);
    layout->addLayout(line);
    layout->addWidget(m_table, 1);
    connect(m_table, &QTableView::activated, this, &ClaimsView::open);
}

void ClaimsView::setClaims(const std::vector<rejudge::RankedClaim>& claims)
{
    m_model->setClaims(claims);
}

/// The reference before, the program after.
void ClaimsView::open(const QModelIndex& index)
{
    const store::ClaimRecord& claim = m_model->at(m_proxy->mapToSource(index).row()).claim;
    if (claim.variant)
        m_selection.select(claim.task, {}, claim.variant, QStringLiteral("compare"));
    else
        m_selection.open(claim.task, QStringLiteral("task"));
}

} // namespace cudal1::ui
