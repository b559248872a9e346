// SPDX-License-Identifier: GPL-3.0-or-later
// A bar, the table of rows, and the curves below it.
#include "ui/experiment/experimentpage.h"

#include "ui/charts/chartpanel.h"
#include "ui/experiment/experimentbar.h"
#include "ui/experiment/experimentmodel.h"
#include "ui/kit/elidedlabel.h"
#include "ui/kit/filterchips.h"
#include "ui/kit/rowtable.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/kit/tool.h"
#include "ui/kit/uistate.h"
#include "ui/work/jobsmodel.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"
#include "ui/work/writing.h"

#include <QAction>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMimeData>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>

namespace cudal1::ui {

using experiment::Along;

namespace {

/// The one file of JSON that is dragged; empty for anything else.
QString experimentIn(const QMimeData* data)
{
    const QList<QUrl> urls = data->urls();
    const QString file = urls.size() == 1 ? urls.front().toLocalFile() : QString();
    return file.endsWith(QLatin1String(".json"), Qt::CaseInsensitive) ? file : QString();
}

/// So that titles and usual values are whole, and nearly all columns are to be seen in a window 1440 pixels wide.
int unitsOf(int column)
{
    using Column = ExperimentModel::Column;
    switch (column) {
    case Column::Policy: return 44;
    case Column::Method: return 48;
    case Column::BySeed: return 25;
    case Column::Geometric: return 24;
    case Column::Tokens:
    case Column::Runs:
    case Column::Replies:
    case Column::Repairs: return 18;
    case Column::Success: return 20;
    case Column::Improved: return 17;
    case Column::Level: return 15;
    case Column::Cost: return 28;
    default: return 14;
    }
}

/// Who is asked, and how, stands once above the rows that follow with the same; what is copied or pointed at has it in
/// each.
class GroupedRows : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    QVariant data(const QModelIndex& index, int role) const override
    {
        const auto armAt = [&index](int row) { return index.siblingAtRow(row).data(ExperimentModel::ArmRole); };
        const bool named = index.column() == ExperimentModel::Policy || index.column() == ExperimentModel::Method;
        if (role == Qt::DisplayRole && named && index.row() > 0 && armAt(index.row()) == armAt(index.row() - 1))
            return {};
        return QSortFilterProxyModel::data(index, role);
    }
};

} // namespace

ExperimentPage::ExperimentPage(ProjectModel& project, Selection&, JobsModel& jobs, QWidget* parent)
    : Page(QStringLiteral("experiment"), tr("Experiment"), QStringLiteral("experiment"), parent), m_project(project),
      m_jobs(jobs), m_bar(new ExperimentBar), m_model(new ExperimentModel(this)), m_curves(new ChartPanel),
      m_along(new QComboBox), m_wait(new QTimer(this))
{
    const Theme& theme = Theme::instance();
    setAcceptDrops(true);
    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_bar);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->setObjectName(QStringLiteral("experimentSplitter"));
    splitter->setHandleWidth(theme.unit(1));
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(makeTable());
    splitter->addWidget(makeCurves());
    splitter->setSizes({400, 600});
    UiState::instance().keep(splitter, QStringLiteral("experiment"));
    layout->addWidget(splitter, 1);
    setContent(content);
    makeActions();
    showEmpty(tr("No experiments yet"), tr("Open a project first."));

    m_wait->setSingleShot(true);
    m_wait->setInterval(100); // many changes in a row are read once
    connect(m_wait, &QTimer::timeout, this, &ExperimentPage::load);
    connect(m_bar, &ExperimentBar::chosen, this, [this](base::RunId id) {
        m_chosen = id;
        changed();
    });
    connect(m_bar, &ExperimentBar::openRequested, this, &ExperimentPage::openFile);
    connect(m_bar, &ExperimentBar::goOnRequested, this, &ExperimentPage::goOn);
    connect(m_bar, &ExperimentBar::stopRequested, this, &ExperimentPage::stop);
    connect(&m_project, &ProjectModel::tasksChanged, this, &ExperimentPage::changed);
    connect(&m_project, &ProjectModel::opened, this, &ExperimentPage::changed);
    connect(&m_project, &ProjectModel::closed, this, [this] {
        m_asker.forget();
        m_chosen = {};
        m_view.reset();
        m_model->setView(nullptr);
        showEmpty(tr("No experiments yet"), tr("Open a project first."));
    });
    connect(&m_jobs, &JobsModel::jobChanged, this, [this](quint64 id) {
        if (const Job* one = m_jobs.job(id); one && one->kind() == JobKind::Experiment)
            showBar();
    });
}

