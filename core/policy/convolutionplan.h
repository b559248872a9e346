// SPDX-License-Identifier: GPL-3.0-or-later
// How a CUDA kernel of our own divides a convolution among blocks, warps and tensor cores.
//
// A transposed convolution is a convolution for each remainder of a result's place by the stride, its *phases*: all
// places of a phase need the same taps. An ordinary convolution has one phase. Where a pool follows whose windows lie
// side by side, the places of a window are phases too, of which the kernel stores one result. A block computes a tile
// of places, all phases of them, for some channels. It keeps the part of the input that it needs, the *patch*, in
// shared memory.
#pragma once

#include "core/policy/convolutions.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::policy {

/// One of three spatial axes: depth, height and width. Axes that a task does not have have one place and one tap.
struct ConvolutionAxis {
    /// The taps that a phase needs, as places of the patch beside the result's own.
    struct Taps {
        std::int64_t count = 1;
        std::int64_t first = 0; ///< where the first one reads, from the input's place that belongs to the result's
    };
    std::int64_t in = 1, out = 1; ///< places of the input, and of what the kernel stores
    std::int64_t phases = 1;      ///< the stride of a transposed convolution or the window of the pool, else 1
    std::int64_t stored = 1;      ///< results that the kernel stores of all phases: as many, or 1 where a pool follows
    std::int64_t stride = 1;      ///< places of the input between two results of one phase
    std::vector<Taps> taps{{}};   ///< for each phase
    std::int64_t step = 0;        ///< places of the input from one tap of a phase to the next
    std::int64_t low = 0;         ///< the first place of the patch, from the first result's place
    std::int64_t span = 1;        ///< places that all taps of all phases reach together
    std::int64_t tile = 1;        ///< places of a tile, of each phase
    std::int64_t tiles() const;
    std::int64_t patch() const { return (tile - 1) * stride + span; }
};

struct ConvolutionPlan {
    std::array<ConvolutionAxis, 3> axes;              ///< depth, height, width
    std::int64_t images = 1, groups = 1;              ///< of the whole convolution
    std::int64_t inputs = 1, results = 1;             ///< channels of a group
    int placeTiles = 2, channelTiles = 1;             ///< tiles of 8 places, and of 16 channels, that a warp computes
    int warpsAlongPlaces = 1, warpsAlongChannels = 1; ///< of a block
    bool pooled = false;                              ///< whether a pool follows in the kernel
    bool wholeRows = false; ///< whether a warp has all places of its rows along the last axis, eight after eight
    bool summed = false;    ///< whether sums over runs of tiles are stored instead of the results
    std::int64_t chunk = 4; ///< channels of the input whose patch is in memory, a multiple of four
    bool exact = false;     ///< three products of halves for one of float32, else one
    /// Blocks for which a processor's registers must suffice at a time, or 0 where the compiler may use as many
    /// registers as it likes.
    int residentBlocks = 0;
    double workBefore = 0, workAfter = 0; ///< as in ConvolutionNeeds

