// SPDX-License-Identifier: GPL-3.0-or-later
// Every message between the supervisor and the processes that hold a module, as a type: what is asked, and what is answered.
//
// A request travels as {"command": name, "nonce": N, fields …}, and its answer as {"ok": true, "nonce": N, fields …} or as
// {"ok": false, "code", "text", "evidence", "line"}. `Requests` is the one table that a process answers from. What a candidate's
// process answers is a claim: docs/threats.md says for each field what it is used for. Times are nanoseconds where the name
// says so and seconds where it ends in _s.
#pragma once

#include "core/judge/wire/tensorspec.h"
#include "core/protocol/kernels.h"
#include "core/protocol/messages.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace cudal1::judge {

/// File descriptors that came with a request. Who wants one takes it out; what is left is closed.
using Descriptors = std::vector<int>;

struct Nothing {};
inline void to_json(nlohmann::json& j, const Nothing&) { j = nlohmann::json::object(); }
inline void from_json(const nlohmann::json&, Nothing&) {}

#define CUDAL1_FIELDS(Type, ...) NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Type, __VA_ARGS__)
/// For requests and answers without a field.
#define CUDAL1_NO_FIELDS(Type)                                                                                                            \
    inline void to_json(nlohmann::json& j, const Type&) { j = nlohmann::json::object(); }                                                \
    inline void from_json(const nlohmann::json&, Type&) {}

// ---- what reference and candidates have in common --------------------------------------------------------------------------------

/// Inputs, results and parameters of a task, and where they lie in the shared memory; as the witness found them.
struct Layout {
    std::vector<TensorSpec> inputs, outputs;
    std::vector<NamedWeight> weights;
    std::size_t bytes = 0;      ///< of the arena
    std::size_t inputBytes = 0; ///< from its start: all inputs
    std::string handle;         ///< of the arena between processes; empty on the CPU
    std::string initInputs;     ///< constructor arguments, a Python literal
    std::string kernels;        ///< the judge's own, compiled; empty on the CPU
    bool random = false;        ///< the reference draws from the framework's generator: calls must be seeded alike
};
CUDAL1_FIELDS(Layout, inputs, outputs, weights, bytes, inputBytes, handle, initInputs, kernels, random)

/// The precision that a process computes with.
struct PrecisionFlags {
    std::string text, matmul, conv, dtype;
    bool operator==(const PrecisionFlags&) const = default;
};
CUDAL1_FIELDS(PrecisionFlags, text, matmul, conv, dtype)

// ---- asked of any process ------------------------------------------------------------------------------------------------------------

struct AskDevices {
    static constexpr const char* name = "devices";
    struct Reply {
        std::vector<protocol::DeviceInfo> devices;
        std::string cuda;
    };
};
CUDAL1_NO_FIELDS(AskDevices)
CUDAL1_FIELDS(AskDevices::Reply, devices, cuda)

struct ReadFlags {
    static constexpr const char* name = "flags";
    using Reply = PrecisionFlags;
};
CUDAL1_NO_FIELDS(ReadFlags)

struct SetFlags {
    static constexpr const char* name = "set_flags";
    PrecisionFlags flags;
    using Reply = Nothing;
};
CUDAL1_FIELDS(SetFlags, flags)

/// What a GPU did in some calls, by CUPTI. Launches of the process are slower ever after.
struct ObserveBusy {
    static constexpr const char* name = "busy";
    int calls = 5;
    std::uint64_t seed = 0;
    struct Reply {
        std::vector<double> busy_ns;        ///< of each call
        std::map<std::string, int> kernels; ///< of the last call, with their counts
    };
};
CUDAL1_FIELDS(ObserveBusy, calls, seed)
CUDAL1_FIELDS(ObserveBusy::Reply, busy_ns, kernels)

struct RecordTimeline {
    static constexpr const char* name = "timeline";
    int calls = 1;
    std::uint64_t seed = 0;
    struct Reply {
        nlohmann::json timeline; ///< a protocol::Timeline
    };
};
CUDAL1_FIELDS(RecordTimeline, calls, seed)
CUDAL1_FIELDS(RecordTimeline::Reply, timeline)

struct WatchModules {
    static constexpr const char* name = "watch_modules";
    using Reply = Nothing;
};
CUDAL1_NO_FIELDS(WatchModules)

