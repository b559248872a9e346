// SPDX-License-Identifier: GPL-3.0-or-later
// The composition: which pages there are, in which order, and who acts on their intents.
#include "app/workbench/pages.h"

#include "core/ablation/measuredeffect.h"
#include "ui/ablation/ablationpage.h"
#include "ui/charts/overviewpage.h"
#include "ui/compare/comparepage.h"
#include "ui/experiment/experimentpage.h"
#include "ui/report/reportpage.h"
#include "ui/report/savereproducer.h"
#include "ui/samples/samplespage.h"
#include "ui/shell/mainwindow.h"
#include "ui/tasks/newtaskdialog.h"
#include "ui/tasks/taskbrowser.h"
#include "ui/tasks/taskpage.h"
#include "ui/timeline/timelinepage.h"
#include "ui/training/trainingpage.h"
#include "ui/variants/variantstable.h"
#include "ui/work/experimentrequest.h"
#include "ui/work/trainrequest.h"

#include <QDesktopServices>
#include <QUrl>

namespace cudal1::workbench {

namespace {

/// Makes the pages of a window, in their order, and connects what they ask for.
class Pages {
public:
    explicit Pages(ui::MainWindow& window) : m_window(window), m_controller(&window.controller()) {}

    void add()
    {
        auto* browser = new ui::TaskBrowser(m_window.project(), m_window.selection());
        m_window.setTaskList(browser, [browser] { browser->find(); });
        QObject::connect(browser, &ui::TaskBrowser::optimizeRequested, m_controller, &ui::Controller::optimize);
        auto* overview = new ui::OverviewPage(m_window.project(), m_window.selection());
        m_window.addPage(overview);
        QObject::connect(overview, &ui::OverviewPage::optimizeRequested, m_controller, &ui::Controller::optimize);
        ui::TaskPage* task = addTask();
        addCompare();
        addTimeline();
        addAblation();
        addSamples();
        addExperiment();
        addTraining();
        addReport();
        connectReproducers(*task->variants());
        QObject::connect(&m_window, &ui::MainWindow::newTaskRequested, &m_window, [pages = *this] { pages.newTask(); });
    }

private:
    /// Shows what went wrong on a page.
    template<class P> void showErrorsOf(P* page) const
    {
        QObject::connect(page, &P::errorRaised, &m_window,
                         [pages = *this](const base::Error& error) { pages.raise(error); });
    }
    void raise(const base::Error& error) const { m_window.showMessage(ui::Message::fromError(error)); }
    void inform(const QString& text, const QString& next = {}) const
    {
        m_window.showMessage({ui::Message::Kind::Info, text, next, {}, {}});
    }

    ui::TaskPage* addTask()
    {
        auto* task = new ui::TaskPage(m_window.project(), m_window.selection(), m_window.choice(), m_window.jobs());
        m_window.addPage(task);
        QObject::connect(task, &ui::TaskPage::optimizeRequested, m_controller, &ui::Controller::optimize);
        QObject::connect(task, &ui::TaskPage::baselinesRequested, m_controller, &ui::Controller::measureBaselines);
        QObject::connect(task, &ui::TaskPage::stopRequested, m_controller, &ui::Controller::stop);
        QObject::connect(task, &ui::TaskPage::promptRequested, &m_window, &ui::MainWindow::showPrompt);
        QObject::connect(task, &ui::TaskPage::evaluateRequested, m_controller, &ui::Controller::evaluate);
        QObject::connect(task, &ui::TaskPage::evaluateFileRequested, &m_window, &ui::MainWindow::evaluateFile);
        QObject::connect(task, &ui::TaskPage::shapesRequested, m_controller, &ui::Controller::traceShapes);
        QObject::connect(m_controller, &ui::Controller::shapesTraced, task,
                         [task](const QString& hash) { task->shapesTraced(hash, {}); });
        QObject::connect(m_controller, &ui::Controller::shapesFailed, task,
                         [task](const QString& hash, const base::Error& error) {
                             task->shapesTraced(hash, QString::fromStdString(error.message));
                         });
        showErrorsOf(task);
        return task;
    }

