// SPDX-License-Identifier: GPL-3.0-or-later
// The same for all plans: names of constants stand where their numbers differ.
#include "core/policy/convolutionpieces.h"

namespace cudal1::policy {

namespace convolutiontext {

const std::string halvesOfTwo = R"cuda(
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
)cuda";

const std::string powerOfTwo = R"cuda(
static __device__ __forceinline__ float power_of_two(int exponent)
{
    return __int_as_float((127 + exponent) << 23);
}
)cuda";

const std::string products = std::string(R"cuda(
// Adds the product of 16 x 16 and 16 x 8 numbers of half precision, two of which are a word.
static __device__ __forceinline__ void multiply(float (&d)[4], const uint4& a, unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}
)cuda") + halvesOfTwo + powerOfTwo +
                             R"cuda(
// Begins to copy neighbouring numbers into shared memory, or zeros.
static __device__ __forceinline__ void begin_copy(float* to, const float* from, bool inside)
{
    const int bytes = inside ? 4 * at_once : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;"
                 : : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(bytes), "n"(4 * at_once) : "memory");
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

const std::string unitOfHalves = R"cuda(// Four channels of a place, of which two are a word.
static __device__ __forceinline__ Unit unit_of(const float (&v)[4])
{
    return {halves(v[0], v[1]), halves(v[2], v[3])};
}
)cuda";

const std::string unitOfPairs =
    R"cuda(// Four channels of a place, two of which are a word, and what these words lost behind them.
static __device__ __forceinline__ Unit unit_of(const float (&v)[4])
{
    const unsigned first = halves(v[0], v[1]), second = halves(v[2], v[3]);
    return {first, second, rest_of(first, v[0], v[1]), rest_of(second, v[2], v[3])};
}
)cuda";

// A tile of products is of sixteen channels and eight places, the weight being its left factor. A thread reads one unit
// of the place `row`, of those of a step the unit `column`; it has the sums of the channels `row` and `row` + 8 at the
// places 2 * `column` and 2 * `column` + 1.
const std::string head = R"cuda(
{
    constexpr int run = place_tiles * 8, words = (run * stored_w + 31) / 32;
    extern __shared__ __align__(16) float memory[];
    constexpr int units = chunk / 4; // of a place
    float* const raw = memory + warps_m * warps_n * 8 * pitch; // the next patch as it is
    Unit* const patch = reinterpret_cast<Unit*>(raw + (ahead ? inputs * raw_plane : 0));
    __shared__ int where[steps * 4]; // the unit that four products read, from a place's own on
    __shared__ unsigned peaks[2];    // the largest number of the patch, and of the next one
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, row = lane >> 2, column = lane & 3;
    const int warp_m = warp % warps_m, warp_n = warps_n > 1 ? warp / warps_m : 0;
    float* const stage = memory + warp * 8 * pitch; // results of eight channels on their way to memory

    constexpr int places = patch_d * patch_h * patch_w, in_places = in_d * in_h * in_w; // of the patch and of the input
    for (int i = threadIdx.x; i < zeros * plane; i += threads)
        patch[units * plane + i] = Unit{};
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
                const int nh = taps_h[ph], nw = taps_w[pw], terms = taps_d[pd] * nh * nw * units;
                const int padded = (terms + 3) / 4 * 4;
                for (int k = threadIdx.x; k < padded; k += threads) {
                    const int c = k % units, tap = k / units;
                    const int d = first_d[pd] + tap / (nw * nh) * step_d - low_d;
                    const int h = first_h[ph] + tap / nw % nh * step_h - low_h;
                    const int w = first_w[pw] + tap % nw * step_w - low_w;
                    where[base + k] = k < terms ? c * plane + (d * patch_h + h) * line + w : units * plane;
                }
                base += padded;
            }
    const Unit* place[place_tiles]; // the unit of the patch that belongs to the place
    #pragma unroll
    for (int p = 0; p < place_tiles; ++p) {
        const int all = warp_m * run + p * 8 + row;
        const int m = all < tile_d * tile_h * tile_w ? all : 0; // those beyond the tile are computed and not stored
        place[p] = patch + (m / (tile_w * tile_h) * stride_d * patch_h + m / tile_w % tile_h * stride_h) * line +
                   m % tile_w * stride_w;
    }

    // Where the place (i, w) of a tile's patch lies in a channel of the input, `i` counting rows; -1 outside of it.
    const auto source = [](const Tile& t, int i, int w) {
        w += t.w * tile_w * stride_w + low_w;
        const int h = t.h * tile_h * stride_h + low_h + i % patch_h, d = t.d * tile_d * stride_d + low_d + i / patch_h;
        return (unsigned)w < in_w && (unsigned)h < in_h && (unsigned)d < in_d ? (d * in_h + h) * in_w + w : -1;
    };
    // A thread copies one place for several channels, so that it works the place out once.
    const int first_place = threadIdx.x % (threads / teams);
    const int first_unit = teams > 1 ? threadIdx.x / (threads / teams) : 0;
    const auto fetch = [&](unsigned tile) { // copies a patch as it is, while products are made of the one before
        constexpr int of_row = raw_w / at_once, copies = patch_d * patch_h * of_row;
        constexpr int by = copies * 4 <= threads && inputs >= 4 ? 4 : copies * 2 <= threads && inputs >= 2 ? 2 : 1;
        const Tile t = tile_at(tile);
        const float* const from = x + (size_t)(t.image * groups + t.group) * inputs * in_places;
        for (int i = threadIdx.x % (threads / by); i < copies; i += threads / by) {
            const int offset = source(t, i / of_row, i % of_row * at_once - raw_before);
            const float* const first = from + (offset < 0 ? 0 : offset);
            #pragma unroll
            for (int c = by > 1 ? threadIdx.x / (threads / by) : 0; c < inputs; c += by)
                begin_copy(raw + c * raw_plane + i * at_once, first + (size_t)c * in_places, offset >= 0);
        }
    };
    if (ahead && blockIdx.x * run_of_tiles < tiles)
        fetch(blockIdx.x * run_of_tiles);
)cuda";

