// SPDX-License-Identifier: GPL-3.0-or-later
// CUPTI activity records.
#include "core/judge/activity.h"

#include <cupti.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace cudal1::judge {

namespace {

constexpr std::size_t bufferBytes = 4u << 20;
constexpr CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                        CUPTI_ACTIVITY_KIND_MEMSET};

// CUPTI's callbacks carry no pointer of ours, so what they fill is the process's.
std::vector<ActivityRecord> collected;

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

void CUPTIAPI completeBuffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t validSize)
{
    CUpti_Activity* record = nullptr;
    while (cuptiActivityGetNextRecord(buffer, validSize, &record) == CUPTI_SUCCESS) {
        ActivityRecord out;
        switch (record->kind) {
        case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
            const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel10*>(record);
            out = {ActivityRecord::Kind::Kernel, kernel->start, kernel->end, kernel->streamId, kernel->name ? kernel->name : ""};
            break;
        }
        case CUPTI_ACTIVITY_KIND_MEMCPY: {
            const auto* copy = reinterpret_cast<const CUpti_ActivityMemcpy6*>(record);
            out = {ActivityRecord::Kind::Copy, copy->start, copy->end, copy->streamId, {}};
            break;
        }
        case CUPTI_ACTIVITY_KIND_MEMSET: {
            const auto* fill = reinterpret_cast<const CUpti_ActivityMemset4*>(record);
            out = {ActivityRecord::Kind::Memset, fill->start, fill->end, fill->streamId, {}};
            break;
        }
        default:
            continue;
        }
        collected.push_back(std::move(out));
    }
    std::free(buffer);
}

} // namespace

void ActivityCollection::start()
{
    collected.clear();
    checkCupti(cuptiActivityRegisterCallbacks(requestBuffer, completeBuffer), "registering");
    for (const CUpti_ActivityKind kind : kinds)
        checkCupti(cuptiActivityEnable(kind), "enabling");
}

std::uint64_t ActivityCollection::now_ns() const
{
    std::uint64_t now = 0;
    checkCupti(cuptiGetTimestamp(&now), "reading the clock");
    return now;
}

std::vector<ActivityRecord> ActivityCollection::stop()
{
    for (const CUpti_ActivityKind kind : kinds)
        cuptiActivityDisable(kind);
    checkCupti(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "flushing");
    std::vector<ActivityRecord> records = std::move(collected);
    collected.clear();
    std::sort(records.begin(), records.end(),
              [](const ActivityRecord& a, const ActivityRecord& b) { return a.start_ns < b.start_ns; });
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