    void addCompare()
    {
        auto* compare = new ui::ComparePage(m_window.project(), m_window.selection());
        m_window.addPage(compare);
        QObject::connect(compare, &ui::ComparePage::optimizeRequested, m_controller, &ui::Controller::optimize);
        QObject::connect(compare, &ui::ComparePage::evaluateRequested, m_controller, &ui::Controller::evaluate);
        QObject::connect(compare, &ui::ComparePage::captureRequested, m_controller, &ui::Controller::capture);
        QObject::connect(m_controller, &ui::Controller::kernelsCaptured, compare, &ui::ComparePage::kernelsChanged);
        QObject::connect(compare, &ui::ComparePage::judgeRequested, m_controller,
                         [compare, controller = m_controller](const store::VariantRecord& variant) {
                             if (const base::VariantId made = controller->judge(variant))
                                 compare->draftTaken(made);
                         });
        showErrorsOf(compare);
        compare->setEffects([&window = m_window](base::VariantId variant) {
            return window.project().isOpen() ? ablation::measuredEffects(*window.project().project(), variant)
                                             : ui::ToggleEffects();
        });
    }

    void addTimeline()
    {
        auto* timeline = new ui::TimelinePage(m_window.project(), m_window.selection());
        m_window.addPage(timeline);
        QObject::connect(timeline, &ui::TimelinePage::recordRequested, m_controller, &ui::Controller::recordTimelines);
        showErrorsOf(timeline);
    }

    void addAblation()
    {
        auto* ablation = new ui::AblationPage(m_window.project(), m_window.selection(), m_window.choice(),
                                              m_window.jobs());
        m_window.addPage(ablation);
        QObject::connect(ablation, &ui::AblationPage::ablateRequested, m_controller, &ui::Controller::ablate);
        QObject::connect(ablation, &ui::AblationPage::stopRequested, m_controller, &ui::Controller::stop);
        showErrorsOf(ablation);
    }

    void addSamples()
    {
        auto* samples = new ui::SamplesPage(m_window.project(), m_window.selection());
        m_window.addPage(samples);
        QObject::connect(samples, &ui::SamplesPage::optimizeRequested, m_controller, &ui::Controller::optimize);
        showErrorsOf(samples);
    }

    void addExperiment()
    {
        auto* experiment = new ui::ExperimentPage(m_window.project(), m_window.selection(), m_window.jobs());
        m_window.addPage(experiment);
        QObject::connect(experiment, &ui::ExperimentPage::fileRequested, m_controller,
                         [&window = m_window, controller = m_controller](const QString& file) {
                             controller->start(ui::experimentRequest(window.project(), window.choice(), file));
                         });
        QObject::connect(experiment, &ui::ExperimentPage::goOnRequested, m_controller,
                         [&window = m_window, controller = m_controller](const experiment::ExperimentRecord& record) {
                             controller->start(ui::experimentRequest(window.project(), record));
                         });
        QObject::connect(experiment, &ui::ExperimentPage::stopRequested, m_controller, &ui::Controller::stop);
        showErrorsOf(experiment);
    }

    void addTraining()
    {
        auto* training = new ui::TrainingPage(m_window.project(), m_window.selection(), m_window.jobs());
        m_window.addPage(training);
        QObject::connect(training, &ui::TrainingPage::exampleRequested, m_controller,
                         [&window = m_window, controller = m_controller] {
                             controller->start(ui::trainExampleRequest(ui::exampleFolderOf(window.project())));
                         });
        QObject::connect(training, &ui::TrainingPage::startRequested, m_controller,
                         [&window = m_window, controller = m_controller](const learning::StageOptions& options,
                                                                         const std::string& data, int level) {
                             controller->start(
                                 ui::trainRequest(window.project(), window.choice(), options, data, level));
                         });
        QObject::connect(training, &ui::TrainingPage::goOnRequested, m_controller,
                         [&window = m_window, controller = m_controller](const QString& folder) {
                             controller->start(ui::trainRequest(window.project(), window.choice(), folder));
                         });
        QObject::connect(training, &ui::TrainingPage::stopRequested, m_controller, &ui::Controller::stop);
        showErrorsOf(training);
    }

