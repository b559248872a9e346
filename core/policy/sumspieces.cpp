// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of the CUDA text of a convolution of which sums over runs of tiles are stored.
#include "core/policy/convolutionpieces.h"

namespace cudal1::policy::convolutiontext {

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

const std::string noParts =
    R"cuda(    Part parts[channel_tiles * sharing / 2] = {}; // what the thread has of the run of tiles
    float have = 0.0f;            // numbers of each channel
)cuda";

const std::string addParts = R"cuda(unsigned inside = 0; // a bit for each of the thread's places that the result has
#pragma unroll
for (int q = 0; q < stored_w * place_tiles * 2; ++q) {
    const int m = (warp_m * place_tiles + q / 2 % place_tiles) * 8 + column * 2 + q % 2;
    const int od = (td * tile_d + m / (tile_w * tile_h)) * stored_d + pd;
    const int oh = (th * tile_h + m / tile_w % tile_h) * stored_h + ph;
    const int ow = (tw * tile_w + m % tile_w) * stored_w + q / 2 / place_tiles;
    if (m < tile_d * tile_h * tile_w && od < out_d && oh < out_h && ow < out_w)
        inside |= 1u << q;
}
#pragma unroll
for (int i = 0; i < channel_tiles * 2; ++i) {
    float v[stored_w * place_tiles * 2];
    #pragma unroll
    for (int q = 0; q < stored_w * place_tiles * 2; ++q)
        v[q] = done[q / 2 / place_tiles][q / 2 % place_tiles][i / 2][i % 2 * 2 + q % 2];
    add(parts[i], v, inside, have);
}
have += __popc(inside);
)cuda";

const std::string addTurned = R"cuda(unsigned inside = 0; // a bit for each of the thread's places that the result has
#pragma unroll
for (int j = 0; j < words; ++j)
    inside |= (to[j] >= 0 ? 1u : 0u) << j;
#pragma unroll
for (int i = 0; i < channel_tiles * 16; ++i) {
    float v[words];
    #pragma unroll
    for (int j = 0; j < words; ++j)
        v[j] = turned[j][i];
    add(parts[i], v, inside, have);
}
have += __popc(inside);
)cuda";

const std::string writeParts = R"cuda(if ((tile + 1) % run_of_tiles)
    continue;
// Over those threads of a warp that have other places of the same channels, then over such warps.
Joined* const shared = reinterpret_cast<Joined*>(stage);
__syncwarp();
#pragma unroll
for (int i = 0; i < channel_tiles * sharing / 2; ++i) {
    Joined all = joined_of(parts[i], have);
    #pragma unroll
    for (int step = 1; step < sharing; step *= 2)
        join(all, shuffled(all, step));
    if (lane % sharing == 0)
        shared[i * (32 / sharing) + lane / sharing] = all;
    parts[i] = {};
}
have = 0.0f;
__syncthreads();
for (int e = lane; warp_m == 0 && e < channel_tiles * 16; e += 32) {
    const int channel = first_channel + e;
    if (ragged && channel >= results)
        break;
    Joined all = shared[e];
    for (int w = 1; w < warps_m; ++w)
        join(all, reinterpret_cast<const Joined*>(stage + w * 8 * pitch)[e]);
    const int place = (td * tiles_h + th) * tiles_w + tw, c = group * results + channel;
    reinterpret_cast<Joined*>(out)[((size_t)c * images + image) * runs + place / run_of_tiles] = all;
}
)cuda";

} // namespace cudal1::policy::convolutiontext
