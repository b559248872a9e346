// SPDX-License-Identifier: GPL-3.0-or-later
// The page "Experiment": the experiments of the project, what each came to as a table, and how it came there as curves.
#pragma once

#include "core/base/result.h"
#include "ui/experiment/experimentloader.h"
#include "ui/kit/background.h"
#include "ui/kit/page.h"

class QAction;
class QComboBox;
class QTableView;
class QTimer;

namespace cudal1::ui {

class ChartPanel;
class ExperimentBar;
class ExperimentModel;
class JobsModel;
class ProjectModel;
class Selection;
struct Job;

/// Reads only while it is shown, also what the command line stores meanwhile; what was read before stays until its
/// successor is there.
class ExperimentPage : public Page {
    Q_OBJECT
public:
    ExperimentPage(ProjectModel& project, Selection& selection, JobsModel& jobs, QWidget* parent = nullptr);

    ViewTools* table() const override { return m_tools; }
    void find() override;
    ChartPanel* curves() const { return m_curves; }
    bool isLoading() const { return m_asker.isWaiting(); }
    /// What is shown; null while nothing is read.
    std::shared_ptr<const ExperimentView> view() const { return m_view; }

signals:
    void fileRequested(const QString& file); ///< its runs are to be made
    void goOnRequested(const cudal1::experiment::ExperimentRecord& record);
    void stopRequested(quint64 job);
    void errorRaised(const cudal1::base::Error& error);

protected:
    void showEvent(QShowEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QWidget* makeTable();
    void widenColumns();
    QWidget* makeCurves();
    void makeActions();
    void changed();
    void load();
    void display(std::shared_ptr<const ExperimentView> view);
    void showBar();
    void showCurves();
    void offerAxes();
    void openFile();
    void take(const QString& file);
    void goOn();
    void stop();
    const Job* job() const; ///< of this window, that makes the runs of what is shown

    ProjectModel& m_project;
    JobsModel& m_jobs;
    ExperimentBar* m_bar;
    ExperimentModel* m_model;
    QTableView* m_table = nullptr;
    ViewTools* m_tools = nullptr;
    ChartPanel* m_curves;
    QComboBox* m_along;
    QAction *m_open = nullptr, *m_goOn = nullptr, *m_stop = nullptr;
    QTimer* m_wait;
    std::shared_ptr<const ExperimentView> m_view;
    base::RunId m_chosen; ///< by the user; none: see loadExperiment()
    Asker m_asker{this};
    bool m_stale = true;
};

} // namespace cudal1::ui
