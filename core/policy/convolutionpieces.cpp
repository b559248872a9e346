// SPDX-License-Identifier: GPL-3.0-or-later
// The same for all plans: names of constants stand where their numbers differ.
#include "core/policy/convolutionpieces.h"

namespace cudal1::policy {

namespace convolutiontext {

const std::string products = R"cuda(
// Adds the product of 16 x 16 and 16 x 8 numbers of half precision, two of which are a word.
static __device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Two numbers as a word of two halves, rounded to the nearest.
static __device__ __forceinline__ unsigned halves(float first, float second)
{
    unsigned word;
    asm("cvt.rn.f16x2.f32 %0, %2, %1;" : "=r"(word) : "f"(first), "f"(second));
    return word;
}

// What two numbers lost when they were rounded to a word of two halves, as such a word again.
static __device__ __forceinline__ unsigned rest_of(unsigned word, float first, float second)
{
    float a, b;
    asm("{.reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h;}" : "=f"(a), "=f"(b) : "r"(word));
    return halves(first - a, second - b);
}

static __device__ __forceinline__ float power_of_two(int exponent)
{
    return __int_as_float((127 + exponent) << 23);
}

// Begins to copy a number into shared memory, or a zero.
static __device__ __forceinline__ void begin_copy(float* to, const float* from, bool inside)
{
    const int bytes = inside ? 4 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                 : : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(bytes) : "memory");
}

struct Tile {
    int block_n, w, h, d, group, image;
};
static __device__ __forceinline__ Tile tile_at(unsigned tile)
{
    // With those tiles at the end of a run that are empty.
    constexpr int of_image = (tiles_d * tiles_h * tiles_w + run_of_tiles - 1) / run_of_tiles * run_of_tiles;
    Tile t;
    if (!summed)
        t.block_n = tile % blocks_n, tile /= blocks_n;
    const int place = tile % of_image;
    tile /= of_image;
    if (summed)
        t.block_n = tile % blocks_n, tile /= blocks_n;
    t.w = place % tiles_w, t.h = place / tiles_w % tiles_h, t.d = place / (tiles_w * tiles_h);
    t.group = tile % groups, t.image = tile / groups;
    return t;
}
static __device__ __forceinline__ unsigned next_tile(unsigned tile)
{
    return (tile + 1) % run_of_tiles ? tile + 1 : tile + 1 + (gridDim.x - 1) * run_of_tiles;
}
)cuda";

