// SPDX-License-Identifier: GPL-3.0-or-later
// What a generated CUDA kernel needs to run on the host, for tests: a thread of a block is a fiber. All fibers of a
// block run in turns; one turn is over where a thread waits for others. The threads of a warp come to the same places
// where they wait, so waiting once is enough to know what the others had before. Blocks run one after the other, or,
// where they wait for one another, all at the same time.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <ucontext.h>
#include <vector>

#define __global__
#define __device__
#define __forceinline__ inline
#define __restrict__
#define __launch_bounds__(...)
#define __shared__ static
#undef INFINITY

namespace host {

struct Index {
    unsigned x, y, z;
};

inline Index thread, block, threads, blocks;
inline float* memory; // dynamic shared memory
// A fiber is entered by setcontext() and left by _longjmp(): a swapcontext() asks the kernel for signals each time.
struct Fiber {
    ucontext_t start;
    jmp_buf waiting;
    enum { New, Waiting, Ended } state;
};
inline jmp_buf scheduler;
inline std::vector<Fiber> fibers; ///< of all blocks that run at the same time
inline unsigned current;

/// Where the threads of a block wait until all of them are there.
struct Barrier {
    unsigned arrived = 0, alive = 0, generation = 0;

    void check()
    {
        if (arrived == alive) {
            arrived = 0;
            ++generation;
        }
    }
};
inline std::vector<Barrier> barriers;

inline void wait()
{
    Fiber& fiber = fibers[current];
    fiber.state = Fiber::Waiting;
    if (_setjmp(fiber.waiting) == 0)
        _longjmp(scheduler, 1);
}

/// Lets the present fiber run until it waits or ends.
[[gnu::noinline]] inline void resume()
{
    Fiber& fiber = fibers[current];
    if (_setjmp(scheduler) != 0)
        return;
    if (fiber.state == Fiber::New)
        setcontext(&fiber.start);
    _longjmp(fiber.waiting, 1);
}

inline unsigned number()
{
    return thread.y * threads.x + thread.x;
}

inline unsigned threadsOfBlock()
{
    return threads.x * threads.y;
}

inline void meet()
{
    Barrier& barrier = barriers[current / threadsOfBlock()];
    const unsigned generation = barrier.generation;
    ++barrier.arrived;
    barrier.check();
    do
        wait();
    while (barrier.generation == generation);
}

/// A barrier of a block for as many threads as each of them says, some of which need not wait.
struct NamedBarrier {
    unsigned arrived = 0, generation = 0;
};
inline std::vector<std::array<NamedBarrier, 16>> namedBarriers;

inline NamedBarrier& arrive(int barrier, unsigned count)
{
    NamedBarrier& named = namedBarriers[current / threadsOfBlock()][static_cast<std::size_t>(barrier)];
    if (++named.arrived == count) {
        named.arrived = 0;
        ++named.generation;
    }
    return named;
}

inline void meet(int barrier, unsigned count)
{
    const unsigned generation = namedBarriers[current / threadsOfBlock()][static_cast<std::size_t>(barrier)].generation;
    const NamedBarrier& named = arrive(barrier, count);
    do
        wait();
    while (named.generation == generation);
}

// What the threads of a warp show one another. Two of them in turns: when a thread fills one again, all others have
// read it, since each had a turn in between.
struct Warp {
    double left[16][16], right[16][8], products[16][8];
    float values[32];
    unsigned words[32];
};
inline std::vector<std::array<Warp, 2>> warps;
inline std::vector<unsigned> shown; // how often each thread has shown something

inline Warp& next()
{
    return warps[current / 32][shown[current]++ % 2];
}

/// The number that the low sixteen bits of `bits` stand for.
inline float half(unsigned bits)
{
    const int exponent = bits >> 10 & 31, digits = bits & 1023;
    const float size = exponent == 31 ? (digits ? NAN : HUGE_VALF)
                     : exponent == 0  ? std::ldexp(static_cast<float>(digits), -24)
                                      : std::ldexp(static_cast<float>(digits + 1024), exponent - 25);
    return bits & 0x8000 ? -size : size;
}

/// The half that is nearest to `value`; of two, the even one.
inline unsigned nearestHalf(float value)
{
    const unsigned sign = std::signbit(value) ? 0x8000 : 0;
    const float size = std::fabs(value);
    if (!(size < 65520.0f))
        return sign | (size >= 65520.0f ? 0x7c00 : 0x7e00);
    const int exponent = size < 0x1p-14f ? -14 : std::ilogb(size);
    const auto digits = static_cast<unsigned>(std::nearbyint(std::ldexp(size, 10 - exponent)));
    // A carry out of the digits is a carry into the exponent; below the least normal number both are digits alone.
    return sign | (size < 0x1p-14f ? digits : digits + (static_cast<unsigned>(exponent + 14) << 10));
}

inline unsigned halves(float first, float second)
{
    return nearestHalf(first) | nearestHalf(second) << 16;
}

[[gnu::noinline, gnu::optimize("O3")]] inline void multiply(Warp& warp, unsigned depth)
{
    for (unsigned r = 0; r < 16; ++r) {
        double sums[8] = {};
        for (unsigned k = 0; k < depth; ++k) {
            const double left = warp.left[r][k];
            for (unsigned c = 0; c < 8; ++c)
                sums[c] += left * warp.right[k][c];
        }
        std::copy(sums, sums + 8, warp.products[r]);
    }
}

// mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32; the first thread of a warp, whose turn is first, multiplies.
template<class Factor> void multiply(float (&d)[4], const Factor& factor, unsigned b0, unsigned b1)
{
    const unsigned a[4] = {factor.x, factor.y, factor.z, factor.w};
    const unsigned lane = number() % 32, row = lane / 4, column = lane % 4;
    Warp& warp = next();
    for (unsigned e = 0; e < 2; ++e) {
        for (unsigned i = 0; i < 4; ++i)
            warp.left[row + i % 2 * 8][column * 2 + e + i / 2 * 8] = half(a[i] >> 16 * e);
        warp.right[column * 2 + e][row] = half(b0 >> 16 * e);
        warp.right[column * 2 + e + 8][row] = half(b1 >> 16 * e);
    }
    wait();
    if (lane == 0)
        multiply(warp, 16);
    for (unsigned i = 0; i < 4; ++i)
        d[i] = static_cast<float>(d[i] + warp.products[row + i / 2 * 8][column * 2 + i % 2]);
}

/// The number that tensor cores see in TF32: they do not read the last 13 bits.
inline float tf32(unsigned bits)
{
    float value;
    bits &= 0xffffe000u;
    std::memcpy(&value, &bits, 4);
    return value;
}

// mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
inline void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    const unsigned lane = number() % 32, row = lane / 4, column = lane % 4;
    Warp& warp = next();
    for (unsigned i = 0; i < 4; ++i)
        warp.left[row + i % 2 * 8][column + i / 2 * 4] = tf32(a[i]);
    warp.right[column][row] = tf32(b0);
    warp.right[column + 4][row] = tf32(b1);
    wait();
    if (lane == 0)
        multiply(warp, 8);
    for (unsigned i = 0; i < 4; ++i)
        d[i] = static_cast<float>(d[i] + warp.products[row + i / 2 * 8][column * 2 + i % 2]);
}

