// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes that a call must move, and the bandwidth of a copy.
#include "core/judge/witness/traffic.h"

#include <cuda_runtime_api.h>

namespace cudal1::judge {

MeasureTraffic::Reply trafficOf(ReferenceHost& reference, const MeasureTraffic& request)
{
    // An input must be read as a whole only if every row of it can change the result; a structured one is not.
    const std::vector<at::Tensor> inputs = reference.draw(request.seed),
                                  before = reference.runReference(inputs, request.forwardSeed);
    MeasureTraffic::Reply out;
    std::size_t t = 0;
    for (const TensorSpec& spec : reference.layout().inputs) {
        if (!spec.isTensor())
            continue;
        const std::size_t own = t++;
        if (reference.traits()[own].structured || reference.traits()[own].symmetric)
            continue;
        std::vector<at::Tensor> others = inputs;
        others[own] = inputs[own].roll(1); // other values of the same kind, everywhere
        const std::vector<at::Tensor> after = reference.runReference(others, request.forwardSeed);
        for (std::size_t i = 0; i < before.size(); ++i)
            if (!at::equal(before[i], after[i])) {
                out.read += static_cast<double>(spec.bytes);
                break;
            }
    }
    for (const TensorSpec& spec : reference.layout().outputs)
        out.written += static_cast<double>(spec.bytes);
    return out;
}

MeasureBandwidth::Reply bandwidthOf(const c10::Device& device)
{
    if (device.is_cpu())
        return {};
    constexpr std::size_t bytes = std::size_t{512} << 20;
    const at::Tensor from = at::empty({static_cast<std::int64_t>(bytes)},
                                      at::TensorOptions().dtype(at::kByte).device(device));
    const at::Tensor to = at::empty_like(from);
    cudaEvent_t start{}, end{};
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    float best = 0;
    for (int i = 0; i < 6; ++i) {
        cudaEventRecord(start);
        cudaMemcpyAsync(to.data_ptr(), from.const_data_ptr(), bytes, cudaMemcpyDeviceToDevice);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float milliseconds = 0;
        cudaEventElapsedTime(&milliseconds, start, end);
        if (i > 0 && (best == 0 || milliseconds < best))
            best = milliseconds;
    }
    cudaEventDestroy(start);
    cudaEventDestroy(end);
    return {best > 0 ? 2.0 * static_cast<double>(bytes) / (static_cast<double>(best) * 1e-3) : 0};
}

} // namespace cudal1::judge
