// SPDX-License-Identifier: GPL-3.0-or-later
// Text that all kernels for attention share.
#include "core/policy/attentionpieces.h"

namespace cudal1::policy {

const std::string attentionFunctions = R"cuda(
// Adds the product of 16 x 8 and 8 x 8 numbers in TF32.
static __device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// A number in TF32: the nearest one, or where the rest of it is multiplied as well the next one towards zero. Tensor
// cores do not read the last 13 bits.
static __device__ __forceinline__ unsigned first_part(float value)
{
    return exact ? __float_as_uint(value) & 0xffffe000u : __float_as_uint(value) + 0x1000u;
}

static __device__ __forceinline__ unsigned rest_of(float value)
{
    return __float_as_uint(value - __uint_as_float(__float_as_uint(value) & 0xffffe000u));
}

struct Factor {
    unsigned first[4], rest[4];
};

static __device__ __forceinline__ Factor factor_of(float a0, float a1, float a2, float a3)
{
    const float values[4] = {a0, a1, a2, a3};
    Factor out;
    #pragma unroll
    for (int i = 0; i < 4; ++i) {
        // Rounding would make zero of NaN.
        out.first[i] = values[i] == values[i] ? first_part(values[i]) : 0x7fc00000u;
        out.rest[i] = exact ? rest_of(values[i]) : 0u;
    }
    return out;
}

static __device__ __forceinline__ void multiply(float (&d)[4], const Factor& a, float b0, float b1)
{
    const unsigned first0 = first_part(b0), first1 = first_part(b1);
    if (exact) {
        multiply(d, a.rest, first0, first1);
        multiply(d, a.first, rest_of(b0), rest_of(b1));
    }
    multiply(d, a.first, first0, first1);
}

// Begins to copy rows from `row` on to shared memory, with zeros behind the last one.
template<int columns, int pitch>
static __device__ __forceinline__ void begin_copy(float* shared, const float* matrix, int row, long long stride)
{
    constexpr int at_once = 4;
    for (int i = threadIdx.x; i < tile * columns / at_once; i += threads) {
        const int r = i / (columns / at_once), column = i % (columns / at_once) * at_once;
        const int bytes = row + r < keys ? 4 * at_once : 0;
        float* const to = shared + r * pitch + column;
        const float* const from = matrix + (bytes ? row + r : 0) * stride + column;
        asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;"
                     : : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(bytes), "n"(4 * at_once) : "memory");
    }
}

constexpr float log2_of_e = 1.4426950408889634f;

static __device__ __forceinline__ float two_to(float power)
{
    float out;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(out) : "f"(power));
    return out;
}

static __device__ __forceinline__ float over_quad(float value, bool largest)
{
    #pragma unroll
    for (int step = 1; step < 4; step *= 2) {
        const float other = __shfl_xor_sync(0xffffffffu, value, step);
        value = largest ? fmaxf(value, other) : value + other;
    }
    return value;
}

)cuda";

// The steps of a score come between these.
const std::string headOfAttention = R"cuda(    extern __shared__ __align__(16) float memory[];
    float* const key_tile = memory;
    float* const value_tile = key_tile + tile * key_pitch;
    const int matrix = blockIdx.x / query_tiles;
    // Where scores are masked, later queries mostly see more keys: these blocks begin first.
    const int first_query = (query_tiles - 1 - (int)(blockIdx.x % query_tiles)) * block_queries;
    const int lane = threadIdx.x % 32, group = lane / 4, part = lane % 4;
    // Of each sixteen queries of a warp this one, and the eighth behind it.
    const int own_query = first_query + (int)(threadIdx.x / 32) * 16 * sixteens + group;
    query += query_at(matrix);
    key += key_at(matrix);
    values += values_at(matrix);

    float own[sixteens][depth / 8][4]; // two queries, two neighbouring columns of each eight
    float sums[sixteens][width / 8][4], largest[sixteens][2], total[sixteens][2];
    #pragma unroll
    for (int m = 0; m < sixteens; ++m) {
        #pragma unroll
        for (int k = 0; k < depth / 8; ++k) {
            #pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int row = own_query + m * 16 + i % 2 * 8;
                own[m][k][i] = row < queries ? query[row * query_row + k * 8 + part * 2 + i / 2] : 0.0f;
            }
        }
        #pragma unroll
        for (int e = 0; e < width / 8; ++e)
            sums[m][e][0] = sums[m][e][1] = sums[m][e][2] = sums[m][e][3] = 0.0f;
        largest[m][0] = largest[m][1] = -INFINITY;
        total[m][0] = total[m][1] = 0.0f;
    }
)cuda";

const std::string scoresOfTile = R"cuda(        asm volatile("cp.async.wait_all;" : : : "memory");
        __syncthreads();
        begin_copy<width, value_pitch>(value_tile, values, first_key, values_row);

        float scores[sixteens][tile / 8][4];
        #pragma unroll
        for (int m = 0; m < sixteens; ++m) {
            #pragma unroll
            for (int n = 0; n < tile / 8; ++n)
                scores[m][n][0] = scores[m][n][1] = scores[m][n][2] = scores[m][n][3] = 0.0f;
        }
        #pragma unroll
        for (int k = 0; k < depth / 8; ++k) {
            Factor a[sixteens];
            #pragma unroll
            for (int m = 0; m < sixteens; ++m)
                a[m] = factor_of(own[m][k][0], own[m][k][1], own[m][k][2], own[m][k][3]);
            #pragma unroll
            for (int n = 0; n < tile / 8; ++n) {
                const float2 b = *reinterpret_cast<const float2*>(key_tile + (n * 8 + group) * key_pitch + k * 8 + part * 2);
                #pragma unroll
                for (int m = 0; m < sixteens; ++m)
                    multiply(scores[m][n], a[m], b.x, b.y);
            }
        }
)cuda";

