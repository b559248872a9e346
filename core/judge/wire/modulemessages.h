// SPDX-License-Identifier: GPL-3.0-or-later
// All messages between the supervisor and the processes that hold a module. Each request is a type with its answer,
// `Reply`.
//
// A request travels as {"command": name, "nonce": N, fields …}, and its answer as {"ok": true, "nonce": N, fields …} or
// as {"ok": false, "code", "text", "evidence", "line"}. A process answers from one table, `Requests`. What a
// candidate's process answers is a claim; docs/threats.md says what each claim is used for. Names that end in _ns are
// nanoseconds, those that end in _s are seconds.
#pragma once

#include "core/judge/wire/oracleerrors.h"
#include "core/judge/wire/tensorspec.h"
#include "core/judge/wire/travels.h"
#include "core/protocol/kernels.h"
#include "core/protocol/messages.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace cudal1::judge {

/// File descriptors that came with a request. A handler that keeps one takes it out of the vector; the rest is closed.
using Descriptors = std::vector<int>;

struct Nothing {};
CUDAL1_TRAVELS(Nothing)

// ---- what reference and candidates have in common ------------------------------------------------------------------

/// The inputs, results and weights of a task, and where they lie in the arena (the shared memory), as the witness found
/// them.
struct ArenaLayout {
    std::vector<TensorSpec> inputs, outputs;
    std::vector<NamedWeight> weights;
    std::vector<NamedTensorSpec> buffers; ///< those that a call changes
    std::size_t bytes = 0;                ///< of the arena
    std::size_t inputBytes = 0;           ///< of all inputs, which lie at the arena's start
    std::string handle;                   ///< by which another process opens the arena on a GPU; empty on the CPU
    std::string initInputs;               ///< constructor arguments, a Python literal
    std::string kernels;                  ///< the judge's own kernels, compiled; empty on the CPU
    /// The reference draws random numbers, so both sides must be seeded alike before a call.
    bool random = false;
};
CUDAL1_TRAVELS(ArenaLayout)

/// The framework's precision flags in a process.
struct PrecisionFlags {
    std::string text;         ///< for a person: "products fp32, convolutions tf32"
    std::string matmul, conv; ///< "fp32", "tf32" or "bf16"
    std::string dtype;        ///< the default type: "float32"
    bool operator==(const PrecisionFlags&) const = default;
};
CUDAL1_TRAVELS(PrecisionFlags)

// ---- asked of any process ------------------------------------------------------------------------------------------

/// The devices of the machine, as the framework sees them.
struct AskDevices {
    static constexpr const char* name = "devices";
    struct Reply {
        std::vector<protocol::DeviceInfo> devices;
        std::string cuda;
    };
};
CUDAL1_TRAVELS(AskDevices)
CUDAL1_TRAVELS(AskDevices::Reply)

/// The process's precision flags as they are now.
struct ReadFlags {
    static constexpr const char* name = "flags";
    using Reply = PrecisionFlags;
};
CUDAL1_TRAVELS(ReadFlags)

/// Sets `matmul` and `conv`; the other fields are ignored.
struct SetFlags {
    static constexpr const char* name = "set_flags";
    PrecisionFlags flags;
    using Reply = Nothing;
};
CUDAL1_TRAVELS(SetFlags)

/// Records by CUPTI what the GPU does in some calls. The process's launches are slower from then on.
struct ObserveBusy {
    static constexpr const char* name = "busy";
    int calls = 5;
    std::uint64_t seed = 0;
    struct Reply {
        std::vector<double> busy_ns;        ///< of each call
        std::map<std::string, int> kernels; ///< kernels of the last call: name and number of launches
    };
};
CUDAL1_TRAVELS(ObserveBusy)
CUDAL1_TRAVELS(ObserveBusy::Reply)

/// Records a timeline of calls.
struct RecordTimeline {
    static constexpr const char* name = "timeline";
    int calls = 1;
    std::uint64_t seed = 0;
    struct Reply { // NOLINT(bugprone-exception-escape): to make a JSON value of another kind than null could throw
        nlohmann::json timeline; ///< a protocol::Timeline
    };
};
CUDAL1_TRAVELS(RecordTimeline)
CUDAL1_TRAVELS(RecordTimeline::Reply)

