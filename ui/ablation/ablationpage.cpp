// SPDX-License-Identifier: GPL-3.0-or-later
// The ablation page follows the selected task; what it shows is read on another thread.
#include "ui/ablation/ablationpage.h"

#include "core/ablation/examples.h"
#include "core/charts/ablationeffects.h"
#include "core/charts/chartlayout.h"
#include "core/report/cells.h"
#include "ui/ablation/ablationcontrols.h"
#include "ui/ablation/ablationintro.h"
#include "ui/ablation/combinationsview.h"
#include "ui/ablation/findingshtml.h"
#include "ui/ablation/panes.h"
#include "ui/ablation/togglesmodel.h"
#include "ui/ablation/togglesview.h"
#include "ui/charts/chartpanel.h"
#include "ui/charts/chartview.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/kit/tool.h"
#include "ui/kit/uistate.h"
#include "ui/variants/infoview.h"
#include "ui/variants/texts.h"
#include "ui/work/jobsmodel.h"
#include "ui/work/projectmodel.h"
#include "ui/work/runchoice.h"
#include "ui/work/selection.h"

#include <QAction>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace cudal1::ui {

AblationPage::AblationPage(ProjectModel& project, Selection& selection, RunChoice& choice, JobsModel& jobs,
                           QWidget* parent)
    : Page(QStringLiteral("ablation"), tr("Ablation"), QStringLiteral("ablation"), parent), m_project(project),
      m_selection(selection), m_choice(choice), m_jobs(jobs), m_loader(new AblationLoader(this)),
      m_controls(new AblationControls), m_toggles(new TogglesModel(this)),
      m_combinations(new CombinationsView(project)), m_effects(new ChartPanel), m_findings(new InfoView),
      m_intro(new AblationIntro(project)), m_stack(new QStackedWidget)
{
    auto* body = new QWidget;
    auto* layout = new QVBoxLayout(body);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_controls);
    layout->addWidget(makePanes(), 1);
    m_stack->addWidget(m_intro);
    m_stack->addWidget(body);
    setContent(m_stack);
    makeActions();

    connect(m_loader, &AblationLoader::loaded, this, &AblationPage::show);
    connect(m_controls, &AblationControls::requestChanged, this, [this] {
        const base::VariantId before = m_question.request.variant;
        m_question.request = m_controls->request();
        if (before == m_question.request.variant)
            m_question.request.toggles = m_toggles->chosen();
        change();
    });
    connect(m_controls, &AblationControls::storedChosen, this, [this](base::AblationId stored) {
        if (!stored)
            return change();
        m_asked = true;
        m_question.newest = false;
        m_question.stored = stored;
        load();
    });
    connect(m_controls, &AblationControls::runRequested, this, &AblationPage::run);
    connect(m_controls, &AblationControls::stopRequested, this, [this] {
        if (const Job* job = m_jobs.jobOf(m_task))
            emit stopRequested(job->id);
    });
    connect(m_combinations, &CombinationsView::variantRequested, this, &AblationPage::openVariant);
    connect(m_combinations, &CombinationsView::chosenDeviceWanted, this, [this](bool chosen) {
        m_question.chosenDevice = chosen;
        load();
    });
    connect(m_intro, &AblationIntro::exampleRequested, this, &AblationPage::openExample);
    connect(m_toggles, &TogglesModel::chosenChanged, this, [this] {
        m_question.request = m_controls->request();
        m_question.request.toggles = m_toggles->chosen();
        change();
    });
    connect(&selection, &Selection::taskChanged, this, &AblationPage::showSelection);
    connect(&selection, &Selection::pageChanged, this, &AblationPage::showSelection);
    connect(&project, &ProjectModel::tasksChanged, this, &AblationPage::showSelection);
    connect(&project, &ProjectModel::closed, this, &AblationPage::showSelection);
    connect(&project, &ProjectModel::variantsChanged, this, [this](const base::TaskId& task) {
        if (task != m_task || task.empty())
            return;
        m_stale = true;
        showSelection();
    });
    const auto conditionsChanged = [this] {
        if (m_question.stored)
            return; // it has conditions of its own
        m_stale = true;
        showSelection();
    };
    connect(&choice, &RunChoice::changed, this, conditionsChanged);
    connect(&choice, &RunChoice::devicesChanged, this, conditionsChanged);
    connect(&jobs, &JobsModel::jobChanged, this, [this](quint64, const base::TaskId& task) {
        if (task == m_task)
            showJob();
    });
    showSelection();
}

