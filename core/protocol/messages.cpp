// SPDX-License-Identifier: GPL-3.0-or-later
// JSON of the evaluator's messages.
#include "core/protocol/messages.h"

#include "core/protocol/fields.h"

#include <utility>

namespace cudal1::protocol {

using nlohmann::json;

namespace {

constexpr std::array<std::pair<Verdict, std::string_view>, 9> verdictWords{{
    {Verdict::Correct, "correct"},
    {Verdict::Incorrect, "incorrect"},
    {Verdict::DoesNotBuild, "does_not_build"},
    {Verdict::Crashed, "crashed"},
    {Verdict::TimedOut, "timed_out"},
    {Verdict::OutOfMemory, "out_of_memory"},
    {Verdict::Exploit, "exploit"},
    {Verdict::ReferenceFailed, "reference_failed"},
    {Verdict::Cancelled, "cancelled"},
}};
constexpr std::array<std::pair<Precision, std::string_view>, 3> precisionWords{{
    {Precision::Kernelbench, "kernelbench"},
    {Precision::Ieee, "ieee"},
    {Precision::Tf32, "tf32"},
}};
constexpr std::array<std::pair<Preset, std::string_view>, 3> presetWords{{
    {Preset::Quick, "quick"},
    {Preset::Standard, "standard"},
    {Preset::Paper, "paper"},
}};
constexpr std::array<std::pair<base::Comparison, std::string_view>, 4> comparisonWords{{
    {base::Comparison::Faster, "faster"},
    {base::Comparison::Slower, "slower"},
    {base::Comparison::Same, "same"},
    {base::Comparison::Unclear, "unclear"},
}};

template<class E> void getWord(const json& j, const char* key, E& out)
{
    std::string word;
    get(j, key, word);
    fromString(word, out);
}

json intervalJson(const base::Interval& v)
{
    return {{"estimate", v.estimate}, {"low", v.low}, {"high", v.high}};
}

void getInterval(const json& j, base::Interval& v)
{
    get(j, "estimate", v.estimate);
    get(j, "low", v.low);
    get(j, "high", v.high);
}

json taskJson(const TaskSource& v)
{
    return {{"name", v.name}, {"source", v.source}};
}

TaskSource taskOf(const json& j)
{
    TaskSource v;
    get(j, "name", v.name);
    get(j, "source", v.source);
    return v;
}

json tasksJson(const std::vector<TaskSource>& tasks)
{
    json out = json::array();
    for (const TaskSource& task : tasks)
        out.push_back(taskJson(task));
    return out;
}

std::vector<TaskSource> tasksOf(const json& request)
{
    std::vector<TaskSource> out;
    for (const json& task : request.at("tasks"))
        out.push_back(taskOf(task));
    return out;
}

} // namespace

std::string_view toString(Verdict verdict) { return wordOf(verdictWords, verdict); }
std::string_view toString(Precision precision) { return wordOf(precisionWords, precision); }
std::string_view toString(Preset preset) { return wordOf(presetWords, preset); }
std::string_view toString(base::Comparison comparison) { return wordOf(comparisonWords, comparison); }
bool fromString(std::string_view word, Verdict& out) { return valueOf(verdictWords, word, out); }
bool fromString(std::string_view word, Precision& out) { return valueOf(precisionWords, word, out); }
bool fromString(std::string_view word, Preset& out) { return valueOf(presetWords, word, out); }

void to_json(json& j, const Hello& v)
{
    j = {{"protocol", v.protocolVersion}, {"program", v.program}, {"python", v.python}, {"torch", v.torch}};
}

void from_json(const json& j, Hello& v)
{
    v.protocolVersion = 0; // a hello that does not say is not ours
    get(j, "protocol", v.protocolVersion);
    get(j, "program", v.program);
    get(j, "python", v.python);
    get(j, "torch", v.torch);
}

void to_json(json& j, const EvaluateRequest& v)
{
    j = {{"task", taskJson(v.task)},
         {"candidate", v.candidate},
         {"candidate_name", v.candidateName},
         {"device", v.device},
         {"precision", toString(v.precision)},
         {"preset", toString(v.preset)},
         {"seed", v.seed},
         {"build_limit_s", v.buildLimit_s},
         {"call_limit_s", v.callLimit_s},
         {"second_look", v.secondLook}};
    if (v.preset == Preset::Paper)
        j["paper"] = v.paper;
}

void from_json(const json& j, EvaluateRequest& v)
{
    v.task = taskOf(j.at("task"));
    get(j, "candidate", v.candidate);
    get(j, "candidate_name", v.candidateName);
    get(j, "device", v.device);
    getWord(j, "precision", v.precision);
    getWord(j, "preset", v.preset);
    get(j, "seed", v.seed);
    get(j, "build_limit_s", v.buildLimit_s);
    get(j, "call_limit_s", v.callLimit_s);
    get(j, "second_look", v.secondLook);
    get(j, "paper", v.paper);
}

void to_json(json& j, const GraphRequest& v)
{
    j = {{"task", taskJson(v.task)}, {"device", v.device}, {"precision", toString(v.precision)}, {"seed", v.seed}};
}

void from_json(const json& j, GraphRequest& v)
{
    v.task = taskOf(j.at("task"));
    get(j, "device", v.device);
    getWord(j, "precision", v.precision);
    get(j, "seed", v.seed);
}

void to_json(json& j, const InspectRequest& v)
{
    j = {{"tasks", tasksJson(v.tasks)}};
}

void from_json(const json& j, InspectRequest& v)
{
    v.tasks = tasksOf(j);
}

void to_json(json& j, const FactsRequest& v)
{
    j = {{"tasks", tasksJson(v.tasks)}, {"limit_s", v.limit_s}};
}

void from_json(const json& j, FactsRequest& v)
{
    v.tasks = tasksOf(j);
    get(j, "limit_s", v.limit_s);
}

void to_json(json& j, const Progress& v)
{
    j = {{"phase", v.phase}, {"fraction", v.fraction}, {"text", v.text}};
}

void from_json(const json& j, Progress& v)
{
    get(j, "phase", v.phase);
    get(j, "fraction", v.fraction);
    get(j, "text", v.text);
}

void to_json(json& j, const Reason& v)
{
    j = {{"code", v.code}, {"text", v.text}, {"evidence", v.evidence}};
}

void from_json(const json& j, Reason& v)
{
    get(j, "code", v.code);
    get(j, "text", v.text);
    get(j, "evidence", v.evidence);
}

void to_json(json& j, const ClockSpeedup& v)
{
    if (!v.valid()) {
        j = nullptr;
        return;
    }
    j = intervalJson(v.speedup);
    j["reference_ns"] = v.reference_ns;
    j["candidate_ns"] = v.candidate_ns;
}

void from_json(const json& j, ClockSpeedup& v)
{
    if (!j.is_object())
        return;
    getInterval(j, v.speedup);
    get(j, "reference_ns", v.reference_ns);
    get(j, "candidate_ns", v.candidate_ns);
}

void to_json(json& j, const PairSamples& v)
{
    j = {{"instance", v.instance},
         {"reference_first", v.referenceFirst},
         {"dropped", v.dropped},
         {"dropped_why", v.droppedWhy},
         {"reference_ns", v.reference_ns},
         {"candidate_ns", v.candidate_ns},
         {"reference_event_ns", v.referenceEvent_ns},
         {"candidate_event_ns", v.candidateEvent_ns}};
}

void from_json(const json& j, PairSamples& v)
{
    get(j, "instance", v.instance);
    get(j, "reference_first", v.referenceFirst);
    get(j, "dropped", v.dropped);
    get(j, "dropped_why", v.droppedWhy);
    get(j, "reference_ns", v.reference_ns);
    get(j, "candidate_ns", v.candidate_ns);
    get(j, "reference_event_ns", v.referenceEvent_ns);
    get(j, "candidate_event_ns", v.candidateEvent_ns);
}

void to_json(json& j, const DeviceInfo& v)
{
    j = {{"name", v.name},
         {"model", v.model},
         {"uuid", v.uuid},
         {"driver", v.driver},
         {"capability", v.capability},
         {"memory_bytes", v.memory_bytes},
         {"processors", v.processors},
         {"l2_bytes", v.l2_bytes}};
}

void from_json(const json& j, DeviceInfo& v)
{
    get(j, "name", v.name);
    get(j, "model", v.model);
    get(j, "uuid", v.uuid);
    get(j, "driver", v.driver);
    get(j, "capability", v.capability);
    get(j, "memory_bytes", v.memory_bytes);
    get(j, "processors", v.processors);
    get(j, "l2_bytes", v.l2_bytes);
}

void to_json(json& j, const Environment& v)
{
    j = {{"evaluator", v.evaluator},
         {"python", v.python},
         {"torch", v.torch},
         {"cuda", v.cuda},
         {"host", v.host},
         {"os", v.os},
         {"isolation", v.isolation},
         {"isolation_missing", v.isolationMissing},
         {"clock", v.clock}};
}

void from_json(const json& j, Environment& v)
{
    get(j, "evaluator", v.evaluator);
    get(j, "python", v.python);
    get(j, "torch", v.torch);
    get(j, "cuda", v.cuda);
    get(j, "host", v.host);
    get(j, "os", v.os);
    get(j, "isolation", v.isolation);
    get(j, "isolation_missing", v.isolationMissing);
    get(j, "clock", v.clock);
}

void to_json(json& j, const Evaluation& v)
{
    j = {{"task", v.task},
         {"verdict", toString(v.verdict)},
         {"reasons", v.reasons},
         {"labels", v.labels},
         {"speedup", {{"wall", v.speedup.wall}, {"event", v.speedup.event}, {"gpu_busy", v.speedup.gpuBusy}}},
         {"stop_reason", v.stopReason},
         {"precision",
          {{"mode", toString(v.precision.mode)},
           {"matched", v.precision.matched},
           {"candidate", v.precision.candidate},
           {"reference", v.precision.reference},
           {"at_candidate_settings", v.precision.atCandidateSettings},
           {"oracle",
            {{"effective", v.precision.oracle.effective},
             {"reference_error", v.precision.oracle.referenceError},
             {"candidate_error", v.precision.oracle.candidateError},
             {"why", v.precision.oracle.why}}}}},
         {"trials",
          {{"run", v.trials.run},
           {"passed", v.trials.passed},
           {"families", v.trials.families},
           {"skipped", v.trials.skipped},
           {"worst_relative_error", v.trials.worstRelativeError},
           {"weight_sets", v.trials.weightSets},
           {"weights", v.trials.weights}}},
         {"timed_checks", {{"compared", v.timedChecks.compared}, {"timed", v.timedChecks.timed}, {"flushed_outside", v.timedChecks.flushedOutside}}},
         {"control", v.control.pairs > 0 ? json{{"wall", intervalJson(v.control.wall)}, {"pairs", v.control.pairs}} : json()},
         {"floor",
          {{"read_bytes", v.floor.read_bytes},
           {"written_bytes", v.floor.written_bytes},
           {"bytes_per_s", v.floor.bytesPerSecond},
           {"time_ns", v.floor.time_ns}}},
         {"confirmation", v.confirmation.run ? json{{"verdict", toString(v.confirmation.verdict)},
                                                    {"wall", v.confirmation.wall},
                                                    {"seed", v.confirmation.seed}}
                                             : json()},
         {"paper", v.paper ? json(*v.paper) : json()},
         {"seconds",
          {{"total", v.seconds.total}, {"build", v.seconds.build}, {"check", v.seconds.check}, {"time", v.seconds.time}}},
         {"device", v.device},
         {"environment", v.environment},
         {"preset", toString(v.preset)},
         {"seed", v.seed},
         {"pairs", v.pairs},
         {"output", v.output}};
}

void from_json(const json& j, Evaluation& v)
{
    get(j, "task", v.task);
    getWord(j, "verdict", v.verdict);
    get(j, "reasons", v.reasons);
    get(j, "labels", v.labels);
    if (const auto it = j.find("speedup"); it != j.end()) {
        get(*it, "wall", v.speedup.wall);
        get(*it, "event", v.speedup.event);
        get(*it, "gpu_busy", v.speedup.gpuBusy);
    }
    get(j, "stop_reason", v.stopReason);
    if (const auto it = j.find("precision"); it != j.end()) {
        getWord(*it, "mode", v.precision.mode);
        get(*it, "matched", v.precision.matched);
        get(*it, "candidate", v.precision.candidate);
        get(*it, "reference", v.precision.reference);
        get(*it, "at_candidate_settings", v.precision.atCandidateSettings);
        if (const auto oracle = it->find("oracle"); oracle != it->end()) {
            get(*oracle, "effective", v.precision.oracle.effective);
            get(*oracle, "reference_error", v.precision.oracle.referenceError);
            get(*oracle, "candidate_error", v.precision.oracle.candidateError);
            get(*oracle, "why", v.precision.oracle.why);
        }
    }
    if (const auto it = j.find("trials"); it != j.end()) {
        get(*it, "run", v.trials.run);
        get(*it, "passed", v.trials.passed);
        get(*it, "families", v.trials.families);
        get(*it, "skipped", v.trials.skipped);
        get(*it, "worst_relative_error", v.trials.worstRelativeError);
        get(*it, "weight_sets", v.trials.weightSets);
        get(*it, "weights", v.trials.weights);
    }
    if (const auto it = j.find("timed_checks"); it != j.end()) {
        get(*it, "compared", v.timedChecks.compared);
        get(*it, it->contains("timed") ? "timed" : "fingerprinted", v.timedChecks.timed); // its name before 0.2
        get(*it, "flushed_outside", v.timedChecks.flushedOutside);
    }
    if (const auto it = j.find("control"); it != j.end() && it->is_object()) {
        getInterval(it->at("wall"), v.control.wall);
        get(*it, "pairs", v.control.pairs);
    }
    if (const auto it = j.find("floor"); it != j.end()) {
        get(*it, "read_bytes", v.floor.read_bytes);
        get(*it, "written_bytes", v.floor.written_bytes);
        get(*it, "bytes_per_s", v.floor.bytesPerSecond);
        get(*it, "time_ns", v.floor.time_ns);
    }
    if (const auto it = j.find("confirmation"); it != j.end() && it->is_object()) {
        v.confirmation.run = true;
        getWord(*it, "verdict", v.confirmation.verdict);
        get(*it, "wall", v.confirmation.wall);
        get(*it, "seed", v.confirmation.seed);
    }
    if (const auto it = j.find("paper"); it != j.end() && it->is_object())
        v.paper = it->get<PaperResult>();
    if (const auto it = j.find("seconds"); it != j.end()) {
        get(*it, "total", v.seconds.total);
        get(*it, "build", v.seconds.build);
        get(*it, "check", v.seconds.check);
        get(*it, "time", v.seconds.time);
    }
    get(j, "device", v.device);
    get(j, "environment", v.environment);
    getWord(j, "preset", v.preset);
    get(j, "seed", v.seed);
    get(j, "pairs", v.pairs);
    get(j, "output", v.output);
}

void to_json(json& j, const Machine& v)
{
    j = {{"environment", v.environment}, {"devices", v.devices},           {"nvcc", v.nvcc},      {"compiler", v.compiler},
         {"memory_bytes", v.memory_bytes}, {"disk_bytes", v.disk_bytes}, {"missing", v.missing}};
}

void from_json(const json& j, Machine& v)
{
    get(j, "environment", v.environment);
    get(j, "devices", v.devices);
    get(j, "nvcc", v.nvcc);
    get(j, "compiler", v.compiler);
    get(j, "memory_bytes", v.memory_bytes);
    get(j, "disk_bytes", v.disk_bytes);
    get(j, "missing", v.missing);
}

void to_json(json& j, const Inspection& v)
{
    json items = json::array();
    for (const auto& item : v.items)
        items.push_back({{"name", item.name}, {"ok", item.ok}, {"message", item.message}, {"line", item.line}});
    j = {{"items", std::move(items)}};
}

void from_json(const json& j, Inspection& v)
{
    for (const json& entry : j.at("items")) {
        Inspection::Item item;
        get(entry, "name", item.name);
        get(entry, "ok", item.ok);
        get(entry, "message", item.message);
        get(entry, "line", item.line);
        v.items.push_back(std::move(item));
    }
}

void to_json(json& j, const Facts& v)
{
    json items = json::array();
    for (const auto& item : v.items)
        items.push_back({{"name", item.name}, {"facts", item.facts}, {"message", item.message}, {"line", item.line}});
    j = {{"items", std::move(items)}};
}

void from_json(const json& j, Facts& v)
{
    for (const json& entry : j.at("items")) {
        Facts::Item item;
        get(entry, "name", item.name);
        get(entry, "facts", item.facts);
        get(entry, "message", item.message);
        get(entry, "line", item.line);
        v.items.push_back(std::move(item));
    }
}

std::string line(std::string_view type, std::uint64_t id, json payload)
{
    payload["type"] = type;
    payload["id"] = id;
    return payload.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

} // namespace cudal1::protocol
