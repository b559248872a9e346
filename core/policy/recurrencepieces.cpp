// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA text of recurrences.
#include "core/policy/recurrencepieces.h"

namespace cudal1::policy::recurrencetext {

const std::string common = R"cuda(
constexpr int by_four = features % 4 == 0 && hidden % 4 == 0;
constexpr int at_once = 32 / rows_of_warp < batch ? 32 / rows_of_warp : batch;
constexpr int result_width = directions * hidden, rows = gates * units, below_width = below_vectors * 128, own_width = own_vectors * 128;

// The place of a thread among those that multiply together.
static __device__ __forceinline__ int place()
{
    return threadIdx.x % threads;
}

// Copies the values of all sequences at one step to shared memory.
static __device__ __forceinline__ void stage(float* to, int padded, const float* from, int width, int between)
{
    if (by_four) {
        #pragma unroll 4
        for (int i = place(); i < batch * padded / 4; i += threads) {
            const int b = i / (padded / 4), k = i % (padded / 4) * 4;
            reinterpret_cast<float4*>(to)[i] =
                k < width ? __ldcg(reinterpret_cast<const float4*>(from + (size_t)b * between + k))
                          : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
    } else {
        for (int i = place(); i < batch * padded; i += threads) {
            const int b = i / padded, k = i % padded;
            to[i] = k < width ? __ldcg(from + (size_t)b * between + k) : 0.0f;
        }
    }
}

// What a thread has of the rows of a matrix, `from` its row 0; zeros behind its end.
template<int vectors>
static __device__ __forceinline__ void load(float4 (&own)[rows_of_warp][vectors], const float* from, int width, int first)
{
    const int lane = threadIdx.x & 31, warp = place() >> 5;
    #pragma unroll
    for (int r = 0; r < rows_of_warp; ++r) {
        const int row = warp * rows_of_warp + r, unit = first + row % units;
        const float* const line = from + (size_t)(row / units * hidden + unit) * width;
        #pragma unroll
        for (int j = 0; j < vectors; ++j) {
            const int k = j * 128 + lane * 4;
            const int left = row < rows && unit < hidden ? width - k : 0;
            own[r][j] = make_float4(left > 0 ? line[k] : 0.0f, left > 1 ? line[k + 1] : 0.0f,
                                    left > 2 ? line[k + 2] : 0.0f, left > 3 ? line[k + 3] : 0.0f);
        }
    }
}

// Halves the sums that a thread has parts of, and doubles the threads whose parts are in them.
template<int kept> static __device__ __forceinline__ void exchange(float (&s)[32], int mask)
{
    const bool upper = threadIdx.x & mask;
    #pragma unroll
    for (int i = 0; i < kept; ++i) {
        const float mine = upper ? s[i + kept] : s[i], other = upper ? s[i] : s[i + kept];
        s[i] = mine + __shfl_xor_sync(0xffffffffu, other, mask);
    }
}

// sums[row][sequence] of the products of a warp's rows with each sequence: of as many at once as each thread of the warp
// gets one sum of.
template<int vectors>
static __device__ __forceinline__ void multiply(const float4 (&own)[rows_of_warp][vectors], const float* staged, float* sums)
{
    const int lane = threadIdx.x & 31, warp = place() >> 5, r = lane % rows_of_warp;
    #pragma unroll 1
    for (int first = 0; first < batch; first += at_once) {
        float s[32];
        #pragma unroll
        for (int i = 0; i < 32; ++i)
            s[i] = 0.0f;
        #pragma unroll
        for (int q = 0; q < at_once; ++q) {
            const float* const values = staged + (size_t)min(first + q, batch - 1) * vectors * 128;
            #pragma unroll
            for (int j = 0; j < vectors; ++j) {
                const float4 v = reinterpret_cast<const float4*>(values)[j * 32 + lane];
                #pragma unroll
                for (int row = 0; row < rows_of_warp; ++row)
                    s[q * rows_of_warp + row] +=
                        own[row][j].x * v.x + own[row][j].y * v.y + own[row][j].z * v.z + own[row][j].w * v.w;
            }
        }
        exchange<16>(s, 16);
        exchange<8>(s, 8);
        exchange<4>(s, 4);
        exchange<2>(s, 2);
        exchange<1>(s, 1);
        const int b = first + lane / rows_of_warp;
        if (lane < at_once * rows_of_warp && b < batch)
            sums[(warp * rows_of_warp + r) * batch + b] = s[0];
    }
}

static __device__ __forceinline__ float sigmoid(float v)
{
    return 1.0f / (1.0f + expf(-v));
}

// The next result of a unit of a sequence, from the sums and biases of its gates. An LSTM has a cell beside it, a GRU needs
// the last result.
static __device__ __forceinline__ float advance(const float* below_sums, const float* own_sums, const float* bias_below,
                                                const float* bias_own, int sequence, int place_of_unit, int unit, float& cell,
                                                float last)
{
    float below[gates], own[gates];
    #pragma unroll
    for (int g = 0; g < gates; ++g) {
        const int sum = (g * units + place_of_unit) * batch + sequence;
        below[g] = below_sums[sum] + bias_below[g * hidden + unit];
        own[g] = own_sums[sum] + bias_own[g * hidden + unit];
    }
    if (lstm) { // input, forget, cell and output gate
        cell = sigmoid(below[1] + own[1]) * cell + sigmoid(below[0] + own[0]) * tanhf(below[2] + own[2]);
        return sigmoid(below[gates - 1] + own[gates - 1]) * tanhf(cell);
    }
    const float z = sigmoid(below[1] + own[1]); // reset, update and new gate
    const float n = tanhf(below[2] + sigmoid(below[0] + own[0]) * own[2]);
    return (1.0f - z) * n + z * last;
}

)cuda";

const std::string oneDirection =
    R"cuda(// One half of a block multiplies what comes from below, the other one what its own layer has made. Barriers of these
// halves; those of a pair are for even and odd steps. Threads of a warp may come to them one after the other, since each
// waits for results of its own.
enum { of_below = 1, of_own = 2, sums_there = 3, sums_taken = 5 };

static __device__ __forceinline__ void meet(int barrier, int count)
{
    asm volatile("barrier.sync %0, %1;" ::"r"(barrier), "r"(count) : "memory");
}

// Lets others meet without waiting for them.
static __device__ __forceinline__ void tell(int barrier, int count)
{
    asm volatile("barrier.arrive %0, %1;" ::"r"(barrier), "r"(count) : "memory");
}

// A result as others read it: the number, and above it a one, which says that it is there. Both are written at once, so
// nobody has to ask first, and no order of writes counts.
static __device__ __forceinline__ void publish(unsigned long long* to, float value)
{
    const unsigned long long word = (1ull << 32) | __float_as_uint(value);
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}

constexpr int results_at_once = hidden % 2 == 0 ? 2 : 1;

struct Results {
    unsigned long long word[results_at_once];
};

static __device__ __forceinline__ Results look(const unsigned long long* from)
{
    Results out;
    if constexpr (results_at_once == 2)
        asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(out.word[0]), "=l"(out.word[1]) : "l"(from) : "memory");
    else
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(out.word[0]) : "l"(from) : "memory");
    return out;
}

