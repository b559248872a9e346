// SPDX-License-Identifier: GPL-3.0-or-later
// Two tables, one above the other.
#include "ui/samples/ledgerview.h"

#include "ui/kit/rowtable.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/samples/ledgermodel.h"

#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

namespace cudal1::ui {

LedgerView::LedgerView(QWidget* parent)
    : QWidget(parent), m_policies(new LedgerModel(tr("Policy"), this)), m_tasks(new LedgerModel(tr("Task"), this))
{
    const Theme& theme = Theme::instance();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(theme.unit(4), theme.unit(3), theme.unit(4), theme.unit(4));
    layout->setSpacing(theme.unit(4));
    layout->addWidget(makeCard(tr("By policy"), makeTable(m_policies, QStringLiteral("ledgerPolicies"),
                                                          tr("Tokens and cost by policy"), m_tools)),
                      1);
    QTableView* tasks = makeTable(m_tasks, QStringLiteral("ledgerTasks"), tr("Tokens and cost by task"), m_taskTools);
    layout->addWidget(makeCard(tr("By task"), tasks), 2);
    connect(tasks, &QTableView::activated, this, [this](const QModelIndex& index) {
        emit taskRequested({index.siblingAtColumn(0).data(LedgerModel::TaskRole).toString().toStdString()});
    });
}

QTableView* LedgerView::makeTable(LedgerModel* model, const QString& name, const QString& label, ViewTools*& tools)
{
    const Theme& theme = Theme::instance();
    auto* proxy = new QSortFilterProxyModel(this);
    proxy->setSourceModel(model);
    proxy->setSortRole(LedgerModel::SortRole);
    auto* table = new QTableView;
    table->setModel(proxy);
    setUpRows(*table, name, label);
    table->setFrameShape(QFrame::NoFrame);
    table->setSortingEnabled(true);
    table->sortByColumn(LedgerModel::Name, Qt::AscendingOrder);
    QHeaderView* header = table->horizontalHeader();
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(theme.unit(10));
    for (int column = 1; column < LedgerModel::ColumnCount; ++column) // so that a small window has all
        header->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    header->setSectionResizeMode(LedgerModel::Name, QHeaderView::Stretch);
    tools = setupView(table, name.toLower());
    return table;
}

QWidget* LedgerView::makeCard(const QString& title, QTableView* table)
{
    const Theme& theme = Theme::instance();
    auto* heading = new QLabel(title);
    heading->setFont(theme.titleFont(2));
    heading->setContentsMargins(theme.unit(4), theme.unit(3), theme.unit(3), theme.unit(2));
    auto* card = new QFrame;
    card->setProperty("class", QStringLiteral("card"));
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(1, 1, 1, theme.unit(1));
    layout->setSpacing(0);
    layout->addWidget(heading);
    layout->addWidget(table, 1);
    return card;
}

/// A small window has no place for all numbers; what was asked how often is the least of them.
void LedgerView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const bool narrow = width() < Theme::instance().unit(235);
    for (QTableView* table : findChildren<QTableView*>())
        for (const int column : {LedgerModel::Questions, LedgerModel::Repairs})
            table->setColumnHidden(column, narrow);
}

void LedgerView::setView(const SamplesView& view)
{
    m_policies->setRows(view.byPolicy);
    m_tasks->setRows(view.byTask);
}

} // namespace cudal1::ui