inline unsigned largestOfWarp(unsigned value)
{
    Warp& warp = next();
    warp.words[number() % 32] = value;
    wait();
    return *std::max_element(warp.words, warp.words + 32);
}

inline float fromLane(float value, unsigned lane)
{
    Warp& warp = next();
    warp.values[number() % 32] = value;
    wait();
    return warp.values[lane];
}

/// `together`: all blocks run at the same time.
template<class Body>
void run(Body body, unsigned grid, unsigned x, unsigned y, unsigned sharedBytes, bool together = false)
{
    static Body* entry;
    entry = &body;
    threads = {x, y, 1};
    blocks = {grid, 1, 1};
    const unsigned atOnce = together ? grid : 1, ofBlock = x * y, count = ofBlock * atOnce;
    constexpr std::size_t stackBytes = 1 << 16;
    fibers.resize(count);
    warps.resize((count + 31) / 32);
    shown.assign(count, 0);
    const std::unique_ptr<char[]> stacks(new char[count * stackBytes]); // not written: most of them stay short
    std::vector<std::vector<float>> shared(atOnce, std::vector<float>(sharedBytes / 4));
    for (unsigned b = 0; b < grid; b += atOnce) {
        barriers.assign(atOnce, {0, ofBlock, 0});
        namedBarriers.assign(atOnce, {});
        for (std::vector<float>& one : shared)
            std::fill(one.begin(), one.end(), NAN);
        for (unsigned i = 0; i < count; ++i) {
            Fiber& fiber = fibers[i];
            getcontext(&fiber.start);
            fiber.start.uc_stack = {stacks.get() + i * stackBytes, 0, stackBytes};
            fiber.state = Fiber::New;
            makecontext(
                &fiber.start,
                +[] {
                    (*entry)();
                    fibers[current].state = Fiber::Ended;
                    Barrier& barrier = barriers[current / threadsOfBlock()];
                    --barrier.alive;
                    barrier.check();
                    _longjmp(scheduler, 1);
                },
                0);
        }
        for (bool any = true; any;) {
            any = false;
            for (unsigned i = 0; i < count; ++i) {
                if (fibers[i].state == Fiber::Ended)
                    continue;
                current = i;
                thread = {i % ofBlock % x, i % ofBlock / x, 0};
                block = {b + i / ofBlock, 0, 0};
                memory = shared[i / ofBlock].data();
                resume();
                any = true;
            }
        }
    }
}

struct Pointer { // an argument of a kernel, whatever it points to
    void* address;
    template<class T> operator T*() const { return static_cast<T*>(address); }
};

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
inline void __nanosleep(unsigned)
{
    host::wait();
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