// What a thread copies to shared memory of all sequences at one step: of results, for which it waits, or of the input.
// It asks for them ahead, so that they come while it computes.
template<int width, int padded> struct ResultsAhead {
    static constexpr int row = padded / results_at_once, pieces = batch * row, each = (pieces + threads - 1) / threads;
    static constexpr int together = each < 12 ? each : 12; // those that it has registers for
    Results r[together];

    // `piece`, from which on it is about so many, and `from`, where those of the first sequence are.
    static __device__ __forceinline__ bool is_one(int i) { return i < pieces && i % row * results_at_once < width; }
    static __device__ __forceinline__ Results at(int i, const unsigned long long* from)
    {
        return look(from + (size_t)(i / row) * hidden + i % row * results_at_once);
    }
    __device__ __forceinline__ void ask(const unsigned long long* from, int piece = place())
    {
        #pragma unroll
        for (int j = 0; j < together; ++j) {
            #pragma unroll
            for (int n = 0; n < results_at_once; ++n)
                r[j].word[n] = 0;
            if (is_one(piece + j * threads))
                r[j] = at(piece + j * threads, from);
        }
    }
    __device__ __forceinline__ void take(float* to, const unsigned long long* from)
    {
        for (int piece = place();;) {
            for (bool waits = true; waits;) {
                waits = false;
                #pragma unroll
                for (int j = 0; j < together; ++j) {
                    const int i = piece + j * threads;
                    if (is_one(i) && ((r[j].word[0] >> 32) == 0 || (r[j].word[results_at_once - 1] >> 32) == 0)) {
                        r[j] = at(i, from);
                        waits = true;
                    }
                }
            }
            #pragma unroll
            for (int j = 0; j < together; ++j)
                #pragma unroll
                for (int n = 0; n < results_at_once; ++n)
                    if (piece + j * threads < pieces)
                        to[(piece + j * threads) * results_at_once + n] = __uint_as_float((unsigned)r[j].word[n]);
            piece += together * threads;
            if (piece >= pieces)
                return;
            ask(from, piece);
        }
    }
};

