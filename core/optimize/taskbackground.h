// SPDX-License-Identifier: GPL-3.0-or-later
// What a project knows around a task, for policies that read it: least work, the best variant's timeline, effects.
#pragma once

#include "core/costs/costs.h"
#include "core/policy/policy.h"
#include "core/store/project.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cudal1::optimize {

/// By the traced graph; floor and bandwidth by the newest evaluations on the device, else by the data sheet.
policy::LeastWork leastWork(const store::Project& project, const protocol::OperatorGraph& graph,
                            const protocol::DeviceInfo& device);

/// The newest recording of the variant on the device model, as lines for a reader; empty without one. A recording with
/// many events takes some hundred milliseconds.
std::string timelineLines(const store::Project& project, const base::TaskId& task, base::VariantId variant,
                          const std::string& deviceModel);

/// What its call and its longest kernels are bound by, as lines for a reader: as counted on the device model, else by
/// launches and times; empty where nothing is known.
std::string kernelLines(const store::Project& project, const base::TaskId& task, base::VariantId variant,
                        const std::string& deviceModel, const costs::Costs& costs);

/// Effects of techniques over tasks that are like this one, this one left out.
std::vector<policy::KnownEffect> effectsOnLikeTasks(const store::Project& project, const store::TaskRecord& task,
                                                    const std::string& deviceModel);

/// The modules and functions of the framework that a task's text names: {"Conv2d", "relu"}, without those that make
/// inputs.
std::set<std::string> operationsNamed(const std::string& source);
/// A third at least of the operations that one of them names are named by both.
bool areAlike(const std::set<std::string>& a, const std::set<std::string>& b);

/// All of it for the questions of one run: what does not change in the course of it is read once.
class TaskBackground {
public:
    /// `prompt` has its task, graph and device already. `best`: the variant whose timeline is told of; none for none.
    void fill(policy::Prompt& prompt, const store::Project& project, const store::TaskRecord& task,
              base::VariantId best);

private:
    std::optional<policy::LeastWork> m_least;
    std::vector<policy::KnownEffect> m_effects;
    base::VariantId m_best;
    std::string m_timeline; ///< of m_best, with what holds up its kernels
};

} // namespace cudal1::optimize