/// Has the driver count in every kernel of one call. Each kernel runs several times, with its memory put back.
struct CountKernels {
    static constexpr const char* name = "count";
    std::uint64_t seed = 0;
    std::vector<std::string> metrics; ///< by CUPTI's names; those that the chip has not are left out
    std::size_t mostKernels = 0;      ///< in a call; of one that launches more nothing is counted
    struct Reply {
        std::vector<std::map<std::string, double>> launches; ///< in the order of launching
        std::size_t passes = 0;                              ///< how many times the call was made for it
        std::string problem; ///< why nothing was counted, for a person; empty when it was
        std::string tool;    ///< "CUPTI 13.0"
    };
};
CUDAL1_TRAVELS(CountKernels)
CUDAL1_TRAVELS(CountKernels::Reply)

/// Begins to keep the device code that the process loads from now on.
struct WatchModules {
    static constexpr const char* name = "watch_modules";
    using Reply = Nothing;
};
CUDAL1_TRAVELS(WatchModules)

/// Returns the device code that was kept since WatchModules.
struct TakeModules {
    static constexpr const char* name = "modules";
    std::vector<std::string> kernels; ///< readable names; a module is returned only when it has one of these kernels
    struct Reply {
        std::vector<protocol::KernelModule> modules;
        std::vector<std::string> ptx; ///< every PTX text that the driver was given to compile
        std::size_t leftOut = 0;      ///< modules that were not kept or returned: too many, or too large
    };
};
CUDAL1_TRAVELS(TakeModules)
CUDAL1_TRAVELS(TakeModules::Reply)

/// Of the timed reference: keeps so many threads that only sleep, or as many as the system allows.
struct KeepThreads {
    static constexpr const char* name = "keep_threads";
    int count = 0;
    using Reply = Nothing;
};
CUDAL1_TRAVELS(KeepThreads)

/// The process serves the witness's steps (handover.h) until the witness ends them with Step::End.
struct ServeCalls {
    static constexpr const char* name = "serve";
    bool events = false; ///< time each call by GPU events too; the calls of a round, as opposed to a trial
    struct Reply {
        std::vector<double> event_ns; ///< by GPU events, of each call in order: a claim; empty on the CPU
    };
};
CUDAL1_TRAVELS(ServeCalls)
CUDAL1_TRAVELS(ServeCalls::Reply)

// ---- asked of a candidate's process, and of the timed reference ----------------------------------------------------

/// Maps the arena, before any code of the candidate has run.
struct OpenArena {
    static constexpr const char* name = "open_arena";
    std::string device, handle, kernels;
    std::size_t bytes = 0;
    using Reply = Nothing;
};
CUDAL1_TRAVELS(OpenArena)

/// Imports the source and constructs its class.
struct LoadModule {
    static constexpr const char* name = "load_module";
    std::string source, device, precision;
    std::uint64_t initSeed = 0;
    ArenaLayout layout;
    struct Reply {
        /// Why the reference's weights cannot be put into this module by name; empty when they can.
        std::string weightsDiffer;
    };
};
CUDAL1_TRAVELS(LoadModule)
CUDAL1_TRAVELS(LoadModule::Reply)

/// Imports and constructs a candidate without a GPU, for what that leaves in the caches of compilers.
struct BuildAhead {
    static constexpr const char* name = "build_ahead";
    std::string source; ///< of the candidate
    std::string task;   ///< source of the task, which has the constructor's arguments
    using Reply = Nothing;
};
CUDAL1_TRAVELS(BuildAhead)

/// Copies the weights in the arena into the module's parameters, in place.
struct LoadWeights {
    static constexpr const char* name = "load_weights";
    using Reply = Nothing;
};
CUDAL1_TRAVELS(LoadWeights)

/// Calls the module again on the inputs of the last trial and holds the results beside those of trials, so that one
/// that takes a few places of memory in turn is found ("static_output") where there are few trials.
struct HoldResults {
    static constexpr const char* name = "hold_results";
    int calls = 0;
    double most_s = 0; ///< no call begins later
    using Reply = Nothing;
};
CUDAL1_TRAVELS(HoldResults)

