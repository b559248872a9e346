// SPDX-License-Identifier: GPL-3.0-or-later
// The page "Training": three stages, their curves while they run, the groups that were judged, checkpoints compared,
// and the settings of what is to begin.
#pragma once

#include "core/base/result.h"
#include "ui/kit/background.h"
#include "ui/kit/page.h"
#include "ui/training/trainingsloader.h"

#include <array>
#include <optional>

class QAction;
class QLabel;
class QStackedWidget;
class QTableView;
class QTimer;

namespace cudal1::ui {

class ComparisonModel;
class CurvesGrid;
class GroupsView;
class JobsModel;
class PageTabs;
class ProjectModel;
class Selection;
class StageCard;
class TrainingForm;
class TrainingLog;
struct Job;

/// Reads only while it is shown, and looks every second whether a folder of a training has changed, so that what the
/// command line trains is followed too.
class TrainingPage : public Page {
    Q_OBJECT
public:
    enum Tab { Curves, Groups, Checkpoints, Log, NewTraining };

    TrainingPage(ProjectModel& project, Selection& selection, JobsModel& jobs, QWidget* parent = nullptr);

    ViewTools* table() const override;
    bool isLoading() const { return m_asker.isWaiting(); }
    /// What is shown; null while nothing is read.
    std::shared_ptr<const TrainingsView> view() const { return m_view; }
    void setTab(Tab tab);
    /// Shows trainings of this folder, or of those within it, besides those that the project knows.
    void openFolder(const QString& folder);

signals:
    void exampleRequested();
    void startRequested(const cudal1::learning::StageOptions& options, const std::string& dataFile, int level);
    void goOnRequested(const QString& folder);
    void stopRequested(quint64 job);
    void errorRaised(const cudal1::base::Error& error);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeTabs();
    QWidget* makeComparison();
    void makeActions();
    void changed();
    void look();
    void load();
    void display(std::shared_ptr<const TrainingsView> view);
    void showNothing();
    void showCards();
    void showTraining();
    void listTrainings();
    void chooseFolder();
    void goOn(const QString& folder);
    void beginNew(learning::Stage stage);
    const Job* job(const TrainingEntry& entry) const; ///< of this window, that makes its steps
    const Job* exampleJob() const;
    QStringList watched() const;

    ProjectModel& m_project;
    Selection& m_selection;
    JobsModel& m_jobs;
    std::array<StageCard*, 3> m_cards;
    PageTabs* m_tabs;
    QStackedWidget* m_stack;
    CurvesGrid* m_curves;
    GroupsView* m_groups;
    ComparisonModel* m_comparison;
    QLabel* m_comparisonNote;
    QTableView* m_comparisonTable = nullptr;
    ViewTools* m_comparisonTools = nullptr;
    TrainingLog* m_log;
    TrainingForm* m_form;
    QTimer *m_wait, *m_look;
    std::vector<QAction*> m_listed; ///< one for each training, for the palette
    QAction *m_example = nullptr, *m_goOn = nullptr, *m_stop = nullptr;
    std::shared_ptr<const TrainingsView> m_view;
    TrainingsQuestion m_question;
    QString m_seen; ///< sizes and times of what was read
    Asker m_asker{this};
    bool m_stale = true, m_setsUp = false;
    std::optional<learning::Stage> m_wanted; ///< to be set up as soon as there is a view
};

} // namespace cudal1::ui
