// SPDX-License-Identifier: GPL-3.0-or-later
// Tree view, find bar and title of the operators.
#include "ui/tasks/operatorsview.h"

#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/tasks/operatorsmodel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace cudal1::ui {

namespace {

/// Larger trees open with only their outermost modules unfolded.
constexpr std::size_t mostExpanded = 60;

} // namespace

OperatorsView::OperatorsView(QWidget* parent)
    : QWidget(parent), m_source(new QLabel), m_model(new OperatorsModel(this)), m_view(new QTreeView), m_tools(nullptr)
{
    const Theme& theme = Theme::instance();
    m_source->setProperty("class", QStringLiteral("muted"));
    m_source->setWordWrap(true);
    auto* filter = new QSortFilterProxyModel(this);
    filter->setSourceModel(m_model);
    m_view->setObjectName(QStringLiteral("operators"));
    m_view->setAccessibleName(tr("Operators of the reference"));
    m_view->setModel(filter);
    m_view->setUniformRowHeights(true);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setIndentation(theme.unit(4));
    m_view->setProperty("class", QStringLiteral("columns"));
    m_tools = setupView(m_view, {}); // no name: widths follow each task's operators
    m_view->header()->setStretchLastSection(false);
    QSizePolicy policy = m_view->sizePolicy();
    policy.setRetainSizeWhenHidden(true); // so that the title stays on top
    m_view->setSizePolicy(policy);

    auto* head = new QHBoxLayout;
    head->setContentsMargins(theme.unit(3), theme.unit(1), theme.unit(3), theme.unit(1));
    head->setSpacing(theme.unit(3));
    head->addWidget(m_source, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(m_view, 1);
    setAttribute(Qt::WA_StyledBackground);
    setProperty("class", QStringLiteral("pane"));
}

void OperatorsView::setTree(const std::shared_ptr<const OperatorTree>& tree, const QString& source)
{
    m_source->setText(source);
    m_model->setTree(tree);
    m_view->setVisible(tree != nullptr);
    if (!tree)
        return;
    m_view->setColumnHidden(OperatorsModel::Time, !tree->timed);
    if (tree->nodes.size() <= mostExpanded)
        m_view->expandAll();
    else
        m_view->expandToDepth(0);
    // A list of a hundred shapes must not push the module out of sight.
    const Theme& theme = Theme::instance();
    for (int column = 0; column < OperatorsModel::ColumnCount; ++column) {
        m_view->resizeColumnToContents(column);
        m_view->setColumnWidth(column, m_view->columnWidth(column) + theme.unit(2));
    }
    m_view->setColumnWidth(OperatorsModel::Shapes,
                           std::min(m_view->columnWidth(OperatorsModel::Shapes), theme.unit(90)));
    m_view->setColumnWidth(OperatorsModel::Module,
                           std::min(m_view->columnWidth(OperatorsModel::Module), theme.unit(40)));
}

} // namespace cudal1::ui