template<int padded> struct InputAhead {
    static constexpr int pieces = batch * padded / 4, each = (pieces + threads - 1) / threads;
    static constexpr bool in_registers = by_four && each <= 8;
    float4 v[in_registers ? each : 1];

    __device__ __forceinline__ void ask(const float* from)
    {
        #pragma unroll
        for (int j = 0; j < each && in_registers; ++j) {
            const int i = place() + j * threads, b = i / (padded / 4), k = i % (padded / 4) * 4;
            v[j] = i < pieces && k < features
                ? *reinterpret_cast<const float4*>(from + (size_t)b * x_sequence + k) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
    }
    __device__ __forceinline__ void take(float* to, const float* from)
    {
        if (!in_registers)
            return stage(to, padded, from, features, x_sequence);
        #pragma unroll
        for (int j = 0; j < each; ++j)
            if (place() + j * threads < pieces)
                reinterpret_cast<float4*>(to)[place() + j * threads] = v[in_registers ? j : 0];
    }
};

)cuda";

const std::string stepsOfOneDirection = R"cuda(    constexpr int sums = 8 * rows_of_warp * batch;
    extern __shared__ float memory[];
    float* const below_staged = memory;
    float* const own_staged = below_staged + batch * below_width;
    float* const below_sums = own_staged + batch * own_width; // of two steps
    float* const own_sums = below_sums + 2 * sums;
    float* const cell = own_sums + sums;
    const int layer = blockIdx.x / blocks, first = blockIdx.x % blocks * units, width = layer == 0 ? features : hidden;
    constexpr size_t step = (size_t)batch * hidden; // numbers between the results of two steps
    if (threadIdx.x < threads) {
        const unsigned long long* const lower = results + (layer - 1) * (long long)(steps * step);
        float4 rows_here[rows_of_warp][below_vectors];
        load(rows_here, weights[4 * layer], width, first);
        InputAhead<below_width> input;
        ResultsAhead<hidden, below_width> below;
        const auto ask = [&](int t) {
            if (layer == 0)
                input.ask(x + (size_t)t * x_step);
            else
                below.ask(lower + t * step);
        };
        ask(0);
        for (int t = 0; t < steps; ++t) {
            if (layer == 0)
                input.take(below_staged, x + (size_t)t * x_step);
            else
                below.take(below_staged, lower + t * step);
            meet(of_below, threads);
            if (t + 1 < steps)
                ask(t + 1);
            if (t >= 2)
                meet(sums_taken + t % 2, 2 * threads);
            multiply(rows_here, below_staged, below_sums + t % 2 * sums);
            tell(sums_there + t % 2, 2 * threads);
            meet(of_below, threads);
        }
    } else {
        const float* const bias_below = weights[4 * layer + 2];
        const float* const bias_own = weights[4 * layer + 3];
        unsigned long long* const mine = results + layer * steps * step;
        float4 rows_here[rows_of_warp][own_vectors];
        load(rows_here, weights[4 * layer + 1], hidden, first);
        if (lstm)
            for (int i = place(); i < units * batch; i += threads)
                if (first + i % units < hidden)
                    cell[i] = c0[(size_t)(layer * batch + i / units) * hidden + first + i % units];
        for (int t = 0; t < steps; ++t) {
            if (t == 0) {
                stage(own_staged, own_width, h0 + (size_t)layer * batch * hidden, hidden, hidden);
            } else {
                ResultsAhead<hidden, own_width> own;
                own.ask(mine + (t - 1) * step);
                own.take(own_staged, mine + (t - 1) * step);
            }
            meet(of_own, threads);
            multiply(rows_here, own_staged, own_sums);
            meet(sums_there + t % 2, 2 * threads);
            for (int i = place(); i < units * batch; i += threads) {
                const int b = i / units, u = i % units, unit = first + u;
                if (unit >= hidden)
                    continue;
                // What was before comes anew only behind this.
                const float h = advance(below_sums + t % 2 * sums, own_sums, bias_below, bias_own, b, u, unit, cell[i],
                                        own_staged[b * own_width + unit]);
                publish(mine + t * step + (size_t)b * hidden + unit, h);
                if (layer == layers - 1)
                    out[t * step + (size_t)b * hidden + unit] = h;
                if (t == steps - 1) {
                    last_h[(size_t)(layer * batch + b) * hidden + unit] = h;
                    if (lstm)
                        last_c[(size_t)(layer * batch + b) * hidden + unit] = cell[i];
                }
            }
            if (t + 2 < steps)
                tell(sums_taken + t % 2, 2 * threads);
        }
    }
}
)cuda";

