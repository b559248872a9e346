// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA text of recurrences.
#include "core/policy/recurrencepieces.h"

namespace cudal1::policy::recurrencetext {

const std::string oneDirection = R"cuda(
constexpr int by_four = features % 4 == 0 && hidden % 4 == 0;
constexpr int at_once = 32 / rows_of_warp < batch ? 32 / rows_of_warp : batch;
constexpr int rows = gates * units, below_width = below_vectors * 128, own_width = own_vectors * 128;

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

// One half of a block multiplies what comes from below, the other one what its own layer has made. Barriers of these
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

const std::string twoDirections = R"cuda(
// Blocks of a cluster, and the threads of a block that share a unit. A cluster has two sequences.
constexpr int cluster = 8, lanes = 16, sequences = 2, groups = (batch + sequences - 1) / sequences;
constexpr int padded = vectors * 4 * lanes;

static __device__ __forceinline__ float sigmoid(float v)
{
    return 1.0f / (1.0f + expf(-v));
}

// The hyperbolic tangent, or the sigmoid, by the same instructions for all threads of a warp.
static __device__ __forceinline__ float squashed(float v, bool to_both_sides)
{
    const float twice = to_both_sides ? 2.0f : 1.0f, s = twice * sigmoid(twice * v) - (twice - 1.0f);
    return to_both_sides && fabsf(v) < 0.02f ? v - v * v * v * (1.0f / 3.0f) : s; // near zero the difference has few digits
}

static __device__ __forceinline__ unsigned address_of(const void* place)
{
    return (unsigned)__cvta_generic_to_shared(place);
}

// A barrier in shared memory, which is passed when as many bytes have come as it expects. It has to expect anew each time.
static __device__ __forceinline__ void make(unsigned long long* barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address_of(barrier)) : "memory");
}

static __device__ __forceinline__ void expect(unsigned long long* barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address_of(barrier)), "r"(bytes) : "memory");
}

// `parity`: of the number of times that it was passed before.
static __device__ __forceinline__ bool is_passed(unsigned long long* barrier, unsigned parity)
{
    unsigned passed;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(passed) : "r"(address_of(barrier)), "r"(parity) : "memory");
    return passed;
}

// Writes a value where another block of the cluster has in its memory what is at `place` here, and tells its barrier.
static __device__ __forceinline__ void give(float* place, unsigned block, float value, unsigned long long* barrier)
{
    asm volatile("{ .reg .u32 there, its; mapa.shared::cluster.u32 there, %0, %1; mapa.shared::cluster.u32 its, %3, %1;"
                 " st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [there], %2, [its]; }"
                 ::"r"(address_of(place)), "r"(block), "f"(value), "r"(address_of(barrier)) : "memory");
}

// All threads of a cluster wait for one another.
static __device__ __forceinline__ void meet_cluster()
{
    asm volatile("fence.mbarrier_init.release.cluster; barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
}

// A layer of a module with two directions: what comes from below is multiplied, with its bias, for all steps.
)cuda";

