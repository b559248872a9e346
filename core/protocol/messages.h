// SPDX-License-Identifier: GPL-3.0-or-later
// The messages between a client (farm) and an evaluator: JSON objects, one a line, over standard input and output.
//
// client -> evaluator   hello · describe · inspect · facts · graph · evaluate · timeline · kernels · cancel · quit
// evaluator -> client   hello · machine · inspection · facts · graph · progress · evaluation · timeline · kernels ·
// error (timeline: core/protocol/timeline.h; kernels: core/protocol/kernels.h)
//
// Every request after hello carries an "id" chosen by the client; every answer repeats it. A request gets exactly one
// final answer (machine, inspection, facts, graph, evaluation, timeline or error) and any number of progress messages
// before it. The first line of both sides is hello; different `protocolVersion`s end the conversation with an error.
// Times are nanoseconds unless a name says otherwise. Unknown fields are ignored, missing ones keep their defaults.
#pragma once

#include "core/base/statistics.h"
#include "core/protocol/jsoninstances.h"
#include "core/protocol/paper.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::protocol {

inline constexpr int protocolVersion = 1;

// ---- words ---------------------------------------------------------------------------------------------------------

enum class Verdict {
    Correct,
    Incorrect,
    DoesNotBuild,
    Crashed,
    TimedOut,
    OutOfMemory,
    Exploit,
    ReferenceFailed,
    Cancelled, ///< stopped by the user; never stored
};

enum class Precision {
    Kernelbench, ///< both sides start from the framework's defaults
    Ieee,        ///< no TF32 on either side
    Tf32,        ///< TF32 allowed on both
};

enum class Preset { Quick, Standard, Paper };

/// Lower-case words as they stand in JSON, on the command line and in the store ("does_not_build", "tf32", "quick").
std::string_view toString(Verdict verdict);
std::string_view toString(Precision precision);
std::string_view toString(Preset preset);
std::string_view toString(base::Comparison comparison);
/// False, and `out` untouched, for an unknown word.
bool fromString(std::string_view word, Verdict& out);
bool fromString(std::string_view word, Precision& out);
bool fromString(std::string_view word, Preset& out);

// ---- requests ------------------------------------------------------------------------------------------------------

struct Hello {
    int protocolVersion = cudal1::protocol::protocolVersion;
    std::string program; ///< "cudal1-evaluator 0.1.0"
    std::string python;  ///< version of the interpreter; evaluator only
    std::string torch;   ///< version of the framework; evaluator only
};

/// A task as the evaluator needs it: its name for messages, its Python source.
struct TaskSource {
    std::string name;   ///< "3/41" or a path
    std::string source; ///< the whole file
};

struct EvaluateRequest {
    TaskSource task;
    std::string candidate;      ///< Python source that defines ModelNew
    std::string candidateName;  ///< file name in tracebacks
    std::string device = "cpu"; ///< "cpu", "cuda:0"
    Precision precision = Precision::Kernelbench;
    Preset preset = Preset::Standard;
    std::uint64_t seed = 0;    ///< seeds inputs and initialisation; 0 draws one; never shown to the candidate
    double buildLimit_s = 300; ///< for building, and for the first call, which may compile
    double callLimit_s = 0;    ///< for a later call; 0: 1000 times the reference's (paper, section 2.2), 30 to 600 s
    bool secondLook = true;    ///< judge what carries a label of precision or speed once more, with fresh seeds
    PaperRules paper;          ///< for the preset paper
    bool onlyDoubts = false;   ///< a second look at labels that are doubts alone: in a search that confirms its best
};

struct GraphRequest {
    TaskSource task;
    std::string device = "cpu"; ///< "meta" traces shapes alone, without times
    Precision precision = Precision::Kernelbench;
    std::uint64_t seed = 0;
};

struct InspectRequest {
    std::vector<TaskSource> tasks;
};

/// What each task is, told by running it on shapes alone: no device and no memory to speak of.
struct FactsRequest {
    std::vector<TaskSource> tasks;
    double limit_s = 60; ///< for one task
};

