// SPDX-License-Identifier: GPL-3.0-or-later
// Which inner loops this processor can run.
#include "core/decoder/cpukernels.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace cudal1::decoder {

namespace {

/// Tiles make a thread's state larger by 8 KiB, so Linux gives them to processes that ask for them.
bool mayUseTiles()
{
    constexpr long askFor = 0x1023, tileData = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    return ::syscall(SYS_arch_prctl, askFor, tileData) == 0;
}

} // namespace

std::vector<const CpuKernels*> cpuKernels()
{
    std::vector<const CpuKernels*> out;
    const bool has512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    const bool hasBf16 = has512 && __builtin_cpu_supports("avx512bf16");
    if (hasBf16 && __builtin_cpu_supports("amx-tile") && __builtin_cpu_supports("amx-bf16") && mayUseTiles())
        out.push_back(&amxBf16Kernels);
    if (hasBf16)
        out.push_back(&avx512Bf16Kernels);
    if (has512)
        out.push_back(&avx512Kernels);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        out.push_back(&avx2Kernels);
    out.push_back(&sse2Kernels);
    return out;
}

} // namespace cudal1::decoder
