// SPDX-License-Identifier: GPL-3.0-or-later
// Puts a task's facts together from the suite's files and the project.
#include "core/taskfacts/taskfacts.h"

#include "core/base/memory.h"
#include "core/store/graphkey.h"
#include "core/tasks/docstring.h"
#include "core/tasks/factsfile.h"
#include "core/tasks/taskfile.h"

#include <algorithm>

namespace cudal1::taskfacts {

namespace {

/// Evaluations of one task are alike in what is asked of them here, and each costs a read with its samples.
constexpr std::size_t mostEvaluations = 4;

int numberOf(const base::TaskId& id)
{
    const std::size_t slash = id.value.find('/');
    return slash == std::string::npos ? 0 : tasks::parseNumber(std::string_view(id.value).substr(slash + 1));
}

/// Whether the record is the bundled suite's very file, so that the suite's facts are of it.
bool isBundled(const FactsQuestion& question)
{
    if (question.suite.empty() || question.task.level <= 0)
        return false;
    const std::string name = std::to_string(numberOf(question.task.id)) + "_" + question.task.name + ".py";
    const tasks::TaskFile file = tasks::loadTaskFile(question.suite / ("level" + std::to_string(question.task.level)) /
                                                     name);
    return file.ok() && file.task.hash == question.task.hash;
}

std::optional<costs::Program> recordedProgram(const FactsQuestion& question)
{
    const auto file = tasks::FactsFile::read(tasks::factsOfSuite(question.suite));
    const nlohmann::json* row = file ? file->row(question.task.id) : nullptr;
    if (!row)
        return std::nullopt;
    auto program = costs::programOf(*row);
    return program ? std::optional(std::move(*program)) : std::nullopt;
}

std::vector<protocol::Evaluation> evaluationsOf(const store::Project& project,
                                                const std::vector<store::VariantRow>& rows,
                                                const std::optional<protocol::DeviceInfo>& device, std::size_t most)
{
    std::vector<store::EvaluationSummary> found;
    for (const store::VariantRow& row : rows)
        if (row.evaluation && !row.stale && row.evaluation->verdict == protocol::Verdict::Correct)
            found.push_back(*row.evaluation);
    // The chosen device's first, then the newest.
    const auto isChosen = [&](const store::EvaluationSummary& one) {
        return device && one.deviceModel == device->model;
    };
    std::sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
        return isChosen(a) != isChosen(b) ? isChosen(a) : a.created_ms > b.created_ms;
    });
    std::vector<protocol::Evaluation> out;
    for (std::size_t i = 0; i < std::min(found.size(), most); ++i)
        if (auto read = project.evaluation(found[i].id))
            out.push_back(std::move(*read));
    return out;
}

struct Traced {
    protocol::OperatorGraph graph;
    std::string source;
};

std::string tracedFor(const protocol::OperatorGraph& graph)
{
    return graph.device == "meta" ? "traced by shapes alone" : "traced on " + graph.device;
}

std::optional<Traced> graphUnder(const store::Project& project, const std::string& key, const std::string& source)
{
    const auto text = project.cache(key);
    if (!text || !*text)
        return std::nullopt;
    try {
        Traced out{nlohmann::json::parse(**text).get<protocol::OperatorGraph>(), source};
        if (source.empty())
            out.source = tracedFor(out.graph);
        return out;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt; // the next run traces it again
    }
}

std::string tracedOn(const std::string& device, const std::string& precision)
{
    return "traced on " + device + ", precision " + precision;
}