// ---- answers -------------------------------------------------------------------------------------------------------

/// Seen while a request runs. `fraction` is of the whole request, 0 to 1.
struct Progress {
    std::string phase; ///< "wait" (for the GPU), "build", "check", "time", "trace"
    double fraction = 0;
    std::string text;
};

/// Why a verdict is what it is.
struct Reason {
    std::string code;     ///< "wrong_values", "wrong_shape", "nan_mismatch", "input_modified", "segfault", ...
    std::string text;     ///< one sentence for a person
    std::string evidence; ///< traceback, numbers, signal; may be long
};

/// One clock's verdict on speed. Absolute times are those of the median round (base::roundTime).
struct ClockSpeedup {
    base::Interval speedup;
    double reference_ns = 0;
    double candidate_ns = 0;

    bool valid() const { return speedup.valid(); }
};

/// All clocks. `event` and `gpuBusy` stay invalid on a device without them.
struct Speedup {
    ClockSpeedup wall;    ///< from an idle device to an idle device: the headline
    ClockSpeedup event;   ///< events on the caller's current stream: what the paper used
    ClockSpeedup gpuBusy; ///< time in which at least one kernel, copy or memset ran (CUPTI)
};

/// Raw samples of one pair of rounds. Every number is the time of one call.
struct PairSamples {
    int instance = 0; ///< which fork of the candidate
    bool referenceFirst = true;
    bool dropped = false; ///< thrown away; `droppedWhy` says why
    std::string droppedWhy;
    std::vector<double> reference_ns, candidate_ns;           ///< wall
    std::vector<double> referenceEvent_ns, candidateEvent_ns; ///< events; empty without a GPU
};

/// Beside the setting: what precision the numbers themselves show, against the reference in float64.
struct Oracle {
    double referenceError = 0; ///< root mean square of the difference over that of the float64 result
    double candidateError = 0;
    std::string effective; ///< "fp32", "tf32", "bf16"; empty when it was not measured
    std::string why;       ///< why it was not
};

struct PrecisionReport {
    Precision mode = Precision::Kernelbench;
    bool matched = true;   ///< the candidate ran with the reference's flags and dtypes
    std::string candidate; ///< "tf32", "ieee fp32", "bf16 output", ... as read back after the run
    std::string reference;
    ClockSpeedup atCandidateSettings; ///< reference timed at the candidate's settings, when not matched
    Oracle oracle;
};

struct Trials {
    int run = 0;
    int passed = 0;
    std::vector<std::string> families; ///< input families drawn: "as_given", "scaled", ...
    std::vector<std::string> skipped;  ///< families left out, each with its reason after a colon
    double worstRelativeError = 0;     ///< max |candidate - reference| / (rms + |reference|), over trials
    int weightSets = 0;                ///< other sets of weights that trials ran with
    std::string weights;               ///< how they came about: "replaced", "rebuilt: REASON", "none"
    /// Of `passed`, those whose expected result was known: from an earlier candidate, or from loading the task.
    int kept = 0;
};

/// What was checked of the calls that were timed.
struct TimedChecks {
    int compared = 0;       ///< calls whose result was compared with the reference's on the same inputs
    int timed = 0;          ///< calls of the candidate that were timed, from which those were drawn
    int flushedOutside = 0; ///< of them, calls before which the witness itself emptied the caches: all, but with the
                            ///< preset `quick` on a GPU
};

/// The reference against itself, in the same session: what the method makes of two equal sides.
struct Control {
    base::Interval wall;
    int pairs = 0;
};

/// No correct call can be faster: bytes that must move through device memory over its measured bandwidth.
struct Floor {
    double read_bytes = 0, written_bytes = 0, bytesPerSecond = 0;
    double time_ns = 0; ///< 0 where caches can hold all, or it was not measured
};

