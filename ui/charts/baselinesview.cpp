// SPDX-License-Identifier: GPL-3.0-or-later
// A sentence, the table of baselines, and the button of the first run.
#include "ui/charts/baselinesview.h"

#include "ui/charts/baselinesmodel.h"
#include "ui/kit/filterchips.h"
#include "ui/kit/rowtable.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/variants/badge.h"
#include "ui/variants/texts.h"
#include "ui/variants/whymarked.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace cudal1::ui {

BaselinesView::BaselinesView(ProjectModel& project, QWidget* parent)
    : QWidget(parent), m_model(new BaselinesModel(this)), m_proxy(new QSortFilterProxyModel(this)),
      m_table(new QTableView), m_title(new QLabel), m_text(new QLabel), m_optimize(new QPushButton)
{
    const Theme& theme = Theme::instance();
    m_title->setFont(theme.titleFont(1));
    m_title->setObjectName(QStringLiteral("baselinesTitle"));
    m_text->setProperty("class", QStringLiteral("muted"));
    m_text->setObjectName(QStringLiteral("baselinesText"));
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    m_optimize->setProperty("class", QStringLiteral("primary"));
    m_optimize->setObjectName(QStringLiteral("baselinesOptimize"));
    m_optimize->setToolTip(
        tr("Propose variants of this task and judge them; its baselines are what they have to beat"));
    connect(m_optimize, &QPushButton::clicked, this, [this] { emit optimizeRequested(m_next); });

    auto* words = new QVBoxLayout;
    words->setSpacing(theme.unit(1));
    words->addWidget(m_title);
    words->addWidget(m_text);
    auto* top = new QHBoxLayout;
    top->setSpacing(theme.unit(4));
    top->addLayout(words, 1);
    top->addWidget(m_optimize, 0, Qt::AlignVCenter);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(theme.unit(4), theme.unit(4), theme.unit(4), theme.unit(4));
    layout->setSpacing(theme.unit(4));
    layout->addLayout(top);
    layout->addWidget(makeTable(), 1);
    new BadgeClicks(m_table, project, [](const QModelIndex& index) {
        return base::VariantId{index.data(BaselinesModel::MarkedRole).toLongLong()};
    });
}

QWidget* BaselinesView::makeTable()
{
    const Theme& theme = Theme::instance();
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(BaselinesModel::SortRole);
    m_table->setModel(m_proxy);
    m_table->setItemDelegate(new BadgeDelegate(m_table));
    setUpRows(*m_table, QStringLiteral("baselines"), tr("Baselines of the tasks"));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(0, Qt::AscendingOrder);
    m_table->horizontalHeader()->setMinimumSectionSize(theme.unit(14));
    m_table->horizontalHeader()->setStretchLastSection(false);
    m_tools = setupView(m_table, {});
    connect(m_table, &QTableView::activated, this,
            [this](const QModelIndex& index) { emit taskRequested(m_model->task(m_proxy->mapToSource(index).row())); });
    connect(m_model, &QAbstractItemModel::modelReset, this, [this] {
        QHeaderView* header = m_table->horizontalHeader();
        const QFontMetrics cells(Theme::instance().monoFont());
        for (int column = 1; column < m_model->columnCount(); ++column) {
            int wide = 0;
            for (const QString& line : m_model->headerData(column, Qt::Horizontal).toString().split(u'\n'))
                wide = std::max(wide, header->fontMetrics().horizontalAdvance(line));
            for (int row = 0; row < m_model->rowCount(); ++row)
                wide = std::max(wide, cells.horizontalAdvance(m_model->index(row, column).data().toString()) +
                                          badgeWidth(m_model->index(row, column).data(BadgeRole).toString()));
            header->resizeSection(column, wide + Theme::instance().unit(7)); // with room for the arrow of sorting
        }
        if (m_model->columnCount() > 0) // the rest of the width belongs to the names
            header->setSectionResizeMode(0, QHeaderView::Stretch);
    });

    auto* title = new QLabel(tr("Speed-up over eager, by the wall clock"));
    title->setFont(theme.titleFont(2));
    auto* line = new QHBoxLayout;
    line->setContentsMargins(theme.unit(4), theme.unit(3), theme.unit(3), theme.unit(2));
    line->setSpacing(theme.unit(3));
    auto* note = new QLabel(tr("geometric mean of the tasks in the header"));
    note->setProperty("class", QStringLiteral("muted"));
    line->addWidget(title);
    line->addWidget(note, 1);
    line->addWidget(m_tools->makeChips());
    auto* card = new QFrame;
    card->setProperty("class", QStringLiteral("card"));
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(1, 1, 1, theme.unit(1));
    layout->setSpacing(0);
    layout->addLayout(line);
    layout->addWidget(m_table, 1);
    return card;
}

void BaselinesView::setRows(const TaskList& tasks, const std::vector<store::VariantRow>& rows)
{
    m_model->setRows(tasks, rows);
    m_title->setText(tr("Baselines of %1").arg(counted(m_model->rowCount(), tr("task"), tr("tasks"))));
    const QString kinds = counted(m_model->kinds(), tr("kind"), tr("kinds"));
    m_text->setText(
        (m_model->devices().isEmpty()
             ? tr("The framework's own switches, %1 of them, judged like any variant.").arg(kinds)
             : tr("The framework's own switches, %1 of them, judged like any variant on %2.")
                   .arg(kinds, m_model->devices().join(QStringLiteral(", ")))) +
        u' ' +
        tr("No variant was judged yet: the first run brings gains, charts and the ranking of the tasks to this page."));
}

void BaselinesView::setNext(const base::TaskId& task)
{
    m_next = task.empty() && !isEmpty() ? m_model->task(0) : task;
    m_optimize->setText(tr("Optimize %1").arg(QString::fromStdString(m_next.value)));
}

bool BaselinesView::isEmpty() const
{
    return m_model->rowCount() == 0;
}

void BaselinesView::find()
{
    m_table->setFocus();
    m_tools->find();
}

} // namespace cudal1::ui