const std::string tileLoop = R"cuda(
    for (unsigned tile = blockIdx.x * run_of_tiles; tile < tiles; tile = next_tile(tile)) {
        const Tile t = tile_at(tile);
        const int group = t.group, image = t.image, td = t.d, th = t.h, tw = t.w;
        const int first_factor = (t.block_n * warps_n + warp_n) * channel_tiles, first_channel = first_factor * 16;

        int step = 0; // where the products of a phase begin
)cuda";

const std::string phaseSums = R"cuda(        for (int pd = 0; pd < phases_d; ++pd)
            for (int ph = 0; ph < phases_h; ++ph) {
                const int taps_before = taps_d[pd] * taps_h[ph];
                float sums[phases_w][place_tiles][channel_tiles][4];
                #pragma unroll
                for (int i = 0; i < phases_w * place_tiles * channel_tiles * 4; ++i)
                    (&sums[0][0][0][0])[i] = 0;
                int lowest = 126; // power of two of those parts that are in the sums
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
                        float largest = 0.0f; // of the finite numbers
                        #pragma unroll (units < 2 ? 2 : 1)
                        for (int i = first_place; i < places; i += threads / teams) {
                            const int patch_row = i / patch_w, w = i % patch_w;
                            const int at = patch_row * line + w;
                            const int offset = ahead ? patch_row * raw_w + w + raw_before : source(t, patch_row, w);
                            constexpr int of_channel = ahead ? raw_plane : in_places;
                            const float* const first =
                                (ahead ? raw + offset : from + (offset < 0 ? 0 : offset)) +
                                (size_t)first_unit * 4 * of_channel;
                            for (int n = 0; n < units / teams; n += batch) {
                                float v[batch][4];
                                #pragma unroll
                                for (int e = 0; e < batch * 4; ++e) { // all of a batch are on their way at once
                                    const int channel = (n + e / 4) * teams * 4 + e % 4; // from the thread's first
                                    const bool exists =
                                        inputs % chunk == 0 || part * chunk + first_unit * 4 + channel < inputs;
                                    const float one = *(exists ? first + (size_t)channel * of_channel : x);
                                    v[e / 4][e % 4] = exists && (ahead || offset >= 0) ? one : 0.0f;
                                }
                                #pragma unroll
                                for (int b = 0; b < batch; ++b) {
                                    #pragma unroll
                                    for (int e = 0; e < 4; ++e) {
                                        const float size = fabsf(v[b][e]);
                                        largest = size <= 3.402823466e38f ? fmaxf(largest, size) : largest;
                                        v[b][e] *= scale;
                                    }
                                    patch[((n + b) * teams + first_unit) * plane + at] = unit_of(v[b]);
                                }
                            }
                        }
                        unsigned peak = __reduce_max_sync(0xffffffffu, __float_as_uint(largest));
                        if (lane == 0)
                            atomicMax(&peaks[turn % 2], peak);
                        if (threadIdx.x == 0)
                            peaks[(turn + 1) % 2] = 0;
                        __syncthreads();
                        peak = peaks[turn % 2];
                        // Sums of larger numbers grow as the power of two does, and shall not overflow.
                        const int exponent = (int)(peak >> 23) - 127;
                        const int wanted = min(12 - exponent, min(126, lowest + 64));
                        ready = peak == 0 || lift == wanted || (exponent + lift >= 8 && exponent + lift < 15);
                        if (!ready) {
                            if (chunks > 1) {
                                // Two steps, since the power of two of their difference may not exist.
                                const float down = power_of_two(-lift), up = power_of_two(wanted);
                                #pragma unroll
                                for (int i = 0; i < phases_w * place_tiles * channel_tiles * 4; ++i)
                                    (&sums[0][0][0][0])[i] = (&sums[0][0][0][0])[i] * down * up;
                            }
                            lift = wanted;
                        }
                    }
                    if (chunks > 1 && peaks[(turn + 1) % 2] != 0)
                        lowest = min(lowest, lift);
                    if (ahead && !stays && next_tile(tile) < tiles)
                        fetch(next_tile(tile));
                    int at = step;
                    #pragma unroll
                    for (int pw = 0; pw < phases_w; ++pw) {
                        const int count = (taps_before * taps_w[pw] * units + 3) / 4;
                        const int* const reads = where + at * 4 + column;
                        const uint4* const factors = reinterpret_cast<const uint4*>(taps + 4) + lane +
                            ((size_t)(group * steps * chunks + at * chunks + part * count) * all_tiles + first_factor) *
                            (exact ? 64 : 32);
                        for (int begin = 0; begin < count; begin += longest) {
                            float some[place_tiles][channel_tiles][4];
                            auto& into = cut ? some : sums[pw];
                            if (cut)
                                #pragma unroll
                                for (int i = 0; i < place_tiles * channel_tiles * 4; ++i)
                                    (&some[0][0][0])[i] = 0;
                            const int end = min(count, begin + longest);
                            #pragma unroll (exact ? 2 : 4)
                            for (int k = begin; k < end; ++k) {
                                const int unit = reads[k * 4];
                                Unit b[place_tiles];
                                #pragma unroll
                                for (int p = 0; p < place_tiles; ++p)
                                    b[p] = place[p][unit];
                                #pragma unroll
                                for (int c = 0; c < channel_tiles; ++c) {
)cuda";

const std::string oneProduct =
    R"cuda(                                    const uint4 a = factors[(k * all_tiles + c) * 32];
                                    #pragma unroll
                                    for (int p = 0; p < place_tiles; ++p)
                                        multiply(into[p][c], a, b[p].x, b[p].y);
)cuda";

const std::string threeProducts =
    R"cuda(                                    const uint4 a = factors[(k * all_tiles + c) * 64];
                                    const uint4 low = factors[(k * all_tiles + c) * 64 + 32];
                                    #pragma unroll
                                    for (int p = 0; p < place_tiles; ++p)
                                        multiply(into[p][c], a, b[p].z, b[p].w);
                                    #pragma unroll
                                    for (int p = 0; p < place_tiles; ++p)
                                        multiply(into[p][c], low, b[p].x, b[p].y);
                                    #pragma unroll
                                    for (int p = 0; p < place_tiles; ++p)
                                        multiply(into[p][c], a, b[p].x, b[p].y);
)cuda";

const std::string sumsEnd = R"cuda(                                }
                            }
                            if (cut)
                                #pragma unroll
                                for (int i = 0; i < place_tiles * channel_tiles * 4; ++i)
                                    (&sums[pw][0][0][0])[i] += (&some[0][0][0])[i];
                        }
                        at += count;
                    }
                }
                #pragma unroll
                for (int pw = 0; pw < phases_w; ++pw)
                    step += (taps_before * taps_w[pw] * units + 3) / 4;
                const float lowered = power_of_two(-lift) * undo; // what makes results of the sums
)cuda";