// In a tile of products a thread has two places (or two channels) eight apart: `row` is its first, and the pairs of its
// products are `column` and `column + 4`.
const std::string head = R"cuda(
{
    constexpr int run = rows * 16, pitch = run * stored_w + 4, words = (run * stored_w + 31) / 32;
    extern __shared__ float memory[];
    // Words of two neighbouring channels; where products are exact, what these leave out lies `lows` words behind.
    constexpr int pairs = chunk / 2, lows = (pairs + zeros) * plane;
    unsigned* const patch = reinterpret_cast<unsigned*>(memory + warps_m * warps_n * 8 * pitch);
    __shared__ int where[steps * 8]; // the place in the patch that each pair of products of a sum reads
    __shared__ unsigned peaks[2];    // the largest number of the patch, and of the next one
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, row = lane >> 2, column = lane & 3;
    const int warp_m = warp % warps_m, warp_n = warp / warps_m;
    float* const stage = memory + warp * 8 * pitch; // results of eight channels on their way to memory

    constexpr int places = patch_d * patch_h * patch_w; // of the patch; where they are few, teams share the channels
    constexpr int most = pairs >= 8 ? 8 : pairs >= 4 ? 4 : pairs >= 2 ? 2 : 1;
    constexpr int room = places * 8 <= threads ? 8 : places * 4 <= threads ? 4 : places * 2 <= threads ? 2 : 1;
    constexpr int teams = room < most ? room : most, in_places = in_d * in_h * in_w;
    float* const raw = reinterpret_cast<float*>(patch + (exact ? 2 : 1) * (pairs + zeros) * plane);
    for (int i = threadIdx.x; i < zeros * plane; i += threads) {
        patch[pairs * plane + i] = 0;
        if (exact)
            patch[lows + pairs * plane + i] = 0;
    }
    if (threadIdx.x == 0)
        peaks[0] = 0;
    const float undo = taps[0]; // the weight was divided by it
    int turn = 0, lift = 0;     // patches so far; the patch is multiplied by two to the power of `lift`

    int base = 0;
    #pragma unroll
    for (int pd = 0; pd < phases_d; ++pd)
        #pragma unroll
        for (int ph = 0; ph < phases_h; ++ph)
            #pragma unroll
            for (int pw = 0; pw < phases_w; ++pw) {
                const int nh = taps_h[ph], nw = taps_w[pw], terms = taps_d[pd] * nh * nw * pairs;
                const int padded = (terms + 7) / 8 * 8;
                for (int k = threadIdx.x; k < padded; k += threads) {
                    const int c = k % pairs, tap = k / pairs;
                    const int d = first_d[pd] + tap / (nw * nh) * step_d - low_d;
                    const int h = first_h[ph] + tap / nw % nh * step_h - low_h;
                    const int w = first_w[pw] + tap % nw * step_w - low_w;
                    where[base + k] = k < terms ? c * plane + (d * patch_h + h) * patch_w + w : pairs * plane;
                }
                base += padded;
            }
    int place[rows][2];
    #pragma unroll
    for (int i = 0; i < rows * 2; ++i) {
        const int all = (warp_m * rows * 2 + i) * 8 + row;
        const int m = all < tile_d * tile_h * tile_w ? all : 0; // those beyond the tile are computed and not stored
        place[i / 2][i % 2] = (m / (tile_w * tile_h) * stride_d * patch_h + m / tile_w % tile_h * stride_h) * patch_w +
                              m % tile_w * stride_w;
    }

    // Where the place `i` of a tile's patch lies in a channel of the input; -1 outside of it.
    const auto source = [](const Tile& t, int i) {
        const int w = t.w * tile_w * stride_w + low_w + i % patch_w;
        const int h = t.h * tile_h * stride_h + low_h + i / patch_w % patch_h;
        const int d = t.d * tile_d * stride_d + low_d + i / (patch_w * patch_h);
        return (unsigned)w < in_w && (unsigned)h < in_h && (unsigned)d < in_d ? (d * in_h + h) * in_w + w : -1;
    };
    // A thread copies one place for several channels, so that it works the place out once.
    const int first_place = threadIdx.x % (threads / teams), first_channel = threadIdx.x / (threads / teams);
    const auto fetch = [&](unsigned tile) { // copies a patch as it is, while products are made of the one before
        const Tile t = tile_at(tile);
        const float* const from = x + (size_t)(t.image * groups + t.group) * inputs * in_places;
        for (int i = first_place; i < places; i += threads / teams) {
            const int offset = source(t, i);
            #pragma unroll
            for (int c = first_channel; c < inputs; c += teams)
                begin_copy(raw + c * places + i, offset < 0 ? x : from + (size_t)c * in_places + offset, offset >= 0);
        }
    };
    const unsigned first_tile = blockIdx.x * run_of_tiles;
    if (ahead && first_tile < tiles)
        fetch(first_tile);
)cuda";

const std::string tileLoop = R"cuda(
    for (unsigned tile = first_tile; tile < tiles; tile = next_tile(tile)) {
        const Tile t = tile_at(tile);
        const int group = t.group, image = t.image, td = t.d, th = t.h, tw = t.w;
        const int first_column = (t.block_n * warps_n + warp_n) * columns;

        int step = 0; // where the products of a phase begin
)cuda";

