// SPDX-License-Identifier: GPL-3.0-or-later
// The card of a stage: which training of it is shown, what goes in, what came out, how far it is, and what can be done.
#pragma once

#include "ui/training/trainingsloader.h"

#include <QFrame>

class QProgressBar;
class QPushButton;

namespace cudal1::ui {

class ElidedComboBox;
class ElidedLabel;
class ProjectModel;
struct Job;

class StageCard : public QFrame {
    Q_OBJECT
public:
    StageCard(learning::Stage stage, QWidget* parent = nullptr);

    /// `job` is the window's own that makes the steps of this training; null where there is none.
    void show(const TrainingsView& view, const Job* job, const ProjectModel& project);
    learning::Stage stage() const { return m_stage; }
    QString stateText() const;

signals:
    void chosen();                              ///< its curves and groups are to be shown
    void trainingChosen(const QString& folder); ///< of this stage
    void goOnRequested(const QString& folder);
    void stopRequested();
    void newRequested();

protected:
    void mousePressEvent(QMouseEvent* event) override;

private:
    void showButtons(const TrainingEntry* entry, const Job* job, const ProjectModel& project);

    const learning::Stage m_stage;
    QString m_folder;
    QPushButton* m_title;
    ElidedLabel* m_state;
    ElidedComboBox* m_which;
    ElidedLabel *m_in, *m_out;
    QProgressBar* m_progress;
    QPushButton *m_goOn, *m_stop, *m_new;
};

/// "step 12 of 50", "finished: 160 steps", "stopped at step 3 of 8", "its process ended at step 3 of 8".
QString stateOf(const TrainingEntry& entry);
/// What it learns from: "smollm2, 71 examples" as far as it is known: "model, 15 tasks".
QString inputsOf(const TrainingsView& view, const TrainingEntry& entry);

} // namespace cudal1::ui
