// SPDX-License-Identifier: GPL-3.0-or-later
// Requests about what ran.
#include "core/judge/capture/capturehost.h"

#include "core/judge/capture/busycalls.h"
#include "core/judge/capture/kernelcounts.h"
#include "core/judge/capture/modulecapture.h"
#include "core/judge/capture/recordtimeline.h"
#include "core/judge/generated/nvrtctexts_py.h"

namespace cudal1::judge {

CaptureHost::CaptureHost(int memoryFile, std::string folder) : ModuleHost(memoryFile, std::move(folder))
{
    m_requests.on<ObserveBusy>([this](const ObserveBusy& request) { return observe(request); });
    m_requests.on<RecordTimeline>([this](const RecordTimeline& request) { return record(request); });
    m_requests.on<CountKernels>([this](const CountKernels& request) {
        CacheFlush flush(m_device);
        return countKernels(
            request, m_device, flush, [this] { makeArguments(arenaInputs()); }, [this] { return forward(); });
    });
    m_requests.on<WatchModules>([this](const WatchModules&) { watchModules(); });
    m_requests.on<TakeModules>([](const TakeModules& request) { return capturedModules(request); });
}

ObserveBusy::Reply CaptureHost::observe(const ObserveBusy& request)
{
    CacheFlush flush(m_device);
    return observeBusy(
        request, m_device, flush, [this] { makeArguments(arenaInputs()); }, [this] { return forward(); });
}

RecordTimeline::Reply CaptureHost::record(const RecordTimeline& request)
{
    CacheFlush flush(m_device);
    return recordTimeline(
        request, m_device, flush, [this] { makeArguments(arenaInputs()); }, [this] { return forward(); });
}

void CaptureHost::watchModules()
{
    startModuleCapture();
    runModule("cudal1_nvrtctexts", pythonNvrtcTexts, "cudal1_nvrtctexts.py");
}

} // namespace cudal1::judge
