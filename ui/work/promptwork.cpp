// SPDX-License-Identifier: GPL-3.0-or-later
// Two questions to an evaluator, the second one only where the project does not know the answer.
#include "ui/work/promptwork.h"

#include "core/optimize/graphcache.h"
#include "core/store/graphkey.h"

#include <algorithm>

namespace cudal1::ui {

void PromptWork::start()
{
    ask(farm::DescribeRequest{}, "the question what its machine has");
}

void PromptWork::take(const farm::Answer& answer)
{
    if (const auto* machine = std::get_if<protocol::Machine>(&answer))
        return takeMachine(*machine);
    auto graph = std::get<std::shared_ptr<const protocol::OperatorGraph>>(answer);
    // A graph that is not kept can be traced again.
    (void)optimize::keepGraph(m_project, {m_key, m_job.task.hash, m_basis.device.model, m_job.precision}, *graph);
    emit stored();
    end(std::move(graph));
}

void PromptWork::takeMachine(const protocol::Machine& machine)
{
    const auto device = std::find_if(machine.devices.begin(), machine.devices.end(),
                                     [this](const auto& one) { return one.name == m_device; });
    if (device == machine.devices.end())
        return fail({base::ErrorCode::Unavailable, "This machine has no device " + m_device, {}, "Choose another one"});
    m_basis = {m_job.task, machine, *device, m_job.precision, nullptr};
    m_key = store::graphKey(machine.environment, m_job.task.hash, device->model, m_job.precision);
    if (auto cached = optimize::cachedGraph(m_project, m_key); cached && *cached)
        return end(std::move(*cached));
    protocol::GraphRequest request;
    request.task = {m_job.task.id.value, m_job.task.source};
    request.device = m_device;
    request.precision = m_job.precision;
    request.seed = farm::freshSeed();
    ask(request, "the operators of " + m_job.task.id.value);
}

void PromptWork::end(std::shared_ptr<const protocol::OperatorGraph> graph)
{
    m_basis.graph = std::move(graph);
    emit promptReady(std::make_shared<const PromptBasis>(m_basis));
    emit ended(store::RunState::Finished, {});
}

} // namespace cudal1::ui