const std::string softmaxOfTile = R"cuda(        #pragma unroll
        for (int q = 0; q < sixteens * 2; ++q) { // each query
            const int m = q / 2, half = q % 2;
            float most = largest[m][half];
            #pragma unroll
            for (int n = 0; n < tile / 8; ++n)
                most = fmaxf(most, fmaxf(scores[m][n][half * 2], scores[m][n][half * 2 + 1]));
            most = over_quad(most, true);
            const float base = most == -INFINITY ? 0.0f : most * log2_of_e;
            const float shrunk = two_to(largest[m][half] * log2_of_e - base);
            largest[m][half] = most;
            total[m][half] *= shrunk;
            #pragma unroll
            for (int e = 0; e < width / 8; ++e) {
                sums[m][e][half * 2] *= shrunk;
                sums[m][e][half * 2 + 1] *= shrunk;
            }
            #pragma unroll
            for (int n = 0; n < tile / 8; ++n) {
                #pragma unroll
                for (int i = half * 2; i < half * 2 + 2; ++i) {
                    scores[m][n][i] = two_to(scores[m][n][i] * log2_of_e - base);
                    total[m][half] += scores[m][n][i];
                }
            }
        }
)cuda";

const std::string reluOfTile = R"cuda(        #pragma unroll
        for (int m = 0; m < sixteens; ++m) {
            #pragma unroll
            for (int n = 0; n < tile / 8; ++n) {
                #pragma unroll
                for (int i = 0; i < 4; ++i)
                    scores[m][n][i] = scores[m][n][i] < 0.0f ? 0.0f : scores[m][n][i]; // NaN stays
            }
        }
)cuda";

const std::string endOfTile = R"cuda(        asm volatile("cp.async.wait_all;" : : : "memory");
        __syncthreads();
        if (next < last)
            begin_copy<depth, key_pitch>(key_tile, key, next * tile, key_row);
        // Tensor cores round sums towards zero, so exact sums of a tile are added to the others as float32 is: for so
        // many columns at a time that registers suffice.
        constexpr int eights = exact ? (width / 8 + sixteens * 2 - 1) / (sixteens * 2) : width / 8;
        #pragma unroll
        for (int first = 0; first < width / 8; first += eights) {
            float apart[sixteens][eights][4];
            #pragma unroll
            for (int m = 0; m < sixteens; ++m) {
                #pragma unroll
                for (int e = 0; e < eights; ++e)
                    apart[m][e][0] = apart[m][e][1] = apart[m][e][2] = apart[m][e][3] = 0.0f;
            }
            #pragma unroll
            for (int n = 0; n < tile / 8; ++n) {
                // What a thread has of the scores are two neighbouring keys, so these are a pair of factors.
                Factor a[sixteens];
                #pragma unroll
                for (int m = 0; m < sixteens; ++m)
                    a[m] = factor_of(scores[m][n][0], scores[m][n][2], scores[m][n][1], scores[m][n][3]);
                const float* const row = value_tile + (n * 8 + part * 2) * value_pitch + first * 8 + group;
                #pragma unroll
                for (int e = 0; e < eights; ++e) {
                    if (first + e < width / 8) {
                        const float b0 = row[e * 8], b1 = row[value_pitch + e * 8];
                        #pragma unroll
                        for (int m = 0; m < sixteens; ++m)
                            multiply(exact ? apart[m][e] : sums[m][first + e], a[m], b0, b1);
                    }
                }
            }
            #pragma unroll
            for (int m = 0; m < sixteens && exact; ++m) {
                #pragma unroll
                for (int i = 0; i < eights * 4; ++i)
                    if (first + i / 4 < width / 8)
                        sums[m][first + i / 4][i % 4] += apart[m][i / 4][i % 4];
            }
        }
    }
)cuda";

const std::string storesOfAttention = R"cuda(    out += out_at(matrix);
    #pragma unroll
    for (int q = 0; q < sixteens * 2; ++q) {
        const int m = q / 2, half = q % 2, row = own_query + q * 8;
        float whole = softmax ? over_quad(total[m][half], false) : 1.0f;
        if (zeros_without_keys && whole == 0.0f)
            whole = 1.0f;
        if (row < queries) {
            #pragma unroll
            for (int e = 0; e < width / 8; ++e)
                *reinterpret_cast<float2*>(out + row * out_row + e * 8 + part * 2) =
                    make_float2(sums[m][e][half * 2] / whole, sums[m][e][half * 2 + 1] / whole);
        }
    }
)cuda";

// Which tiles of a mask hide nothing, or everything.
const std::string kindsOfTiles = R"cuda(
extern "C" __global__ void __launch_bounds__(256) KINDS(const unsigned char* __restrict__ mask, int* __restrict__ kinds)
{
    __shared__ int seen[2]; // whether some scores are kept, and whether some are hidden
    if (threadIdx.x < 2)
        seen[threadIdx.x] = 0;
    __syncthreads();
    const int key_tile = blockIdx.x % key_tiles, query_tile = blockIdx.x / key_tiles % query_tiles;
    mask += (long long)(blockIdx.x / key_tiles / query_tiles) * queries * keys;
    for (int i = threadIdx.x; i < block_queries * tile; i += 256) {
        const int q = query_tile * block_queries + i / tile, k = key_tile * tile + i % tile;
        if (q < queries && k < keys)
            seen[mask[(long long)q * keys + k] != 0] = 1;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        kinds[blockIdx.x] = !seen[0] ? 0 : seen[1] ? 2 : 1;
}
)cuda";

} // namespace cudal1::policy
