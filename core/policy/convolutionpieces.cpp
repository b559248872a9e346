// SPDX-License-Identifier: GPL-3.0-or-later
// The same for all plans: names of constants stand where their numbers differ.
#include "core/policy/convolutionpieces.h"

namespace cudal1::policy {

namespace convolutiontext {

const std::string products = R"cuda(
// Adds the product of 16 x 8 and 8 x 8 numbers, which the tensor cores round to TF32 by leaving out digits.
static __device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
)cuda";

// In a tile of products a thread has two places (or two channels) a row apart: `row` is its first, and its products are
// `column` and `column + 4`.
const std::string head = R"cuda(
{
    constexpr int run = rows * 16, pitch = run * stored_w + 4, words = (run * stored_w + 31) / 32;
    extern __shared__ float memory[];
    float* const patch = memory + warps_m * warps_n * 8 * pitch;
    __shared__ int where[steps * 8]; // the place in the patch that each product of a sum reads
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, row = lane >> 2, column = lane & 3;
    const int warp_m = warp % warps_m, warp_n = warp / warps_m;
    float* const stage = memory + warp * 8 * pitch; // results of eight channels on their way to memory

    constexpr int places = patch_d * patch_h * patch_w; // of the patch; where they are few, teams share the channels
    constexpr int teams = places * 8 <= threads ? 8 : places * 4 <= threads ? 4 : places * 2 <= threads ? 2 : 1;
    for (int i = threadIdx.x; i < zeros * plane; i += threads)
        patch[chunk * plane + i] = 0.0f;

    int base = 0;
    #pragma unroll
    for (int pd = 0; pd < phases_d; ++pd)
        #pragma unroll
        for (int ph = 0; ph < phases_h; ++ph)
            #pragma unroll
            for (int pw = 0; pw < phases_w; ++pw) {
                const int nh = taps_h[ph], nw = taps_w[pw], terms = taps_d[pd] * nh * nw * chunk;
                const int padded = (terms + 7) / 8 * 8;
                for (int k = threadIdx.x; k < padded; k += threads) {
                    const int c = k % chunk, tap = k / chunk;
                    const int d = first_d[pd] + tap / (nw * nh) * step_d - low_d;
                    const int h = first_h[ph] + tap / nw % nh * step_h - low_h;
                    const int w = first_w[pw] + tap % nw * step_w - low_w;
                    where[base + k] = k < terms ? c * plane + (d * patch_h + h) * patch_w + w : chunk * plane;
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

    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        unsigned rest = tile;
        const int block_n = rest % blocks_n;
        rest /= blocks_n;
        const int tw = rest % tiles_w;
        rest /= tiles_w;
        const int th = rest % tiles_h;
        rest /= tiles_h;
        const int td = rest % tiles_d;
        rest /= tiles_d;
        const int group = rest % groups, image = rest / groups;
        const int first_column = (block_n * warps_n + warp_n) * columns;
        const int from_d = td * tile_d * stride_d + low_d, from_h = th * tile_h * stride_h + low_h;
        const int from_w = tw * tile_w * stride_w + low_w;

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
                    if (chunks > 1 || (pd == 0 && ph == 0)) {
                        __syncthreads();
                        const float* const from =
                            x + (size_t)((image * groups + group) * inputs + part * chunk) * (in_d * in_h * in_w);
                        // A thread copies one place for several channels, so that it works the place out once.
                        #pragma unroll (chunk < 8 ? 2 : 1)
                        for (int i = threadIdx.x % (threads / teams); i < places; i += threads / teams) {
                            const int w = from_w + i % patch_w, h = from_h + i / patch_w % patch_h;
                            const int d = from_d + i / (patch_w * patch_h);
                            const bool inside = (unsigned)w < in_w && (unsigned)h < in_h && (unsigned)d < in_d;
                            const float* const place_from = from + (d * in_h + h) * in_w + w;
                            #pragma unroll 8
                            for (int c = threadIdx.x / (threads / teams); c < chunk; c += teams) {
                                float v = 0.0f;
                                if (inside && (inputs % chunk == 0 || part * chunk + c < inputs))
                                    v = place_from[(size_t)c * (in_d * in_h * in_w)];
                                if (!exact && v == v) // to the nearest with the ten bits of TF32's mantissa
                                    v = __uint_as_float((__float_as_uint(v) + 0x1000u) & 0xffffe000u);
                                patch[c * plane + i] = v;
                            }
                        }
                        __syncthreads();
                    }
                    int at = step;
                    #pragma unroll
                    for (int pw = 0; pw < phases_w; ++pw) {
                        const int count = (taps_before * taps_w[pw] * chunk + 7) / 8;
                        const int* const reads = where + at * 8 + column;
                        const Factor* const factors = reinterpret_cast<const Factor*>(taps) + lane +
                            ((size_t)(group * steps * chunks + at * chunks + part * count) * all_columns + first_column) * 32;
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
                                    const float v[4] = {patch[place[m][0] + left], patch[place[m][1] + left],
                                                        patch[place[m][0] + right], patch[place[m][1] + right]};
                                    unsigned a[4];
)cuda";

const std::string oneProduct = R"cuda(                                    #pragma unroll
                                    for (int i = 0; i < 4; ++i)
                                        a[i] = __float_as_uint(v[i]);
                                    #pragma unroll
                                    for (int n = 0; n < columns; ++n)
                                        multiply(into[m][n], a, b[n].x, b[n].y);
)cuda";

const std::string threeProducts = R"cuda(                                    unsigned low[4]; // what TF32 leaves out
                                    #pragma unroll
                                    for (int i = 0; i < 4; ++i) {
                                        a[i] = __float_as_uint(v[i]) & 0xffffe000u;
                                        low[i] = __float_as_uint(v[i] - __uint_as_float(a[i]));
                                    }
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
                    step += (taps_before * taps_w[pw] * chunk + 7) / 8;
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

} // namespace convolutiontext

const std::string& packedTapsHelper()
{
    static const std::string text =
        R"py(def packed_taps(weight, groups, transposed, stride, padding, dilation, chunk, columns, exact, window=None):
    """The weight of a convolution as tensor cores take it: by phase, chunk of channels, tap and channel."""
    taps = weight.unflatten(0, (groups, -1))  # groups, results, inputs, and the axes of places
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
        steps = -(-count * chunk // 8)
        phase = torch.nn.functional.pad(phase, (0, 0, 0, steps * 8 - count * chunk))
        # Lane 4 * result + product % 4 of a warp holds two of the eight products of one of eight results.
        phase = phase.reshape(groups, parts, steps, 2, 4, all_results // 8, 8).permute(0, 1, 2, 5, 6, 4, 3)
        tiles.append(phase.flatten(1, 2))
    taps = torch.cat(tiles, 1)
    high = nearest_tf32(taps)
    return (torch.cat((high, nearest_tf32(taps - high)), -1) if exact else high).contiguous()


def nearest_tf32(values):
    """The nearest numbers with ten bits of mantissa."""
    return (values.contiguous().view(torch.int32) + 0x1000 & ~0x1FFF).view(torch.float32)
)py";
    return text;
}

} // namespace cudal1::policy