QWidget* AblationPage::makePanes()
{
    const Theme& theme = Theme::instance();
    // Tables are as high as their rows; findings and plot take the rest, so that all is seen without scrolling.
    auto* split = new QSplitter(Qt::Horizontal);
    split->setObjectName(QStringLiteral("ablationColumns"));
    split->addWidget(paneColumn({{m_combinations, 0}, {makeFindings(), 1}}));
    split->addWidget(paneColumn({{makeTogglesPane(*m_toggles), 0}, {makePlot(), 1}}));
    split->setStretchFactor(0, 2);
    split->setStretchFactor(1, 1);
    split->setSizes({theme.unit(213), theme.unit(81)});
    split->setChildrenCollapsible(false);
    split->setHandleWidth(theme.unit(1));
    UiState::instance().keep(split, QStringLiteral("ablationColumns"));
    return split;
}

QWidget* AblationPage::makeFindings()
{
    m_findings->setAccessibleName(tr("What the ablation found"));
    m_findings->setMinimumHeight(Theme::instance().unit(30));
    return paneColumn({{paneTitle(tr("Findings")), 0}, {m_findings, 1}});
}

QWidget* AblationPage::makePlot()
{
    const Theme& theme = Theme::instance();
    auto* scroll = new QScrollArea;
    scroll->setWidget(m_effects);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_effects->setObjectName(QStringLiteral("effects"));
    m_effects->choices()->addStretch(1);
    connect(m_effects->view(), &ChartView::clicked, this, &AblationPage::chooseWith);
    connect(m_effects->view(), &ChartView::activated, this, [this](const charts::Mark& effect) {
        chooseWith(effect);
        m_combinations->openChosen();
    });
    connect(&theme, &Theme::changed, this, &AblationPage::showEffects); // its rows grow with the font
    auto* pane = new QWidget;
    pane->setMinimumWidth(theme.unit(78));
    auto* layout = new QVBoxLayout(pane);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(scroll, 1);
    return pane;
}

void AblationPage::makeActions()
{
    const auto add = [this](const QString& text, const QString& tip, const QKeySequence& key, auto slot) {
        QAction* action = makeTool(this, {}, text, tip, key);
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(action, &QAction::triggered, this, slot);
    };
    add(tr("Run the ablation"), tr("Judge the combinations that are missing"), Qt::Key_F6, &AblationPage::run);
    add(tr("Save the chart of effects…"), tr("Save the chart as SVG, PNG or CSV"), {},
        [this] { m_effects->askAndExport(); });
    add(tr("Copy the chart of effects"), tr("Copy the chart as a picture"), {}, [this] { m_effects->copyPicture(); });
    for (const ablation::Example& example : ablation::examples())
        add(tr("Ablation of %1, %2").arg(report::fromUtf8(example.task), report::fromUtf8(example.title)),
            tr("Take our program for this task apart"), {},
            [this, task = base::TaskId{std::string(example.task)}] { openExample(task); });
}

ablation::AblationSettings AblationPage::settings() const
{
    ablation::AblationSettings out;
    out.device = m_choice.place().device.toStdString();
    if (const auto device = m_choice.chosen())
        out.deviceModel = device->model;
    out.precision = m_choice.precision();
    out.preset = m_choice.preset();
    return out;
}

void AblationPage::showSelection()
{
    const base::TaskId task = m_project.isOpen() ? m_selection.task() : base::TaskId();
    if (task.empty()) {
        m_task = {};
        m_stale = false;
        m_loader->forget();
        show(nullptr);
        return;
    }
    if (task != m_task) {
        m_task = task;
        m_asked = false;
        m_question = {};
        m_question.newest = true;
        m_loader->forget();
        m_stale = true;
        show(nullptr);
        showJob();
    }
    // Nothing is read for a page that nobody looks at.
    if (m_selection.page() != objectName() || !m_stale)
        return;
    showVariants();
    load();
}

