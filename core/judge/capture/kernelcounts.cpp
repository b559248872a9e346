// SPDX-License-Identifier: GPL-3.0-or-later
// CUPTI's range profiler and its host side.
#include "core/judge/capture/kernelcounts.h"

#include "core/judge/capture/chipmetrics.h"
#include "core/judge/module/torchsupport.h"

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

namespace cudal1::judge {

namespace {

using Bytes = std::vector<std::uint8_t>;

/// Why nothing can be counted; what a call throws is not one.
class CountingError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// CUPTI's parameters begin with their own size, and all else is zero.
template<class Params> Params sized(std::size_t size)
{
    Params params{};
    params.structSize = size;
    return params;
}
#define CUDAL1_SIZED(Params) sized<Params>(Params##_STRUCT_SIZE)

void checkProfiler(CUptiResult status, const char* what)
{
    if (status == CUPTI_SUCCESS)
        return;
    if (status == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
        throw CountingError("the driver lets only administrators read counters "
                            "(https://developer.nvidia.com/ERR_NVGPUCTRPERM)");
    if (status == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED || status == CUPTI_ERROR_HARDWARE_BUSY)
        throw CountingError("another profiler holds the GPU's counters");
    const char* text = nullptr;
    cuptiGetResultString(status, &text);
    throw CountingError(std::string("CUPTI's ") + what + " says " + (text ? text : "nothing that is known"));
}

std::vector<const char*> pointersTo(const std::vector<std::string>& names)
{
    std::vector<const char*> out;
    out.reserve(names.size());
    for (const std::string& name : names)
        out.push_back(name.c_str());
    return out;
}

/// What a chip can count, how, and what the counts mean. Needs no GPU.
class ChipCounters {
public:
    /// CUPTI goes on reading the image of what is available for as long as this lives, so it is kept here.
    explicit ChipCounters(std::string chip, Bytes available = {})
        : m_chip(std::move(chip)), m_available(std::move(available))
    {
        auto params = CUDAL1_SIZED(CUpti_Profiler_Host_Initialize_Params);
        params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
        params.pChipName = m_chip.c_str();
        params.pCounterAvailabilityImage = m_available.empty() ? nullptr : m_available.data();
        checkProfiler(cuptiProfilerHostInitialize(&params), "host side");
        m_host = params.pHostObject;
    }
    ChipCounters(const ChipCounters&) = delete;
    ChipCounters& operator=(const ChipCounters&) = delete;
    ~ChipCounters()
    {
        auto params = CUDAL1_SIZED(CUpti_Profiler_Host_Deinitialize_Params);
        params.pHostObject = m_host;
        cuptiProfilerHostDeinitialize(&params);
    }

    bool has(const std::string& metric) const
    {
        auto params = CUDAL1_SIZED(CUpti_Profiler_Host_GetMetricProperties_Params);
        params.pHostObject = m_host;
        params.pMetricName = metric.c_str();
        return cuptiProfilerHostGetMetricProperties(&params) == CUPTI_SUCCESS;
    }

    std::vector<std::string> thoseOf(const std::vector<std::string>& metrics) const
    {
        std::vector<std::string> out;
        std::copy_if(metrics.begin(), metrics.end(), std::back_inserter(out),
                     [this](const std::string& metric) { return has(metric); });
        return out;
    }

    /// The image that has these counted; once an object.
    Bytes configure(const std::vector<std::string>& metrics)
    {
        std::vector<const char*> names = pointersTo(metrics);
        auto add = CUDAL1_SIZED(CUpti_Profiler_Host_ConfigAddMetrics_Params);
        add.pHostObject = m_host;
        add.ppMetricNames = names.data();
        add.numMetrics = names.size();
        checkProfiler(cuptiProfilerHostConfigAddMetrics(&add), "choice of metrics");
        auto size = CUDAL1_SIZED(CUpti_Profiler_Host_GetConfigImageSize_Params);
        size.pHostObject = m_host;
        checkProfiler(cuptiProfilerHostGetConfigImageSize(&size), "configuration");
        Bytes image(size.configImageSize);
        auto get = CUDAL1_SIZED(CUpti_Profiler_Host_GetConfigImage_Params);
        get.pHostObject = m_host;
        get.configImageSize = image.size();
        get.pConfigImage = image.data();
        checkProfiler(cuptiProfilerHostGetConfigImage(&get), "configuration");
        return image;
    }

    static std::size_t passesOf(Bytes& image)
    {
        auto params = CUDAL1_SIZED(CUpti_Profiler_Host_GetNumOfPasses_Params);
        params.configImageSize = image.size();
        params.pConfigImage = image.data();
        checkProfiler(cuptiProfilerHostGetNumOfPasses(&params), "number of passes");
        return params.numOfPasses;
    }

    std::map<std::string, double> valuesOf(const Bytes& counted, std::size_t range,
                                           const std::vector<std::string>& metrics) const
    {
        std::vector<const char*> names = pointersTo(metrics);
        std::vector<double> values(names.size());
        auto params = CUDAL1_SIZED(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
        params.pHostObject = m_host;
        params.pCounterDataImage = counted.data();
        params.counterDataImageSize = counted.size();
        params.rangeIndex = range;
        params.ppMetricNames = names.data();
        params.numMetrics = names.size();
        params.pMetricValues = values.data();
        checkProfiler(cuptiProfilerHostEvaluateToGpuValues(&params), "evaluation of counts");
        std::map<std::string, double> out;
        for (std::size_t i = 0; i < values.size(); ++i)
            if (std::isfinite(values[i]))
                out.emplace(metrics[i], values[i]);
        return out;
    }

private:
    const std::string m_chip;
    const Bytes m_available;
    CUpti_Profiler_Host_Object* m_host = nullptr;
};

/// Counts in the kernels that this thread's context launches between start() and stop().
class RangeProfiler {
public:
    RangeProfiler(CUcontext context, Bytes config, const std::vector<std::string>& metrics, std::size_t mostRanges)
        : m_config(std::move(config))
    {
        auto enable = CUDAL1_SIZED(CUpti_RangeProfiler_Enable_Params);
        enable.ctx = context;
        checkProfiler(cuptiRangeProfilerEnable(&enable), "range profiler");
        m_profiler = enable.pRangeProfilerObject;
        try {
            makeRoom(metrics, mostRanges);
        } catch (...) {
            disable();
            throw;
        }
    }
    RangeProfiler(const RangeProfiler&) = delete;
    RangeProfiler& operator=(const RangeProfiler&) = delete;
    ~RangeProfiler()
    {
        if (m_running)
            end();
        disable();
    }

    void start()
    {
        auto params = CUDAL1_SIZED(CUpti_RangeProfiler_Start_Params);
        params.pRangeProfilerObject = m_profiler;
        checkProfiler(cuptiRangeProfilerStart(&params), "start");
        m_running = true;
    }

    /// Whether all is counted; otherwise the same kernels have to be launched once more. The device must be idle.
    bool stop()
    {
        checkProfiler(end(), "end");
        return m_complete;
    }

    /// How many kernels were counted in.
    std::size_t decode()
    {
        auto decode = CUDAL1_SIZED(CUpti_RangeProfiler_DecodeData_Params);
        decode.pRangeProfilerObject = m_profiler;
        checkProfiler(cuptiRangeProfilerDecodeData(&decode), "decoding of counts");
        auto info = CUDAL1_SIZED(CUpti_RangeProfiler_GetCounterDataInfo_Params);
        info.pCounterDataImage = m_counted.data();
        info.counterDataImageSize = m_counted.size();
        checkProfiler(cuptiRangeProfilerGetCounterDataInfo(&info), "number of kernels");
        m_dropped = decode.numOfRangeDropped;
        return info.numTotalRanges;
    }

    const Bytes& counted() const { return m_counted; }
    std::size_t dropped() const { return m_dropped; }

private:
    void makeRoom(const std::vector<std::string>& metrics, std::size_t mostRanges)
    {
        std::vector<const char*> names = pointersTo(metrics);
        auto size = CUDAL1_SIZED(CUpti_RangeProfiler_GetCounterDataSize_Params);
        size.pRangeProfilerObject = m_profiler;
        size.pMetricNames = names.data();
        size.numMetrics = names.size();
        size.maxNumOfRanges = mostRanges;
        size.maxNumRangeTreeNodes = std::uint32_t(mostRanges);
        checkProfiler(cuptiRangeProfilerGetCounterDataSize(&size), "room for counts");
        m_counted.resize(size.counterDataSize);
        auto image = CUDAL1_SIZED(CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
        image.pRangeProfilerObject = m_profiler;
        image.counterDataSize = m_counted.size();
        image.pCounterData = m_counted.data();
        checkProfiler(cuptiRangeProfilerCounterDataImageInitialize(&image), "room for counts");
        auto set = CUDAL1_SIZED(CUpti_RangeProfiler_SetConfig_Params);
        set.pRangeProfilerObject = m_profiler;
        set.configSize = m_config.size();
        set.pConfig = m_config.data();
        set.counterDataImageSize = m_counted.size();
        set.pCounterDataImage = m_counted.data();
        set.range = CUPTI_AutoRange;
        set.replayMode = CUPTI_UserReplay;
        set.maxRangesPerPass = mostRanges;
        set.numNestingLevels = 1;
        set.minNestingLevel = 1;
        set.targetNestingLevel = 1;
        checkProfiler(cuptiRangeProfilerSetConfig(&set), "configuration");
    }

    CUptiResult end()
    {
        m_running = false;
        auto params = CUDAL1_SIZED(CUpti_RangeProfiler_Stop_Params);
        params.pRangeProfilerObject = m_profiler;
        const CUptiResult status = cuptiRangeProfilerStop(&params);
        m_complete = params.isAllPassSubmitted != 0;
        return status;
    }

    void disable()
    {
        auto params = CUDAL1_SIZED(CUpti_RangeProfiler_Disable_Params);
        params.pRangeProfilerObject = m_profiler;
        cuptiRangeProfilerDisable(&params);
    }

    Bytes m_config, m_counted;
    CUpti_RangeProfiler_Object* m_profiler = nullptr;
    bool m_running = false, m_complete = false;
    std::size_t m_dropped = 0;
};

std::string chipOf(const c10::Device& device)
{
    auto params = CUDAL1_SIZED(CUpti_Device_GetChipName_Params);
    params.deviceIndex = static_cast<unsigned char>(device.index());
    checkProfiler(cuptiDeviceGetChipName(&params), "name of the chip");
    return params.pChipName;
}

/// What the driver of this device lets be counted.
Bytes availableIn(CUcontext context)
{
    auto params = CUDAL1_SIZED(CUpti_Profiler_GetCounterAvailability_Params);
    params.ctx = context;
    checkProfiler(cuptiProfilerGetCounterAvailability(&params), "list of counters");
    Bytes image(params.counterAvailabilityImageSize);
    params.pCounterAvailabilityImage = image.data();
    checkProfiler(cuptiProfilerGetCounterAvailability(&params), "list of counters");
    return image;
}

/// The driver's library is no part of the program, which also runs where there is none; torch has loaded it.
CUcontext currentContext()
{
    void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    using Getter = CUresult (*)(CUcontext*);
    const auto get = driver ? reinterpret_cast<Getter>(::dlsym(driver, "cuCtxGetCurrent")) : nullptr;
    CUcontext context = nullptr;
    if (!get || get(&context) != CUDA_SUCCESS || !context)
        throw CountingError("the thread has no context on the device");
    return context;
}

std::string toolText()
{
    std::uint32_t version = 0; // 130000 is 13.0
    cuptiGetVersion(&version);
    return version >= 1000 ? "CUPTI " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100)
                           : "CUPTI, interface " + std::to_string(version);
}

} // namespace

std::vector<std::string> countableOn(const std::string& chip, const std::vector<std::string>& metrics)
{
    return ChipCounters(chip).thoseOf(metrics);
}

std::size_t passesOn(const std::string& chip, const std::vector<std::string>& metrics)
{
    try {
        Bytes image = ChipCounters(chip).configure(metrics);
        return ChipCounters::passesOf(image);
    } catch (const CountingError&) {
        return 0;
    }
}

CountKernels::Reply countKernels(const CountKernels& request, const c10::Device& device, CacheFlush& flush,
                                 const std::function<void()>& prepare, const std::function<PyRef()>& forward)
{
    CountKernels::Reply out;
    out.tool = toolText();
    try {
        auto initialise = CUDAL1_SIZED(CUpti_Profiler_Initialize_Params);
        checkProfiler(cuptiProfilerInitialize(&initialise), "profiler");
        const CUcontext context = currentContext();
        ChipCounters chip(chipOf(device), availableIn(context));
        const std::vector<std::string> metrics = chip.thoseOf(request.metrics);
        Bytes config = chip.configure(metrics);
        out.passes = ChipCounters::passesOf(config);
        RangeProfiler profiler(context, std::move(config), metrics, request.mostKernels);
        std::size_t calls = 0;
        for (bool complete = false; !complete;) {
            if (calls++ > 2 * out.passes + 2)
                throw CountingError("CUPTI does not come to an end of its passes");
            prepare();
            at::manual_seed(request.seed);
            flush();
            synchronise(device);
            profiler.start();
            const PyRef result = forward();
            synchronise(device);
            complete = profiler.stop();
        }
        const std::size_t launches = profiler.decode();
        if (profiler.dropped() > 0)
            throw CountingError("the call launches more than " + std::to_string(request.mostKernels) + " kernels");
        for (std::size_t i = 0; i < launches; ++i)
            out.launches.push_back(chip.valuesOf(profiler.counted(), i, metrics));
    } catch (const CountingError& error) {
        out.launches.clear();
        out.problem = error.what();
    }
    return out;
}

} // namespace cudal1::judge
