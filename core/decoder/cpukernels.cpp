// SPDX-License-Identifier: GPL-3.0-or-later
// Which inner loops this processor can run.
#include "core/decoder/cpukernels.h"

namespace cudal1::decoder {

std::vector<const CpuKernels*> cpuKernels()
{
    std::vector<const CpuKernels*> out;
    const bool has512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    if (has512 && __builtin_cpu_supports("avx512bf16"))
        out.push_back(&avx512Bf16Kernels);
    if (has512)
        out.push_back(&avx512Kernels);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        out.push_back(&avx2Kernels);
    out.push_back(&sse2Kernels);
    return out;
}

} // namespace cudal1::decoder
