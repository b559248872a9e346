// SPDX-License-Identifier: GPL-3.0-or-later
// A project as a few days of work leave it: gains, losses, failures, clocks that disagree, a task not tried.
#pragma once

#include "tests/store/storesamples.h"

#include <memory>
#include <random>
#include <stdexcept>

namespace cudal1::report::samples {

namespace detail {

template<class T> T must(base::Result<T> result)
{
    if (!result)
        throw std::runtime_error(result.error().text());
    return std::move(result).value();
}

inline void must(const base::Status& status)
{
    if (!status)
        throw std::runtime_error(status.error().text());
}

inline protocol::Evaluation timed(double wall, double event, double halfWidth)
{
    protocol::Evaluation e = store::samples::evaluation(wall);
    e.speedup.wall = {{wall, wall * (1 - halfWidth), wall * (1 + halfWidth)}, 3.5e6, 3.5e6 / wall};
    e.speedup.event = {{event, event * (1 - halfWidth), event * (1 + halfWidth)}, 3.4e6, 3.4e6 / event};
    e.labels.clear();
    e.precision = {};
    return e;
}

inline base::VariantId add(store::Project& project, const std::string& task, const std::string& source,
                           const std::string& technique, const protocol::Evaluation& evaluation)
{
    store::VariantRecord variant = store::samples::variant(source, task);
    variant.techniques = {technique};
    const base::VariantId id = must(project.addVariant(variant));
    must(project.addEvaluation(id, evaluation));
    return id;
}

} // namespace detail

/// Six tasks: 1/12 at 4x with a slower second variant, 2/40 at 1x, 3/41 at 2x whose event clock says 28x, 1/5 with none
/// correct, 2/76 at 0.5x, 1/1 not tried. So: 5 tried, 4 correct, 2 with a true gain; speed-ups 0.5, 1, 1, 2, 4.
inline std::unique_ptr<store::Project> smallProject(const std::filesystem::path& path)
{
    using namespace detail;
    auto project = must(store::Project::open(path));
    for (const char* id : {"1/1", "1/5", "1/12", "2/40", "2/76", "3/41"}) {
        store::TaskRecord task = store::samples::task(id);
        task.level = id[0] - '0';
        must(project->putTask(task));
    }
    add(*project, "1/12", "class ModelNew: # broadcast", "diagonal_as_broadcast", timed(4, 4.01, 0.01));
    add(*project, "1/12", "class ModelNew: # graph", "cuda_graph", timed(1.25, 1.24, 0.01));
    add(*project, "2/40", "class ModelNew: # folded", "fold_scale", timed(1, 1, 0.004));
    protocol::Evaluation disagreeing = timed(2, 28, 0.01);
    disagreeing.labels = {{"clock_disagreement", "Events miss work on another stream", "wall 2.00, events 28.0"}};
    add(*project, "3/41", "class ModelNew: # streams", "streams", disagreeing);
    add(*project, "1/5", "class ModelNew: # wrong", "tf32",
        store::samples::failure(protocol::Verdict::Incorrect, "The values differ at [3, 4]",
                                protocol::Precision::Kernelbench));
    add(*project, "2/76", "class ModelNew: # slow", "channels_last", timed(0.5, 0.5, 0.01));
    return project;
}

} // namespace cudal1::report::samples
