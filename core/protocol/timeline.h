// SPDX-License-Identifier: GPL-3.0-or-later
// The request and the answer for a timeline: what ran when, in a few calls of a reference and of a candidate.
//
// client -> evaluator   timeline (TimelineRequest)
// evaluator -> client   timeline (TimelineAnswer), or error when a side cannot be run
//
// Times are whole nanoseconds after the start of that side's first timed window, so that two sides lie above each
// other; what ran before it has negative times. A timeline shows and explains. It is recorded in the process of the
// module that it shows, so it is no evidence for a verdict.
#pragma once

#include "core/protocol/messages.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::protocol {

struct TimelineRequest {
    TaskSource task;
    std::string candidate;     ///< Python source that defines ModelNew; empty for the reference alone
    std::string candidateName; ///< file name for a person
    std::string device = "cpu";
    Precision precision = Precision::Kernelbench;
    std::uint64_t seed = 0;    ///< 0 draws one
    int calls = 3;             ///< timed windows, 1 to maxCalls
    double buildLimit_s = 300; ///< for building, and for the warm-up, which may compile
    static constexpr int maxCalls = 100;
};

/// One row. Events of a row nest or follow each other, never cross.
struct TimelineTrack {
    enum class Kind {
        Operators, ///< operators of the framework on one host thread
        Calls,     ///< CUDA runtime and driver calls of one host thread
        Waits,     ///< host waits for the device, from the driver's view
        Stream,    ///< kernels of one stream; what ran beside each other there has a row each
        Copies,    ///< copies and memsets of one device
    };
    int id = 0; ///< from 1, in the order in which they are shown
    Kind kind = Kind::Operators;
    std::string name;        ///< "thread 4711 (python3)", "stream 7"
    std::int64_t thread = 0; ///< Operators and Calls: the system's id
};

/// How a kernel was launched.
struct KernelLaunch {
    std::array<std::int32_t, 3> grid{}, block{};
    int registers = 0; ///< a thread
    std::int64_t staticShared_bytes = 0, dynamicShared_bytes = 0;

    bool operator==(const KernelLaunch&) const = default;
};

struct TimelineEvent {
    enum class Category { Operator, UserScope, Runtime, Driver, Wait, Kernel, Copy, Memset };
    /// Where an event lies against the timed windows.
    enum class Place {
        Inside,
        BeyondStream, ///< on the device, inside, but it ended after the caller's stream was done: a pair of events on
                      ///< that stream, the paper's clock, does not see it
        Outside,      ///< some of it ran while no window was open
    };
    int track = 0;
    Category category = Category::Operator;
    Place place = Place::Inside;
    std::string name;
    std::int64_t start_ns = 0, duration_ns = 0;
    std::uint64_t correlation = 0; ///< joins a runtime or driver call with what it put on the device; 0 for none
    std::string detail;            ///< shapes of an operator's inputs, direction of a copy
    std::int64_t bytes = 0;   ///< Copy and Memset; of elementwise kernels and reductions, those of their operator's
                              ///< tensors, each once; 0 where it is not known
    int device = -1;          ///< Kernel, Copy and Memset
    std::int64_t stream = -1; ///< Kernel, Copy, Memset and Wait: CUPTI's number
    std::int64_t graph = 0;   ///< the CUDA graph that launched it; 0 for none
    std::int64_t graphNode = 0;
    std::optional<KernelLaunch> launch; ///< Kernel

    bool onDevice() const
    {
        return category == Category::Kernel || category == Category::Copy || category == Category::Memset;
    }
};

/// One timed call, from an idle device to an idle device.
struct TimelineWindow {
    std::int64_t start_ns = 0;
    std::int64_t returned_ns = 0;    ///< forward had returned; what follows is the wait for the device
    std::int64_t streamDone_ns = -1; ///< the caller's stream had reached its end; -1 where there is no GPU
    std::int64_t end_ns = 0;

    std::int64_t duration_ns() const { return end_ns - start_ns; }
};

/// Processor time of one thread of the process, from the system's accounting.
struct TimelineThread {
    std::int64_t id = 0;
    std::string name;
    std::int64_t inside_ns = 0;  ///< within the windows
    std::int64_t outside_ns = 0; ///< while the judge waited after the last window, doing nothing; not of its own thread
};

struct Timeline {
    std::string device;
    std::vector<TimelineWindow> windows;
    std::vector<TimelineTrack> tracks;
    std::vector<TimelineEvent> events; ///< ordered by track, then start, then the longer first
    std::vector<TimelineThread> threads;
    std::vector<std::string> notes; ///< what is not there, and why; for a person
    std::int64_t leftOut = 0;       ///< events beyond maxEvents; those of the last windows go first
    static constexpr std::size_t maxEvents = 100'000;
};

struct TimelineAnswer {
    std::string task;
    std::string candidateName;
    DeviceInfo device;
    Environment environment;
    Precision precision = Precision::Kernelbench;
    std::uint64_t seed = 0;
    std::int64_t recorded_ms = 0; ///< by the evaluator's clock, since 1970; 0: not known
    Timeline reference;
    std::optional<Timeline> candidate;
    std::string output; ///< what the candidate printed, cut to 64 KiB
};

/// Words as in JSON: "operators", "kernel", "beyond_stream".
std::string_view toString(TimelineTrack::Kind kind);
std::string_view toString(TimelineEvent::Category category);
std::string_view toString(TimelineEvent::Place place);
/// False, and `out` untouched, for an unknown word.
bool fromString(std::string_view word, TimelineTrack::Kind& out);
bool fromString(std::string_view word, TimelineEvent::Category& out);
bool fromString(std::string_view word, TimelineEvent::Place& out);

/// Why it cannot be shown, as "it has no timed window"; empty when it can. For timelines that a stranger made.
std::string problemOf(const Timeline& timeline);

void to_json(nlohmann::json& j, const TimelineRequest& v);
void from_json(const nlohmann::json& j, TimelineRequest& v);
void to_json(nlohmann::json& j, const KernelLaunch& v);
void from_json(const nlohmann::json& j, KernelLaunch& v);
void to_json(nlohmann::json& j, const TimelineTrack& v);
void from_json(const nlohmann::json& j, TimelineTrack& v);
void to_json(nlohmann::json& j, const TimelineWindow& v);
void from_json(const nlohmann::json& j, TimelineWindow& v);
void to_json(nlohmann::json& j, const TimelineThread& v);
void from_json(const nlohmann::json& j, TimelineThread& v);
void to_json(nlohmann::json& j, const Timeline& v);
/// Throws json::exception for an event of an unknown category or place: a later protocol's, never to be guessed.
void from_json(const nlohmann::json& j, Timeline& v);
void to_json(nlohmann::json& j, const TimelineAnswer& v);
void from_json(const nlohmann::json& j, TimelineAnswer& v);

} // namespace cudal1::protocol