const std::string phaseSums = R"cuda(        for (int pd = 0; pd < phases_d; ++pd)
            for (int ph = 0; ph < phases_h; ++ph) {
                const int taps_before = taps_d[pd] * taps_h[ph];
                float sums[phases_w][rows][columns][4];
                #pragma unroll
                for (int i = 0; i < phases_w * rows * columns * 4; ++i)
                    (&sums[0][0][0][0])[i] = 0;
                for (int part = 0; part < chunks; ++part) {
                    // Halves have few exponents, so the patch is brought to where its largest number has many below it.
                    // Mostly the last patch's power of two does so; where it does not, the patch is made again.
                    const bool stays = chunks == 1 && (pd > 0 || ph > 0);
                    for (bool ready = stays; !ready; ++turn) {
                        if (ahead)
                            asm volatile("cp.async.wait_all;" : : : "memory");
                        __syncthreads();
                        const float* const from =
                            x + (size_t)((image * groups + group) * inputs + part * chunk) * in_places;
                        const float scale = power_of_two(lift);
                        unsigned peak = 0;
                        #pragma unroll (pairs < 4 ? 2 : 1)
                        for (int i = first_place; i < places; i += threads / teams) {
                            const int offset = ahead ? i : source(t, i);
                            #pragma unroll 4
                            for (int c = first_channel; c < pairs; c += teams) {
                                float v[2] = {0.0f, 0.0f};
                                #pragma unroll
                                for (int e = 0; e < 2; ++e) {
                                    const int channel = c * 2 + e;
                                    if (offset >= 0 && (inputs % chunk == 0 || part * chunk + channel < inputs))
                                        v[e] = ahead ? raw[channel * places + i]
                                                     : from[(size_t)channel * in_places + offset];
                                    const unsigned size = __float_as_uint(v[e]) & 0x7fffffffu;
                                    peak = size > peak && size < 0x7f800000u ? size : peak;
                                    v[e] *= scale;
                                }
                                const unsigned word = halves(v[0], v[1]);
                                patch[c * plane + i] = word;
                                if (exact)
                                    patch[lows + c * plane + i] = rest_of(word, v[0], v[1]);
                            }
                        }
                        peak = __reduce_max_sync(0xffffffffu, peak);
                        if (lane == 0)
                            atomicMax(&peaks[turn % 2], peak);
                        if (threadIdx.x == 0)
                            peaks[(turn + 1) % 2] = 0;
                        __syncthreads();
                        peak = peaks[turn % 2];
                        const int exponent = (int)(peak >> 23) - 127, wanted = min(12 - exponent, 126);
                        ready = peak == 0 || lift == wanted || (exponent + lift >= 8 && exponent + lift < 15);
                        if (!ready) {
                            if (chunks > 1) {
                                // Two steps, since the power of two of their difference may not exist.
                                const float down = power_of_two(-lift), up = power_of_two(wanted);
                                #pragma unroll
                                for (int i = 0; i < phases_w * rows * columns * 4; ++i)
                                    (&sums[0][0][0][0])[i] = (&sums[0][0][0][0])[i] * down * up;
                            }
                            lift = wanted;
                        }
                    }
                    if (ahead && !stays && next_tile(tile) < tiles)
                        fetch(next_tile(tile));
                    int at = step;
                    #pragma unroll
                    for (int pw = 0; pw < phases_w; ++pw) {
                        const int count = (taps_before * taps_w[pw] * pairs + 7) / 8;
                        const int* const reads = where + at * 8 + column;
                        const Factor* const factors = reinterpret_cast<const Factor*>(taps + 4) + lane +
                            ((size_t)(group * steps * chunks + at * chunks + part * count) * all_columns +
                             first_column) * 32;
                        for (int begin = 0; begin < count; begin += longest) {
                            float some[rows][columns][4];
                            auto& into = cut ? some : sums[pw];
                            if (cut)
                                #pragma unroll
                                for (int i = 0; i < rows * columns * 4; ++i)
                                    (&some[0][0][0])[i] = 0;
                            const int end = min(count, begin + longest);
                            #pragma unroll (exact ? 2 : 4)
                            for (int k = begin; k < end; ++k) {
                                const int left = reads[k * 8], right = reads[k * 8 + 4];
                                Factor b[columns];
                                #pragma unroll
                                for (int n = 0; n < columns; ++n)
                                    b[n] = factors[(k * all_columns + n) * 32];
                                #pragma unroll
                                for (int m = 0; m < rows; ++m) {
                                    const unsigned a[4] = {patch[place[m][0] + left], patch[place[m][1] + left],
                                                           patch[place[m][0] + right], patch[place[m][1] + right]};
)cuda";

const std::string oneProduct = R"cuda(                                    #pragma unroll
                                    for (int n = 0; n < columns; ++n)
                                        multiply(into[m][n], a, b[n].x, b[n].y);
)cuda";

const std::string threeProducts = R"cuda(                                    const unsigned low[4] = {
                                        patch[place[m][0] + left + lows], patch[place[m][1] + left + lows],
                                        patch[place[m][0] + right + lows], patch[place[m][1] + right + lows]};
                                    #pragma unroll
                                    for (int n = 0; n < columns; ++n) {
                                        multiply(into[m][n], low, b[n].x, b[n].y);
                                        multiply(into[m][n], a, b[n].z, b[n].w);
                                        multiply(into[m][n], a, b[n].x, b[n].y);
                                    }
)cuda";

const std::string sumsEnd = R"cuda(                                }
                            }
                            if (cut)
                                #pragma unroll
                                for (int i = 0; i < rows * columns * 4; ++i)
                                    (&sums[pw][0][0][0])[i] += (&some[0][0][0])[i];
                        }
                        at += count;
                    }
                }
                #pragma unroll
                for (int pw = 0; pw < phases_w; ++pw)
                    step += (taps_before * taps_w[pw] * pairs + 7) / 8;
                const float lowered = power_of_two(-lift) * undo;
                #pragma unroll
                for (int i = 0; i < phases_w * rows * columns * 4; ++i)
                    (&sums[0][0][0][0])[i] *= lowered;
)cuda";

