// SPDX-License-Identifier: GPL-3.0-or-later
// Columns, unfolding and the clicks on variants.
#include "ui/samples/samplestree.h"

#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/samples/samplesfilter.h"

#include <QHeaderView>
#include <QTimer>

#include <algorithm>

namespace cudal1::ui {

namespace {

/// Projects with more questions open with only the newest ones unfolded.
constexpr int mostUnfolded = 200;

} // namespace

SamplesTree::SamplesTree(QWidget* parent)
    : QTreeView(parent), m_model(new SamplesModel(this)), m_proxy(new SamplesFilter(*m_model, this))
{
    const Theme& theme = Theme::instance();
    setObjectName(QStringLiteral("samples"));
    setAccessibleName(tr("Questions and replies"));
    setModel(m_proxy);
    setUniformRowHeights(true);
    setAlternatingRowColors(false);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setAllColumnsShowFocus(true);
    setIndentation(theme.unit(4));
    setSortingEnabled(true);
    setFrameShape(QFrame::NoFrame);
    setProperty("class", QStringLiteral("columns"));
    const int widths[SamplesModel::ColumnCount] = {44, 18, 34, 24, 28, 34, 18, 30, 26, 26, 18, 16};
    for (int column = 0; column < SamplesModel::ColumnCount; ++column)
        header()->resizeSection(column, theme.unit(widths[column]));
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(SamplesModel::Name, QHeaderView::Stretch);
    header()->setMinimumSectionSize(theme.unit(13));
    sortByColumn(SamplesModel::Name, Qt::DescendingOrder);
    m_tools = setupView(this, QStringLiteral("samples"));

    connect(this, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        const base::VariantId variant{index.data(SamplesModel::VariantRole).toLongLong()};
        if (variant && index.column() == SamplesModel::Variant)
            emit variantClicked({index.data(SamplesModel::TaskRole).toString().toStdString()}, variant);
    });
    connect(this, &QTreeView::activated, this, [this](const QModelIndex& index) {
        if (const base::VariantId variant{index.data(SamplesModel::VariantRole).toLongLong()})
            emit variantActivated({index.data(SamplesModel::TaskRole).toString().toStdString()}, variant);
    });
    auto* ages = new QTimer(this);
    ages->setInterval(30'000);
    connect(ages, &QTimer::timeout, m_model, &SamplesModel::refreshAges);
    ages->start();
}

void SamplesTree::setView(std::shared_ptr<const SamplesView> view)
{
    const optimize::SampleFacts* facts = current();
    const base::SampleId chosen = facts ? facts->sample.id : base::SampleId();
    const int before = m_model->rowCount();
    bool reset = false;
    const auto watched = connect(m_model, &QAbstractItemModel::modelReset, this, [&reset] { reset = true; });
    m_setting = true;
    m_model->setView(std::move(view));
    disconnect(watched);
    for (int row = reset ? 0 : before; row < m_model->rowCount(); ++row)
        if (row >= m_model->rowCount() - mostUnfolded)
            expand(m_proxy->mapFromSource(m_model->index(row, 0)));
    m_setting = false;
    showColumns();
    if (chosen && m_model->indexOf(chosen).isValid())
        choose(chosen);
    else
        chooseFirst();
    emit currentSampleChanged(); // its verdict may be another by now
}

/// A page without a chosen reply would have an empty lower half.
void SamplesTree::chooseFirst()
{
    const QModelIndex question = m_proxy->index(0, 0);
    const QModelIndex reply = m_proxy->hasChildren(question) ? m_proxy->index(0, 0, question) : question;
    if (reply.isValid())
        setCurrentIndex(reply);
}

void SamplesTree::setFound(std::optional<std::unordered_set<base::SampleId>> found)
{
    const bool any = found.has_value();
    m_proxy->setFound(std::move(found));
    if (any)
        expandAll();
    if (!current())
        chooseFirst();
}

const optimize::SampleFacts* SamplesTree::current() const
{
    return m_model->sample(m_proxy->mapToSource(currentIndex()));
}

void SamplesTree::choose(base::SampleId id)
{
    const QModelIndex index = m_proxy->mapFromSource(m_model->indexOf(id));
    if (!index.isValid() || index.siblingAtColumn(0) == currentIndex().siblingAtColumn(0))
        return;
    setCurrentIndex(index);
    scrollTo(index);
}

int SamplesTree::shownReplies() const
{
    int out = 0;
    for (int row = 0; row < m_proxy->rowCount(); ++row)
        out += std::max(1, m_proxy->rowCount(m_proxy->index(row, 0)));
    return out;
}

void SamplesTree::currentChanged(const QModelIndex& now, const QModelIndex& before)
{
    QTreeView::currentChanged(now, before);
    if (!m_setting)
        emit currentSampleChanged();
}

void SamplesTree::resizeEvent(QResizeEvent* event)
{
    QTreeView::resizeEvent(event);
    showColumns();
}

/// A column that says nothing has no place, and what says least goes first where there is little room.
void SamplesTree::showColumns()
{
    const auto& view = m_model->view();
    if (!view)
        return;
    const Theme& theme = Theme::instance();
    bool turns = false, methods = false;
    for (const optimize::SampleFacts& facts : view->samples) {
        turns = turns || facts.sample.turn > 0 || facts.sample.repair;
        methods = methods || !facts.sample.method.empty();
    }
    const bool tokens = view->sum.promptTokens + view->sum.replyTokens > 0;
    setColumnHidden(SamplesModel::Task, !view->task.empty());
    setColumnHidden(SamplesModel::Turn, !turns);
    setColumnHidden(SamplesModel::Method, !methods);
    setColumnHidden(SamplesModel::Asked, !tokens);
    setColumnHidden(SamplesModel::Answered, !tokens);
    setColumnHidden(SamplesModel::Cost, view->sum.costs.empty());
    setColumnHidden(SamplesModel::Age, false);
    const auto leftForName = [&] {
        int left = viewport()->width();
        for (int column = 0; column < SamplesModel::ColumnCount; ++column)
            left -= column == SamplesModel::Name ? 0 : header()->sectionSize(column);
        return left;
    };
    const int leastName = theme.unit(44); // "Run 1094, question 9"
    for (const int column : {SamplesModel::Age, SamplesModel::Method, SamplesModel::Asked, SamplesModel::Answered})
        if (leftForName() < leastName)
            setColumnHidden(column, true);
    const bool fits = leftForName() >= leastName; // otherwise what is to its right is scrolled to
    header()->setSectionResizeMode(SamplesModel::Name, fits ? QHeaderView::Stretch : QHeaderView::Fixed);
    if (!fits)
        header()->resizeSection(SamplesModel::Name, leastName);
}

} // namespace cudal1::ui