/// Copies the buffers in the arena (ArenaLayout::buffers) into the module's, in place.
struct LoadBuffers {
    static constexpr const char* name = "load_buffers";
    struct Reply {
        std::string lacking; ///< the first that the module lacks, or has in another shape or type; empty for none
    };
};
CUDAL1_TRAVELS(LoadBuffers)
CUDAL1_TRAVELS(LoadBuffers::Reply)

/// The way back: copies the module's buffers into the arena.
struct StoreBuffers {
    static constexpr const char* name = "store_buffers";
    using Reply = Nothing;
};
CUDAL1_TRAVELS(StoreBuffers)

/// Constructs the module again under another seed.
struct Rebuild {
    static constexpr const char* name = "rebuild";
    std::uint64_t initSeed = 0;
    using Reply = Nothing;
};
CUDAL1_TRAVELS(Rebuild)

/// The precision flags after the calls. Refused with "parameters_modified" when calls have changed parameters, but for
/// those that the reference changes too.
struct ReadState {
    static constexpr const char* name = "state";
    std::vector<std::string> changing; ///< names of such parameters; there may be others among them
    struct Reply {
        PrecisionFlags flags;
    };
};
CUDAL1_TRAVELS(ReadState)
CUDAL1_TRAVELS(ReadState::Reply)

// ---- asked of the witness ------------------------------------------------------------------------------------------

/// Loads a task, makes its first call twice, and makes the arena.
struct LoadTask {
    static constexpr const char* name = "load_task";
    std::string source, device, precision, kernels;
    std::uint64_t seed = 0, initSeed = 0;
    struct Reply {
        ArenaLayout layout;
        double first_ns = 0; ///< how long the reference's first call took
        PrecisionFlags flags;
        bool keepsFirst = false; ///< a trial of the same inputs finds that call's results known (RunTrial::shared)
        std::string unvaried;    ///< paths of special weights that nobody gives other values; empty for none
    };
};
CUDAL1_TRAVELS(LoadTask)
CUDAL1_TRAVELS(LoadTask::Reply)

/// Makes the first call once more, after others, with the weights that it was made with. Refused with
/// "unsupported_output" where its result is another one by now.
struct RepeatFirstCall {
    static constexpr const char* name = "repeat_first_call";
    struct Reply {
        /// What the reference has changed since its second call and nobody compares: paths of tensors and arrays, of
        /// parameters their names.
        std::vector<std::string> changed;
    };
};
CUDAL1_TRAVELS(RepeatFirstCall)
CUDAL1_TRAVELS(RepeatFirstCall::Reply)

/// The two subjects that the witness drives: the timed reference and the candidate.
enum class DrivenSide { Reference, Candidate };
NLOHMANN_JSON_SERIALIZE_ENUM(DrivenSide, {{DrivenSide::Reference, "reference"}, {DrivenSide::Candidate, "candidate"}})

/// How a subject is stopped from outside (freezer.h).
struct FreezerPlace {
    /// "cgroup2", "cgroup1" or "signals"; empty for a process that is never stopped (the witness).
    std::string kind;
    std::string path;     ///< folder of the control group; empty with signals
    int process = 0;      ///< process id of the subject
    bool guarded = false; ///< its parent is its guard (guard.h), to which the kernel hands the orphans of the subject
};
CUDAL1_TRAVELS(FreezerPlace)

/// From now on the witness drives this process, until another one is attached to the same side. The file of its
/// handover page (handover.h) comes as a descriptor.
struct Attach {
    static constexpr const char* name = "attach";
    DrivenSide side = DrivenSide::Candidate;
    int process = 0; ///< its process id, by which the witness reads its memory
    FreezerPlace freezer;
    using Reply = Nothing;
};
CUDAL1_TRAVELS(Attach)

/// Why a round or a trial ended early; empty when it did not. "failed": a step failed in the subject, which says why in
/// its answer to `serve`. "silent": the subject did not answer in time. "abandoned": the supervisor asked the witness
/// to give up.
using Ending = std::string;