/// A second look with fresh seeds, at what carries a label.
struct Confirmation {
    bool run = false;
    Verdict verdict = Verdict::Correct;
    ClockSpeedup wall;
    std::uint64_t seed = 0;
};

/// Where the seconds of an evaluation went. `reference`: waiting for the reference's processes, which are started and
/// run once for all candidates of a task.
struct Seconds {
    double total = 0, build = 0, check = 0, time = 0, reference = 0;
};

struct DeviceInfo {
    std::string name;       ///< "cpu", "cuda:0"
    std::string model;      ///< "NVIDIA H200", "Intel Xeon ..."
    std::string uuid;       ///< GPU only
    std::string driver;     ///< GPU only
    std::string capability; ///< "9.0"; GPU only
    std::int64_t memory_bytes = 0;
    int processors = 0; ///< multiprocessors, or cores that this process may use
    std::int64_t l2_bytes = 0;
};

struct Environment {
    std::string evaluator, python, torch, cuda, host, os;
    std::vector<std::string> isolation;        ///< what was applied to the candidate
    std::vector<std::string> isolationMissing; ///< what this machine did not allow, each with its reason
    std::string clock;                         ///< SM clock and throttle reasons before and after, where readable
};

/// A variant judged once on a device.
struct Evaluation {
    std::string task;
    Verdict verdict = Verdict::ReferenceFailed;
    std::vector<Reason> reasons; ///< never empty unless the verdict is Correct
    std::vector<Reason>
        labels; ///< findings that do not change the verdict: precision, clock_disagreement, large_speedup
    Speedup speedup;
    /// "interval", "budget", "not_timed"; "instances": only more processes would tell more; "slower": it cannot win
    std::string stopReason;
    PrecisionReport precision;
    Trials trials;
    TimedChecks timedChecks;
    Control control;
    Floor floor;
    Confirmation confirmation;
    std::optional<PaperResult> paper; ///< with the preset paper, for what was timed
    Seconds seconds;
    DeviceInfo device;
    Environment environment;
    Preset preset = Preset::Standard;
    std::uint64_t seed = 0;
    std::vector<PairSamples> pairs;
    std::string output; ///< what the candidate printed, cut to 64 KiB
};

/// What a machine can do, for `doctor` and the device menu.
struct Machine {
    Environment environment;
    std::vector<DeviceInfo> devices; ///< the CPU is always the first
    std::string nvcc;                ///< path, or empty
    std::string compiler;            ///< C++ compiler for compiled graphs on the CPU, or empty
    std::int64_t memory_bytes = 0;
    std::int64_t disk_bytes = 0; ///< free in the temporary folder
    std::vector<Reason> missing; ///< code, what does not work, how to get it (evidence)
};

struct Inspection {
    struct Item {
        std::string name;
        bool ok = false;
        std::string message; ///< when not ok
        int line = 0;        ///< in the file; 0 when unknown
    };
    std::vector<Item> items;
};

struct Facts {
    struct Item { // NOLINT(bugprone-exception-escape): to make a JSON value of another kind than null could throw
        std::string name;
        nlohmann::json facts; ///< as core/judge/witness/facts.py writes them; null when the task has none
        std::string message;  ///< why it has none
        int line = 0;         ///< in the file; 0 when unknown
    };
    std::vector<Item> items; ///< in the request's order
};

// ---- operator graph ------------------------------------------------------------------------------------------------

/// A tensor that flows in the graph.
struct GraphValue {
    int id = -1;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> stride;
    std::string dtype; ///< "float32"
    std::string name;  ///< "x" for an input, "conv.weight" for a parameter or buffer, empty for an intermediate
    enum class Kind { Input, Parameter, Buffer, Constant, Intermediate } kind = Kind::Intermediate;
};

