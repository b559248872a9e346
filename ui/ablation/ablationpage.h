// SPDX-License-Identifier: GPL-3.0-or-later
// The page "Ablation": toggles with their effects, the table of combinations, the chart of effects and what it means.
#pragma once

#include "ui/ablation/ablationloader.h"
#include "ui/kit/page.h"

class QStackedWidget;

namespace cudal1::charts {
struct Mark;
}

namespace cudal1::ui {

class AblationControls;
class AblationIntro;
class ChartPanel;
class CombinationsView;
class InfoView;
class JobsModel;
class ProjectModel;
class RunChoice;
class Selection;
class TogglesModel;

class AblationPage : public Page {
    Q_OBJECT
public:
    AblationPage(ProjectModel& project, Selection& selection, RunChoice& choice, JobsModel& jobs,
                 QWidget* parent = nullptr);

    ViewTools* table() const override;
    void find() override;
    /// What is shown; null while it is read.
    std::shared_ptr<const AblationView> view() const { return m_view; }

signals:
    void ablateRequested(const cudal1::ablation::AblationRequest& request);
    void stopRequested(quint64 job);
    void errorRaised(const cudal1::base::Error& error);

private:
    QWidget* makePanes();
    QWidget* makeFindings();
    QWidget* makePlot();
    void makeActions();
    void showSelection();
    void showVariants();
    void showJob();
    void load();
    void show(std::shared_ptr<const AblationView> view);
    void change();
    void run();
    void openExample(const base::TaskId& task);
    void openVariant(base::VariantId variant);
    /// Selects the combinations that have all toggles of an effect on.
    void chooseWith(const charts::Mark& effect);
    void showEffects();
    ablation::AblationSettings settings() const;

    ProjectModel& m_project;
    Selection& m_selection;
    RunChoice& m_choice;
    JobsModel& m_jobs;
    AblationLoader* m_loader;
    AblationControls* m_controls;
    TogglesModel* m_toggles;
    CombinationsView* m_combinations;
    ChartPanel* m_effects;
    InfoView* m_findings;
    AblationIntro* m_intro;
    QStackedWidget* m_stack; ///< the introduction, or controls and panes

    base::TaskId m_task;
    AblationQuestion m_question;
    bool m_asked = false; ///< the user has chosen something for this task
    bool m_stale = false; ///< to be read when the page is looked at
    std::shared_ptr<const AblationView> m_view;
};

} // namespace cudal1::ui
