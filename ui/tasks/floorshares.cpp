// SPDX-License-Identifier: GPL-3.0-or-later
// Reads evaluations in the order of the rows, so that the best variants come first.
#include "ui/tasks/floorshares.h"

#include "core/protocol/floorshare.h"
#include "ui/editor/background.h"
#include "ui/shell/projectmodel.h"
#include "ui/variants/variantsmodel.h"

#include <utility>
#include <vector>

namespace cudal1::ui {

namespace {

constexpr std::size_t atOnce = 32; ///< some tenths of a second, then others have the worker

} // namespace

FloorShares::FloorShares(ProjectModel& project, VariantsModel& model, QObject* parent) : QObject(parent), m_project(project), m_model(model)
{
    connect(&project, &ProjectModel::variantsChanged, this, [this](const base::TaskId& task) {
        if (task == m_task)
            read();
    });
    connect(&project, &ProjectModel::closed, this, &FloorShares::forget);
}

void FloorShares::forget()
{
    ++m_generation;
    m_reading = false;
    m_shares.clear();
    m_model.setFloorShares({});
}

void FloorShares::setTask(const base::TaskId& task)
{
    if (task == m_task)
        return;
    m_task = task;
    m_floors_ns.clear();
    forget();
    read();
}

void FloorShares::setFloors(std::map<std::string, double> floors_ns)
{
    if (floors_ns == m_floors_ns)
        return;
    m_floors_ns = std::move(floors_ns);
    ++m_generation;
    m_reading = false;
    m_shares.clear(); // what the model shows stays until it is replaced
    read();
}

void FloorShares::read()
{
    const auto rows = m_task.empty() || m_reading || !m_project.isOpen() ? nullptr : m_project.variants(m_task);
    if (!rows)
        return;
    std::vector<base::EvaluationId> ids;
    for (const store::VariantRow& row : *rows) {
        if (row.evaluation && row.evaluation->verdict == protocol::Verdict::Correct && !m_shares.contains(row.evaluation->id))
            ids.push_back(row.evaluation->id);
        if (ids.size() == atOnce)
            break;
    }
    if (ids.empty())
        return;
    m_reading = true;
    inBackground(
        this,
        [ids = std::move(ids), floors = m_floors_ns, file = m_project.path().toStdString()] {
            std::vector<std::pair<base::EvaluationId, double>> found;
            const auto project = store::Project::openExisting(file);
            for (const base::EvaluationId id : ids) {
                const auto evaluation = project ? (*project)->evaluation(id) : base::Result<protocol::Evaluation>(project.error());
                const auto floor = evaluation ? floors.find(evaluation->device.model) : floors.end();
                found.emplace_back(id, evaluation ? protocol::floorShare(*evaluation, floor == floors.end() ? 0 : floor->second) : 0);
            }
            return found;
        },
        [this, generation = m_generation](const std::vector<std::pair<base::EvaluationId, double>>& found) {
            if (generation != m_generation)
                return;
            m_reading = false;
            m_shares.insert(found.begin(), found.end());
            m_model.setFloorShares(m_shares);
            read();
        });
}

} // namespace cudal1::ui
