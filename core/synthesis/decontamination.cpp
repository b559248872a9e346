// SPDX-License-Identifier: GPL-3.0-or-later
// Comparison with held-out tasks.
#include "core/synthesis/decontamination.h"

#include "core/synthesis/graphsignature.h"
#include "core/tasks/split.h"

#include <algorithm>

namespace cudal1::synthesis {

namespace {

std::string sequenceText(const std::vector<std::string>& words)
{
    std::string out;
    for (const std::string& word : words)
        out += (out.empty() ? "" : ", ") + word;
    return out;
}

/// Calls `found` for each run of `length` in the sequence.
void eachRun(const std::vector<std::string>& sequence, std::size_t length, const auto& found)
{
    for (std::size_t at = 0; at + length <= sequence.size(); ++at) {
        const auto begin = sequence.begin() + static_cast<std::ptrdiff_t>(at);
        found(std::vector<std::string>(begin, begin + static_cast<std::ptrdiff_t>(length)));
    }
}

} // namespace

std::vector<std::string> computeSequence(const nlohmann::json& operators)
{
    std::vector<std::string> out;
    const nlohmann::json all = tasks::unfolded(operators);
    if (!all.is_array())
        return out;
    for (const nlohmann::json& one : all)
        if (one.is_array() && !one.empty() && one.front().is_string())
            if (std::string plain = plainOperator(one.front().get<std::string>()); !isMovement(plain))
                out.push_back(std::move(plain));
    return out;
}

void Decontamination::addHeldOut(const std::string& task, const protocol::OperatorGraph& graph)
{
    m_flows.emplace(flowKey(graph), task);
    const std::vector<std::string> sequence = computeSequence(graph);
    if (sequence.size() >= least)
        eachRun(sequence, std::min(length, sequence.size()),
                [&](Run run) { m_heldOutRuns.emplace(std::move(run), task); });
}

void Decontamination::addTraining(const std::vector<std::string>& sequence)
{
    for (std::size_t n = least; n <= length; ++n)
        eachRun(sequence, n, [&](Run run) { m_trainingRuns.insert(std::move(run)); });
}

void Decontamination::addTraining(const tasks::FactsFile& facts)
{
    for (const base::TaskId& id : facts.tasks()) {
        const nlohmann::json& row = *facts.row(id);
        const int level = row.value("level", 0);
        if (tasks::splitOf(level, id) == tasks::Split::Train && row.contains("operators"))
            addTraining(computeSequence(row.at("operators")));
    }
}

std::optional<Decontamination::Hit> Decontamination::hitOf(const protocol::OperatorGraph& graph) const
{
    if (const auto known = m_flows.find(flowKey(graph)); known != m_flows.end())
        return Hit{Evidence::Graph, known->second, {}};
    std::optional<Hit> hit;
    const std::vector<std::string> sequence = computeSequence(graph);
    for (std::size_t n = least; n <= length && !hit; ++n)
        eachRun(sequence, n, [&](const Run& run) {
            const auto known = m_heldOutRuns.find(run);
            if (!hit && known != m_heldOutRuns.end() && !m_trainingRuns.contains(run))
                hit = Hit{Evidence::Operators, known->second, sequenceText(run)};
        });
    return hit;
}

std::size_t Decontamination::sequences() const
{
    return static_cast<std::size_t>(std::count_if(m_heldOutRuns.begin(), m_heldOutRuns.end(), [this](const auto& one) {
        return !m_trainingRuns.contains(one.first);
    }));
}

std::string Decontamination::rule()
{
    return "A task is left out when its operators and the flow of data between them are those of a held-out task, at "
           "any sizes, or when it runs " +
           std::to_string(length) +
           " computing operators in a row that a held-out task runs in a row and no training task does (of a held-out "
           "task with only " +
           std::to_string(least) + ", all " + std::to_string(least) + ")";
}

} // namespace cudal1::synthesis