    std::int64_t chunks() const; ///< that hold all channels of a group
    std::int64_t channelsOfBlock() const { return 16L * channelTiles * warpsAlongChannels; }
    std::int64_t blocksOfChannels() const; ///< blocks along the channels
    std::int64_t allChannelTiles() const;  ///< as many as the warps of all blocks compute
    std::int64_t pitch() const;            ///< numbers between two channels of a warp's results on their way to memory
    std::int64_t steps() const;            ///< of all phases, for one chunk: sixteen products each
    std::int64_t stepsOfASum() const;      ///< of the phase with most taps, for one chunk
    /// Tensor cores round sums towards zero in every step, by half a unit of float32 or so, which adds up. So sums of
    /// more steps are cut where products are exact, and their parts added as float32 is.
    static constexpr std::int64_t stepsOfAPart = 7;
    /// A unit is what a thread reads at a time: four channels of a place.
    std::int64_t units() const { return chunk / 4; }
    std::int64_t places() const;        ///< of the patch
    std::int64_t line() const;          ///< units between two rows of the patch
    std::int64_t plane() const;         ///< units between two units of a place
    bool padded() const;                ///< whether a phase has a number of products that sixteen does not divide
    std::int64_t tilesOfPlaces() const; ///< of one image
    /// Tiles of an image that a block takes one after the other, so that it stores their sums once; 1 where results are
    /// stored.
    std::int64_t tilesOfARun() const;
    std::int64_t runs() const;  ///< of one image
    std::int64_t tiles() const; ///< of all images, groups and channels; some at the end of a run may be empty
    /// Blocks of the launch: eight for each processor of an H100 at most, and a block takes several tiles or runs.
    static constexpr std::int64_t blocksAtMost = 1056;
    std::int64_t blocks() const;
    /// Whether the next tile's patch is on its way while products are made of the last. That takes memory in which a
    /// patch lies as it is, so it pays where there are few channels (up to 1.2 times the speed on an H200).
    bool ahead() const { return inputs < 8; }
    /// Numbers of a row that are copied at a time for the next tile: four where each such four is inside or outside of
    /// the input as a whole, which then must be aligned, else one.
    std::int64_t copiedAtOnce() const;
    std::int64_t rawBefore() const; ///< numbers that a row of the copied patch has before those that are needed
    std::int64_t rawWidth() const;  ///< numbers of such a row
    std::int64_t rawPlane() const;  ///< numbers between two channels of it
    bool cut() const;               ///< whether sums of products are cut into parts
    int threads() const { return 32 * warpsAlongPlaces * warpsAlongChannels; }
    std::int64_t teams() const;       ///< groups of threads that share the channels of a patch, where it has few places
    std::int64_t batch() const;       ///< units of a place that a thread makes at a time
    std::int64_t sharedBytes() const; ///< of dynamic shared memory
    std::int64_t packedWords() const; ///< of what packed_taps() makes of the weight
    std::int64_t resultElements() const; ///< of all images
};

/// What the kernel must do beside the convolution.
struct ConvolutionNeeds {
    bool exact = false;
    Shape window;                 ///< of a pool that follows, for each axis of the convolution; empty where none does
    bool channelsOfAWarp = false; ///< a warp computes all channels of a place, for reductions over them
    bool wholeRows = false;       ///< a warp computes all places of a row, for a norm of rows
    bool summed = false;          ///< the results themselves are not wanted, only sums over their places
    double workBefore = 0;        ///< workOf() the steps between the convolution and the pool
    double workAfter = 0;         ///< workOf() those that come last
};

/// A convolution with its needs in a few words; those of one name share a measured plan:
/// "16x3x32x32 16 k3x3 exact after 4" is one of three channels to sixteen with three by three taps.
std::string nameOf(const Graph& graph, const Convolution& convolution, const ConvolutionNeeds& needs);

/// The plan that was the fastest in measurements (measuredplans.h), else the one that takes the least time by a model
/// of one GPU, and that time in nanoseconds. Empty where no tile fits into shared memory, or where windows and phases
/// do not fit each other. A convolution with one channel a group is none for tensor cores, and has no plan either.
struct PlannedConvolution {
    ConvolutionPlan plan;
    double time_ns = 0; ///< as measured, or else by the model
    double modelled_ns = time_ns;

    bool measured() const { return time_ns != modelled_ns; }
};
std::optional<PlannedConvolution> planConvolution(const Graph& graph, const Convolution& convolution,
                                                  const ConvolutionNeeds& needs);

/// Every plan that planConvolution() chooses among, with its time by the model; the plan is there during the call
/// alone.
using VisitPlan = std::function<void(const ConvolutionPlan& plan, double time_ns)>;
void forPlans(const Graph& graph, const Convolution& convolution, const ConvolutionNeeds& needs,
              const VisitPlan& visit);

} // namespace cudal1::policy
