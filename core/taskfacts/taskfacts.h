// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that is known of a task without running it: for the task page and for `cudal1 tasks show`.
#pragma once

#include "core/costs/memoryforecast.h"
#include "core/costs/roofline.h"
#include "core/store/project.h"
#include "core/taskfacts/quality.h"
#include "core/tasks/split.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::taskfacts {

struct FactsQuestion {
    store::TaskRecord task;
    std::filesystem::path suite; ///< the bundled one, whose facts and quality files are read; may be empty
    std::optional<protocol::DeviceInfo> device; ///< the chosen one, where it has been described
    /// Else its name, "cpu" or "cuda:0": then it is the device of the newest evaluation on one of its kind, of the task
    /// or else of the project. Empty: of any.
    std::string deviceName = {};
    bool evaluatorIsHere = false; ///< a CPU that is not known from an evaluation is this machine's then
    /// A graph of this very text, where the project need not have one: traced for its shapes.
    std::shared_ptr<const protocol::OperatorGraph> shapes = {};
};

struct TaskFacts {
    std::string description; ///< the file's docstring
    tasks::Split split = tasks::Split::Train;

    /// Operators to show: a complete trace where the project has one, since that has times; else the suite's facts;
    /// else a trace that ends early. Empty when the task was never traced.
    std::optional<costs::Program> program;
    std::string programSource; ///< "from the suite's facts", "traced on NVIDIA H200, precision kernelbench", "traced by
                               ///< shapes alone"
    /// By the suite's facts where there are any, so that they are the same on every device.
    std::optional<costs::Costs> costs;

    std::optional<protocol::DeviceInfo>
        device;                ///< that the rest is for; with nothing but its name where no more is known
    costs::Roofline floor;     ///< by `costs` on the device
    double judgedFloor_ns = 0; ///< of an evaluation on the device; for where the costs are not known
    std::optional<costs::MemoryForecast> memory;
    std::vector<Flag> flags;
    /// Device and floors on the GPU that the project's newest evaluations ran on, where `device` is a CPU; null without
    /// one.
    std::shared_ptr<const TaskFacts> onRecordedGpu;

    bool onGpu() const { return device && device->name.starts_with("cuda"); }
    /// By bytes, on one of the devices above, as the page names it, else by the judge; 0 where it is not known or there
    /// is none.
    double floor_ns(const std::string& deviceModel) const;
};

/// Reads the suite's files, and the project where one is given: some tens of milliseconds, so a window asks on a
/// worker, with a connection of that thread's own. What cannot be read is left out.
TaskFacts gather(const FactsQuestion& question, const store::Project* project);

/// Keeps a graph that was traced for the shapes of a task (on the device "meta"), so that its facts are known from now
/// on.
base::Status keepShapes(store::Project& project, const std::string& taskHash, const protocol::OperatorGraph& graph);

/// One sentence when the device's memory is known and less than the forecast; empty otherwise.
std::string memoryWarning(const TaskFacts& facts);
/// The same in few words, to stand beside a button.
std::string shortMemoryWarning(const TaskFacts& facts);

/// "17.2 GFLOP": powers of 1000, as rates of operations are given.
std::string flopsText(double flops);

} // namespace cudal1::taskfacts
