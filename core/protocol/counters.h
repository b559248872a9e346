// SPDX-License-Identifier: GPL-3.0-or-later
// The request and the answer for counters: what the hardware counted in the kernels of one call.
//
// client -> evaluator   counters (CountersRequest)
// evaluator -> client   counters (Counters), or error when a side cannot be run
//
// They are taken in the process of the module that they are of, so like a timeline they explain and are no evidence.
#pragma once

#include "core/protocol/timeline.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::protocol {

/// Who counted. Of Static nobody did: there are launches and times alone.
enum class CounterSource { Cupti, Ncu, Static };

struct CountersRequest {
    TaskSource task;
    std::string candidate;     ///< Python source that defines ModelNew; empty for the reference alone
    std::string candidateName; ///< file name for a person
    std::string device = "cuda:0";
    Precision precision = Precision::Kernelbench;
    std::uint64_t seed = 0; ///< 0 draws one
    /// Ncu runs the code under Nsight Compute as the user who asks, outside of the judge's isolation.
    CounterSource source = CounterSource::Cupti;
    /// Whether ncu may be asked where CUPTI counts nothing. Of a candidate that is for its user to say.
    bool mayLeaveIsolation = false;
    double buildLimit_s = 300;
};

/// Of one launch, or of several together: sums, and shares weighted by the time. What was not counted has no value.
/// Shares are 0 to 1, of what the unit can do at the clock that it ran at.
struct KernelMetrics {
    std::optional<double> duration_ns; ///< while it was counted, which may be longer than else
    std::optional<double> dram_bytes, l2_bytes, l1_bytes;
    std::optional<double> fp32_ops;   ///< operations of single precision outside of tensor cores; an FMA is two
    std::optional<double> tensor_ops; ///< a multiplication and its addition are two
    std::optional<double> occupancy;  ///< warps that were there, of those that a multiprocessor can hold
    std::optional<double> dramUse, l2Use, l1Use, sharedUse, tensorUse, fp32Use, issueUse;
    std::map<std::string, double> stalls; ///< what warps waited for: "long_scoreboard" 0.6; with "selected" they are 1

    bool operator==(const KernelMetrics&) const = default;
};

/// The launches of one call that have one name and are launched alike.
struct KernelCounters {
    std::string name;
    KernelLaunch launch;
    double launches = 1;     ///< a call; a fraction where calls differ
    double time_ns = 0;      ///< of all of them, in a call that nothing but the recording of times slowed down
    double tensor_bytes = 0; ///< of their operators' tensors, each once; 0 where it is not known
    std::optional<KernelMetrics> measured;

    bool operator==(const KernelCounters&) const = default;
};

struct CounterSide {
    double call_ns = 0;                  ///< median of the recorded calls
    std::vector<KernelCounters> kernels; ///< most time first
    std::vector<std::string> notes;      ///< what is not there, and why; for a person

    bool operator==(const CounterSide&) const = default;
};

struct Counters {
    std::string task;
    std::string candidateName;
    DeviceInfo device;
    Precision precision = Precision::Kernelbench;
    std::uint64_t seed = 0;
    std::int64_t recorded_ms = 0;                 ///< by the evaluator's clock, since 1970
    CounterSource source = CounterSource::Static; ///< the best that a side has
    std::string tool;                             ///< "CUPTI 13.0", "ncu 2025.3.1"; empty for Static
    std::string reason;                           ///< why it was not a better source; a sentence; empty for Cupti
    CounterSide reference;
    std::optional<CounterSide> candidate;
};

/// The kernels of the recorded calls, without counts: what a side has before it is counted, and all where nobody can.
CounterSide launchedKernels(const Timeline& timeline);

/// Words as in JSON: "cupti", "ncu", "static". fromString: false, and `out` untouched, for an unknown word.
std::string_view toString(CounterSource source);
bool fromString(std::string_view word, CounterSource& out);

void to_json(nlohmann::json& j, const CountersRequest& v);
void from_json(const nlohmann::json& j, CountersRequest& v);
void to_json(nlohmann::json& j, const KernelMetrics& v);
void from_json(const nlohmann::json& j, KernelMetrics& v);
void to_json(nlohmann::json& j, const KernelCounters& v);
void from_json(const nlohmann::json& j, KernelCounters& v);
void to_json(nlohmann::json& j, const CounterSide& v);
void from_json(const nlohmann::json& j, CounterSide& v);
void to_json(nlohmann::json& j, const Counters& v);
void from_json(const nlohmann::json& j, Counters& v);

} // namespace cudal1::protocol