std::optional<Traced> newestGraph(const store::Project& project, const std::string& hash)
{
    const auto pointer = project.cache(store::newestGraphKey(hash));
    if (!pointer || !*pointer)
        return std::nullopt;
    try {
        const auto newest = nlohmann::json::parse(**pointer);
        return graphUnder(project, newest.at("key"), tracedOn(newest.at("device"), newest.at("precision")));
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

bool isOfKind(const protocol::DeviceInfo& device, const std::string& name)
{
    return name.empty() || device.name.starts_with("cuda") == name.starts_with("cuda");
}

/// Of the newest evaluation in the project on such a device.
std::optional<protocol::DeviceInfo> newestDevice(const store::Project& project, const std::string& name)
{
    const auto newest = project.newestEvaluations({}, int(mostEvaluations));
    if (!newest)
        return std::nullopt;
    for (const store::EvaluationSummary& summary : *newest)
        if (const auto evaluation = project.evaluation(summary.id); evaluation && isOfKind(evaluation->device, name))
            return evaluation->device;
    return std::nullopt;
}

/// What a device's memory was last found to move; 0 when no evaluation measured it.
double measuredBandwidth(const store::Project& project, const protocol::DeviceInfo& device)
{
    // Every judged evaluation on a GPU measures it, so one of the newest does; each is unpacked with its samples.
    const auto newest = project.newestEvaluations(device.model, int(mostEvaluations));
    if (!newest)
        return 0;
    for (const store::EvaluationSummary& summary : *newest)
        if (const auto evaluation = project.evaluation(summary.id); evaluation && evaluation->floor.bytesPerSecond > 0)
            return evaluation->floor.bytesPerSecond;
    return 0;
}

void readProject(const FactsQuestion& question, const store::Project& project, TaskFacts& out,
                 std::vector<Observation>& observations, double& bandwidth, std::optional<Traced>& traced)
{
    traced = newestGraph(project, question.task.hash);
    if (const auto rows = project.variantRows(question.task.id)) {
        for (const protocol::Evaluation& evaluation : evaluationsOf(project, *rows, out.device, mostEvaluations)) {
            if (!out.device && isOfKind(evaluation.device, question.deviceName))
                out.device = evaluation.device;
            observations.push_back(observationOf(evaluation));
            if (!traced) // of a run before newest graphs were noted
                traced = graphUnder(
                    project,
                    store::graphKey(evaluation.environment, question.task.hash, evaluation.device.model,
                                    evaluation.precision.mode),
                    tracedOn(evaluation.device.model, std::string(protocol::toString(evaluation.precision.mode))));
            if (!out.device || evaluation.device.model != out.device->model || bandwidth > 0)
                continue;
            bandwidth = evaluation.floor.bytesPerSecond;
            out.judgedFloor_ns = std::max(out.judgedFloor_ns, evaluation.floor.time_ns);
        }
    }
    if (!out.device)
        out.device = newestDevice(project, question.deviceName);
    if (bandwidth <= 0 && out.onGpu())
        bandwidth = measuredBandwidth(project, *out.device);
}

/// Device and floor of the GPU that the project was recorded on; null without one.
std::shared_ptr<const TaskFacts> onRecordedGpu(const FactsQuestion& question, const store::Project& project,
                                               const std::optional<costs::Costs>& costs)
{
    auto out = std::make_shared<TaskFacts>();
    std::vector<Observation> observations;
    double bandwidth = 0;
    std::optional<Traced> traced;
    readProject({question.task, question.suite, {}, "cuda"}, project, *out, observations, bandwidth, traced);
    if (!out->onGpu())
        return nullptr;
    if (costs)
        out->floor = costs::floorOf(*costs, out->device->model, bandwidth);
    return out;
}

} // namespace

double TaskFacts::floor_ns(const std::string& deviceModel) const
{
    if (device && device->model == deviceModel)
        return floor.bytes_ns > 0 ? floor.bytes_ns : judgedFloor_ns;
    return onRecordedGpu ? onRecordedGpu->floor_ns(deviceModel) : 0;
}

TaskFacts gather(const FactsQuestion& question, const store::Project* project)
{
    TaskFacts out;
    out.description = tasks::docstringOf(question.task.source);
    out.split = tasks::splitOf(question.task.level, question.task.id);
    out.device = question.device;

    std::vector<Observation> observations;
    double bandwidth = 0;
    std::optional<Traced> traced;
    if (project)
        readProject(question, *project, out, observations, bandwidth, traced);
    if (!out.device && !question.deviceName.empty()) {
        out.device.emplace();
        out.device->name = question.deviceName;
        if (question.deviceName == "cpu" && question.evaluatorIsHere) {
            out.device->model = "this machine";
            out.device->memory_bytes = base::physicalMemory_bytes();
        }
    }
    if (!traced && question.shapes)
        traced = Traced{*question.shapes, tracedFor(*question.shapes)};
    if (!traced && project)
        traced = graphUnder(*project, store::shapesKey(question.task.hash), {});
    std::optional<costs::Program> recorded;
    if (isBundled(question)) {
        recorded = recordedProgram(question);
        for (Observation& one : recordedObservations(question.suite, question.task.level, numberOf(question.task.id)))
            observations.push_back(std::move(one));
    }
    if (recorded) {
        out.costs = costs::costsOf(*recorded);
        out.program = std::move(recorded);
        out.programSource = "from the suite's facts";
    }
    if (traced && (!out.program || !traced->graph.truncated)) {
        out.program = costs::programOf(traced->graph);
        out.programSource = traced->source;
        if (!out.costs)
            out.costs = costs::costsOf(*out.program);
    }
    if (out.costs && out.device) {
        out.memory = costs::forecast(*out.costs, out.onGpu());
        out.floor = costs::floorOf(*out.costs, out.onGpu() ? out.device->model : std::string(), bandwidth);
    }
    out.flags = flagsOf(observations);
    if (project && out.device && !out.onGpu())
        out.onRecordedGpu = onRecordedGpu(question, *project, out.costs);
    return out;
}

base::Status keepShapes(store::Project& project, const std::string& taskHash, const protocol::OperatorGraph& graph)
{
    return project.putCache(store::shapesKey(taskHash),
                            nlohmann::json(graph).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

} // namespace cudal1::taskfacts