struct TakeModules {
    static constexpr const char* name = "modules";
    std::vector<std::string> kernels; ///< readable names that a module must have one of
    struct Reply {
        std::vector<protocol::KernelModule> modules;
        std::vector<std::string> ptx; ///< every text that the driver was given to compile
        std::size_t leftOut = 0;
    };
};
CUDAL1_FIELDS(TakeModules, kernels)
CUDAL1_FIELDS(TakeModules::Reply, modules, ptx, leftOut)

/// Answers the witness's steps (handover.h) until it says that they are over.
struct ServeCalls {
    static constexpr const char* name = "serve";
    bool events = false; ///< take the event clock of each call
    struct Reply {
        std::vector<double> event_ns; ///< of each call, in order; a claim; empty on the CPU
    };
};
CUDAL1_FIELDS(ServeCalls, events)
CUDAL1_FIELDS(ServeCalls::Reply, event_ns)

// ---- asked of a candidate's process, and of the timed reference ---------------------------------------------------------------------

struct OpenArena {
    static constexpr const char* name = "open_arena";
    std::string device, handle, kernels;
    std::size_t bytes = 0;
    using Reply = Nothing;
};
CUDAL1_FIELDS(OpenArena, device, handle, kernels, bytes)

struct LoadModule {
    static constexpr const char* name = "load_module";
    std::string source, device, precision;
    std::uint64_t initSeed = 0;
    Layout layout;
    struct Reply {
        std::string weightsDiffer; ///< why the reference's weights cannot be put into this module by name; empty when they can
    };
};
CUDAL1_FIELDS(LoadModule, source, device, precision, initSeed, layout)
CUDAL1_FIELDS(LoadModule::Reply, weightsDiffer)

struct BuildAhead {
    static constexpr const char* name = "build_ahead";
    std::string source, task;
    using Reply = Nothing;
};
CUDAL1_FIELDS(BuildAhead, source, task)

struct LoadWeights {
    static constexpr const char* name = "load_weights";
    using Reply = Nothing;
};
CUDAL1_NO_FIELDS(LoadWeights)

struct Rebuild {
    static constexpr const char* name = "rebuild";
    std::uint64_t initSeed = 0;
    using Reply = Nothing;
};
CUDAL1_FIELDS(Rebuild, initSeed)

/// Refused with parameters_modified where calls changed them.
struct ReadState {
    static constexpr const char* name = "state";
    struct Reply {
        PrecisionFlags flags;
    };
};
CUDAL1_NO_FIELDS(ReadState)
CUDAL1_FIELDS(ReadState::Reply, flags)

// ---- asked of the witness ------------------------------------------------------------------------------------------------------------

struct LoadTask {
    static constexpr const char* name = "load_task";
    std::string source, device, precision, kernels;
    std::uint64_t seed = 0, initSeed = 0;
    struct Reply {
        Layout layout;
        double first_ns = 0; ///< the reference's first call
        PrecisionFlags flags;
    };
};
CUDAL1_FIELDS(LoadTask, source, device, precision, kernels, seed, initSeed)
CUDAL1_FIELDS(LoadTask::Reply, layout, first_ns, flags)

/// Which process the witness drives.
enum class Side { Reference, Candidate };
NLOHMANN_JSON_SERIALIZE_ENUM(Side, {{Side::Reference, "reference"}, {Side::Candidate, "candidate"}})

/// How a process is stopped from outside (freezer.h): a control group, or its processes by number.
struct FreezerPlace {
    std::string kind; ///< "cgroup2", "cgroup1", "signals"; empty: it cannot be stopped
    std::string path; ///< of the group
    int process = 0;  ///< the subject, for signals
    bool guarded = false; ///< its parent is its guard, to whom its orphans are handed
};
CUDAL1_FIELDS(FreezerPlace, kind, path, process, guarded)

/// From now on the witness drives this process, whose page (handover.h) comes as a descriptor. It stays so until another
/// process takes the side's place.
struct Attach {
    static constexpr const char* name = "attach";
    Side side = Side::Candidate;
    int process = 0; ///< by which the witness reads its memory
    FreezerPlace freezer;
    using Reply = Nothing;
};
CUDAL1_FIELDS(Attach, side, process, freezer)

/// What ended a round or a trial before its time; empty when nothing did. "failed": the process says what is wrong in its answer to
/// `serve`. "silent": no answer in time. "abandoned": the supervisor asked for it.
using Ending = std::string;

/// What a result is held against to see in which precision it was computed.
enum class Yardstick { None, Float64, Reference };