const std::string stepsOfTwoDirections = R"cuda({
    extern __shared__ __align__(16) float memory[]; // results of the last step and of the next one, with a barrier for each
    unsigned long long* const there = reinterpret_cast<unsigned long long*>(memory + 2 * sequences * padded);
    const int block = blockIdx.x % cluster, group = blockIdx.x / cluster % groups, direction = blockIdx.x / (cluster * groups);
    const int lane = threadIdx.x % lanes, unit = block * units + threadIdx.x / lanes;
    const bool is_unit = threadIdx.x / lanes < units && unit < hidden;
    // When the lanes of a unit have added up, each has one gate of one sequence, and then its result for one block.
    const int s = lane / cluster, gate = lane / 2 % 4, sequence = group * sequences + s;
    const bool has_gate = is_unit && sequence < batch && gate < gates, has_result = is_unit && sequence < batch;
    const float* const weights = direction ? w1 : w0;
    float4 rows[gates][vectors];
    #pragma unroll
    for (int g = 0; g < gates; ++g)
        #pragma unroll
        for (int j = 0; j < vectors; ++j) {
            const int k = (j * lanes + lane) * 4, left = is_unit ? hidden - k : 0;
            const float* const from = weights + (size_t)(g * hidden + unit) * hidden + k;
            rows[g][j] = make_float4(left > 0 ? from[0] : 0.0f, left > 1 ? from[1] : 0.0f, left > 2 ? from[2] : 0.0f,
                                     left > 3 ? from[3] : 0.0f);
        }
    const float bias = has_gate ? (direction ? bias1 : bias0)[gate * hidden + unit] : 0.0f;
    for (int i = threadIdx.x; i < 2 * sequences * padded; i += threads) {
        const int b = group * sequences + i / padded, k = i % padded;
        memory[i] = i < sequences * padded && b < batch && k < hidden ? h0[(size_t)(direction * batch + b) * hidden + k] : 0.0f;
    }
    const size_t of_state = (size_t)(direction * batch + sequence) * hidden + unit;
    float cell = lstm && has_result ? c0[of_state] : 0.0f;
    const float* const below = (direction ? below1 : below0) + (size_t)sequence * gates * hidden + gate * hidden + unit;
    const int begin = direction ? steps - 1 : 0, onward = direction ? -1 : 1;
    float next_below = has_gate ? below[(size_t)begin * batch * gates * hidden] : 0.0f;
    const unsigned bytes = min(sequences, batch - group * sequences) * hidden * 4;
    for (int i = threadIdx.x; i < 2; i += threads) {
        make(there + i);
        expect(there + i, bytes);
    }
    meet_cluster();
    // Whoever has no results to give would not be waited for.
    if (block * units + threadIdx.x / 32 * (32 / lanes) >= hidden || threadIdx.x / 32 * (32 / lanes) >= units)
        return;

    for (int done = 0, t = begin; done < steps; ++done, t += onward) {
        const float* const now = memory + done % 2 * sequences * padded;
        if (done > 0) {
            while (!is_passed(there + done % 2, (done - 1) / 2 % 2))
                continue;
            if (threadIdx.x == 0)
                expect(there + done % 2, bytes);
        }
        float sums[sequences][4] = {};
        #pragma unroll
        for (int q = 0; q < sequences; ++q)
            #pragma unroll
            for (int j = 0; j < vectors; ++j) {
                const float4 v = reinterpret_cast<const float4*>(now + q * padded)[j * lanes + lane];
                #pragma unroll
                for (int g = 0; g < gates; ++g)
                    sums[q][g] += rows[g][j].x * v.x + rows[g][j].y * v.y + rows[g][j].z * v.z + rows[g][j].w * v.w;
            }
        // Each exchange leaves half of the sums to a thread, of twice as many threads: one sequence, two gates, one gate.
        float half[4] = {}, pair[2];
        #pragma unroll
        for (int g = 0; g < gates; ++g)
            half[g] = (s ? sums[1][g] : sums[0][g]) + __shfl_xor_sync(0xffffffffu, s ? sums[0][g] : sums[1][g], 8);
        #pragma unroll
        for (int g = 0; g < 2; ++g)
            pair[g] = (gate / 2 ? half[g + 2] : half[g]) + __shfl_xor_sync(0xffffffffu, gate / 2 ? half[g] : half[g + 2], 4);
        float own = (gate % 2 ? pair[1] : pair[0]) + __shfl_xor_sync(0xffffffffu, gate % 2 ? pair[0] : pair[1], 2);
        own += __shfl_xor_sync(0xffffffffu, own, 1) + bias;

        const int first = threadIdx.x % 32 / cluster * cluster; // lane of a warp, from which on every second has a gate
        float h;
        if (lstm) { // input, forget, cell and output gate
            const float v = squashed(next_below + own, gate == 2);
            const float in = __shfl_sync(0xffffffffu, v, first), forget = __shfl_sync(0xffffffffu, v, first + 2);
            const float from = __shfl_sync(0xffffffffu, v, first + 4), out_gate = __shfl_sync(0xffffffffu, v, first + 6);
            cell = forget * cell + in * from;
            h = out_gate * squashed(cell, true);
        } else { // reset, update and new gate
            const float v = sigmoid(next_below + own);
            const float reset = __shfl_sync(0xffffffffu, v, first), z = __shfl_sync(0xffffffffu, v, first + 2);
            const float n = __shfl_sync(0xffffffffu, squashed(next_below + reset * own, true), first + 4);
            h = (1.0f - z) * n + z * now[s * padded + min(unit, hidden - 1)];
        }
        // All have read what stood in that place: else they could not have given what this step began with.
        if (has_result && done + 1 < steps && lane % cluster * units < hidden)
            give(memory + ((done + 1) % 2 * sequences + s) * padded + unit, lane % cluster, h, there + (done + 1) % 2);
        if (has_result && lane % cluster == 0) {
            out[((size_t)t * batch + sequence) * 2 * hidden + direction * hidden + unit] = h;
            if (done + 1 == steps) {
                last_h[of_state] = h;
                if (lstm)
                    last_c[of_state] = cell;
            }
        }
        if (has_gate && done + 1 < steps)
            next_below = below[(size_t)(t + onward) * batch * gates * hidden];
    }
}
)cuda";

} // namespace cudal1::policy::recurrencetext
