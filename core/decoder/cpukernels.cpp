// SPDX-License-Identifier: GPL-3.0-or-later
// Which inner loops this processor can run.
#include "core/decoder/cpukernels.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cudal1::decoder {

namespace {

struct Bfloat16 {
    bool vectors = false, tiles = false;
};

/// What instructions for bfloat16 the processor has. Not every compiler's __builtin_cpu_supports() knows their names.
Bfloat16 bfloat16Support()
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    Bfloat16 out;
    if (__get_cpuid_count(7, 1, &a, &b, &c, &d))
        out.vectors = (a & 1U << 5) != 0; // AVX512_BF16
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        constexpr unsigned wanted = 1U << 22 | 1U << 24; // AMX-BF16, AMX-TILE
        out.tiles = (d & wanted) == wanted;
    }
    return out;
}

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
    const Bfloat16 bfloat16 = bfloat16Support();
    const bool hasBf16 = has512 && bfloat16.vectors;
    if (hasBf16 && bfloat16.tiles && mayUseTiles())
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
