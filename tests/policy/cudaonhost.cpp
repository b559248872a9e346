// SPDX-License-Identifier: GPL-3.0-or-later
// Fibers, and what the threads of a block and of a warp do together. Compiled once for all kernels.
#include "tests/policy/cudaonhost.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#ifndef __x86_64__
#error "switchStack() is written for x86-64, as the packages of torch are."
#endif

// Goes from one stack to another, and keeps the registers that a function must keep on x86-64. (No fiber changes how
// numbers are rounded. setcontext() asks the kernel for signals each time, and longjmp() looks for what threads clean
// up.)
asm(R"(
    .text
    .hidden switchStack
    .globl switchStack
switchStack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
)");
/// Leaves in `left` where the present stack goes on, and goes on at `next`.
extern "C" void switchStack(void** left, void* next);

namespace host {

Index thread, block, threads, blocks;
float* memory;

namespace {

struct Fiber {
    void* top;
    bool ended;
};
void* scheduler;
std::vector<Fiber> fibers; ///< of all blocks that run at the same time
unsigned current;

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
std::vector<Barrier> barriers;

/// Where as many threads meet as each of them says.
struct NamedBarrier {
    unsigned arrived = 0, generation = 0;

    void arrive(unsigned count)
    {
        if (++arrived == count) {
            arrived = 0;
            ++generation;
        }
    }

    void meet(unsigned count)
    {
        const unsigned before = generation;
        arrive(count);
        do
            wait();
        while (generation == before);
    }
};
std::vector<std::array<NamedBarrier, 16>> namedBarriers;

unsigned threadsOfBlock()
{
    return threads.x * threads.y;
}

constexpr unsigned blocksOfCluster = 8;
std::vector<NamedBarrier> clusters;
std::vector<std::vector<float>> shared; ///< dynamic shared memory of all blocks that run at the same time

/// Which bytes may come to before it expects them.
struct ByteBarrier {
    static constexpr int unexpected = 1 << 30;
    int missing = unexpected;
    unsigned generation = 0;

    void take(int more)
    {
        missing += more;
        if (missing == 0) {
            missing = unexpected;
            ++generation;
        }
    }
};

// What the threads of a warp show one another. Two of them in turns: when a thread fills one again, all others have
// read it, since each had a turn in between.
struct Warp {
    double left[16][16], right[16][8], products[16][8];
    float values[32];
    unsigned words[32];
};
std::vector<std::array<Warp, 2>> warps;
std::vector<unsigned> shown; // how often each thread has shown something

void (*body)(const void*);
const void* context;

NamedBarrier& named(int barrier)
{
    return namedBarriers[current / threadsOfBlock()][static_cast<std::size_t>(barrier)];
}

Warp& next()
{
    return warps[current / 32][shown[current]++ % 2];
}

/// What a fiber begins with; it never returns, since there is nothing that it could return to.
void begin()
{
    body(context);
    fibers[current].ended = true;
    Barrier& barrier = barriers[current / threadsOfBlock()];
    --barrier.alive;
    barrier.check();
    switchStack(&fibers[current].top, scheduler);
}

/// A stack on which switchStack() begins.
void* newStack(char* bytes, std::size_t size)
{
    auto top = (reinterpret_cast<std::uintptr_t>(bytes) + size) & ~std::uintptr_t(15);
    const auto words = reinterpret_cast<std::uintptr_t*>(top) - 8; // six registers, where to begin, where to return to
    std::fill(words, words + 8, 0);
    words[6] = reinterpret_cast<std::uintptr_t>(&begin);
    return words;
}

unsigned nearestHalf(float value)
{
    const unsigned sign = std::signbit(value) ? 0x8000 : 0;
    const float size = std::fabs(value);
    if (!(size < 65520.0f))
        return sign | (size >= 65520.0f ? 0x7c00 : 0x7e00);
    if (size < 0x1p-14f) // below the least normal number it is digits alone
        return sign | static_cast<unsigned>(std::lrint(size * 0x1p24f));
    unsigned bits;
    std::memcpy(&bits, &size, 4);
    bits += 0xfff + (bits >> 13 & 1); // a carry out of the digits is a carry into the exponent
    return sign | ((bits >> 13) - (112 << 10));
}

/// The number that tensor cores see in TF32: they do not read the last 13 bits.
float tf32(unsigned bits)
{
    float value;
    bits &= 0xffffe000u;
    std::memcpy(&value, &bits, 4);
    return value;
}

[[gnu::noinline, gnu::optimize("O3")]] void multiply(Warp& warp, unsigned depth)
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

/// When all threads of the warp have shown their factors; the first, whose turn is first, multiplies.
void addProducts(float (&d)[4], Warp& warp, unsigned depth)
{
    wait();
    const unsigned lane = number() % 32, row = lane / 4, column = lane % 4;
    if (lane == 0)
        multiply(warp, depth);
    for (unsigned i = 0; i < 4; ++i)
        d[i] = static_cast<float>(d[i] + warp.products[row + i / 2 * 8][column * 2 + i % 2]);
}

} // namespace

void wait()
{
    switchStack(&fibers[current].top, scheduler);
}

void meet()
{
    Barrier& barrier = barriers[current / threadsOfBlock()];
    const unsigned generation = barrier.generation;
    ++barrier.arrived;
    barrier.check();
    do
        wait();
    while (barrier.generation == generation);
}

void arrive(int barrier, unsigned count)
{
    named(barrier).arrive(count);
}

void meet(int barrier, unsigned count)
{
    named(barrier).meet(count);
}

void meetCluster()
{
    clusters[current / threadsOfBlock() / blocksOfCluster].meet(blocksOfCluster * threadsOfBlock());
}

void make(unsigned long long* barrier)
{
    new (barrier) ByteBarrier;
}

void expect(unsigned long long* barrier, unsigned bytes)
{
    reinterpret_cast<ByteBarrier*>(barrier)->take(static_cast<int>(bytes) - ByteBarrier::unexpected);
}

bool isPassed(unsigned long long* barrier, unsigned parity)
{
    const bool passed = reinterpret_cast<ByteBarrier*>(barrier)->generation % 2 != parity;
    if (!passed)
        wait();
    return passed;
}

void give(float* place, unsigned blockOfCluster, float value, unsigned long long* barrier)
{
    const unsigned here = current / threadsOfBlock();
    float* const there = shared[here / blocksOfCluster * blocksOfCluster + blockOfCluster].data();
    there[place - memory] = value;
    reinterpret_cast<ByteBarrier*>(there + (reinterpret_cast<float*>(barrier) - memory))->take(-4);
}

float half(unsigned bits)
{
    const unsigned sign = (bits & 0x8000) << 16, exponent = bits >> 10 & 31, digits = bits & 1023;
    if (exponent == 0) {
        const float size = static_cast<float>(digits) * 0x1p-24f;
        return sign ? -size : size;
    }
    const unsigned word = sign | (exponent == 31 ? 255 : exponent + 112) << 23 | digits << 13;
    float value;
    std::memcpy(&value, &word, 4);
    return value;
}

unsigned halves(float first, float second)
{
    return nearestHalf(first) | nearestHalf(second) << 16;
}

void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    const unsigned lane = number() % 32, row = lane / 4, column = lane % 4;
    Warp& warp = next();
    for (unsigned i = 0; i < 4; ++i)
        warp.left[row + i % 2 * 8][column + i / 2 * 4] = tf32(a[i]);
    warp.right[column][row] = tf32(b0);
    warp.right[column + 4][row] = tf32(b1);
    addProducts(d, warp, 8);
}