/// Errors against float64: root mean square of the difference over that of the result. Where there is no result in float64 they are
/// against the reference's own, and `reference` is what rounding alone may make of it.
struct OracleErrors {
    double reference = 0, candidate = 0;
    bool measured = true;
    std::string why; ///< why they were not measured, or not against float64
};
CUDAL1_FIELDS(OracleErrors, reference, candidate, measured, why)

/// One call of the candidate on inputs of a family, compared with the reference's.
struct RunTrial {
    static constexpr const char* name = "trial";
    std::string family;
    std::uint64_t seed = 0;
    double limit_s = 0;   ///< for the candidate's call
    bool nulls = false;   ///< hold null candidates against it as well
    Yardstick oracle = Yardstick::None; ///< of its precision
    struct Reply {
        Ending ending;
        bool usable = true; ///< the family can be used with this task …
        std::string why;    ///< … or why not
        double referenceCall_s = 0, candidateCall_s = 0;
        double worstRelativeError = 0;
        std::vector<std::string> nullsLeft;
        int nullTrials = 0;
        OracleErrors errors; ///< where `oracle` was asked for
    };
};
CUDAL1_FIELDS(RunTrial, family, seed, limit_s, nulls, oracle)
CUDAL1_FIELDS(RunTrial::Reply, ending, usable, why, referenceCall_s, candidateCall_s, worstRelativeError, nullsLeft, nullTrials, errors)

/// New inputs, of the dataset's own distribution, for the contents of timed calls.
struct DrawBase {
    static constexpr const char* name = "draw_base";
    std::uint64_t seed = 0;
    using Reply = Nothing;
};
CUDAL1_FIELDS(DrawBase, seed)

/// A block of calls of one side.
struct RunRound {
    static constexpr const char* name = "round";
    Side side = Side::Reference;
    std::int64_t settle_ns = 0;          ///< calls thrown away until their time is steady, for at most so long
    std::int64_t warmup_ns = 0;          ///< calls thrown away: at least one, for at least so long; none when negative
    std::int64_t duration_ns = 0;        ///< of the timed part, with all that is around its calls; at least one call
    int maxCalls = 10'000;
    int core = -1;                       ///< that the driven process is pinned to; -1 for none
    bool keep = false;                   ///< results of some calls, for CompareKept; which ones nobody but the witness knows
    int mostKept = 4;                    ///< of them, at most; at least one
    bool ownFlush = false;               ///< on a GPU: five of six calls find caches that the driven process has emptied itself
    bool local = false;                  ///< the witness's own module is timed, where a process for that has no room or calls are long
    bool paired = false;                 ///< the same contents as in the other side's paired round: calls so long that none is made twice
    double limit_s = 0;                  ///< for any one step of the driven process
    struct Reply {
        Ending ending;
        std::vector<double> wall_ns;  ///< of each call, by the witness's clock
        std::vector<double> tail_ns;  ///< on a GPU, of each call: from its end until the witness had read the result
        std::vector<double> ready_ns; ///< of each call: what the process took to get ready for it, off the clock
        std::vector<double> probe_ns; ///< on a GPU: how long the witness waited for the device before the inputs were there
        std::vector<double> peek_ns;  ///< the same when they had just come, in calls that were then not made
        std::vector<int> outside;     ///< of each call: 1 where the witness emptied the caches before it
        std::vector<int> calls;       ///< of each call, its number among all of the round: where its event time stands
        double empty_ns = 0;          ///< a step without a call: what handing over takes
        double other_ns = 0;          ///< what calls that are no samples, and the end of the round, took beyond those that are, all together
        int samples = 0;              ///< how many those are: of many not all are sent
        double waited_ns = 0;         ///< that the driven process was ready to run and did not get a core
    };
};
CUDAL1_FIELDS(RunRound, side, settle_ns, warmup_ns, duration_ns, maxCalls, core, keep, mostKept, ownFlush, local, paired, limit_s)
CUDAL1_FIELDS(RunRound::Reply, ending, wall_ns, tail_ns, ready_ns, probe_ns, peek_ns, outside, calls, empty_ns, other_ns, samples, waited_ns)

/// Compares what the last round kept with the reference's result on the same inputs.
struct CompareKept {
    static constexpr const char* name = "compare_kept";
    Yardstick oracle = Yardstick::None; ///< of the precision of one of them
    struct Reply {
        int compared = 0; ///< results; what follows is the worst of them
        double worstRelativeError = 0;
        OracleErrors errors;
    };
};
CUDAL1_FIELDS(CompareKept, oracle)
CUDAL1_FIELDS(CompareKept::Reply, compared, worstRelativeError, errors)

