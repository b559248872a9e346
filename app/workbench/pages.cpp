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
#include "ui/variants/variantstable.h"
#include "ui/work/experimentrequest.h"

namespace cudal1::workbench {

void addPages(ui::MainWindow& window)
{
    ui::Controller* controller = &window.controller();
    const auto raise = [&window](const base::Error& error) { window.showMessage(ui::Message::fromError(error)); };

    auto* browser = new ui::TaskBrowser(window.project(), window.selection());
    window.setTaskList(browser, [browser] { browser->find(); });
    QObject::connect(browser, &ui::TaskBrowser::optimizeRequested, controller, &ui::Controller::optimize);

    auto* overview = new ui::OverviewPage(window.project(), window.selection());
    window.addPage(overview);
    QObject::connect(overview, &ui::OverviewPage::optimizeRequested, controller, &ui::Controller::optimize);

    auto* task = new ui::TaskPage(window.project(), window.selection(), window.choice(), window.jobs());
    window.addPage(task);
    QObject::connect(task, &ui::TaskPage::optimizeRequested, controller, &ui::Controller::optimize);
    QObject::connect(task, &ui::TaskPage::baselinesRequested, controller, &ui::Controller::measureBaselines);
    QObject::connect(task, &ui::TaskPage::stopRequested, controller, &ui::Controller::stop);
    QObject::connect(task, &ui::TaskPage::promptRequested, &window, &ui::MainWindow::showPrompt);
    QObject::connect(task, &ui::TaskPage::evaluateRequested, controller, &ui::Controller::evaluate);
    QObject::connect(task, &ui::TaskPage::evaluateFileRequested, &window, &ui::MainWindow::evaluateFile);
    QObject::connect(task, &ui::TaskPage::errorRaised, &window, raise);
    QObject::connect(task, &ui::TaskPage::shapesRequested, controller, &ui::Controller::traceShapes);
    QObject::connect(controller, &ui::Controller::shapesTraced, task,
                     [task](const QString& hash) { task->shapesTraced(hash, {}); });
    QObject::connect(controller, &ui::Controller::shapesFailed, task,
                     [task](const QString& hash, const base::Error& error) {
                         task->shapesTraced(hash, QString::fromStdString(error.message));
                     });

    auto* compare = new ui::ComparePage(window.project(), window.selection());
    window.addPage(compare);
    QObject::connect(compare, &ui::ComparePage::optimizeRequested, controller, &ui::Controller::optimize);
    QObject::connect(compare, &ui::ComparePage::evaluateRequested, controller, &ui::Controller::evaluate);
    QObject::connect(compare, &ui::ComparePage::kernelsRequested, controller, &ui::Controller::captureKernels);
    QObject::connect(controller, &ui::Controller::kernelsCaptured, compare, &ui::ComparePage::kernelsChanged);
    QObject::connect(compare, &ui::ComparePage::judgeRequested, controller,
                     [compare, controller](const store::VariantRecord& variant) {
                         if (const base::VariantId made = controller->judge(variant))
                             compare->draftTaken(made);
                     });
    QObject::connect(compare, &ui::ComparePage::errorRaised, &window, raise);
    compare->setEffects([&window](base::VariantId variant) {
        return window.project().isOpen() ? ablation::measuredEffects(*window.project().project(), variant)
                                         : ui::ToggleEffects();
    });

    auto* timeline = new ui::TimelinePage(window.project(), window.selection());
    window.addPage(timeline);
    QObject::connect(timeline, &ui::TimelinePage::recordRequested, controller, &ui::Controller::recordTimelines);
    QObject::connect(timeline, &ui::TimelinePage::errorRaised, &window, raise);

    auto* ablation = new ui::AblationPage(window.project(), window.selection(), window.choice(), window.jobs());
    window.addPage(ablation);
    QObject::connect(ablation, &ui::AblationPage::ablateRequested, controller, &ui::Controller::ablate);
    QObject::connect(ablation, &ui::AblationPage::stopRequested, controller, &ui::Controller::stop);
    QObject::connect(ablation, &ui::AblationPage::errorRaised, &window, raise);

    auto* samples = new ui::SamplesPage(window.project(), window.selection());
    window.addPage(samples);
    QObject::connect(samples, &ui::SamplesPage::optimizeRequested, controller, &ui::Controller::optimize);
    QObject::connect(samples, &ui::SamplesPage::errorRaised, &window, raise);

    auto* experiment = new ui::ExperimentPage(window.project(), window.selection(), window.jobs());
    window.addPage(experiment);
    QObject::connect(experiment, &ui::ExperimentPage::fileRequested, controller,
                     [&window, controller](const QString& file) {
                         controller->experiment(ui::experimentRequest(window.project(), window.choice(), file));
                     });
    QObject::connect(experiment, &ui::ExperimentPage::goOnRequested, controller,
                     [&window, controller](const experiment::ExperimentRecord& record) {
                         controller->experiment(ui::experimentRequest(window.project(), record));
                     });
    QObject::connect(experiment, &ui::ExperimentPage::stopRequested, controller, &ui::Controller::stop);
    QObject::connect(experiment, &ui::ExperimentPage::errorRaised, &window, raise);

    auto* report = new ui::ReportPage(window.project(), window.selection());
    window.addPage(report);
    QObject::connect(report, &ui::ReportPage::errorRaised, &window, raise);
    QObject::connect(report, &ui::ReportPage::saved, &window, [&window](const QString& path) {
        window.showMessage(
            {ui::Message::Kind::Info, QObject::tr("The report was written to %1.").arg(path), {}, {}, {}});
    });
    QObject::connect(report, &ui::ReportPage::copied, &window, [&window] {
        window.showMessage(
            {ui::Message::Kind::Info, QObject::tr("The report is on the clipboard as Markdown."), {}, {}, {}});
    });
    const auto reproduce = [&window, raise](base::VariantId variant) {
        const auto path = ui::saveReproducer(&window, window.project(), variant);
        if (!path)
            raise(path.error());
        else if (!path->isEmpty())
            window.showMessage({ui::Message::Kind::Info,
                                QObject::tr("The reproducer was written to %1.").arg(*path),
                                QObject::tr("Run it with Python; it needs torch alone."),
                                {},
                                {}});
    };
    QObject::connect(task->variants(), &ui::VariantsTable::reproducerRequested, &window, reproduce);
    QObject::connect(&window, &ui::MainWindow::reproducerRequested, &window, [&window, raise, reproduce] {
        const ui::Selection& selection = window.selection();
        const ui::TaskEntry* entry = window.project().isOpen() ? window.project().entry(selection.task()) : nullptr;
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
    });

    QObject::connect(&window, &ui::MainWindow::newTaskRequested, &window, [&window, controller] {
        auto* dialog = new ui::NewTaskDialog(&window);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        QObject::connect(dialog, &ui::NewTaskDialog::checkRequested, controller, &ui::Controller::checkTask);
        QObject::connect(dialog, &ui::NewTaskDialog::checkStopped, controller, &ui::Controller::stopCheck);
        QObject::connect(controller, &ui::Controller::checkProgress, dialog, &ui::NewTaskDialog::checkProgress);
        QObject::connect(controller, &ui::Controller::checkEnded, dialog,
                         [dialog](const ui::NewTaskDialog::Graph& graph, const base::Error& error) {
                             dialog->checkEnded(graph ? base::Result<ui::NewTaskDialog::Graph>(graph) : error);
                         });
        QObject::connect(dialog, &ui::NewTaskDialog::taskMade, &window,
                         [&window](const QString& path, const QString& shapes) {
                             window.addTaskFile(path);
                             window.showMessage({ui::Message::Kind::Info,
                                                 QObject::tr("The task was written to %1.").arg(path),
                                                 shapes.isEmpty() ? QObject::tr("It was not checked.") : shapes,
                                                 {},
                                                 {}});
                         });
        dialog->open();
    });

    window.restoreLayout();
}

} // namespace cudal1::workbench