/// What a result is compared with to find the precision in which it was computed: nothing, the reference in float64, or
/// the reference's own result.
enum class Yardstick { None, Float64, Reference };
/// Of a reference's call: where it takes longer, it is not run in float64, which takes several times as long.
constexpr double longestInDouble_ns = 2e9;

/// Makes one call of the candidate on inputs of a family and compares its results with the reference's. Refused when
/// they are wrong.
struct RunTrial {
    static constexpr const char* name = "trial";
    std::string family;
    std::uint64_t seed = 0;
    double limit_s = 0;                 ///< for the candidate's call
    bool nulls = false;                 ///< try the null candidates on this trial too
    Yardstick oracle = Yardstick::None; ///< measure the errors of the results against this
    /// Other candidates get this trial too, so what the reference makes of it may be kept, and may be what was kept.
    bool shared = false;
    struct Reply {
        Ending ending;
        bool usable = true; ///< false: the family cannot be used with this task, and nothing was compared
        std::string why;    ///< the reason, when it is not usable
        double referenceCall_s = 0, candidateCall_s = 0;
        double worstRelativeError = 0;
        std::vector<std::string> nullsLeft; ///< null candidates that have passed all trials so far
        int nullTrials = 0;                 ///< on how many trials they were tried
        double lastOperators_ns = 0;        ///< what the null of the last operators leaves out; huge: not known
        OracleErrors errors;                ///< when `oracle` is not None
        bool kept = false; ///< the expected result was known: from an earlier candidate, or from loading the task
    };
};
CUDAL1_TRAVELS(RunTrial)
CUDAL1_TRAVELS(RunTrial::Reply)

/// Draws inputs of the dataset's own distribution once more; contents of timed calls are made of such draws
/// (contents.h).
struct DrawBase {
    static constexpr const char* name = "draw_base";
    std::uint64_t seed = 0;
    using Reply = Nothing;
};
CUDAL1_TRAVELS(DrawBase)

/// A round: a block of timed calls of one side.
struct RunRound {
    static constexpr const char* name = "round";
    DrivenSide side = DrivenSide::Reference;
    /// First, calls are thrown away until they no longer get faster, for at most so long.
    std::int64_t settle_ns = 0;
    /// Then, at least one call is thrown away, for at least so long; none when negative.
    std::int64_t warmup_ns = 0;
    /// Length of the timed part, with all that is around its calls; it has at least one.
    std::int64_t duration_ns = 0;
    int maxCalls = 10'000;
    int core = -1; ///< the hardware thread that the driven process is pinned to; -1 for none
    /// Keep the results of some calls for CompareKept; only the witness knows which.
    bool keep = false;
    int mostKept = 4; ///< keep at most so many (at least one)
    /// On a GPU: before five of six counted calls the driven process empties the caches.
    bool ownFlush = false;
    /// On a GPU: so much is around each call that the round has few. Looks at the device are made in a larger share of
    /// the calls, and the tail of each is read.
    bool fewCalls = false;
    /// Time the reference in the witness itself: no memory for a process, or long calls.
    bool local = false;
    bool paired = false; ///< give both sides the same contents; for calls too long to make twice
    bool record = false; ///< keep the inputs of all calls for CompareBuffers
    double limit_s = 0;  ///< for each step of the driven process
    struct Reply {
        Ending ending;
        // Lists of each sample have at most 256 entries, evenly chosen.
        std::vector<double> wall_ns; ///< of each sample: the call, by the witness's clock
        /// Of each sample, on a GPU: how long a probe took that was made right after its end; 0 where none was made.
        std::vector<double> tail_ns;
        std::vector<double> ready_ns; ///< of each sample: what getting ready took, while the clock did not run
        std::vector<double> probe_ns; ///< on a GPU: how long each probe of the device took before the inputs were there
        std::vector<double> peek_ns;  ///< the same right after the inputs were sent, in calls that were then not made
        std::vector<int> outside;     ///< of each sample: 1 where the witness emptied the caches before the call
        std::vector<int> calls;       ///< of each sample: its index in ServeCalls::Reply::event_ns
        double empty_ns = 0;          ///< of the reference: its shortest empty step, which is what handing over takes
        /// Of the reference on a GPU: least calls (Step::Launch), which are no samples.
        std::vector<double> launch_ns;
        /// What calls that are no samples, and the round's end, took beyond the samples, in all.
        double other_ns = 0;
        int others = 0; ///< number of those calls
        /// Calls that would have been samples, had their inputs been of the task's own kind or, on a GPU, their results
        /// lain in memory that the witness knew.
        std::vector<double> elsewhere_ns;
        int threads = 0; ///< on a CPU: of the driven process, the fewest when it stood still before a call
        int samples = 0; ///< number of samples in the round, also of those that are not sent
        /// On a CPU: time in which a thread of the driven process (the one that waited longest) or the witness was
        /// ready to run and had no core, less what the process's other threads and the witness ran.
        double waited_ns = 0;
        double others_ns = 0; ///< on a CPU: CPU time of the driven process's other threads
        /// On a GPU: the shortest time that one call took with all that is around it.
        double withAll_ns = 0;
    };
};
CUDAL1_TRAVELS(RunRound)
CUDAL1_TRAVELS(RunRound::Reply)

