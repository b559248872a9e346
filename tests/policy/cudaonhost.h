// SPDX-License-Identifier: GPL-3.0-or-later
// What a generated CUDA kernel needs to run on the host, for tests: a thread of a block is a fiber. All fibers of a
// block run in turns; one turn is over where a thread waits for others. The threads of a warp come to the same places
// where they wait, so waiting once is enough to know what the others had before. Blocks run one after the other, or,
// where they wait for one another, all at the same time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>

#define __global__
#define __device__
#define __forceinline__ inline
#define __restrict__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __shared__ static
#undef INFINITY

namespace host {

struct Index {
    unsigned x, y, z;
};
struct Pointer { // an argument of a kernel, whatever it points to
    void* address;
    template<class T> operator T*() const { return static_cast<T*>(address); }
};

extern Index thread, block, threads, blocks;
extern float* memory; // dynamic shared memory

inline unsigned number()
{
    return thread.y * threads.x + thread.x;
}

void wait(); ///< until all other fibers had a turn
void meet(); ///< until all threads of the block are there
/// Barriers of a block for as many threads as each of them says, some of which need not wait.
void meet(int barrier, unsigned count);
void arrive(int barrier, unsigned count);

// Eight blocks that follow one another are a cluster.
void meetCluster();
// A barrier in shared memory that counts bytes (mbarrier).
void make(unsigned long long* barrier);
void expect(unsigned long long* barrier, unsigned bytes);
bool isPassed(unsigned long long* barrier, unsigned parity); ///< where it is not, others have a turn first
/// Writes to where another block has what is here at `place`, and tells its barrier.
void give(float* place, unsigned blockOfCluster, float value, unsigned long long* barrier);

float half(unsigned bits);                  ///< the number that the low sixteen bits of `bits` stand for
unsigned halves(float first, float second); ///< the halves that are nearest; of two, the even one

/// What mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 does, and then m16n8k16 with halves.
void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1);
void multiplyHalves(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1);
template<class Factor> void multiply(float (&d)[4], const Factor& factor, unsigned b0, unsigned b1)
{
    multiplyHalves(d, {factor.x, factor.y, factor.z, factor.w}, b0, b1);
}

unsigned largestOfWarp(unsigned value);
float fromLane(float value, unsigned lane);

/// `together`: all blocks run at the same time.
void run(void (*body)(const void*), const void* context, unsigned grid, unsigned x, unsigned y, unsigned sharedBytes,
         bool together);
template<class Body>
void run(const Body& body, unsigned grid, unsigned x, unsigned y, unsigned sharedBytes, bool together = false)
{
    run(
        +[](const void* context) { (*static_cast<const Body*>(context))(); }, &body, grid, x, y, sharedBytes, together);
}

} // namespace host

#define threadIdx host::thread
#define blockIdx host::block
#define blockDim host::threads
#define gridDim host::blocks

struct float2 {
    float x, y;
};
struct float4 {
    float x, y, z, w;
};
struct uint2 {
    unsigned x, y;
};
struct uint4 {
    unsigned x, y, z, w;
};
inline float2 make_float2(float x, float y)
{
    return {x, y};
}
inline float4 make_float4(float x, float y, float z, float w)
{
    return {x, y, z, w};
}
inline unsigned __float_as_uint(float value)
{
    unsigned bits;
    std::memcpy(&bits, &value, 4);
    return bits;
}
inline float __uint_as_float(unsigned bits)
{
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
}
inline float __int_as_float(int bits)
{
    return __uint_as_float(static_cast<unsigned>(bits));
}
inline int min(int a, int b)
{
    return a < b ? a : b;
}
inline unsigned atomicAdd(unsigned* to, unsigned by) // blocks run one after the other
{
    const unsigned before = *to;
    *to += by;
    return before;
}
inline void atomicMax(unsigned* to, unsigned value)
{
    *to = std::max(*to, value);
}
inline int __popc(unsigned value)
{
    return __builtin_popcount(value);
}

inline unsigned __reduce_max_sync(unsigned, unsigned value)
{
    return host::largestOfWarp(value);
}
inline void __threadfence() {}
// What takes the place of instructions has the pointers themselves.
inline unsigned __cvta_generic_to_shared(const void*)
{
    return 0;
}
template<class T> T __ldcg(const T* from)
{
    return *from;
}
inline void __syncthreads()
{
    host::meet();
}
inline void __syncwarp()
{
    host::wait();
}
inline float __shfl_xor_sync(unsigned, float value, int mask)
{
    return host::fromLane(value, host::number() % 32 ^ static_cast<unsigned>(mask));
}
inline float __shfl_sync(unsigned, float value, unsigned lane)
{
    return host::fromLane(value, lane);
}
inline float __shfl_up_sync(unsigned, float value, unsigned by)
{
    const unsigned lane = host::number() % 32;
    return host::fromLane(value, lane < by ? lane : lane - by);
}
inline float __shfl_down_sync(unsigned, float value, int by)
{
    const unsigned lane = host::number() % 32 + static_cast<unsigned>(by);
    return host::fromLane(value, lane < 32 ? lane : host::number() % 32);
}