/// Gives other weights to the reference, and lays them ready for the candidate; "initial" gives back its own.
struct Reweigh {
    static constexpr const char* name = "reweigh";
    std::string mode; ///< "replace", "initial", "rebuild"
    std::uint64_t seed = 0;
    bool initial = false;
    using Reply = Nothing;
};
CUDAL1_FIELDS(Reweigh, mode, seed, initial)

/// Bytes of the inputs that the result depends on as a whole, and of the result.
struct MeasureTraffic {
    static constexpr const char* name = "traffic";
    std::uint64_t seed = 0, forwardSeed = 0;
    struct Reply {
        double read = 0, written = 0;
    };
};
CUDAL1_FIELDS(MeasureTraffic, seed, forwardSeed)
CUDAL1_FIELDS(MeasureTraffic::Reply, read, written)

struct MeasureBandwidth {
    static constexpr const char* name = "bandwidth";
    struct Reply {
        double bytesPerSecond = 0; ///< 0 on the CPU
    };
};
CUDAL1_NO_FIELDS(MeasureBandwidth)
CUDAL1_FIELDS(MeasureBandwidth::Reply, bytesPerSecond)

/// Inputs in the arena, for what another process records of a call.
struct WriteInputs {
    static constexpr const char* name = "write_inputs";
    std::uint64_t seed = 0;
    using Reply = Nothing;
};
CUDAL1_FIELDS(WriteInputs, seed)

struct TraceTask {
    static constexpr const char* name = "trace";
    std::string source, device, precision;
    std::uint64_t seed = 0;
    int maxNodes = 0;
    struct Reply {
        nlohmann::json graph; ///< a protocol::OperatorGraph
    };
};
CUDAL1_FIELDS(TraceTask, source, device, precision, seed, maxNodes)
CUDAL1_FIELDS(TraceTask::Reply, graph)

struct InspectTask {
    static constexpr const char* name = "inspect";
    std::string source;
    using Reply = Nothing;
};
CUDAL1_FIELDS(InspectTask, source)

struct DeriveFacts {
    static constexpr const char* name = "facts";
    std::string source;
    struct Reply {
        nlohmann::json facts;
    };
};
CUDAL1_FIELDS(DeriveFacts, source)
CUDAL1_FIELDS(DeriveFacts::Reply, facts)

/// Makes an arena of no task: to learn how far a candidate can be isolated and still share memory.
struct OfferArena {
    static constexpr const char* name = "offer_arena";
    std::string device;
    std::size_t bytes = 0;
    struct Reply {
        std::size_t bytes = 0;
        std::string handle, kernels;
    };
};
CUDAL1_FIELDS(OfferArena, device, bytes)
CUDAL1_FIELDS(OfferArena::Reply, bytes, handle, kernels)

/// Sent while a round or a trial is under way: the witness gives up waiting for the process that it drives.
struct Abandon {
    static constexpr const char* name = "abandon";
    using Reply = Nothing;
};
CUDAL1_NO_FIELDS(Abandon)

#undef CUDAL1_FIELDS
#undef CUDAL1_NO_FIELDS

/// A request as it travels, less its nonce.
template <typename Request>
nlohmann::json bodyOf(const Request& request)
{
    nlohmann::json body = request;
    body["command"] = Request::name;
    return body;
}

/// The table that a process answers from. Handlers throw what they have to say against a request.
class Requests {
public:
    /// `handler` takes the request, and the descriptors that came along where it has a second parameter.
    template <typename Request, typename Handler>
    void on(Handler handler)
    {
        m_handlers[Request::name] = [handler](const nlohmann::json& body, Descriptors& descriptors) -> nlohmann::json {
            const auto request = body.get<Request>();
            if constexpr (std::is_invocable_v<Handler, const Request&, Descriptors&>)
                return reply<typename Request::Reply>([&] { return handler(request, descriptors); });
            else
                return reply<typename Request::Reply>([&] { return handler(request); });
        };
    }

    /// Throws std::runtime_error for a command that is not in the table.
    nlohmann::json answer(const nlohmann::json& body, Descriptors& descriptors) const
    {
        const std::string command = body.at("command");
        const auto found = m_handlers.find(command);
        if (found == m_handlers.end())
            throw std::runtime_error("unknown command " + command);
        return found->second(body, descriptors);
    }

private:
    template <typename Reply, typename Call>
    static nlohmann::json reply(const Call& call)
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
