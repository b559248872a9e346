// SPDX-License-Identifier: GPL-3.0-or-later
// CUPTI activity records.
#include "core/judge/capture/activity.h"

#include "core/base/symbolname.h"

#include <cupti.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>

namespace cudal1::judge {

namespace {

using RecordKind = ActivityRecord::Kind;

constexpr std::size_t bufferBytes = 4u << 20;
constexpr std::array deviceKinds{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                 CUPTI_ACTIVITY_KIND_MEMSET};
// Not GRAPH_TRACE: it replaces the records of a graph's nodes by one for the whole graph.
constexpr std::array hostKinds{CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER,
                               CUPTI_ACTIVITY_KIND_SYNCHRONIZATION};

// CUPTI's callbacks carry no pointer of ours, so what they fill is the process's. A full buffer is handed over on a
// thread of CUPTI's, beside the one that flushes.
std::mutex collectedLock;
std::vector<ActivityRecord> collected;
ActivityLevel collectedLevel = ActivityLevel::Busy;

void checkCupti(CUptiResult status, const char* what)
{
    if (status == CUPTI_SUCCESS)
        return;
    const char* text = nullptr;
    cuptiGetResultString(status, &text);
    throw std::runtime_error(std::string("CUPTI: ") + what + ": " + (text ? text : "unknown error"));
}

void CUPTIAPI requestBuffer(std::uint8_t** buffer, std::size_t* size, std::size_t* maxRecords)
{
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, bufferBytes));
    *size = *buffer ? bufferBytes : 0;
    *maxRecords = 0;
}

const char* directionOf(std::uint8_t kind)
{
    switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD: return "host to device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH: return "device to host";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD: return "device to device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH: return "host to host";
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP: return "peer to peer";
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA: return "host to array";
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH: return "array to host";
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA: return "array to array";
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD: return "array to device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA: return "device to array";
    default: return "";
    }
}

const char* waitName(CUpti_ActivitySynchronizationType type)
{
    switch (type) {
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE: return "wait for an event";
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT: return "stream waits for an event";
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE: return "wait for a stream";
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE: return "wait for the device";
    default: return "wait";
    }
}

/// "cudaLaunchKernel" for "cudaLaunchKernel_v7000", "cuMemcpyHtoDAsync" for "cuMemcpyHtoDAsync_v2_ptsz".
std::string callName(CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
    const char* text = nullptr;
    if (cuptiGetCallbackName(domain, id, &text) != CUPTI_SUCCESS || !text)
        return "call " + std::to_string(id);
    std::string name = text;
    for (const char* suffix : {"_ptsz", "_ptds"})
        if (name.ends_with(suffix))
            name.resize(name.size() - 5);
    const std::size_t mark = name.rfind("_v");
    if (mark != std::string::npos && mark + 2 < name.size() &&
        name.find_first_not_of("0123456789", mark + 2) == std::string::npos)
        name.resize(mark);
    return name;
}

ActivityRecord kernelRecord(const CUpti_ActivityKernel10& kernel, bool full)
{
    ActivityRecord out;
    out.start_ns = kernel.start;
    out.end_ns = kernel.end;
    out.stream = kernel.streamId;
    out.name = kernel.name ? kernel.name : "";
    if (full) {
        out.correlation = kernel.correlationId;
        out.device = kernel.deviceId;
        out.graph = kernel.graphId;
        out.graphNode = kernel.graphNodeId;
        out.grid = {kernel.gridX, kernel.gridY, kernel.gridZ};
        out.block = {kernel.blockX, kernel.blockY, kernel.blockZ};
        out.registers = kernel.registersPerThread;
        out.staticShared_bytes = kernel.staticSharedMemory;
        out.dynamicShared_bytes = kernel.dynamicSharedMemory;
    }
    return out;
}

/// Copies and memsets.
template<class Record> ActivityRecord transferRecord(RecordKind kind, const Record& record, bool full)
{
    ActivityRecord out;
    out.kind = kind;
    out.start_ns = record.start;
    out.end_ns = record.end;
    out.stream = record.streamId;
    if (full) {
        out.correlation = record.correlationId;
        out.device = record.deviceId;
        out.graph = record.graphId;
        out.graphNode = record.graphNodeId;
        out.bytes = record.bytes;
    }
    return out;
}

ActivityRecord callRecord(RecordKind kind, CUpti_CallbackDomain domain, const CUpti_ActivityAPI& call)
{
    ActivityRecord out;
    out.kind = kind;
    out.start_ns = call.start;
    out.end_ns = call.end;
    out.name = callName(domain, call.cbid);
    out.correlation = call.correlationId;
    out.thread = call.threadId;
    return out;
}

ActivityRecord waitRecord(const CUpti_ActivitySynchronization2& wait)
{
    ActivityRecord out;
    out.kind = RecordKind::Wait;
    out.start_ns = wait.start;
    out.end_ns = wait.end;
    out.stream = wait.streamId;
    out.name = waitName(wait.type);
    out.correlation = wait.correlationId;
    return out;
}