QWidget* ExperimentPage::makeTable()
{
    const Theme& theme = Theme::instance();
    auto* proxy = new GroupedRows(this);
    proxy->setSourceModel(m_model);
    proxy->setSortRole(ExperimentModel::SortRole);
    m_table = new QTableView;
    m_table->setModel(proxy);
    setUpRows(*m_table, QStringLiteral("experimentRows"), tr("Policies and methods"));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder); // as the file has them
    m_table->setIconSize({theme.unit(6), theme.unit(4)});
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    QHeaderView* header = m_table->horizontalHeader();
    header->setStretchLastSection(true);
    for (int column = 0; column < ExperimentModel::ColumnCount; ++column)
        header->resizeSection(column, theme.unit(unitsOf(column)));
    m_tools = setupView(m_table, QStringLiteral("experimentrows"));
    connect(proxy, &QAbstractItemModel::modelReset, this, &ExperimentPage::widenColumns);
    auto* pane = new QWidget;
    pane->setMinimumHeight(theme.unit(24));
    auto* layout = new QVBoxLayout(pane);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_tools->makeChips());
    layout->addWidget(m_table, 1);
    auto* rule = new ElidedLabel;
    rule->setObjectName(QStringLiteral("experimentRule"));
    rule->setProperty("class", QStringLiteral("muted"));
    rule->setContentsMargins(theme.unit(3), theme.unit(1), theme.unit(3), theme.unit(1));
    rule->setText(QString::fromStdString(experiment::countedScoreText()));
    layout->addWidget(rule);
    return pane;
}

/// Numbers of another experiment are whole too, such as a cost in two units. Columns with texts are left as they are.
void ExperimentPage::widenColumns()
{
    const auto hint = [this](int column) {
        return static_cast<QAbstractItemView*>(m_table)->sizeHintForColumn(column);
    };
    for (int column = ExperimentModel::Level; column < ExperimentModel::ColumnCount; ++column)
        m_table->setColumnWidth(column, std::max(m_table->columnWidth(column), hint(column)));
}

QWidget* ExperimentPage::makeCurves()
{
    const Theme& theme = Theme::instance();
    m_curves->setObjectName(QStringLiteral("experimentCurves"));
    m_curves->setMinimumHeight(theme.unit(44));
    m_along->setObjectName(QStringLiteral("experimentAlong"));
    m_along->setAccessibleName(tr("Best speed-up against"));
    m_along->setToolTip(tr("What the best speed-up so far is laid against"));
    auto* label = new QLabel(tr("&against"));
    label->setProperty("class", QStringLiteral("muted"));
    label->setBuddy(m_along);
    m_curves->choices()->addWidget(label);
    m_curves->choices()->addWidget(m_along);
    m_curves->choices()->addStretch(1);
    connect(m_along, &QComboBox::activated, this, &ExperimentPage::showCurves);
    m_curves->setChart(std::make_shared<const charts::Chart>(experiment::curvesOf({}, {}, Along::Samples)));
    return m_curves;
}

void ExperimentPage::makeActions()
{
    const auto add = [this](const QString& text, const QString& tip, auto slot) {
        QAction* action = makeTool(this, {}, text, tip);
        connect(action, &QAction::triggered, this, slot);
        return action;
    };
    m_open = add(tr("Open an experiment…"), tr("Read the file of an experiment and make its runs"),
                 &ExperimentPage::openFile);
    m_goOn = add(tr("Go on with the experiment"), tr("Make the runs that are missing"), &ExperimentPage::goOn);
    m_stop = add(tr("Stop the experiment"), tr("Stop; what was judged stays"), &ExperimentPage::stop);
    add(tr("Save the curves…"), tr("Save the chart as SVG, PNG or CSV"), [this] { m_curves->askAndExport(); });
    add(tr("Copy the curves"), tr("Copy the chart as a picture"), [this] { m_curves->copyPicture(); });
    m_goOn->setEnabled(false);
    m_stop->setEnabled(false);
}

void ExperimentPage::find()
{
    m_tools->find();
}

void ExperimentPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    if (m_stale)
        m_wait->start();
}