void multiplyHalves(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    const unsigned lane = number() % 32, row = lane / 4, column = lane % 4;
    Warp& warp = next();
    for (unsigned e = 0; e < 2; ++e) {
        for (unsigned i = 0; i < 4; ++i)
            warp.left[row + i % 2 * 8][column * 2 + e + i / 2 * 8] = half(a[i] >> 16 * e);
        warp.right[column * 2 + e][row] = half(b0 >> 16 * e);
        warp.right[column * 2 + e + 8][row] = half(b1 >> 16 * e);
    }
    addProducts(d, warp, 16);
}

unsigned largestOfWarp(unsigned value)
{
    Warp& warp = next();
    warp.words[number() % 32] = value;
    wait();
    return *std::max_element(warp.words, warp.words + 32);
}

float fromLane(float value, unsigned lane)
{
    Warp& warp = next();
    warp.values[number() % 32] = value;
    wait();
    return warp.values[lane];
}

void run(void (*ofThread)(const void*), const void* itsContext, unsigned grid, unsigned x, unsigned y,
         unsigned sharedBytes, bool together)
{
    body = ofThread;
    context = itsContext;
    threads = {x, y, 1};
    blocks = {grid, 1, 1};
    const unsigned atOnce = together ? grid : 1, ofBlock = x * y, count = ofBlock * atOnce;
    constexpr std::size_t stackBytes = 1 << 16;
    fibers.resize(count);
    warps.resize((count + 31) / 32);
    shown.assign(count, 0);
    const std::unique_ptr<char[]> stacks(new char[count * stackBytes]); // not written: most of them stay short
    shared.assign(atOnce, std::vector<float>(sharedBytes / 4));
    for (unsigned b = 0; b < grid; b += atOnce) {
        barriers.assign(atOnce, {0, ofBlock, 0});
        namedBarriers.assign(atOnce, {});
        clusters.assign((atOnce + blocksOfCluster - 1) / blocksOfCluster, {});
        for (std::vector<float>& one : shared)
            std::fill(one.begin(), one.end(), NAN);
        for (unsigned i = 0; i < count; ++i)
            fibers[i] = {newStack(stacks.get() + i * stackBytes, stackBytes), false};
        for (bool any = true; any;) {
            any = false;
            for (unsigned i = 0; i < count; ++i) {
                if (fibers[i].ended)
                    continue;
                current = i;
                thread = {i % ofBlock % x, i % ofBlock / x, 0};
                block = {b + i / ofBlock, 0, 0};
                memory = shared[i / ofBlock].data();
                switchStack(&scheduler, fibers[i].top);
                any = true;
            }
        }
    }
}

} // namespace host
