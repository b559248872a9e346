// SPDX-License-Identifier: GPL-3.0-or-later
// JSON of the evaluator's messages.
#include "core/protocol/messages.h"

#include "core/protocol/fields.h"

namespace cudal1::protocol {

namespace {

constexpr Words<Verdict, 9> verdictWords{{
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
constexpr Words<Precision, 3> precisionWords{{
    {Precision::Kernelbench, "kernelbench"},
    {Precision::Ieee, "ieee"},
    {Precision::Tf32, "tf32"},
}};
constexpr Words<Preset, 3> presetWords{{
    {Preset::Quick, "quick"},
    {Preset::Standard, "standard"},
    {Preset::Paper, "paper"},
}};
constexpr Words<base::Comparison, 4> comparisonWords{{
    {base::Comparison::Faster, "faster"},
    {base::Comparison::Slower, "slower"},
    {base::Comparison::Same, "same"},
    {base::Comparison::Unclear, "unclear"},
}};

} // namespace

std::string_view toString(Verdict verdict)
{
    return wordOf(verdictWords, verdict);
}
std::string_view toString(Precision precision)
{
    return wordOf(precisionWords, precision);
}
std::string_view toString(Preset preset)
{
    return wordOf(presetWords, preset);
}
std::string_view toString(base::Comparison comparison)
{
    return wordOf(comparisonWords, comparison);
}
bool fromString(std::string_view word, Verdict& out)
{
    return valueOf(verdictWords, word, out);
}
bool fromString(std::string_view word, Precision& out)
{
    return valueOf(precisionWords, word, out);
}
bool fromString(std::string_view word, Preset& out)
{
    return valueOf(presetWords, word, out);
}

void fields(auto& io, Is<Hello> auto& v)
{
    io.assume(v.protocolVersion, 0); // a hello that does not say is not ours
    io("protocol", v.protocolVersion);
    io("program", v.program);
    io("python", v.python);
    io("torch", v.torch);
}
CUDAL1_JSON(Hello)

// ---- requests ------------------------------------------------------------------------------------------------------

void fields(auto& io, Is<TaskSource> auto& v)
{
    io("name", v.name);
    io("source", v.source);
}
CUDAL1_JSON(TaskSource)

void fields(auto& io, Is<EvaluateRequest> auto& v)
{
    io.required("task", v.task);
    io("candidate", v.candidate);
    io("candidate_name", v.candidateName);
    io("device", v.device);
    io("precision", v.precision);
    io("preset", v.preset);
    io("seed", v.seed);
    io("build_limit_s", v.buildLimit_s);
    io("call_limit_s", v.callLimit_s);
    io("second_look", v.secondLook);
    io("only_doubts", v.onlyDoubts);
    io("paper", v.paper, v.preset == Preset::Paper);
}
CUDAL1_JSON(EvaluateRequest)

void fields(auto& io, Is<GraphRequest> auto& v)
{
    io.required("task", v.task);
    io("device", v.device);
    io("precision", v.precision);
    io("seed", v.seed);
}
CUDAL1_JSON(GraphRequest)

void fields(auto& io, Is<InspectRequest> auto& v)
{
    io.list("tasks", v.tasks);
}
CUDAL1_JSON(InspectRequest)

void fields(auto& io, Is<FactsRequest> auto& v)
{
    io.list("tasks", v.tasks);
    io("limit_s", v.limit_s);
}
CUDAL1_JSON(FactsRequest)

// ---- answers -------------------------------------------------------------------------------------------------------

void fields(auto& io, Is<Progress> auto& v)
{
    io("phase", v.phase);
    io("fraction", v.fraction);
    io("text", v.text);
}
CUDAL1_JSON(Progress)

void fields(auto& io, Is<Reason> auto& v)
{
    io("code", v.code);
    io("text", v.text);
    io("evidence", v.evidence);
}
CUDAL1_JSON(Reason)

void fields(auto& io, Is<base::Interval> auto& v)
{
    io("estimate", v.estimate);
    io("low", v.low);
    io("high", v.high);
}

void fields(auto& io, Is<ClockSpeedup> auto& v)
{
    if (!io.there(v.valid()))
        return;
    fields(io, v.speedup);
    io("reference_ns", v.reference_ns);
    io("candidate_ns", v.candidate_ns);
}
CUDAL1_JSON(ClockSpeedup)

void fields(auto& io, Is<Speedup> auto& v)
{
    io("wall", v.wall);
    io("event", v.event);
    io("gpu_busy", v.gpuBusy);
}

void fields(auto& io, Is<PairSamples> auto& v)
{
    io("instance", v.instance);
    io("reference_first", v.referenceFirst);
    io("dropped", v.dropped);
    io("dropped_why", v.droppedWhy);
    io("reference_ns", v.reference_ns);
    io("candidate_ns", v.candidate_ns);
    io("reference_event_ns", v.referenceEvent_ns);
    io("candidate_event_ns", v.candidateEvent_ns);
}
CUDAL1_JSON(PairSamples)

void fields(auto& io, Is<Oracle> auto& v)
{
    io("effective", v.effective);
    io("reference_error", v.referenceError);
    io("candidate_error", v.candidateError);
    io("why", v.why);
}

void fields(auto& io, Is<PrecisionReport> auto& v)
{
    io("mode", v.mode);
    io("matched", v.matched);
    io("candidate", v.candidate);
    io("reference", v.reference);
    io("at_candidate_settings", v.atCandidateSettings);
    io("oracle", v.oracle);
}

void fields(auto& io, Is<Trials> auto& v)
{
    io("run", v.run);
    io("passed", v.passed);
    io("families", v.families);
    io("skipped", v.skipped);
    io("worst_relative_error", v.worstRelativeError);
    io("weight_sets", v.weightSets);
    io("weights", v.weights);
    io("kept", v.kept);
}

void fields(auto& io, Is<TimedChecks> auto& v)
{
    io("compared", v.compared);
    io.renamed("timed", "fingerprinted", v.timed); // since 0.2
    io("flushed_outside", v.flushedOutside);
}

void fields(auto& io, Is<Control> auto& v)
{
    if (!io.there(v.pairs > 0))
        return;
    io.required("wall", v.wall);
    io("pairs", v.pairs);
}

void fields(auto& io, Is<Floor> auto& v)
{
    io("read_bytes", v.read_bytes);
    io("written_bytes", v.written_bytes);
    io("bytes_per_s", v.bytesPerSecond);
    io("time_ns", v.time_ns);
}

void fields(auto& io, Is<Confirmation> auto& v)
{
    if (!io.there(v.run))
        return;
    io.assume(v.run, true);
    io("verdict", v.verdict);
    io("wall", v.wall);
    io("seed", v.seed);
}

void fields(auto& io, Is<Seconds> auto& v)
{
    io("total", v.total);
    io("reference", v.reference);
    io("build", v.build);
    io("check", v.check);
    io("time", v.time);
}

void fields(auto& io, Is<DeviceInfo> auto& v)
{
    io("name", v.name);
    io("model", v.model);
    io("uuid", v.uuid);
    io("driver", v.driver);
    io("capability", v.capability);
    io("memory_bytes", v.memory_bytes);
    io("processors", v.processors);
    io("l2_bytes", v.l2_bytes);
}
CUDAL1_JSON(DeviceInfo)

void fields(auto& io, Is<Environment> auto& v)
{
    io("evaluator", v.evaluator);
    io("python", v.python);
    io("torch", v.torch);
    io("cuda", v.cuda);
    io("host", v.host);
    io("os", v.os);
    io("isolation", v.isolation);
    io("isolation_missing", v.isolationMissing);
    io("clock", v.clock);
}
CUDAL1_JSON(Environment)

void fields(auto& io, Is<Evaluation> auto& v)
{
    io("task", v.task);
    io("verdict", v.verdict);
    io("reasons", v.reasons);
    io("labels", v.labels);
    io("speedup", v.speedup);
    io("stop_reason", v.stopReason);
    io("precision", v.precision);
    io("trials", v.trials);
    io("timed_checks", v.timedChecks);
    io("control", v.control);
    io("floor", v.floor);
    io("confirmation", v.confirmation);
    io("paper", v.paper);
    io("seconds", v.seconds);
    io("device", v.device);
    io("environment", v.environment);
    io("preset", v.preset);
    io("seed", v.seed);
    io("pairs", v.pairs);
    io("output", v.output);
}
CUDAL1_JSON(Evaluation)

void fields(auto& io, Is<Machine> auto& v)
{
    io("environment", v.environment);
    io("devices", v.devices);
    io("nvcc", v.nvcc);
    io("compiler", v.compiler);
    io("memory_bytes", v.memory_bytes);
    io("disk_bytes", v.disk_bytes);
    io("missing", v.missing);
}
CUDAL1_JSON(Machine)

void fields(auto& io, Is<Inspection::Item> auto& v)
{
    io("name", v.name);
    io("ok", v.ok);
    io("message", v.message);
    io("line", v.line);
}

void fields(auto& io, Is<Inspection> auto& v)
{
    io.list("items", v.items);
}
CUDAL1_JSON(Inspection)

void fields(auto& io, Is<Facts::Item> auto& v)
{
    io("name", v.name);
    io("facts", v.facts);
    io("message", v.message);
    io("line", v.line);
}

void fields(auto& io, Is<Facts> auto& v)
{
    io.list("items", v.items);
}
CUDAL1_JSON(Facts)

std::string line(std::string_view type, std::uint64_t id, json payload)
{
    payload["type"] = type;
    payload["id"] = id;
    return payload.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

} // namespace cudal1::protocol