// What follows writes the results of the phase (pd, ph), of all channels in
// `done[stored_w][place_tiles][channel_tiles][4]`.
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

const std::string stageChannels = R"cuda(    // Puts eight of the warp's channels into shared memory, place by place.
    const auto stage_channels = [&](const float (*done)[place_tiles][channel_tiles][4], int n) {
        __syncwarp();
        #pragma unroll
        for (int i = 0; i < place_tiles; ++i) {
            float* const slot = stage + row * pitch + (i * 8 + column * 2) * stored_w;
            const auto of = [&](int pw, int p) { return done[pw][i][n / 2][n % 2 * 2 + p]; };
            if (stored_w == 1)
                *reinterpret_cast<float2*>(slot) = make_float2(of(0, 0), of(0, 1));
            else if (stored_w == 2)
                *reinterpret_cast<float4*>(slot) = make_float4(of(0, 0), of(stored_w - 1, 0), of(0, 1), of(stored_w - 1, 1));
            else
                #pragma unroll
                for (int v = 0; v < stored_w * 2; ++v)
                    slot[v] = of(v % stored_w, v / stored_w);
        }
        __syncwarp();
    };
)cuda";

const std::string turnChannels = R"cuda(    // Gives a thread all of the warp's channels of `words` places.
    const auto gather = [&](const float (*done)[place_tiles][channel_tiles][4], float (&turned)[words][channel_tiles * 16]) {
        #pragma unroll
        for (int n = 0; n < channel_tiles * 2; ++n) {
            stage_channels(done, n);
            #pragma unroll
            for (int i = 0; i < 8 * words; ++i)
                turned[i % words][n * 8 + i / words] = stage[i / words * pitch + i % words * 32 + lane];
        }
    };
)cuda";

