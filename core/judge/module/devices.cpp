// SPDX-License-Identifier: GPL-3.0-or-later
// The devices of this machine.
#include "core/judge/module/devices.h"

#include "core/base/memory.h"

#include <cuda_runtime_api.h>

#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace cudal1::judge {

namespace {

std::string firstLineOf(const char* path)
{
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::string processorModel()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name"))
            if (const auto colon = line.find(": "); colon != std::string::npos)
                return line.substr(colon + 2);
    return "CPU";
}

std::string uuidText(const cudaUUID_t& uuid)
{
    static const char digits[] = "0123456789abcdef";
    std::string out = "GPU-";
    for (int i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            out += '-';
        const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
    return out;
}

std::string versionText(int version)
{
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

} // namespace

std::vector<protocol::DeviceInfo> listDevices()
{
    protocol::DeviceInfo cpu;
    cpu.name = "cpu";
    cpu.model = processorModel();
    cpu_set_t allowed;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        cpu.processors = CPU_COUNT(&allowed);
    cpu.memory_bytes = base::physicalMemory_bytes();
    cpu.l2_bytes = std::max<std::int64_t>(0, ::sysconf(_SC_LEVEL2_CACHE_SIZE));
    std::vector<protocol::DeviceInfo> devices{cpu};

    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess)
        return devices;
    for (int i = 0; i < count; ++i) {
        cudaDeviceProp properties{};
        if (cudaGetDeviceProperties(&properties, i) != cudaSuccess)
            continue;
        protocol::DeviceInfo gpu;
        gpu.name = "cuda:" + std::to_string(i);
        gpu.model = properties.name;
        gpu.uuid = uuidText(properties.uuid);
        gpu.driver = firstLineOf("/sys/module/nvidia/version");
        gpu.capability = std::to_string(properties.major) + "." + std::to_string(properties.minor);
        gpu.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
        gpu.processors = properties.multiProcessorCount;
        gpu.l2_bytes = properties.l2CacheSize;
        devices.push_back(gpu);
    }
    return devices;
}

std::string cudaVersions()
{
    int runtime = 0, driver = 0;
    cudaRuntimeGetVersion(&runtime);
    cudaDriverGetVersion(&driver);
    return "runtime " + versionText(runtime) + (driver > 0 ? ", driver " + versionText(driver) : ", no driver");
}

} // namespace cudal1::judge
