// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of all messages of this folder, listed once. They are compiled here alone.
#include "core/judge/wire/modulemessages.h"
#include "core/judge/wire/oracleerrors.h"
#include "core/judge/wire/screentask.h"
#include "core/judge/wire/tensorspec.h"
#include "core/judge/wire/zygotemessages.h"

#include <nlohmann/json.hpp>

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses here.
// As the library's NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE, whose functions are inline.
#define CUDAL1_FIELDS(Type, ...)                                                                                       \
    void to_json(nlohmann::json& nlohmann_json_j, const Type& nlohmann_json_t)                                         \
    {                                                                                                                  \
        NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))                                       \
    }                                                                                                                  \
    void from_json(const nlohmann::json& nlohmann_json_j, Type& nlohmann_json_t)                                       \
    {                                                                                                                  \
        NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM, __VA_ARGS__))                                     \
    }
/// For requests and answers without a field.
#define CUDAL1_NO_FIELDS(Type)                                                                                         \
    void to_json(nlohmann::json& j, const Type&)                                                                       \
    {                                                                                                                  \
        j = nlohmann::json::object();                                                                                  \
    }                                                                                                                  \
    void from_json(const nlohmann::json&, Type&) {}
// NOLINTEND(bugprone-macro-parentheses)

namespace cudal1::judge {

CUDAL1_FIELDS(OracleErrors, reference, candidate, measured, why, least)

CUDAL1_FIELDS(TensorSpec, shape, dtype, offset, bytes, text, sharing)
CUDAL1_FIELDS(NamedWeight, name, spec, fingerprint, copied, special)
CUDAL1_FIELDS(NamedTensorSpec, name, spec)

CUDAL1_NO_FIELDS(Nothing)
CUDAL1_FIELDS(ArenaLayout, inputs, outputs, weights, buffers, bytes, inputBytes, handle, initInputs, kernels, random)
CUDAL1_FIELDS(PrecisionFlags, text, matmul, conv, dtype)
CUDAL1_NO_FIELDS(AskDevices)
CUDAL1_FIELDS(AskDevices::Reply, devices, cuda)
CUDAL1_NO_FIELDS(ReadFlags)
CUDAL1_FIELDS(SetFlags, flags)
CUDAL1_FIELDS(ObserveBusy, calls, seed)
CUDAL1_FIELDS(ObserveBusy::Reply, busy_ns, kernels)
CUDAL1_FIELDS(RecordTimeline, calls, seed)
CUDAL1_FIELDS(RecordTimeline::Reply, timeline)
CUDAL1_FIELDS(CountKernels, seed, metrics, mostKernels)
CUDAL1_FIELDS(CountKernels::Reply, launches, passes, problem, tool)
CUDAL1_NO_FIELDS(WatchModules)
CUDAL1_FIELDS(TakeModules, kernels)
CUDAL1_FIELDS(TakeModules::Reply, modules, ptx, leftOut)
CUDAL1_FIELDS(KeepThreads, count)
CUDAL1_FIELDS(ServeCalls, events)
CUDAL1_FIELDS(ServeCalls::Reply, event_ns)
CUDAL1_FIELDS(OpenArena, device, handle, kernels, bytes)
CUDAL1_FIELDS(LoadModule, source, device, precision, initSeed, layout)
CUDAL1_FIELDS(LoadModule::Reply, weightsDiffer)
CUDAL1_FIELDS(BuildAhead, source, task)
CUDAL1_NO_FIELDS(LoadWeights)
CUDAL1_FIELDS(HoldResults, calls, most_s)
CUDAL1_NO_FIELDS(LoadBuffers)
CUDAL1_FIELDS(LoadBuffers::Reply, lacking)
CUDAL1_NO_FIELDS(StoreBuffers)
CUDAL1_FIELDS(Rebuild, initSeed)
CUDAL1_FIELDS(ReadState, changing)
CUDAL1_FIELDS(ReadState::Reply, flags)
CUDAL1_FIELDS(LoadTask, source, device, precision, kernels, seed, initSeed)
CUDAL1_FIELDS(LoadTask::Reply, layout, first_ns, flags, keepsFirst, unvaried)
CUDAL1_NO_FIELDS(RepeatFirstCall)
CUDAL1_FIELDS(RepeatFirstCall::Reply, changed)
CUDAL1_FIELDS(FreezerPlace, kind, path, process, guarded)
CUDAL1_FIELDS(Attach, side, process, freezer)
CUDAL1_FIELDS(RunTrial, family, seed, limit_s, nulls, oracle, shared)
CUDAL1_FIELDS(RunTrial::Reply, ending, usable, why, referenceCall_s, candidateCall_s, worstRelativeError, nullsLeft,
              nullTrials, lastOperators_ns, errors, kept)
CUDAL1_FIELDS(DrawBase, seed)
CUDAL1_FIELDS(RunRound, side, settle_ns, warmup_ns, duration_ns, maxCalls, core, keep, mostKept, ownFlush, fewCalls,
              local, paired, record, limit_s)
CUDAL1_FIELDS(RunRound::Reply, ending, wall_ns, tail_ns, ready_ns, probe_ns, peek_ns, outside, calls, empty_ns,
              launch_ns, other_ns, others, elsewhere_ns, threads, samples, waited_ns, others_ns, withAll_ns)
CUDAL1_FIELDS(CompareKept, oracle, doubted)
CUDAL1_FIELDS(CompareKept::Reply, compared, worstRelativeError, errors, measured)
CUDAL1_FIELDS(Reweigh, mode, seed, initial)
CUDAL1_NO_FIELDS(ClearArena)
CUDAL1_NO_FIELDS(GiveBuffers)
CUDAL1_FIELDS(CompareBuffers, ofRound)
CUDAL1_FIELDS(CompareBuffers::Reply, difference, errors)
CUDAL1_FIELDS(MeasureTraffic, seed, forwardSeed)
CUDAL1_FIELDS(MeasureTraffic::Reply, read, written)
CUDAL1_NO_FIELDS(MeasureBandwidth)
CUDAL1_FIELDS(MeasureBandwidth::Reply, bytesPerSecond)
CUDAL1_FIELDS(WriteInputs, seed)
CUDAL1_FIELDS(TraceTask, source, device, precision, seed, maxNodes)
CUDAL1_FIELDS(TraceTask::Reply, graph)
CUDAL1_FIELDS(InspectTask, source)
CUDAL1_FIELDS(DeriveFacts, source)
CUDAL1_FIELDS(DeriveFacts::Reply, facts)
CUDAL1_FIELDS(OfferArena, device, bytes)
CUDAL1_FIELDS(OfferArena::Reply, bytes, handle, kernels)
CUDAL1_NO_FIELDS(Abandon)

CUDAL1_FIELDS(ScreenTask, source, seed, trials, maxNodes)
CUDAL1_FIELDS(ScreenTask::Reply, graph, trials, nullsLeft, finite, call_ns)

CUDAL1_FIELDS(ZygoteReady, ready, message, torch, python)
CUDAL1_FIELDS(ForkSubject, fork, role, isolated, folder, memoryLimit, environment, modules, cores, sharedProcesses,
              machineDevices, machineFiles, joins)
CUDAL1_FIELDS(Forked, fork, pid)
CUDAL1_FIELDS(Exited, pid, status, cause)
CUDAL1_FIELDS(SubjectGreeting, applied, missing)

} // namespace cudal1::judge
