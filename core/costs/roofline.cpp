// SPDX-License-Identifier: GPL-3.0-or-later
// Data sheets of well-known GPUs, and the arithmetic of floors.
#include "core/costs/roofline.h"

#include "core/costs/units.h"

#include <array>

namespace cudal1::costs {

namespace {

constexpr double G = 1e9, T = 1e12;

// Longer names first where one is a part of another; of two sizes of one name the smaller memory.
constexpr std::array gpus = std::to_array<KnownGpu>({
    {"B200", 8000 * G, 75 * T, 1100 * T, 126 * MiB, 180 * GiB},
    {"GH200 480GB", 4000 * G, 67 * T, 494 * T, 50 * MiB, 96 * GiB},
    {"H200 NVL", 4800 * G, 60 * T, 418 * T, 50 * MiB, 141 * GiB},
    {"H200", 4800 * G, 67 * T, 494 * T, 50 * MiB, 141 * GiB},
    {"H100 NVL", 3900 * G, 60 * T, 418 * T, 50 * MiB, 94 * GiB},
    {"H100 PCIe", 2000 * G, 51 * T, 378 * T, 50 * MiB, 80 * GiB},
    {"H100", 3350 * G, 67 * T, 494 * T, 50 * MiB, 80 * GiB},
    {"A100-SXM4-80GB", 2039 * G, 19.5 * T, 156 * T, 40 * MiB, 80 * GiB},
    {"A100 80GB PCIe", 1935 * G, 19.5 * T, 156 * T, 40 * MiB, 80 * GiB},
    {"A100", 1555 * G, 19.5 * T, 156 * T, 40 * MiB, 40 * GiB},
    {"A10G", 600 * G, 31.2 * T, 62.5 * T, 6 * MiB, 24 * GiB},
    {"A10", 600 * G, 31.2 * T, 62.5 * T, 6 * MiB, 24 * GiB},
    {"L40S", 864 * G, 91.6 * T, 183 * T, 96 * MiB, 48 * GiB},
    {"L40", 864 * G, 90.5 * T, 90.5 * T, 96 * MiB, 48 * GiB},
    {"L4", 300 * G, 30.3 * T, 60 * T, 48 * MiB, 24 * GiB},
    {"V100-SXM2", 900 * G, 15.7 * T, 0, 6 * MiB, 16 * GiB},
    {"V100", 900 * G, 14 * T, 0, 6 * MiB, 16 * GiB},
    {"T4", 320 * G, 8.1 * T, 0, 4 * MiB, 16 * GiB},
    {"RTX 5090", 1792 * G, 104.8 * T, 104.8 * T, 96 * MiB, 32 * GiB},
    {"RTX 4090", 1008 * G, 82.6 * T, 82.6 * T, 72 * MiB, 24 * GiB},
    {"RTX 3090", 936 * G, 35.6 * T, 35.6 * T, 6 * MiB, 24 * GiB},
    {"RTX 6000 Ada", 960 * G, 91.1 * T, 182 * T, 96 * MiB, 48 * GiB},
    {"RTX A6000", 768 * G, 38.7 * T, 77.4 * T, 6 * MiB, 48 * GiB},
});

/// As whole words: "L4" is not in "L40", nor "RTX 4090" in "RTX 4090 Laptop GPU".
bool names(std::string_view device, std::string_view model)
{
    const std::size_t at = device.find(model);
    if (at == std::string_view::npos || device.find("Laptop") != std::string_view::npos)
        return false;
    const auto isEdge = [&](std::size_t i) { return i >= device.size() || device[i] == ' ' || device[i] == '-'; };
    return (at == 0 || isEdge(at - 1)) && isEdge(at + model.size());
}

} // namespace

const KnownGpu* knownGpu(std::string_view deviceModel)
{
    for (const KnownGpu& gpu : gpus)
        if (names(deviceModel, gpu.model))
            return &gpu;
    return nullptr;
}

Roofline floorOf(const Costs& costs, const std::string& deviceModel, double measured)
{
    Roofline out;
    const KnownGpu* gpu = knownGpu(deviceModel);
    if (gpu) {
        out.gpu = gpu->model;
        out.source = Roofline::Source::DataSheet;
        out.bytesPerSecond = gpu->bytesPerSecond;
        out.fp32_ns = costs.flops.products / gpu->fp32 * 1e9;
        out.tf32_ns = gpu->tf32 > 0 ? costs.flops.products / gpu->tf32 * 1e9 : 0;
    }
    if (measured > 0) {
        out.source = Roofline::Source::Measured;
        out.bytesPerSecond = measured;
    }
    if (out.bytesPerSecond > 0)
        out.bytes_ns = costs.minimum_bytes() / out.bytesPerSecond * 1e9;
    return out;
}

} // namespace cudal1::costs