void AblationPage::showVariants()
{
    const auto rows = m_project.variants(m_task);
    const bool example = ablation::exampleFor(m_task) != nullptr;
    m_controls->setVariants(rows ? *rows : VariantList(), example);
    if (m_asked || !rows)
        return;
    // What the user looks at first, then our example, then the best.
    const base::VariantId looked = m_selection.right();
    const bool mine = std::any_of(rows->begin(), rows->end(),
                                  [&](const store::VariantRow& row) { return row.id == looked; });
    m_question.request.variant = mine ? looked : example || rows->empty() ? base::VariantId() : rows->front().id;
}

void AblationPage::load()
{
    if (m_task.empty() || !m_project.isOpen())
        return;
    const auto record = m_project.taskRecord(m_task);
    if (!record) {
        if (!m_project.isLoading())
            emit errorRaised(record.error());
        return;
    }
    m_stale = false;
    m_question.project = m_project.path();
    m_question.task = record.value();
    m_question.request.task = m_task;
    m_question.settings = settings();
    m_loader->load(m_question);
}

/// The user wants another one than what is stored.
void AblationPage::change()
{
    m_asked = true;
    m_question.stored.reset();
    m_question.newest = false;
    load();
}

void AblationPage::show(std::shared_ptr<const AblationView> view)
{
    m_view = std::move(view);
    const bool nothing = m_task.empty() || (m_view && m_view->error && m_view->toggles.empty() &&
                                            m_view->stored.empty() && !m_view->request.variant);
    m_toggles->setView(m_view);
    m_combinations->setView(m_view && !m_view->error ? m_view : nullptr);
    showEffects();
    m_findings->setBody(m_view && !m_view->error ? findingsHtml(*m_view) : QString(), true);
    if (m_view) {
        m_question.request = m_view->request;
        m_controls->setStartable(m_choice.isStartable());
        m_controls->setView(*m_view);
        showJob();
    }
    m_intro->setTask(m_task, !m_task.empty() && !m_view);
    if (nothing || m_view) // what is there stays until the next is read
        m_stack->setCurrentIndex(nothing ? 0 : 1);
}

void AblationPage::showJob()
{
    const Job* job = m_task.empty() ? nullptr : m_jobs.jobOf(m_task);
    const bool ours = job && job->isActive() && job->kind() == JobKind::Ablation;
    m_controls->setJob(ours ? job : nullptr);
    if (!ours && m_view)
        m_controls->setView(*m_view);
}

void AblationPage::run()
{
    if (!m_view || m_view->error)
        return;
    // What is shown may have been judged elsewhere; what is run now is shown as it comes.
    m_asked = true;
    m_question.stored.reset();
    m_question.newest = false;
    m_question.chosenDevice = true;
    emit ablateRequested(m_view->request);
    load();
}

void AblationPage::openExample(const base::TaskId& task)
{
    if (m_task == task)
        return showSelection();
    m_selection.open(task, objectName());
}

void AblationPage::openVariant(base::VariantId variant)
{
    if (!m_view)
        return;
    const base::VariantId whole = m_view->plan.variant.id;
    m_selection.select(m_task, whole == variant ? base::VariantId() : whole, variant, QStringLiteral("compare"));
}

void AblationPage::chooseWith(const charts::Mark& effect)
{
    m_combinations->choose(
        std::uint32_t(QByteArray::fromStdString(effect.key.substr(effect.key.find(':') + 1)).toUInt()));
}

void AblationPage::showEffects()
{
    const bool any = m_view && !m_view->error;
    auto chart = std::make_shared<const charts::Chart>(
        any ? charts::ablationEffects(m_view->plan.names(), m_view->wall, m_view->event)
            : charts::ablationEffects({}, {}, {}));
    ChartView* view = m_effects->view();
    view->setMinimumHeight(chart->isEmpty() ? 0 : int(std::ceil(charts::leastHeight(*chart, view->drawnIn()))));
    m_effects->setChart(std::move(chart));
}

ViewTools* AblationPage::table() const
{
    return m_combinations->tools();
}

void AblationPage::find()
{
    table()->find();
}

} // namespace cudal1::ui