/// Compares the results that the candidate's last round kept with the reference's on the same inputs. Refused when one
/// is wrong.
struct CompareKept {
    static constexpr const char* name = "compare_kept";
    Yardstick oracle = Yardstick::None; ///< measure the errors of one of them, drawn in secret, against this
    /// Measure the errors of the one whose results are farthest from the reference's too, where that is farther than
    /// another order of the same sums takes them.
    Yardstick doubted = Yardstick::None;
    struct Reply {
        int compared = 0;              ///< number of calls
        double worstRelativeError = 0; ///< of all of them
        OracleErrors errors;           ///< the worse of those that were measured
        bool measured = false;         ///< some were
    };
};
CUDAL1_TRAVELS(CompareKept)
CUDAL1_TRAVELS(CompareKept::Reply)

/// Gives other weights to the reference and writes them to the arena for the candidate.
struct Reweigh {
    static constexpr const char* name = "reweigh";
    /// "replace": drawn at random; "timed": its own, but elements that share a value with many get values about it;
    /// "initial": its own again; "rebuild": construct the module anew.
    std::string mode;
    std::uint64_t seed = 0;
    bool initial = false; ///< what is known of families with its own weights holds after this
    using Reply = Nothing;
};
CUDAL1_TRAVELS(Reweigh)

/// Overwrites the whole arena, so that a candidate finds nothing there of the one before.
struct ClearArena {
    static constexpr const char* name = "clear_arena";
    using Reply = Nothing;
};
CUDAL1_TRAVELS(ClearArena)

/// Copies the buffers that calls change to the arena, for the candidate.
struct GiveBuffers {
    static constexpr const char* name = "give_buffers";
    using Reply = Nothing;
};
CUDAL1_TRAVELS(GiveBuffers)

/// After a trial, or a round that was recorded, when the candidate has put its buffers into the arena: compares them
/// with what the same calls of the reference leave, beginning with what GiveBuffers gave.
struct CompareBuffers {
    static constexpr const char* name = "compare_buffers";
    bool ofRound = false;
    struct Reply {
        std::string difference; ///< which buffer differs, and how; empty when none does
        OracleErrors errors{
            0, 0, false, {}}; ///< of the buffer that is least precise; measured where one may be less so
    };
};
CUDAL1_TRAVELS(CompareBuffers)
CUDAL1_TRAVELS(CompareBuffers::Reply)

/// Finds the bytes that a call must move.
struct MeasureTraffic {
    static constexpr const char* name = "traffic";
    std::uint64_t seed = 0, forwardSeed = 0;
    struct Reply {
        double read = 0;    ///< bytes of the inputs that the result depends on as a whole
        double written = 0; ///< bytes of the result
    };
};
CUDAL1_TRAVELS(MeasureTraffic)
CUDAL1_TRAVELS(MeasureTraffic::Reply)

