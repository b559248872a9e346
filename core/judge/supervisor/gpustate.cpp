// SPDX-License-Identifier: GPL-3.0-or-later
// Readings through NVML.
#include "core/judge/supervisor/gpustate.h"

#include <dlfcn.h>

#include <array>
#include <cstdint>

namespace cudal1::judge {

namespace {

// The few facts of NVML's interface that are needed; its header is not part of the framework's packages.
constexpr int success = 0, insufficientSize = 7;
constexpr int smClock = 1;
constexpr int coreTemperature = 0;
constexpr unsigned long long powerCap = 0x4, hardwareSlowdown = 0x8, softwareThermal = 0x20, hardwareThermal = 0x40,
                             powerBrake = 0x80;

} // namespace

struct GpuState::Library {
    void* handle = nullptr;
    void* device = nullptr;
    int (*shutdown)() = nullptr;
    int (*clock)(void*, int, unsigned*) = nullptr;
    int (*temperature)(void*, int, unsigned*) = nullptr;
    int (*power)(void*, unsigned*) = nullptr;
    int (*reasons)(void*, unsigned long long*) = nullptr;
    int (*processes)(void*, unsigned*, void*) = nullptr; ///< null with a driver that has no such call

    template<class F> bool find(F& function, const char* name)
    {
        function = reinterpret_cast<F>(::dlsym(handle, name));
        return function != nullptr;
    }
};

bool GpuReading::slowedDown() const
{
    return (throttleReasons & (hardwareSlowdown | softwareThermal | hardwareThermal | powerBrake)) != 0;
}

std::string GpuReading::text() const
{
    if (!valid)
        return {};
    const char* state = slowedDown()                 ? "throttled"
                      : (throttleReasons & powerCap) ? "at its power limit"
                                                     : "not throttled";
    return "SM " + std::to_string(smClock_mhz) + " MHz, " + std::to_string(temperature_c) + " °C, " +
           std::to_string(power_mw / 1000) + " W, " + state;
}

GpuState::GpuState(const std::string& uuid)
{
    if (uuid.empty())
        return;
    auto library = std::make_unique<Library>();
    library->handle = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library->handle)
        return;
    int (*init)() = nullptr;
    int (*byUuid)(const char*, void**) = nullptr;
    const bool complete = library->find(init, "nvmlInit_v2") && library->find(byUuid, "nvmlDeviceGetHandleByUUID") &&
                          library->find(library->shutdown, "nvmlShutdown") &&
                          library->find(library->clock, "nvmlDeviceGetClockInfo") &&
                          library->find(library->temperature, "nvmlDeviceGetTemperature") &&
                          library->find(library->power, "nvmlDeviceGetPowerUsage") &&
                          library->find(library->reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    if (!library->find(library->processes, "nvmlDeviceGetComputeRunningProcesses_v3"))
        library->find(library->processes, "nvmlDeviceGetComputeRunningProcesses_v2");
    if (!complete || init() != success) {
        ::dlclose(library->handle);
        return;
    }
    if (byUuid(uuid.c_str(), &library->device) != success) {
        library->shutdown();
        ::dlclose(library->handle);
        return;
    }
    m_library = std::move(library);
}

GpuState::~GpuState()
{
    if (m_library) {
        m_library->shutdown();
        ::dlclose(m_library->handle);
    }
}

std::optional<unsigned> GpuState::computeProcesses() const
{
    if (!m_library || !m_library->processes)
        return std::nullopt;
    // Only the count is of use. A driver's record of a process has at most 40 bytes, whichever version.
    constexpr unsigned capacity = 128;
    std::array<std::uint64_t, capacity * 5> records{};
    unsigned count = capacity;
    const int status = m_library->processes(m_library->device, &count, records.data());
    if (status != success && status != insufficientSize)
        return std::nullopt;
    return count;
}

bool GpuState::slowedDown() const
{
    GpuReading reading;
    return m_library && m_library->reasons(m_library->device, &reading.throttleReasons) == success &&
           reading.slowedDown();
}

GpuReading GpuState::read() const
{
    GpuReading reading;
    if (!m_library)
        return reading;
    reading.valid = m_library->clock(m_library->device, smClock, &reading.smClock_mhz) == success &&
                    m_library->temperature(m_library->device, coreTemperature, &reading.temperature_c) == success &&
                    m_library->power(m_library->device, &reading.power_mw) == success &&
                    m_library->reasons(m_library->device, &reading.throttleReasons) == success;
    return reading;
}

} // namespace cudal1::judge