const std::string storedPlaces = R"cuda(constexpr Index of_channel = (Index)out_d * out_h * out_w;
const Index first = (Index)(image * groups * results + group * results + first_channel) * of_channel;
float* stored[words]; // in the first channel
#pragma unroll
for (int j = 0; j < words; ++j)
    stored[j] = out + first + (to[j] < 0 ? 0 : to[j]);
)cuda";

const std::string writeChannels = R"cuda(#pragma unroll
for (int n = 0; n < channel_tiles * 2; ++n) { // eight channels at a time
    stage_channels(done, n);
    #pragma unroll
    for (int e = 0; e < 8; ++e) {
        const int channel = first_channel + n * 8 + e;
        if (ragged && channel >= results)
            break;
        const int c = group * results + channel;
)cuda";

const std::string writeTurned = R"cuda(#pragma unroll
for (int c = 0; c < channel_tiles * 16; ++c)
    #pragma unroll
    for (int j = 0; j < words; ++j)
        if (to[j] >= 0 && (!ragged || first_channel + c < results))
            stored[j][c * of_channel] = turned[j][c];
)cuda";

const std::string writeRows = R"cuda(#pragma unroll
for (int j = 0; j < words; ++j)
    if (to[j] >= 0)
        out[(Index)image * (out_d * out_h * out_w) + to[j]] = reduced[j];
)cuda";

} // namespace convolutiontext

const std::string& packedTapsHelper()
{
    static const std::string text =
        R"py(def packed_taps(weight, groups, transposed, stride, padding, dilation, chunk, channels, exact, window=None):
    """The weight of a convolution as tensor cores take it: in halves, by phase, chunk of channels, tap and channel.
    A block of threads computes `channels` of the result.

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
        parts, all_results = -(-inputs // chunk), -(-results // channels) * channels
        phase = torch.nn.functional.pad(phase, (0, 0, 0, parts * chunk - inputs, 0, all_results - results))
        phase = phase.reshape(groups, all_results, parts, chunk, count).permute(0, 2, 4, 3, 1)
        phase = phase.reshape(groups, parts, count * chunk, all_results)
        steps = -(-count * chunk // 16)
        phase = torch.nn.functional.pad(phase, (0, 0, 0, steps * 16 - count * chunk))
        # Lane 4 * result + unit of a warp holds the products of a unit, two a word, for that result and the eighth after.
        phase = phase.reshape(groups, parts, steps, 4, 2, 2, all_results // 16, 2, 8).permute(0, 1, 2, 6, 8, 3, 4, 7, 5)
        tiles.append(phase.flatten(1, 2))
    taps = torch.cat(tiles, 1)
    high = taps.half()
    words = torch.stack((high, (taps - high).half()), 3) if exact else high
    front = (127 - exponent << 23).view(torch.float32).expand(4)  # a multiple of what the kernel reads at a time
    return torch.cat((front, words.flatten().view(torch.float32)))
)py";
    return text;
}

} // namespace cudal1::policy