void CUPTIAPI completeBuffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t validSize)
{
    const std::lock_guard lock(collectedLock);
    const bool full = collectedLevel == ActivityLevel::Full;
    CUpti_Activity* record = nullptr;
    while (cuptiActivityGetNextRecord(buffer, validSize, &record) == CUPTI_SUCCESS) {
        switch (record->kind) {
        case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
            collected.push_back(kernelRecord(*reinterpret_cast<const CUpti_ActivityKernel10*>(record), full));
            break;
        case CUPTI_ACTIVITY_KIND_MEMCPY: {
            const auto* copy = reinterpret_cast<const CUpti_ActivityMemcpy6*>(record);
            collected.push_back(transferRecord(RecordKind::Copy, *copy, full));
            if (full) {
                collected.back().name = "copy";
                collected.back().detail = directionOf(copy->copyKind);
            }
            break;
        }
        case CUPTI_ACTIVITY_KIND_MEMSET:
            collected.push_back(
                transferRecord(RecordKind::Memset, *reinterpret_cast<const CUpti_ActivityMemset4*>(record), full));
            if (full)
                collected.back().name = "memset";
            break;
        case CUPTI_ACTIVITY_KIND_RUNTIME:
            collected.push_back(callRecord(RecordKind::Runtime, CUPTI_CB_DOMAIN_RUNTIME_API,
                                           *reinterpret_cast<const CUpti_ActivityAPI*>(record)));
            break;
        case CUPTI_ACTIVITY_KIND_DRIVER:
            collected.push_back(callRecord(RecordKind::Driver, CUPTI_CB_DOMAIN_DRIVER_API,
                                           *reinterpret_cast<const CUpti_ActivityAPI*>(record)));
            break;
        case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
            collected.push_back(waitRecord(*reinterpret_cast<const CUpti_ActivitySynchronization2*>(record)));
            break;
        default: break;
        }
    }
    std::free(buffer);
}

/// Kernels' names as people write them. A name comes thousands of times, so each is worked out once.
void demangle(std::vector<ActivityRecord>& records)
{
    std::map<std::string, std::string> known;
    for (ActivityRecord& record : records) {
        if (record.kind != RecordKind::Kernel)
            continue;
        const auto [it, isNew] = known.try_emplace(record.name);
        if (isNew)
            it->second = base::demangled(record.name);
        record.name = it->second;
    }
}

} // namespace

ActivityCollection::~ActivityCollection()
{
    if (!m_running)
        return;
    disable();
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

void ActivityCollection::start(ActivityLevel level)
{
    {
        const std::lock_guard lock(collectedLock);
        collected.clear();
        collectedLevel = level;
    }
    m_level = level;
    m_lost = 0;
    checkCupti(cuptiActivityRegisterCallbacks(requestBuffer, completeBuffer), "registering");
    m_running = true;
    for (const CUpti_ActivityKind kind : deviceKinds)
        checkCupti(cuptiActivityEnable(kind), "enabling");
    if (level == ActivityLevel::Full) {
        checkCupti(cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM), "choosing thread ids");
        for (const CUpti_ActivityKind kind : hostKinds)
            checkCupti(cuptiActivityEnable(kind), "enabling calls");
    }
}

std::uint64_t ActivityCollection::now_ns() const
{
    std::uint64_t now = 0;
    checkCupti(cuptiGetTimestamp(&now), "reading the clock");
    return now;
}

void ActivityCollection::disable()
{
    for (const CUpti_ActivityKind kind : deviceKinds)
        cuptiActivityDisable(kind);
    if (m_level == ActivityLevel::Full)
        for (const CUpti_ActivityKind kind : hostKinds)
            cuptiActivityDisable(kind);
    m_running = false;
}

std::vector<ActivityRecord> ActivityCollection::stop()
{
    disable();
    checkCupti(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "flushing");
    if (cuptiActivityGetNumDroppedRecords(nullptr, 0, &m_lost) != CUPTI_SUCCESS)
        m_lost = 0;
    std::vector<ActivityRecord> records;
    {
        const std::lock_guard lock(collectedLock);
        records.swap(collected);
    }
    std::sort(records.begin(), records.end(),
              [](const ActivityRecord& a, const ActivityRecord& b) { return a.start_ns < b.start_ns; });
    if (m_level == ActivityLevel::Full)
        demangle(records);
    return records;
}

std::uint64_t busyTime(const std::vector<ActivityRecord>& records, std::uint64_t from, std::uint64_t to)
{
    std::uint64_t busy = 0, covered = from;
    for (const ActivityRecord& record : records) {
        const std::uint64_t start = std::max(record.start_ns, covered), end = std::min(record.end_ns, to);
        if (end > start) {
            busy += end - start;
            covered = end;
        }
    }
    return busy;
}

} // namespace cudal1::judge
