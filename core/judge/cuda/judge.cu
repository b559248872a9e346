// SPDX-License-Identifier: GPL-3.0-or-later
// The judge's own kernels: fresh input bytes, fingerprints. Compiled by NVRTC once a device and handed to each subject.
// devicekernels.cpp has the same functions for the CPU.

typedef unsigned long long u64;

__device__ __forceinline__ u64 mixed(u64 z)
{
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

// In [0, 1), by the highest bits of a mixed number.
__device__ __forceinline__ float unitOf(u64 number) { return (float)(mixed(number) >> 40) * 5.9604645e-8f; }

// Element e of a symmetric matrix takes the number of its mirror image above the diagonal.
__device__ __forceinline__ u64 numbered(u64 i, u64 columns)
{
    if (columns == 0)
        return i;
    const u64 row = i / columns, column = i % columns;
    return row > column ? column * columns + row : i;
}

// Types of 16 bits without the toolkit's headers, which need not be there.
struct Half {
    unsigned short bits;
};
struct Brain {
    unsigned short bits;
};

__device__ __forceinline__ float read(float value) { return value; }
__device__ __forceinline__ double read(double value) { return value; }
__device__ __forceinline__ float read(Half value)
{
    float out;
    asm("cvt.f32.f16 %0, %1;" : "=f"(out) : "h"(value.bits));
    return out;
}
__device__ __forceinline__ float read(Brain value) { return __uint_as_float((unsigned)value.bits << 16); }

__device__ __forceinline__ void write(float& to, float value) { to = value; }
__device__ __forceinline__ void write(double& to, double value) { to = value; }
__device__ __forceinline__ void write(Half& to, float value) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(value)); }
__device__ __forceinline__ void write(Brain& to, float value)
{
    const unsigned bits = __float_as_uint(value);
    to.bits = value == value ? (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16) : 0x7fc0;
}

template <typename Float>
__device__ void refresh(const Float* base, Float* live, u64 count, u64 key, double scale, u64 columns)
{
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x) {
        const float unit = unitOf(key ^ numbered(i, columns));
        write(live[i], read(base[i]) * ((float)scale * (1.0f - 0.5f * unit)));
    }
}

// A row and the one that lies `shift` elements further on, round the end, in parts of each row's own.
template <typename Float>
__device__ void mix(const Float* base, Float* live, u64 count, u64 key, u64 row, u64 shift)
{
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x) {
        const float part = 0.3f + 0.4f * unitOf(key ^ (i / row));
        write(live[i], read(base[i]) + (read(base[(i + shift) % count]) - read(base[i])) * part);
    }
}

// Element number i of the patch: which one, and its factor, depend on nothing but the key.
template <typename Float>
__device__ void patch(const Float* base, Float* live, u64 count, u64 patched, u64 key)
{
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < patched; i += (u64)gridDim.x * blockDim.x) {
        const u64 chosen = mixed(key ^ i) % count;
        write(live[chosen], read(base[chosen]) * (0.3f + 0.7f * unitOf(key ^ ~chosen)));
    }
}

#define KERNELS_OF(name, Float)                                                                                                          \
    extern "C" __global__ void refresh_##name(const Float* base, Float* live, u64 count, u64 key, double scale, u64 columns)             \
    {                                                                                                                                    \
        refresh(base, live, count, key, scale, columns);                                                                                 \
    }                                                                                                                                    \
    extern "C" __global__ void mix_##name(const Float* base, Float* live, u64 count, u64 key, u64 row, u64 shift)                        \
    {                                                                                                                                    \
        mix(base, live, count, key, row, shift);                                                                                         \
    }                                                                                                                                    \
    extern "C" __global__ void patch_##name(const Float* base, Float* live, u64 count, u64 patched, u64 key)                             \
    {                                                                                                                                    \
        patch(base, live, count, patched, key);                                                                                          \
    }

KERNELS_OF(float32, float)
KERNELS_OF(float64, double)
KERNELS_OF(float16, Half)
KERNELS_OF(bfloat16, Brain)

// Copies a tensor of any strides into rows one after the other; all in elements of `size` bytes.
struct Strides {
    int dims;
    long long shape[8], stride[8];
};

extern "C" __global__ void gather(const unsigned char* from, unsigned char* to, u64 count, int size, Strides strides)
{
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x) {
        u64 rest = i;
        long long offset = 0;
        for (int d = strides.dims - 1; d >= 0; --d) {
            offset += (long long)(rest % strides.shape[d]) * strides.stride[d];
            rest /= strides.shape[d];
        }
        switch (size) {
        case 4: ((unsigned*)to)[i] = ((const unsigned*)from)[offset]; break;
        case 8: ((u64*)to)[i] = ((const u64*)from)[offset]; break;
        default:
            for (int b = 0; b < size; ++b)
                to[i * size + b] = from[offset * size + b];
        }
    }
}

__device__ __forceinline__ void addUp(u64 sum, u64* out)
{
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, sum);
}

// A sum over words, each mixed with its place: no order of additions, so the same bytes give the same number.
extern "C" __global__ void fingerprint_words(const ulonglong2* words, u64 count, u64* out)
{
    u64 sum = 0;
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x) {
        const ulonglong2 word = words[i];
        sum += mixed(word.x ^ mixed(2 * i)) + mixed(word.y ^ mixed(2 * i + 1));
    }
    addUp(sum, out);
}

extern "C" __global__ void fingerprint_bytes(const unsigned char* bytes, u64 count, u64 from, u64* out)
{
    u64 sum = 0;
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x)
        sum += mixed(bytes[i] ^ mixed(~(from + i)));
    addUp(sum, out);
}
