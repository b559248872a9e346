// SPDX-License-Identifier: GPL-3.0-or-later
// A prompt from what a run knows.
#include "core/optimize/taskprompt.h"

#include <filesystem>

namespace cudal1::optimize {

namespace {

/// A policy of many ideas still lets the first results steer the next round.
constexpr int proposalsPerRound = 8;

/// A task that is a file has its path as its id. A model is told its name alone: the path is the user's own affair, and
/// what was recorded with it would not be found again in another folder.
std::string nameInPrompt(const base::TaskId& id)
{
    const std::filesystem::path path(id.value);
    return path.is_absolute() ? path.filename().string() : id.value;
}

} // namespace

policy::Prompt taskPrompt(const SearchOptions& options, const protocol::Machine& machine,
                          const protocol::DeviceInfo& device, const protocol::OperatorGraph& graph,
                          const JudgedList& judged)
{
    policy::Prompt prompt;
    prompt.task = {nameInPrompt(options.task.id), options.task.source};
    prompt.taskName = options.task.name;
    prompt.graph = graph;
    prompt.device = device;
    prompt.precision = options.precision;
    prompt.compiler = machine.compiler;
    prompt.cudaCompiler = machine.nvcc;
    prompt.exemplars = judged.exemplars();
    prompt.limit = proposalsPerRound;
    prompt.longest = options.longest;
    prompt.seed = options.seed;
    return prompt;
}

} // namespace cudal1::optimize
