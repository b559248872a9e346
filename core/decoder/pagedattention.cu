// SPDX-License-Identifier: GPL-3.0-or-later
// Attention of one new token a text over a paged cache of keys and values. NVRTC compiles it for one shape: HEADS
// queries share a head of keys and values, of which there are KEY_HEADS, each of SIZE numbers (a multiple of 32);
// BLOCK_TOKENS tokens lie in a block of the cache; BRAIN says that numbers are bfloat16, else they are float32. A block
// of threads has WARPS warps.

#if BRAIN
struct Number {
    unsigned short bits;
};
static __device__ __forceinline__ float read(Number value) { return __uint_as_float((unsigned)value.bits << 16); }
static __device__ __forceinline__ Number rounded(float value)
{
    const unsigned bits = __float_as_uint(value);
    Number out;
    out.bits = (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
    return out;
}
#else
typedef float Number;
static __device__ __forceinline__ float read(Number value) { return value; }
static __device__ __forceinline__ Number rounded(float value) { return value; }
#endif

constexpr int each = SIZE / 32; // numbers of a key that a lane holds
constexpr int warps = WARPS;
constexpr int ahead = 4;         // tokens that a warp reads at a time

struct alignas((each & (each - 1)) == 0 ? each * sizeof(Number) : sizeof(Number)) Part {
    Number of[each];
};

// The sum over a warp, which every lane gets.
static __device__ __forceinline__ float summed(float value)
{
    #pragma unroll
    for (int step = 16; step > 0; step >>= 1)
        value += __shfl_xor_sync(0xffffffffu, value, step);
    return value;
}

// Block row * KEY_HEADS + head is for one head of keys of one text. `query` and `out` are [rows][KEY_HEADS * HEADS][SIZE],
// keys and values [places][KEY_HEADS][SIZE]; `tables` has `width` blocks for each row, `positions` the place of its
// token in the text. `scale` is log2(e) / sqrt(SIZE).
extern "C" __global__ void __launch_bounds__(warps * 32)
attend(const Number* __restrict__ query, const Number* __restrict__ keys, const Number* __restrict__ values,
       const int* __restrict__ tables, const long long* __restrict__ positions, int width, float scale,
       Number* __restrict__ out)
{
    __shared__ float greatest[warps][HEADS], sums[warps][HEADS], parts[warps][HEADS][SIZE];
    const int row = (int)(blockIdx.x / KEY_HEADS), head = (int)(blockIdx.x % KEY_HEADS);
    const int warp = (int)(threadIdx.x / 32), lane = (int)(threadIdx.x % 32);
    const int tokens = (int)positions[row] + 1;
    const int* const table = tables + (long long)row * width;
    const Part* const keyParts = reinterpret_cast<const Part*>(keys);
    const Part* const valueParts = reinterpret_cast<const Part*>(values);

    float asked[HEADS][each], most[HEADS], sum[HEADS], total[HEADS][each];
    #pragma unroll
    for (int h = 0; h < HEADS; ++h) {
        most[h] = -1e30f;
        sum[h] = 0;
        #pragma unroll
        for (int e = 0; e < each; ++e) {
            const long long at = ((long long)row * KEY_HEADS + head) * HEADS + h;
            asked[h][e] = read(query[at * SIZE + lane * each + e]) * scale;
            total[h][e] = 0;
        }
    }
    // All lanes of all warps make as many rounds.
    for (int first = 0; first < tokens; first += warps * ahead) {
        Part key[ahead], value[ahead];
        #pragma unroll
        for (int a = 0; a < ahead; ++a) {
            const int token = min(first + a * warps + warp, tokens - 1);
            const long long place = (long long)table[token / BLOCK_TOKENS] * BLOCK_TOKENS + token % BLOCK_TOKENS;
            const long long at = (place * KEY_HEADS + head) * 32 + lane;
            key[a] = keyParts[at];
            value[a] = valueParts[at];
        }
        #pragma unroll
        for (int h = 0; h < HEADS; ++h) {
            float score[ahead], highest = most[h];
            #pragma unroll
            for (int a = 0; a < ahead; ++a) {
                float dot = 0;
                #pragma unroll
                for (int e = 0; e < each; ++e)
                    dot += asked[h][e] * read(key[a].of[e]);
                score[a] = summed(dot);
                if (first + a * warps + warp >= tokens)
                    score[a] = -1e30f;
                highest = fmaxf(highest, score[a]);
            }
            const float kept = exp2f(most[h] - highest);
            most[h] = highest;
            sum[h] *= kept;
            #pragma unroll
            for (int e = 0; e < each; ++e)
                total[h][e] *= kept;
            #pragma unroll
            for (int a = 0; a < ahead; ++a) {
                const float share = first + a * warps + warp < tokens ? exp2f(score[a] - highest) : 0.0f;
                sum[h] += share;
                #pragma unroll
                for (int e = 0; e < each; ++e)
                    total[h][e] += share * read(value[a].of[e]);
            }
        }
    }
    #pragma unroll
    for (int h = 0; h < HEADS; ++h) {
        if (lane == 0) {
            greatest[warp][h] = most[h];
            sums[warp][h] = sum[h];
        }
        #pragma unroll
        for (int e = 0; e < each; ++e)
            parts[warp][h][lane * each + e] = total[h][e];
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < HEADS * SIZE; i += warps * 32) {
        const int h = i / SIZE, d = i % SIZE;
        float highest = greatest[0][h], above = 0, below = 0;
        for (int w = 1; w < warps; ++w)
            highest = fmaxf(highest, greatest[w][h]);
        for (int w = 0; w < warps; ++w) {
            const float share = exp2f(greatest[w][h] - highest);
            above += share * parts[w][h][d];
            below += share * sums[w][h];
        }
        out[(((long long)row * KEY_HEADS + head) * HEADS + h) * SIZE + d] = rounded(above / below);
    }
}
