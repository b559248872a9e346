// SPDX-License-Identifier: GPL-3.0-or-later
// Dialogs, opening, and messages of what was opened.
#include "ui/shell/projectfiles.h"

#include "core/learning/trainingstart.h"
#include "core/store/samplecopy.h"
#include "ui/kit/messagebar.h"
#include "ui/kit/settings.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"

#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>

#include <utility>

namespace cudal1::ui {

ProjectFiles::ProjectFiles(ProjectModel& project, Selection& selection, MessageBar& messages, QWidget& window)
    : m_project(project), m_selection(selection), m_messages(messages), m_window(window)
{
    connect(&project, &ProjectModel::suiteChanged, this, &ProjectFiles::suiteOpened);
    connect(&project, &ProjectModel::imported, this, [this](const QString& file, const store::MergeCounts& counts) {
        const QString name = QFileInfo(file).fileName();
        m_messages.add({Message::Kind::Info,
                        tr("Imported from %1: %2.").arg(name, QString::fromStdString(counts.text())),
                        {},
                        {},
                        {}});
    });
}

// ---- projects -------------------------------------------------------------------------------------------------------

void ProjectFiles::openProject(const QString& file, const QString& suite)
{
    const QString folder = suite.isEmpty() ? Settings::instance().text("suite") : suite;
    m_selection.clear();
    m_project.open(QFileInfo(file).absoluteFilePath(), folder.isEmpty() ? bundledFolder() : folder);
}

void ProjectFiles::openDefault()
{
    openProject(QString::fromStdString(store::Project::defaultPath().string()));
}

void ProjectFiles::openSample()
{
    const auto sample = store::sampleProject(QApplication::applicationDirPath().toStdString(),
                                             store::Project::defaultPath().parent_path());
    if (!sample)
        return m_messages.add(Message::fromError(sample.error()));
    openProject(QString::fromStdString(sample->string()));
}

void ProjectFiles::newProject()
{
    QString file = QFileDialog::getSaveFileName(&m_window, tr("New project"), QStringLiteral("project.cudal1"),
                                                tr("Projects (*.cudal1)"), nullptr, QFileDialog::DontConfirmOverwrite);
    if (file.isEmpty())
        return;
    if (QFileInfo(file).suffix().isEmpty())
        file += QStringLiteral(".cudal1");
    openProject(file);
}

/// Empty when nothing was chosen.
QString ProjectFiles::askForProject(const QString& title)
{
    return QFileDialog::getOpenFileName(&m_window, title, {}, tr("Projects (*.cudal1);;All files (*)"));
}

void ProjectFiles::chooseProject()
{
    const QString file = askForProject(tr("Open project"));
    if (!file.isEmpty())
        openProject(file);
}

void ProjectFiles::chooseImport()
{
    const QString file = askForProject(tr("Import from a project"));
    if (!file.isEmpty())
        m_project.importProject(file);
}

void ProjectFiles::saveCopy()
{
    if (!m_project.isOpen())
        return;
    const QFileInfo info(m_project.path());
    const QString file = QFileDialog::getSaveFileName(&m_window, tr("Save a copy of the project"),
                                                      info.completeBaseName() + QStringLiteral("-copy.cudal1"),
                                                      tr("Projects (*.cudal1)"));
    if (!file.isEmpty())
        saveCopyTo(file);
}

void ProjectFiles::saveCopyTo(const QString& file)
{
    const base::Status copied = m_project.project()->copyTo(file.toStdString());
    if (!copied)
        return m_messages.add(Message::fromError(copied.error()));
    // The copy is whole without them, so a failure is told and ends nothing.
    const auto copy = store::Project::openExisting(file.toStdString());
    if (copy)
        if (const base::Status known = learning::rememberTrainingsBeside(**copy, m_project.path().toStdString());
            !known)
            m_messages.add(Message::fromError(known.error()));
    openProject(file);
}

void ProjectFiles::tellOfReadOnly()
{
    m_messages.add({Message::Kind::Warning,
                    tr("%1 may not be written.").arg(QFileInfo(m_project.path()).fileName()),
                    tr("You can look at everything; to judge and measure, work on a copy."),
                    {},
                    {{tr("Save a Copy…"), [this] { saveCopy(); }}}});
}

// ---- suites and tasks -----------------------------------------------------------------------------------------------

QString ProjectFiles::bundledFolder()
{
    const auto bundled = tasks::bundledSuite(QApplication::applicationDirPath().toStdString());
    if (bundled)
        return QString::fromStdString(bundled.value().string());
    m_messages.add(Message::fromError(bundled.error()));
    return {};
}

void ProjectFiles::chooseSuite()
{
    const QString folder = QFileDialog::getExistingDirectory(
        &m_window, tr("Open a suite: a KernelBench checkout, or a folder of tasks"),
        Settings::instance().text("suite"));
    if (!folder.isEmpty())
        openSuite(folder);
}

void ProjectFiles::openSuite(const QString& folder)
{
    const QString from = folder.isEmpty() ? bundledFolder() : folder;
    if (from.isEmpty())
        return;
    m_wantedSuite = folder;
    m_project.openSuite(from);
}

void ProjectFiles::suiteOpened()
{
    Settings::instance().set("suite", m_wantedSuite);
    const base::TaskId task = m_selection.task();
    if (!task.empty() && !m_project.entry(task))
        m_selection.clear();
    tellOfSuite();
}

void ProjectFiles::chooseTask()
{
    const QString file = QFileDialog::getOpenFileName(&m_window, tr("Add a task file"), {}, tr("Python files (*.py)"));
    if (!file.isEmpty())
        addTask(file);
}

void ProjectFiles::addTask(const QString& file)
{
    const auto added = m_project.addTaskFile(file);
    if (!added)
        return m_messages.add(Message::fromError(added.error()));
    emit taskAdded(added.value());
}

// ---- messages -------------------------------------------------------------------------------------------------------

void ProjectFiles::tellOfSuite()
{
    tellOfProblems();
    const std::vector<base::TaskId> changed = m_project.changedTexts();
    if (changed.empty())
        return;
    Message message;
    message.kind = Message::Kind::Info;
    message.cause = changed.size() == 1
                      ? tr("The file of task %1 was changed since it was measured.")
                            .arg(QString::fromStdString(changed.front().value))
                      : tr("The files of %1 tasks were changed since they were measured.").arg(changed.size());
    message.nextStep = tr("The project goes on with the texts that it measured; with the new ones, earlier results are "
                          "kept and count nowhere.");
    message.actions.push_back({tr("Take the new texts"), [this] {
                                   if (const auto taken = m_project.takeChangedTexts(); !taken)
                                       m_messages.add(Message::fromError(taken.error()));
                               }});
    m_messages.add(message);
}

void ProjectFiles::tellOfProblems()
{
    m_messages.retract(std::exchange(m_problems, {})); // of a suite that was open before
    if (m_project.problems().empty())
        return;
    QStringList lines;
    for (const tasks::Problem& problem : m_project.problems())
        lines << QStringLiteral("%1:%2: %3")
                     .arg(QString::fromStdString(problem.path.string()))
                     .arg(problem.line)
                     .arg(QString::fromStdString(problem.message));
    m_problems = lines.size() == 1 ? tr("A file of the suite is no task: %1").arg(lines.first())
                                   : tr("%1 files of the suite are no tasks; the others are here. The first: %2")
                                         .arg(lines.size())
                                         .arg(lines.first());
    m_messages.add({Message::Kind::Warning,
                    m_problems,
                    tr("Correct them and open the suite again; Copy details has all of them."),
                    lines.join(QLatin1Char('\n')),
                    {}});
}

} // namespace cudal1::ui