// What follows writes the results of the phase (pd, ph), of all channels in `done[stored_w][rows][columns][4]`.
const std::string places = R"cuda(
// By way of shared memory, so that the threads of a warp write neighbours.
int to[words];
#pragma unroll
for (int j = 0; j < words; ++j) {
    const int p = j * 32 + lane, m = warp_m * run + p / stored_w;
    const int od = (td * tile_d + m / (tile_w * tile_h)) * stored_d + pd;
    const int oh = (th * tile_h + m / tile_w % tile_h) * stored_h + ph;
    const int ow = (tw * tile_w + m % tile_w) * stored_w + p % stored_w;
    const bool inside = p < run * stored_w && m < tile_d * tile_h * tile_w && od < out_d && oh < out_h && ow < out_w;
    to[j] = inside ? (od * out_h + oh) * out_w + ow : -1;
}
)cuda";

const std::string writeChannels = R"cuda(#pragma unroll
for (int n = 0; n < columns; ++n) {
    __syncwarp();
    #pragma unroll
    for (int i = 0; i < rows * 4; ++i) {
        const int m = i / 4, r = i % 4;
        float* const slot = stage + (column * 2 + r % 2) * pitch + (m * 16 + r / 2 * 8 + row) * stored_w;
        if (stored_w == 2)
            *reinterpret_cast<float2*>(slot) = make_float2(done[0][m][n][r], done[stored_w - 1][m][n][r]);
        else
            #pragma unroll
            for (int pw = 0; pw < stored_w; ++pw)
                slot[pw] = done[pw][m][n][r];
    }
    __syncwarp();
    #pragma unroll
    for (int e = 0; e < 8; ++e) {
        const int channel = (first_column + n) * 8 + e;
        if (ragged && channel >= results)
            break;
        const int c = group * results + channel;
        const Index begin = (Index)(image * groups * results + c) * (out_d * out_h * out_w);
)cuda";

const std::string writeRows = R"cuda(__syncwarp();
if (column == 0)
    #pragma unroll
    for (int i = 0; i < stored_w * rows * 2; ++i)
        stage[(i / 2 % rows * 16 + i % 2 * 8 + row) * stored_w + i / 2 / rows] = (&reduced[0][0][0])[i];
__syncwarp();
#pragma unroll
for (int j = 0; j < words; ++j)
    if (to[j] >= 0)
        out[(Index)image * (out_d * out_h * out_w) + to[j]] = stage[j * 32 + lane];
)cuda";