void ExperimentPage::changed()
{
    m_stale = true;
    if (isVisible() && !m_wait->isActive())
        m_wait->start();
}

void ExperimentPage::load()
{
    if (!isVisible() || !m_project.isOpen())
        return;
    if (m_asker.isWaiting()) // a long read is not begun anew by each change, or none would come to its end
        return m_wait->start();
    m_stale = false;
    m_asker.ask([file = m_project.path(), wanted = m_chosen] { return loadExperiment(file, wanted); },
                [this](const base::Result<std::shared_ptr<const ExperimentView>>& view) {
                    if (view)
                        display(*view);
                    else
                        emit errorRaised(view.error());
                });
}

void ExperimentPage::display(std::shared_ptr<const ExperimentView> view)
{
    m_view = std::move(view);
    m_model->setView(m_view);
    enableWriting(*m_open, m_project);
    if (!m_view->shown.id)
        return showEmpty(tr("No experiments yet"),
                         tr("An experiment sets policies and methods against each other, over tasks and seeds, and "
                            "makes the paper's tables of them. Open its file, or drop it here; docs/prompts.md says "
                            "what stands in it.") +
                             u' ' + m_project.readOnlyReason(),
                         m_project.isReadOnly() ? QString() : tr("Open Experiment…"), [this] { openFile(); });
    showContent();
    showBar();
    offerAxes();
    showCurves();
}

void ExperimentPage::showBar()
{
    if (!m_view || !m_view->shown.id)
        return;
    const Job* own = job();
    m_bar->show(*m_view, own, own ? m_jobs.queuePosition(own->id) : 0, m_project);
    enableWriting(*m_goOn, m_project, !own && !m_view->shown.running && m_view->done() < int(m_view->results.size()));
    m_stop->setEnabled(own != nullptr);
}

void ExperimentPage::offerAxes()
{
    const QString now = m_along->currentText();
    const QSignalBlocker quiet(m_along);
    m_along->clear();
    m_along->addItem(tr("replies"), int(Along::Samples));
    m_along->addItem(tr("tokens"), int(Along::Tokens));
    for (const std::string& unit : m_view->units)
        m_along->addItem(tr("cost in %1").arg(QString::fromStdString(unit)), int(Along::Cost));
    m_along->setCurrentIndex(std::max(0, m_along->findText(now)));
}

void ExperimentPage::showCurves()
{
    if (!m_view)
        return;
    const auto along = Along(m_along->currentData().toInt());
    const std::size_t unit = std::size_t(std::max(0, m_along->currentIndex() - 2));
    m_curves->setChart(std::make_shared<const charts::Chart>(experiment::curvesOf(
        m_view->arms, m_view->results, along,
        along == Along::Cost && unit < m_view->units.size() ? m_view->units[unit] : std::string())));
}

const Job* ExperimentPage::job() const
{
    for (int row = 0; row < m_jobs.rowCount(); ++row) {
        const Job* one = m_jobs.at(row);
        const auto* what = std::get_if<ExperimentJob>(&one->request.what);
        if (what && one->isActive() && one->project == m_project.path() && m_view &&
            (what->record.id ? what->record.id == m_view->shown.id : what->record.name == m_view->shown.name))
            return one;
    }
    return nullptr;
}

void ExperimentPage::openFile()
{
    const QString file = QFileDialog::getOpenFileName(window(), tr("Open an Experiment"), {},
                                                      tr("Experiments (*.json);;All files (*)"));
    if (!file.isEmpty())
        take(file);
}

/// What begins now is what is looked at.
void ExperimentPage::take(const QString& file)
{
    if (!m_project.isOpen())
        return;
    m_chosen = {};
    emit fileRequested(file);
    changed();
}

void ExperimentPage::goOn()
{
    if (m_view && m_view->shown.id && !job())
        emit goOnRequested(m_view->shown);
}

void ExperimentPage::stop()
{
    if (const Job* own = job())
        emit stopRequested(own->id);
}

void ExperimentPage::dragEnterEvent(QDragEnterEvent* event)
{
    if (m_project.isOpen() && !m_project.isReadOnly() && !experimentIn(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void ExperimentPage::dropEvent(QDropEvent* event)
{
    if (const QString file = experimentIn(event->mimeData()); !file.isEmpty()) {
        event->acceptProposedAction();
        take(file);
    }
}

} // namespace cudal1::ui
