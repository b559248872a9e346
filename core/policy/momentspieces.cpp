// SPDX-License-Identifier: GPL-3.0-or-later
// The same for all kernels of statistics: names of constants stand where their numbers differ.
#include "core/policy/momentspieces.h"

namespace cudal1::policy::momentstext {

const std::string moments =
    R"cuda(struct Moments { float count, mean, square; }; // square: the sum of squares of what differs from the mean

__device__ __forceinline__ void join(Moments& a, const Moments& b)
{
    const float count = a.count + b.count, delta = b.mean - a.mean, part = b.count / fmaxf(count, 1.0f);
    a.mean += delta * part;
    a.square += b.square + delta * delta * a.count * part;
    a.count = count;
}
)cuda";

const std::string overBlock =
    R"cuda(__device__ Moments over_block(Moments m, float* shared)
{
    for (int step = 16; step > 0; step >>= 1) {
        Moments other;
        other.count = __shfl_xor_sync(0xffffffffu, m.count, step);
        other.mean = __shfl_xor_sync(0xffffffffu, m.mean, step);
        other.square = __shfl_xor_sync(0xffffffffu, m.square, step);
        join(m, other);
    }
    float* mine = shared + threadIdx.x / 32 * 3;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        mine[0] = m.count;
        mine[1] = m.mean;
        mine[2] = m.square;
    }
    __syncthreads();
    m = {shared[0], shared[1], shared[2]};
    for (int i = 1; i < 8; ++i)
        join(m, {shared[i * 3], shared[i * 3 + 1], shared[i * 3 + 2]});
    return m;
}

)cuda";

// Where a set has several blocks: all but the last one leave.
const std::string lastBlock = R"cuda(    __shared__ unsigned last;
    if (threadIdx.x == 0) {
        volatile float* to = parts + blockIdx.x * 3;
        to[0] = all.count;
        to[1] = all.mean;
        to[2] = all.square;
        __threadfence();
        last = atomicAdd(tickets + set, 1u) == BLOCKS - 1 ? 1u : 0u;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    mine = {0.0f, 0.0f, 0.0f};
    for (unsigned i = threadIdx.x; i < BLOCKS; i += 256) {
        const volatile float* from = parts + (set * BLOCKS + i) * 3;
        join(mine, {from[0], from[1], from[2]});
    }
    all = over_block(mine, shared);
    if (threadIdx.x == 0)
        tickets[set] = 0;
)cuda";

// What each thread of a row of a block has is joined over the rows; after that the first row has all.
const std::string overRows = R"cuda(__device__ void over_rows(Moments (&m)[WIDTH], float* shared, unsigned row)
{
    for (unsigned rows = ROWS; rows > 1;) {
        const unsigned half = (rows + 1) / 2;
        __syncthreads();
        for (int l = 0; l < WIDTH && row < rows; ++l) {
            float* mine = shared + (threadIdx.x * WIDTH + l) * 3;
            mine[0] = m[l].count;
            mine[1] = m[l].mean;
            mine[2] = m[l].square;
        }
        __syncthreads();
        for (int l = 0; l < WIDTH && row + half < rows; ++l) {
            const float* other = shared + ((threadIdx.x + half * COLUMNS) * WIDTH + l) * 3;
            join(m[l], {other[0], other[1], other[2]});
        }
        rows = half;
    }
}

)cuda";

const std::string innermostBegin = R"cuda({
    __shared__ float shared[256 * WIDTH * 3];
    const unsigned row = threadIdx.x / COLUMNS, strip = blockIdx.x / BLOCKS, block = blockIdx.x % BLOCKS;
    const unsigned channel = (strip * COLUMNS + threadIdx.x % COLUMNS) * WIDTH;
    const bool works = row < ROWS && channel < CHANNELS;
    Moments mine[WIDTH];
    for (int l = 0; l < WIDTH; ++l)
        mine[l] = {0.0f, 0.0f, 0.0f};
    for (INDEX t = block * ROWS + row; works && t < PLACES; t += AT_ONCE * BLOCKS * ROWS) {
        float v[AT_ONCE * WIDTH];
        int have = 0;
        #pragma unroll
        for (int u = 0; u < AT_ONCE; ++u) {
            const INDEX p = t + u * BLOCKS * ROWS;
            if (p < PLACES) {
                ++have;
                const INDEX k = (PLACES - 1 - p) * CHANNELS + channel;
)cuda";

const std::string innermostEnd = R"cuda(            }
        }
        #pragma unroll
        for (int l = 0; l < WIDTH; ++l) {
            float sum = 0.0f, square = 0.0f;
            #pragma unroll
            for (int u = 0; u < AT_ONCE; ++u)
                sum += u < have ? v[u * WIDTH + l] : 0.0f;
            const float mean = sum / have;
            #pragma unroll
            for (int u = 0; u < AT_ONCE; ++u)
                square += u < have ? (v[u * WIDTH + l] - mean) * (v[u * WIDTH + l] - mean) : 0.0f;
            join(mine[l], {(float)have, mean, square});
        }
    }
    over_rows(mine, shared, row);
    if (BLOCKS > 1) {
        __shared__ unsigned last;
        for (int l = 0; l < WIDTH && row == 0 && works; ++l) {
            volatile float* to = parts + (block * CHANNELS + channel + l) * 3;
            to[0] = mine[l].count;
            to[1] = mine[l].mean;
            to[2] = mine[l].square;
        }
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            last = atomicAdd(tickets + strip, 1u) == BLOCKS - 1 ? 1u : 0u;
        __syncthreads();
        if (!last)
            return;
        __threadfence();
        for (int l = 0; l < WIDTH; ++l) {
            mine[l] = {0.0f, 0.0f, 0.0f};
            for (unsigned i = row; i < BLOCKS && works; i += ROWS) {
                const volatile float* from = parts + (i * CHANNELS + channel + l) * 3;
                join(mine[l], {from[0], from[1], from[2]});
            }
        }
        over_rows(mine, shared, row);
        if (threadIdx.x == 0)
            tickets[strip] = 0;
    }
    if (row != 0 || !works)
        return;
    for (int l = 0; l < WIDTH; ++l) {
    const Moments all = mine[l];
    const unsigned set = channel + l;
)cuda";

} // namespace cudal1::policy::momentstext