// Combines over the four threads that have the channels of a place.
const std::string overPlace = R"cuda(template<class Op> __device__ float over_place(float v)
{
    v = Op::of(v, __shfl_xor_sync(0xffffffffu, v, 1));
    return Op::of(v, __shfl_xor_sync(0xffffffffu, v, 2));
}
)cuda";

const std::string sumPart = R"cuda(// What a thread has of a channel, and what threads join.
typedef struct { float sum; } Part, Joined;

// Adds those numbers whose bit is set.
template<int n> static __device__ __forceinline__ void add(Part& part, const float (&v)[n], unsigned inside, float)
{
    #pragma unroll
    for (int q = 0; q < n; ++q)
        part.sum += inside >> q & 1 ? v[q] : 0.0f;
}
static __device__ __forceinline__ Joined joined_of(const Part& part, float) { return part; }
static __device__ __forceinline__ void join(Joined& a, const Joined& b)
{
    a.sum += b.sum;
}
static __device__ __forceinline__ Joined shuffled(const Joined& a, int step)
{
    return {__shfl_xor_sync(0xffffffffu, a.sum, step)};
}
)cuda";

const std::string momentPart =
    R"cuda(// Of a channel a thread has one of the first numbers, and sums of what others differ from it, so that little cancels.
struct Part { float first, sum, square; };
typedef Moments Joined;

// Adds those numbers whose bit is set to `have` others.
template<int n> static __device__ __forceinline__ void add(Part& part, const float (&v)[n], unsigned inside, float have)
{
    if (have == 0.0f)
        #pragma unroll
        for (int q = 0; q < n; ++q)
            part.first = inside >> q & 1 ? v[q] : part.first;
    float sum = 0.0f, square = 0.0f; // of these alone, since long sums of equal numbers round to one side
    #pragma unroll
    for (int q = 0; q < n; ++q) {
        const float d = inside >> q & 1 ? v[q] - part.first : 0.0f;
        sum += d, square += d * d;
    }
    part.sum += sum, part.square += square;
}
static __device__ __forceinline__ Joined joined_of(const Part& part, float have)
{
    const float mean = part.sum / fmaxf(have, 1.0f);
    return {have, part.first + mean, fmaxf(part.square - part.sum * mean, 0.0f)};
}
static __device__ __forceinline__ Joined shuffled(const Joined& a, int step)
{
    return {__shfl_xor_sync(0xffffffffu, a.count, step), __shfl_xor_sync(0xffffffffu, a.mean, step),
            __shfl_xor_sync(0xffffffffu, a.square, step)};
}
)cuda";

const std::string noParts = R"cuda(    Part parts[columns * 2] = {}; // what the thread has of the run of tiles
    float have = 0.0f;            // numbers of each channel
)cuda";

const std::string addParts = R"cuda(unsigned inside = 0; // a bit for each of the thread's places that the result has
#pragma unroll
for (int q = 0; q < stored_w * rows * 2; ++q) {
    const int m = (warp_m * rows + q / 2 % rows) * 16 + q % 2 * 8 + row;
    const int od = (td * tile_d + m / (tile_w * tile_h)) * stored_d + pd;
    const int oh = (th * tile_h + m / tile_w % tile_h) * stored_h + ph;
    const int ow = (tw * tile_w + m % tile_w) * stored_w + q / 2 / rows;
    if (m < tile_d * tile_h * tile_w && od < out_d && oh < out_h && ow < out_w)
        inside |= 1u << q;
}
#pragma unroll
for (int i = 0; i < columns * 2; ++i) {
    float v[stored_w * rows * 2];
    #pragma unroll
    for (int q = 0; q < stored_w * rows * 2; ++q)
        v[q] = done[q / 2 / rows][q / 2 % rows][i / 2][q % 2 * 2 + i % 2];
    add(parts[i], v, inside, have);
}
have += __popc(inside);
)cuda";

