// SPDX-License-Identifier: GPL-3.0-or-later
// Which files the window works on: opens projects, suites and single tasks, and tells what a person has to know of
// them.
#pragma once

#include "core/base/ids.h"

#include <QObject>
#include <QString>

class QWidget;

namespace cudal1::ui {

class MessageBar;
class ProjectModel;
class Selection;

/// Of one window, whose parts outlive this; to be used on its thread. Whatever opens is read in the background, and the
/// project model tells when it is there; what goes wrong at once is shown in the message bar.
class ProjectFiles : public QObject {
    Q_OBJECT
public:
    /// Dialogs stand over `window`.
    ProjectFiles(ProjectModel& project, Selection& selection, MessageBar& messages, QWidget& window);

    /// An empty suite: the one in the settings, else the one that came with this program.
    void openProject(const QString& file, const QString& suite = {});
    /// The project in the user's data folder.
    void openDefault();
    /// A copy of what came with this program.
    void openSample();
    /// Of the folder, or the bundled one for an empty text; remembered once it is read.
    void openSuite(const QString& folder);
    /// Adds a file as a task of its own.
    void addTask(const QString& file);

    // Each asks for a file or a folder first; nothing happens when none is chosen.
    void newProject();
    void chooseProject();
    void chooseImport();
    /// Asks for a name, writes a copy there and opens it.
    void saveCopy();
    void saveCopyTo(const QString& file);
    /// What can be done with a project that may not be written.
    void tellOfReadOnly();
    void chooseSuite();
    void chooseTask();

    /// What a person has to know of the suite that is open: where its numbers may not be put beside others, and files
    /// in it that are no tasks.
    void tellOfSuite();

signals:
    void taskAdded(const cudal1::base::TaskId& task);

private:
    void suiteOpened();
    void tellOfProblems();
    QString bundledFolder();
    QString askForProject(const QString& title);

    ProjectModel& m_project;
    Selection& m_selection;
    MessageBar& m_messages;
    QWidget& m_window;
    QString m_problems;    ///< the message of files that are no tasks, while it stands
    QString m_wantedSuite; ///< to be remembered when it turns out to be one
};

} // namespace cudal1::ui
