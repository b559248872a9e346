// SPDX-License-Identifier: GPL-3.0-or-later
// Asks for which tasks, and where, searches shall be made.
#pragma once

#include "core/base/ids.h"
#include "core/optimize/campaign.h"
#include "ui/kit/background.h"
#include "ui/work/request.h"

#include <QDialog>

#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;

namespace cudal1::ui {

class ProjectModel;
class RunChoice;
class Selection;

/// Deletes itself when it is closed. What it is given outlives it.
class OptimizeManyDialog : public QDialog {
    Q_OBJECT
public:
    OptimizeManyDialog(const ProjectModel& project, const Selection& selection, RunChoice& choice, QWidget* parent);

signals:
    /// The devices are about to be shown; the list follows RunChoice.
    void devicesWanted();
    void startRequested(const std::vector<cudal1::base::TaskId>& tasks, const std::vector<cudal1::ui::Place>& places,
                        bool fresh);

private:
    struct Set {
        QString name;
        std::vector<base::TaskId> tasks;
    };
    void fillSets(const ProjectModel& project, const Selection& selection);
    void fillDevices();
    std::vector<Place> places() const;
    void showSum();
    void askForTime();
    void showTime(const optimize::CampaignAhead& ahead);
    void start();

    const ProjectModel& m_project;
    RunChoice& m_choice;
    std::vector<Set> m_sets;
    QComboBox* m_tasks;
    QListWidget* m_devices;
    QLabel* m_settings;
    QCheckBox* m_fresh;
    QLabel* m_sum;
    QPushButton* m_start;
    Asker m_asker{this}; ///< how long it will take
};

} // namespace cudal1::ui