/// One ATen operator of one forward pass, in execution order.
struct GraphNode {
    int id = -1;
    std::string op;     ///< "aten.addmm.default"
    std::string module; ///< path of the innermost module that ran it: "gemm", "network.0"; empty for the model itself
    /// Arguments in order. {"value": id} for a tensor, a list for a list, anything else is the literal (null for None).
    /// Devices, dtypes, memory formats and layouts are {"literal": "torch.float32"}; infinities are {"literal":
    /// "float('inf')"}.
    nlohmann::json args = emptyList();
    nlohmann::json kwargs = emptyObject();
    std::vector<int> outputs; ///< value ids
    double time_ns = 0;       ///< measured on the device, each operator alone; 0 on "meta"
};

/// The reference as operators, with what a code generator needs to know of its source.
struct OperatorGraph {
    std::vector<GraphValue> values;
    std::vector<GraphNode> nodes;
    std::vector<int> inputs;                    ///< value ids of forward's tensor arguments
    std::vector<int> outputs;                   ///< value ids of the result, flattened
    std::string outputKind;                     ///< "tensor", "tuple", "list"
    std::vector<std::string> forwardParameters; ///< argument names of Model.forward without self
    std::vector<std::string> modules;           ///< "conv: Conv2d(3, 16, kernel_size=(3, 3), stride=(1, 1))"
    double total_ns = 0;                        ///< one forward, wall, median of a few
    std::int64_t parameter_bytes = 0;
    bool truncated = false;  ///< more operators than maxNodes: nodes holds the first ones
    bool randomised = false; ///< an operator draws random numbers
    std::string device;
    static constexpr int maxNodes = 4000;
};

// ---- JSON ----------------------------------------------------------------------------------------------------------

void to_json(nlohmann::json& j, const Hello& v);
void from_json(const nlohmann::json& j, Hello& v);
void to_json(nlohmann::json& j, const TaskSource& v);
void from_json(const nlohmann::json& j, TaskSource& v);
void to_json(nlohmann::json& j, const EvaluateRequest& v);
void from_json(const nlohmann::json& j, EvaluateRequest& v);
void to_json(nlohmann::json& j, const GraphRequest& v);
void from_json(const nlohmann::json& j, GraphRequest& v);
void to_json(nlohmann::json& j, const InspectRequest& v);
void from_json(const nlohmann::json& j, InspectRequest& v);
void to_json(nlohmann::json& j, const FactsRequest& v);
void from_json(const nlohmann::json& j, FactsRequest& v);
void to_json(nlohmann::json& j, const Progress& v);
void from_json(const nlohmann::json& j, Progress& v);
void to_json(nlohmann::json& j, const Reason& v);
void from_json(const nlohmann::json& j, Reason& v);
void to_json(nlohmann::json& j, const ClockSpeedup& v);
void from_json(const nlohmann::json& j, ClockSpeedup& v);
void to_json(nlohmann::json& j, const PairSamples& v);
void from_json(const nlohmann::json& j, PairSamples& v);
void to_json(nlohmann::json& j, const DeviceInfo& v);
void from_json(const nlohmann::json& j, DeviceInfo& v);
void to_json(nlohmann::json& j, const Environment& v);
void from_json(const nlohmann::json& j, Environment& v);
/// The object that `cudal1 evaluate --json` prints; docs/evaluation.schema.json describes it.
void to_json(nlohmann::json& j, const Evaluation& v);
void from_json(const nlohmann::json& j, Evaluation& v);
void to_json(nlohmann::json& j, const Machine& v);
void from_json(const nlohmann::json& j, Machine& v);
void to_json(nlohmann::json& j, const Inspection& v);
void from_json(const nlohmann::json& j, Inspection& v);
void to_json(nlohmann::json& j, const Facts& v);
void from_json(const nlohmann::json& j, Facts& v);
void to_json(nlohmann::json& j, const OperatorGraph& v);
void from_json(const nlohmann::json& j, OperatorGraph& v);

/// One line to send: `{"type": type, "id": id, ...payload}`. Ends with '\n'; invalid UTF-8 is replaced, never thrown.
std::string line(std::string_view type, std::uint64_t id, nlohmann::json payload = emptyObject());

} // namespace cudal1::protocol