    void addReport()
    {
        auto* report = new ui::ReportPage(m_window.project(), m_window.selection());
        m_window.addPage(report);
        QObject::connect(report, &ui::ReportPage::saved, &m_window, [pages = *this](const QString& path) {
            pages.m_window.showMessage(
                {ui::Message::Kind::Info,
                 QObject::tr("The report was written to %1.").arg(path),
                 {},
                 {},
                 {{QObject::tr("Open"), [path] { QDesktopServices::openUrl(QUrl::fromLocalFile(path)); }}}});
        });
        QObject::connect(report, &ui::ReportPage::copied, &m_window,
                         [pages = *this] { pages.inform(QObject::tr("The report is on the clipboard as Markdown.")); });
        showErrorsOf(report);
    }

    void connectReproducers(const ui::VariantsTable& variants)
    {
        QObject::connect(&variants, &ui::VariantsTable::reproducerRequested, &m_window,
                         [pages = *this](base::VariantId variant) { pages.reproduce(variant); });
        QObject::connect(&m_window, &ui::MainWindow::reproducerRequested, &m_window,
                         [pages = *this] { pages.reproduceChosen(); });
    }

    void reproduce(base::VariantId variant) const
    {
        const auto path = ui::saveReproducer(&m_window, m_window.project(), variant);
        if (!path)
            raise(path.error());
        else if (!path->isEmpty())
            inform(QObject::tr("The reproducer was written to %1.").arg(*path),
                   QObject::tr("Run it with Python; it needs torch alone."));
    }

    void reproduceChosen() const
    {
        const ui::Selection& selection = m_window.selection();
        const ui::TaskEntry* entry = m_window.project().isOpen() ? m_window.project().entry(selection.task()) : nullptr;
        const base::VariantId variant = selection.right() ? selection.right()
                                      : selection.left()  ? selection.left()
                                      : entry             ? entry->row.bestVariant
                                                          : base::VariantId();
        if (variant)
            reproduce(variant);
        else
            raise({base::ErrorCode::InvalidArgument,
                   "No variant is chosen, and the task has no correct one",
                   {},
                   "Choose a variant on the page Compare"});
    }

    void newTask() const
    {
        auto* dialog = new ui::NewTaskDialog(&m_window);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        QObject::connect(dialog, &ui::NewTaskDialog::checkRequested, m_controller, &ui::Controller::checkTask);
        QObject::connect(dialog, &ui::NewTaskDialog::checkStopped, m_controller, &ui::Controller::stopCheck);
        QObject::connect(m_controller, &ui::Controller::checkProgress, dialog, &ui::NewTaskDialog::checkProgress);
        QObject::connect(m_controller, &ui::Controller::checkEnded, dialog,
                         [dialog](const ui::NewTaskDialog::Graph& graph, const base::Error& error) {
                             dialog->checkEnded(graph ? base::Result<ui::NewTaskDialog::Graph>(graph) : error);
                         });
        QObject::connect(dialog, &ui::NewTaskDialog::taskMade, &m_window,
                         [pages = *this](const QString& path, const QString& shapes) {
                             pages.m_window.addTaskFile(path);
                             pages.inform(QObject::tr("The task was written to %1.").arg(path),
                                          shapes.isEmpty() ? QObject::tr("It was not checked.") : shapes);
                         });
        dialog->open();
    }

    ui::MainWindow& m_window;
    ui::Controller* m_controller;
};

} // namespace

void addPages(ui::MainWindow& window)
{
    Pages(window).add();
    window.restoreLayout();
}

} // namespace cudal1::workbench
