// SPDX-License-Identifier: GPL-3.0-or-later
// The judge's own kernels: contents of inputs, copies, fingerprints. Compiled by NVRTC once a device and handed to each
// process. devicekernels.cpp has the same functions for the CPU.

typedef unsigned long long u64;

__device__ __forceinline__ u64 mixed(u64 z)
{
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

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
__device__ __forceinline__ void write(Half& to, float value)
{
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(value));
}
__device__ __forceinline__ void write(Brain& to, float value)
{
    const unsigned bits = __float_as_uint(value);
    to.bits = value == value ? (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16) : 0x7fc0;
}

struct Bases {
    const void* base[4];
};

// For each element one of four draws (some of which may be the same one), times a factor of its own.
template <typename Float>
__device__ void mix(const Bases& bases, Float* live, u64 count, u64 key, float scale, int signs, u64 columns)
{
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x) {
        const u64 number = mixed(key ^ numbered(i, columns));
        float factor = scale * (1.0f - 0.5f * ((float)(number >> 40) * 5.9604645e-8f));
        if (signs && (number & 4))
            factor = -factor;
        write(live[i], read(((const Float*)bases.base[number & 3])[i]) * factor);
    }
}

#define KERNELS_OF(name, Float)                                                                                        \
    extern "C" __global__ void mix_##name(Bases bases, Float* live, u64 count, u64 key, float scale, int signs,        \
                                          u64 columns)                                                                 \
    {                                                                                                                  \
        mix(bases, live, count, key, scale, signs, columns);                                                           \
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

// The 8 bytes from there on, as a number.
static __device__ u64 wordAt(const unsigned char* bytes)
{
    u64 word = 0;
    for (int i = 0; i < 8; ++i)
        word |= (u64)bytes[i] << (8 * i);
    return word;
}

// A sum over words, each mixed with its place: no order of additions, so the same bytes give the same number, wherever
// they lie: a layer may keep its weights at any address.
extern "C" __global__ void fingerprint_words(const unsigned char* bytes, u64 count, u64* out)
{
    const bool aligned = (u64)bytes % 16 == 0;
    u64 sum = 0;
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x) {
        const unsigned char* const from = bytes + 16 * i;
        ulonglong2 word;
        if (aligned) {
            word = *(const ulonglong2*)from;
        } else {
            word.x = wordAt(from);
            word.y = wordAt(from + 8);
        }
        sum += mixed(word.x ^ mixed(2 * i)) + mixed(word.y ^ mixed(2 * i + 1));
    }
    addUp(sum, out);
}

// For launchNothing().
extern "C" __global__ void nothing() {}

extern "C" __global__ void fingerprint_bytes(const unsigned char* bytes, u64 count, u64 from, u64* out)
{
    u64 sum = 0;
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x)
        sum += mixed(bytes[i] ^ mixed(~(from + i)));
    addUp(sum, out);
}
