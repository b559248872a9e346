// SPDX-License-Identifier: GPL-3.0-or-later
// Two tables and a reply.
#include "ui/training/groupsview.h"

#include "ui/kit/rowtable.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/kit/uistate.h"
#include "ui/samples/sampledetail.h"
#include "ui/training/groupsmodel.h"
#include "ui/training/repliesmodel.h"
#include "ui/variants/texts.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

namespace cudal1::ui {

namespace {

QTableView* makeTable(TableModel* model, const QString& name, const QString& label, QObject* parent)
{
    const Theme& theme = Theme::instance();
    auto* proxy = new QSortFilterProxyModel(parent);
    proxy->setSourceModel(model);
    proxy->setSortRole(TableModel::SortRole);
    auto* table = new QTableView;
    table->setModel(proxy);
    setUpRows(*table, name, label);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setFrameShape(QFrame::NoFrame);
    table->setSortingEnabled(true);
    table->sortByColumn(-1, Qt::AscendingOrder);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->setProperty("class", QStringLiteral("dense"));
    table->setMinimumHeight(theme.unit(24));
    return table;
}

int sourceRow(const QTableView& table)
{
    const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(table.model());
    return proxy->mapToSource(table.currentIndex()).row();
}

void chooseRow(QTableView& table, int row)
{
    const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(table.model());
    const auto* source = proxy->sourceModel();
    if (row >= 0 && row < source->rowCount())
        table.setCurrentIndex(proxy->mapFromSource(source->index(row, 0)));
}

} // namespace

GroupsView::GroupsView(QWidget* parent)
    : QWidget(parent), m_groups(new GroupsModel(this)), m_replies(new RepliesModel(this)), m_verdict(new QComboBox),
      m_note(new QLabel), m_detail(new SampleDetail)
{
    const Theme& theme = Theme::instance();
    m_verdict->setObjectName(QStringLiteral("trainingVerdict"));
    m_verdict->setAccessibleName(tr("Verdict"));
    m_verdict->setToolTip(tr("Show only replies with this verdict, and the groups that have one"));
    m_note->setObjectName(QStringLiteral("trainingGroupsNote"));
    m_note->setProperty("class", QStringLiteral("muted"));
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(theme.unit(3), theme.unit(1), theme.unit(3), theme.unit(1));
    bar->setSpacing(theme.unit(2));
    auto* label = new QLabel(tr("&Verdict"));
    label->setBuddy(m_verdict);
    bar->addWidget(label);
    bar->addWidget(m_verdict);
    bar->addWidget(m_note, 1);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->setObjectName(QStringLiteral("trainingGroupsSplitter"));
    splitter->setHandleWidth(theme.unit(1));
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(makeTables());
    splitter->addWidget(m_detail);
    m_detail->setMinimumHeight(theme.unit(34));
    splitter->setSizes({450, 550});
    UiState::instance().keep(splitter, QStringLiteral("trainingGroups"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(splitter, 1);
    connect(m_verdict, &QComboBox::activated, this, &GroupsView::filterGroups);
    connect(m_detail, &SampleDetail::errorRaised, this, &GroupsView::errorRaised);
    connect(m_detail, &SampleDetail::compareRequested, this, &GroupsView::compareRequested);
}

QWidget* GroupsView::makeTables()
{
    const Theme& theme = Theme::instance();
    m_groupTable = makeTable(m_groups, QStringLiteral("trainingGroups"), tr("Groups of replies"), this);
    m_replyTable = makeTable(m_replies, QStringLiteral("trainingReplies"), tr("Replies of the group"), this);
    constexpr int groupUnits[]{14, 24, 18, 18, 18, 18, 23};
    for (int column = 0; column < GroupsModel::ColumnCount; ++column)
        m_groupTable->horizontalHeader()->resizeSection(column, theme.unit(groupUnits[column]));
    m_groupTable->horizontalHeader()->setSectionResizeMode(GroupsModel::Task, QHeaderView::Stretch);
    constexpr int replyUnits[]{14, 33, 18, 24, 17, 18, 40};
    for (int column = 0; column < RepliesModel::ColumnCount; ++column)
        m_replyTable->horizontalHeader()->resizeSection(column, theme.unit(replyUnits[column]));
    m_replyTable->horizontalHeader()->setStretchLastSection(true);
    m_tools = setupView(m_groupTable, QStringLiteral("traininggroups"));
    setupView(m_replyTable, QStringLiteral("trainingreplies"));
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->setObjectName(QStringLiteral("trainingTablesSplitter"));
    splitter->setHandleWidth(theme.unit(1));
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(m_groupTable);
    splitter->addWidget(m_replyTable);
    splitter->setSizes({480, 520});
    UiState::instance().keep(splitter, QStringLiteral("trainingTables"));
    connect(m_groupTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &GroupsView::groupChosen);
    connect(m_replyTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &GroupsView::replyChosen);
    return splitter;
}

const TrainingGroup* GroupsView::current() const
{
    return m_groups->group(sourceRow(*m_groupTable));
}

std::string GroupsView::verdict() const
{
    return m_verdict->currentData().toString().toStdString();
}

void GroupsView::setVerdict(const QString& verdict)
{
    m_verdict->setCurrentIndex(std::max(0, m_verdict->findData(verdict)));
    filterGroups();
}

void GroupsView::setView(std::shared_ptr<const TrainingsView> view)
{
    m_view = std::move(view);
    offerVerdicts();
    filterGroups();
}

/// Those that some reply has, with their counts.
void GroupsView::offerVerdicts()
{
    const QString now = m_verdict->currentData().toString();
    std::map<std::string, int> counts;
    int all = 0;
    if (m_view)
        for (const TrainingGroup& group : m_view->groups)
            for (const optimize::SampleFacts& reply : group.replies) {
                ++all;
                if (const std::string verdict = reply.verdict(); !verdict.empty())
                    ++counts[verdict];
            }
    const QSignalBlocker quiet(m_verdict);
    m_verdict->clear();
    m_verdict->addItem(tr("all %1").arg(all), QString());
    for (const auto& [verdict, count] : counts)
        m_verdict->addItem(QStringLiteral("%1 (%2)").arg(verdict == "unusable"
                                                             ? tr("no program")
                                                             : QString::fromStdString(verdict).replace(u'_', u' '),
                                                         QString::number(count)),
                           QString::fromStdString(verdict));
    m_verdict->setCurrentIndex(std::max(0, m_verdict->findData(now)));
}

void GroupsView::filterGroups()
{
    const TrainingGroup* chosen = current();
    const std::optional<std::pair<int, base::TaskId>> before = chosen
                                                                 ? std::optional(std::pair(chosen->batch, chosen->task))
                                                                 : std::nullopt;
    const std::string wanted = verdict();
    m_filtered = m_view;
    if (m_view && !wanted.empty()) {
        auto some = std::make_shared<TrainingsView>(*m_view);
        std::erase_if(some->groups, [&](const TrainingGroup& group) {
            return std::none_of(group.replies.begin(), group.replies.end(),
                                [&](const auto& reply) { return reply.verdict() == wanted; });
        });
        m_filtered = std::move(some);
    }
    int row = 0;
    if (before && m_filtered)
        for (std::size_t i = 0; i < m_filtered->groups.size(); ++i)
            if (m_filtered->groups[i].batch == before->first && m_filtered->groups[i].task == before->second)
                row = int(i);
    m_groups->setView(m_filtered);
    const std::size_t shown = m_filtered ? m_filtered->groups.size() : 0;
    const TrainingEntry* entry = m_view ? m_view->entry() : nullptr;
    if (entry && entry->options.stage == learning::Stage::Supervised)
        m_note->setText(tr("Stage 1 learns from a file of examples and draws no replies."));
    else if (shown == 0)
        m_note->setText(tr("No replies were judged yet."));
    else
        m_note->setText(counted(int(shown), tr("group"), tr("groups")));
    chooseRow(*m_groupTable, row);
    groupChosen();
}

void GroupsView::groupChosen()
{
    const optimize::SampleFacts* before = m_replies->reply(sourceRow(*m_replyTable));
    const base::SampleId id = before ? before->sample.id : base::SampleId();
    const TrainingGroup* group = current();
    m_replies->setGroup(group ? std::optional(*group) : std::nullopt, verdict());
    chooseRow(*m_replyTable, std::max(0, m_replies->rowOf(id)));
    replyChosen();
}

void GroupsView::replyChosen()
{
    const optimize::SampleFacts* reply = m_replies->reply(sourceRow(*m_replyTable));
    m_detail->show(m_view ? m_view->groupsProject : QString(), reply ? std::optional(*reply) : std::nullopt);
}

} // namespace cudal1::ui