const std::string twoDirections = R"cuda(// Waits until as many blocks have said that their results are there.
static __device__ __forceinline__ void wait_for(const unsigned* counter, unsigned least)
{
    if (threadIdx.x == 0) {
        while (*(const volatile unsigned*)counter < least)
            __nanosleep(20);
        __threadfence();
    }
    __syncthreads();
}

)cuda";

const std::string stepsOfTwoDirections = R"cuda(    extern __shared__ float memory[];
    float* const below_staged = memory;
    float* const own_staged = below_staged + batch * below_width;
    float* const below_sums = own_staged + batch * own_width;
    float* const own_sums = below_sums + 8 * rows_of_warp * batch;
    float* const cell = own_sums + 8 * rows_of_warp * batch;
    // Blocks have one direction each and do all layers in turn, since the first step of a layer needs the last one of the
    // layer below.
    const int direction = blockIdx.x / blocks, first = blockIdx.x % blocks * units;
    for (int layer = 0; layer < layers; ++layer) {
        const int which = layer * directions + direction, width = layer == 0 ? features : result_width;
        const float* const bias_below = weights[4 * which + 2];
        const float* const bias_own = weights[4 * which + 3];
        float4 below_rows[rows_of_warp][below_vectors], own_rows[rows_of_warp][own_vectors];
        load(below_rows, weights[4 * which], width, first);
        load(own_rows, weights[4 * which + 1], hidden, first);
        const size_t step = (size_t)batch * result_width; // numbers between the results of two steps
        float* const results = (layer == layers - 1 ? out : between + layer * steps * step) + direction * hidden;
        const float* const lower = layer == 0 ? x : between + (layer - 1) * steps * step;
        if (lstm)
            for (int i = threadIdx.x; i < units * batch; i += threads)
                if (first + i % units < hidden)
                    cell[i] = c0[(size_t)(which * batch + i / units) * hidden + first + i % units];

        for (int done = 0; done < steps; ++done) {
            const int t = direction ? steps - 1 - done : done, before = direction ? t + 1 : t - 1;
            if (layer == 0) {
                stage(below_staged, below_width, x + (size_t)t * x_step, width, x_sequence);
            } else {
                for (int d = 0; d < directions && done == 0; ++d)
                    wait_for(ready + (layer - 1) * directions + d, blocks * steps);
                stage(below_staged, below_width, lower + t * step, width, result_width);
            }
            __syncthreads();
            multiply(below_rows, below_staged, below_sums);
            if (done == 0) {
                stage(own_staged, own_width, h0 + (size_t)which * batch * hidden, hidden, hidden);
            } else {
                wait_for(ready + which, blocks * done);
                stage(own_staged, own_width, results + before * step, hidden, result_width);
            }
            __syncthreads();
            multiply(own_rows, own_staged, own_sums);
            __syncthreads();
            for (int i = threadIdx.x; i < units * batch; i += threads) {
                const int b = i / units, u = i % units, unit = first + u;
                if (unit >= hidden)
                    continue;
                const float h = advance(below_sums, own_sums, bias_below, bias_own, b, u, unit, cell[i],
                                        own_staged[b * own_width + unit]);
                results[t * step + (size_t)b * result_width + unit] = h;
                if (done == steps - 1) {
                    last_h[(size_t)(which * batch + b) * hidden + unit] = h;
                    if (lstm)
                        last_c[(size_t)(which * batch + b) * hidden + unit] = cell[i];
                }
            }
            __threadfence();
            __syncthreads();
            if (threadIdx.x == 0)
                atomicAdd(ready + which, 1u);
        }
    }
}
)cuda";

} // namespace cudal1::policy::recurrencetext
