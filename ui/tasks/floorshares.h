// SPDX-License-Identifier: GPL-3.0-or-later
// Finds which share of the floor each variant of a task reaches. Floors and times are in the evaluations' samples, which are
// unpacked a few at a time on a worker; what was found of an evaluation stays found, since evaluations never change.
#pragma once

#include "core/base/ids.h"

#include <QObject>

#include <map>
#include <string>
#include <unordered_map>

namespace cudal1::ui {

class ProjectModel;
class VariantsModel;

class FloorShares : public QObject {
    Q_OBJECT
public:
    /// Fills `model`, whose rows are those of the task below.
    FloorShares(ProjectModel& project, VariantsModel& model, QObject* parent = nullptr);

    /// Nothing is read for an empty task.
    void setTask(const base::TaskId& task);
    /// Of the task, by device model, for evaluations without a floor of their own; see taskfacts::TaskFacts::floor_ns().
    void setFloors(std::map<std::string, double> floors_ns);

private:
    void forget();
    void read();

    ProjectModel& m_project;
    VariantsModel& m_model;
    base::TaskId m_task;
    std::map<std::string, double> m_floors_ns;
    std::unordered_map<base::EvaluationId, double> m_shares; ///< 0 where there is none
    quint64 m_generation = 0;
    bool m_reading = false;
};

} // namespace cudal1::ui