const std::string writeParts = R"cuda(if ((tile + 1) % run_of_tiles)
    continue;
// Over the eight threads of a warp that have other places of the same channels, then over such warps.
Joined* const shared = reinterpret_cast<Joined*>(stage);
#pragma unroll
for (int i = 0; i < columns * 2; ++i) {
    Joined all = joined_of(parts[i], have);
    #pragma unroll
    for (int step = 4; step < 32; step *= 2)
        join(all, shuffled(all, step));
    if (row == 0)
        shared[i / 2 * 8 + column * 2 + i % 2] = all;
    parts[i] = {};
}
have = 0.0f;
__syncthreads();
for (int e = lane; warp_m == 0 && e < columns * 8; e += 32) {
    const int channel = first_column * 8 + e;
    if (ragged && channel >= results)
        break;
    Joined all = shared[e];
    for (int w = 1; w < warps_m; ++w)
        join(all, reinterpret_cast<const Joined*>(stage + w * 8 * pitch)[e]);
    const int place = (td * tiles_h + th) * tiles_w + tw, c = group * results + channel;
    reinterpret_cast<Joined*>(out)[((size_t)c * images + image) * runs + place / run_of_tiles] = all;
}
)cuda";

} // namespace convolutiontext

const std::string& packedTapsHelper()
{
    static const std::string text =
        R"py(def packed_taps(weight, groups, transposed, stride, padding, dilation, chunk, columns, exact, window=None):
    """The weight of a convolution as tensor cores take it: in halves, by phase, chunk of channels, tap and channel.

    In front stands the power of two by which results are to be multiplied, since the weight was divided by it.
    """
    _, exponent = torch.frexp(torch.nan_to_num(weight, 0.0, 0.0, 0.0).abs().amax())
    exponent = (13 - exponent).clamp(max=126)
    taps = weight * (127 + exponent << 23).view(torch.float32)
    taps = taps.unflatten(0, (groups, -1))  # groups, results, inputs, and the axes of places
    if transposed:
        taps = taps.transpose(1, 2)
    phases = [taps]
    for axis in range(3, taps.dim()):
        step, before, apart = stride[axis - 3], padding[axis - 3], dilation[axis - 3]
        # Results whose places have one remainder by the stride need the same taps.
        needed = [[tap for tap in range(taps.shape[axis]) if not transposed or (phase + before - tap * apart) % step == 0]
                  for phase in range(max(step if transposed else 1, window[axis - 3] if window else 1))]
        phases = [phase[(slice(None),) * axis + (part,)] for phase in phases for part in needed]
    tiles = []
    for phase in phases:
        phase = phase.flatten(3)
        results, inputs, count = phase.shape[1:]
        parts, all_results = -(-inputs // chunk), -(-results // (8 * columns)) * 8 * columns
        phase = torch.nn.functional.pad(phase, (0, 0, 0, parts * chunk - inputs, 0, all_results - results))
        phase = phase.reshape(groups, all_results, parts, chunk, count).permute(0, 2, 4, 3, 1)
        phase = phase.reshape(groups, parts, count * chunk, all_results)
        steps = -(-count * chunk // 16)
        phase = torch.nn.functional.pad(phase, (0, 0, 0, steps * 16 - count * chunk))
        # Lane 4 * result + pair % 4 of a warp holds two of the eight pairs of products of one of eight results.
        phase = phase.reshape(groups, parts, steps, 2, 4, 2, all_results // 8, 8).permute(0, 1, 2, 6, 7, 4, 3, 5)
        tiles.append(phase.flatten(1, 2))
    taps = torch.cat(tiles, 1)
    high = taps.half()
    words = torch.cat((high, (taps - high).half()), -2) if exact else high
    front = (127 - exponent << 23).view(torch.float32).expand(4)  # a multiple of what the kernel reads at a time
    return torch.cat((front, words.flatten().view(torch.float32)))
)py";
    return text;
}

} // namespace cudal1::policy