/// Measures the bandwidth of a copy within the device.
struct MeasureBandwidth {
    static constexpr const char* name = "bandwidth";
    struct Reply {
        double bytesPerSecond = 0; ///< read plus written; 0 on the CPU
    };
};
CUDAL1_TRAVELS(MeasureBandwidth)
CUDAL1_TRAVELS(MeasureBandwidth::Reply)

/// Draws inputs and writes them to the arena, for calls that are recorded and not judged.
struct WriteInputs {
    static constexpr const char* name = "write_inputs";
    std::uint64_t seed = 0;
    using Reply = Nothing;
};
CUDAL1_TRAVELS(WriteInputs)

/// Traces one call of a task's reference.
struct TraceTask {
    static constexpr const char* name = "trace";
    std::string source, device, precision; ///< `device` may be "meta", which computes shapes alone
    std::uint64_t seed = 0;
    int maxNodes = 0; ///< a longer graph is cut off
    struct Reply {    // NOLINT(bugprone-exception-escape): to make a JSON value of another kind than null could throw
        nlohmann::json graph; ///< a protocol::OperatorGraph
    };
};
CUDAL1_TRAVELS(TraceTask)
CUDAL1_TRAVELS(TraceTask::Reply)

/// Runs a task file. Refused when it is no task.
struct InspectTask {
    static constexpr const char* name = "inspect";
    std::string source;
    using Reply = Nothing;
};
CUDAL1_TRAVELS(InspectTask)

/// Derives the facts of a task (facts.py) on the meta device.
struct DeriveFacts {
    static constexpr const char* name = "facts";
    std::string source;
    struct Reply {
        nlohmann::json facts;
    };
};
CUDAL1_TRAVELS(DeriveFacts)
CUDAL1_TRAVELS(DeriveFacts::Reply)

/// Makes an arena without a task, to find out how far a candidate can be isolated and still share memory.
struct OfferArena {
    static constexpr const char* name = "offer_arena";
    std::string device;
    std::size_t bytes = 0;
    struct Reply {
        std::size_t bytes = 0;
        std::string handle, kernels; ///< as in ArenaLayout
    };
};
CUDAL1_TRAVELS(OfferArena)
CUDAL1_TRAVELS(OfferArena::Reply)

/// Sent while a round or a trial is under way: the witness stops waiting for the subject that it drives.
struct Abandon {
    static constexpr const char* name = "abandon";
    using Reply = Nothing;
};
CUDAL1_TRAVELS(Abandon)

/// A request as it travels, without its nonce.
template<typename Request> nlohmann::json bodyOf(const Request& request)
{
    nlohmann::json body = request;
    body["command"] = Request::name;
    return body;
}

/// The table of requests that a process answers. A handler returns the reply, and throws when it refuses the request.
class Requests {
public:
    /// Adds a request. `handler` takes the request and, as an optional second parameter, the descriptors that came with
    /// it.
    template<typename Request, typename Handler> void on(Handler handler)
    {
        m_handlers[Request::name] = [handler](const nlohmann::json& body, Descriptors& descriptors) -> nlohmann::json {
            const auto request = body.get<Request>();
            if constexpr (std::is_invocable_v<Handler, const Request&, Descriptors&>)
                return reply<typename Request::Reply>([&] { return handler(request, descriptors); });
            else
                return reply<typename Request::Reply>([&] { return handler(request); });
        };
    }

    /// Finds the handler for "command" and returns its reply. Throws std::runtime_error for a command that is not in
    /// the table, and what the handler throws.
    nlohmann::json answer(const nlohmann::json& body, Descriptors& descriptors) const
    {
        const std::string command = body.at("command");
        const auto found = m_handlers.find(command);
        if (found == m_handlers.end())
            throw std::runtime_error("unknown command " + command);
        return found->second(body, descriptors);
    }

private:
    template<typename Reply, typename Call> static nlohmann::json reply(const Call& call)
    {
        if constexpr (std::is_void_v<decltype(call())>) {
            call();
            return nlohmann::json::object();
        } else {
            const Reply answered = call();
            return answered;
        }
    }

    std::map<std::string, std::function<nlohmann::json(const nlohmann::json&, Descriptors&)>> m_handlers;
};

} // namespace cudal1::judge
