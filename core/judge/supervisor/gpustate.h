// SPDX-License-Identifier: GPL-3.0-or-later
// Clock, temperature, power and throttling of a GPU, read through the driver's management library (NVML) where it is.
//
// Loaded at run time: a machine without a GPU has no such library. Reading starts no CUDA, so the supervisor may.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace cudal1::judge {

struct GpuReading {
    bool valid = false;
    unsigned smClock_mhz = 0;
    unsigned temperature_c = 0;
    unsigned power_mw = 0;
    unsigned long long throttleReasons = 0; ///< NVML's bits

    /// Heat or a failing supply slows the chip down: what is measured now says nothing about the code.
    bool slowedDown() const;
    std::string text() const; ///< "SM 1980 MHz, 37 °C, 126 W, not throttled"; empty when not valid
};

class GpuState {
public:
    /// `uuid` as the device list gives it; an empty one, or a machine without NVML, gives invalid readings.
    explicit GpuState(const std::string& uuid);
    GpuState(const GpuState&) = delete;
    GpuState& operator=(const GpuState&) = delete;
    ~GpuState();
    GpuReading read() const; ///< takes milliseconds
    bool slowedDown() const; ///< as GpuReading says, in one question; false when it cannot be read
    /// Processes that have a compute context on the GPU, ours among them; absent where the driver does not tell. Inside
    /// a container the driver may tell of none, or of all of the host.
    std::optional<unsigned> computeProcesses() const;

private:
    struct Library;
    std::unique_ptr<Library> m_library;
};

} // namespace cudal1::judge
