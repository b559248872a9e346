// SPDX-License-Identifier: GPL-3.0-or-later
// What stands where there is no ablation to show: what one is, why there is none, and the paper's examples.
#pragma once

#include "core/base/ids.h"

#include <QWidget>

#include <vector>

class QLabel;
class QPushButton;

namespace cudal1::ui {

class ProjectModel;

class AblationIntro : public QWidget {
    Q_OBJECT
public:
    /// The project outlives this.
    explicit AblationIntro(const ProjectModel& project, QWidget* parent = nullptr);

    /// Of the chosen task, empty for none; `isReading` while it is not known whether it has one. Only examples whose
    /// tasks the project has can be asked for.
    void setTask(const base::TaskId& task, bool isReading);

signals:
    void exampleRequested(const cudal1::base::TaskId& task);

private:
    const ProjectModel& m_project;
    QLabel* m_text;
    std::vector<QPushButton*> m_examples; ///< in the order of ablation::examples()
};

} // namespace cudal1::ui
