// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses tiles by a model that was fitted to 23 convolutions of the bundled tasks on an H100. There it told the time
// of the best of ten plans within 35 %.
#include "core/policy/convolutionplan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cudal1::policy {

namespace {

std::int64_t ceilingOf(std::int64_t a, std::int64_t b)
{
    return (a + b - 1) / b;
}

ConvolutionAxis ordinaryAxis(const Convolution& c, std::size_t i, std::int64_t window)
{
    ConvolutionAxis axis;
    axis.phases = window;
    axis.stride = c.stride[i] * window;
    axis.taps.clear();
    for (std::int64_t phase = 0; phase < window; ++phase)
        axis.taps.push_back({c.kernel[i], phase * c.stride[i] - c.padding[i]});
    axis.step = c.dilation[i];
    return axis;
}

// The tap j of a result at place o reads the input at (o + padding - j * dilation) / stride, where that is whole.
ConvolutionAxis transposedAxis(const Convolution& c, std::size_t i, std::int64_t window)
{
    const std::int64_t stride = c.stride[i], dilation = c.dilation[i];
    const std::int64_t between = stride / std::gcd(stride, dilation); // taps of a phase
    ConvolutionAxis axis;
    axis.phases = std::max(stride, window);
    axis.stride = axis.phases / stride;
    axis.taps.clear();
    axis.step = -dilation * between / stride;
    for (std::int64_t phase = 0; phase < axis.phases; ++phase) {
        ConvolutionAxis::Taps taps{0, 0};
        for (std::int64_t j = c.kernel[i] - 1; j >= 0; --j) {
            const std::int64_t reach = phase + c.padding[i] - j * dilation;
            if (reach % stride == 0)
                taps = {taps.count + 1, reach / stride};
        }
        axis.taps.push_back(taps);
    }
    return axis;
}

ConvolutionAxis axisOf(const Convolution& c, std::size_t i, const Shape& windows)
{
    const std::int64_t window = windows.empty() ? 1 : windows[i];
    ConvolutionAxis axis = c.transposed ? transposedAxis(c, i, window) : ordinaryAxis(c, i, window);
    axis.in = c.in[i];
    axis.out = windows.empty() ? c.out[i] : c.out[i] / window;
    axis.stored = windows.empty() ? axis.phases : 1;
    std::int64_t low = 0, high = 0;
    bool any = false;
    for (const auto& taps : axis.taps) {
        if (taps.count == 0)
            continue;
        const std::int64_t last = taps.first + (taps.count - 1) * axis.step;
        low = any ? std::min({low, taps.first, last}) : std::min(taps.first, last);
        high = any ? std::max({high, taps.first, last}) : std::max(taps.first, last);
        any = true;
    }
    axis.low = low;
    axis.span = high - low + 1;
    return axis;
}

template<class Visit> void forPhases(const ConvolutionPlan& plan, Visit visit)
{
    for (const auto& d : plan.axes[0].taps) {
        for (const auto& h : plan.axes[1].taps) {
            for (const auto& w : plan.axes[2].taps)
                visit(d.count * h.count * w.count);
        }
    }
}

// The largest amount of shared memory that a block may have on any GPU with these tensor cores, and of products whose
// places a block can list.
constexpr std::int64_t mostShared = 96 * 1024;
constexpr std::int64_t mostSteps = 500;

/// Tiles of 16 places and 8 channels that a warp sums up at a time.
std::int64_t sumsOf(const ConvolutionPlan& p)
{
    return (p.axes[2].phases + (p.pooled ? 1 : 0)) * p.rowsOfWarp * p.columnsOfWarp;
}

/// Nanoseconds on an H100.
double modelled_ns(const ConvolutionPlan& p)
{
    constexpr double processors = 132, cyclesPerSecond = 1.7e9, bytesPerSecond = 2.4e12;
    const double warps = p.threads() / 32.0;
    const double places = static_cast<double>(p.axes[0].tile * p.axes[1].tile * p.axes[2].tile);
    const ConvolutionAxis& width = p.axes[2];
    const double phases = static_cast<double>(p.axes[0].phases * p.axes[1].phases * width.phases);
    const double steps = static_cast<double>(p.steps() * p.chunks()) * warps;
    double patch = static_cast<double>(p.chunk * p.axes[0].patch() * p.axes[1].patch() * width.patch() * p.chunks());
    if (p.chunks() > 1)
        patch *= static_cast<double>(p.axes[0].phases * p.axes[1].phases);
    double stores = places * (p.pooled ? 1 : phases) * p.columnsOfWarp * p.warpsAlongChannels * 8 / 32 * 2;
    if (width.out % 8 != 0) { // rows begin inside of a sector of 32 bytes, which two runs then share
        const std::int64_t row = width.tile * width.stored;
        stores *= 1 + 24.0 / static_cast<double>(row >= width.out ? row * p.axes[1].tile : row);
    }
    double block = 0.25 * patch + steps * p.rowsOfWarp * p.columnsOfWarp * (p.exact ? 4.5 : 1.5) +
                   steps * (p.rowsOfWarp * 4 + 2 + p.columnsOfWarp * (p.exact ? 4 : 2)) + stores + 400;
    const double registers = static_cast<double>(std::min<std::int64_t>(255, sumsOf(p) * 4 + 50));
    const double memory = static_cast<double>(p.sharedBytes() + p.steps() * 32 + 1024);
    const double together = std::max(
        1.0, std::floor(std::min({16.0, 220e3 / memory, 64 / warps, 65536 / (p.threads() * registers)})));
    if (together * warps < 8)
        block *= 8 / (together * warps);
    double waves = std::max(1.0, static_cast<double>(p.tiles()) / (processors * together));
    waves = waves < 4 ? std::ceil(waves) : waves;
    const double inputs = static_cast<double>(p.images * p.groups * p.inputs * p.axes[0].in * p.axes[1].in * width.in);
    return waves * together * block / cyclesPerSecond * 1e9 +
           4 * (inputs + static_cast<double>(p.resultElements())) / bytesPerSecond * 1e9;
}

/// Plans with any tile for places that these warps can have.
class TileSearch {
public:
    void tryTiles(const ConvolutionPlan& shape)
    {
        ConvolutionPlan plan = shape;
        const std::int64_t places = 16 * plan.warpsAlongPlaces * plan.rowsOfWarp;
        auto& [depth, height, width] = plan.axes;
        for (width.tile = 8; width.tile <= places; width.tile *= 2) {
            for (height.tile = 1; height.tile * width.tile <= places; height.tile *= 2) {
                depth.tile = places / (height.tile * width.tile);
                if (!tooLarge(width, 8) && !tooLarge(height, 1) && !tooLarge(depth, 1))
                    consider(plan);
            }
        }
    }

    const std::optional<PlannedConvolution>& best() const { return m_best; }

private:
    static bool tooLarge(const ConvolutionAxis& axis, std::int64_t least)
    {
        return axis.tile > std::max(least, 2 * ceilingOf(axis.out, axis.stored));
    }

    void consider(const ConvolutionPlan& plan)
    {
        if (plan.sharedBytes() > mostShared || plan.steps() > mostSteps)
            return;
        const double time = modelled_ns(plan);
        if (!m_best || time < m_best->time_ns)
            m_best = PlannedConvolution{plan, time};
    }

    std::optional<PlannedConvolution> m_best;
};

} // namespace

std::int64_t ConvolutionAxis::tiles() const
{
    return ceilingOf(ceilingOf(out, stored), tile);
}

std::int64_t ConvolutionPlan::chunks() const
{
    return ceilingOf(inputs, chunk);
}
std::int64_t ConvolutionPlan::blocksOfColumns() const
{
    return ceilingOf(results, 8L * columnsOfWarp * warpsAlongChannels);
}
std::int64_t ConvolutionPlan::columns() const
{
    return blocksOfColumns() * columnsOfWarp * warpsAlongChannels;
}
std::int64_t ConvolutionPlan::steps() const
{
    std::int64_t sum = 0;
    forPhases(*this, [&](std::int64_t taps) { sum += ceilingOf(taps * chunk, 8); });
    return sum;
}
std::int64_t ConvolutionPlan::stepsOfASum() const
{
    std::int64_t most = 0;
    forPhases(*this, [&](std::int64_t taps) { most = std::max(most, ceilingOf(taps * chunk, 8)); });
    return most;
}
bool ConvolutionPlan::padded() const
{
    bool any = false;
    forPhases(*this, [&](std::int64_t taps) { any = any || taps * chunk % 8 != 0; });
    return any;
}
std::int64_t ConvolutionPlan::plane() const
{
    const std::int64_t places = axes[0].patch() * axes[1].patch() * axes[2].patch();
    // Four channels at a time are read by eight neighbours each: so they lie in banks of their own.
    return chunk >= 4 ? places + (40 - places % 32) % 32 : places;
}
std::int64_t ConvolutionPlan::tiles() const
{
    return images * groups * axes[0].tiles() * axes[1].tiles() * axes[2].tiles() * blocksOfColumns();
}
std::int64_t ConvolutionPlan::sharedBytes() const
{
    const std::int64_t staged = threads() / 32 * 8 * (rowsOfWarp * 16 * axes[2].stored + 4);
    return 4 * (staged + (chunk + (padded() ? 1 : 0)) * plane());
}
std::int64_t ConvolutionPlan::resultElements() const
{
    return images * groups * results * axes[0].out * axes[1].out * axes[2].out;
}

namespace {

bool windowsFit(const Convolution& c, const Shape& windows)
{
    for (std::size_t i = 0; i < windows.size(); ++i) {
        if (c.out[i] < windows[i] || (c.transposed && windows[i] % c.stride[i] != 0))
            return false;
    }
    return true;
}

/// Tiles of eight channels of a warp, and warps along channels.
std::vector<std::array<int, 2>> channelShapes(int columns, bool together)
{
    if (together)
        return columns <= 8 ? std::vector<std::array<int, 2>>{{columns, 1}} : std::vector<std::array<int, 2>>{};
    if (columns <= 4)
        return {{columns, 1}};
    if (columns < 8)
        return {{columns, 1}, {4, 2}, {(columns + 1) / 2, 2}};
    return {{4, 1}, {4, 2}, {8, 1}};
}

} // namespace

std::optional<PlannedConvolution> planConvolution(const Graph& graph, const Convolution& c,
                                                  const ConvolutionNeeds& needs)
{
    if (c.axes() > 3 || graph.shape(c.x).size() != c.axes() + 2 || !windowsFit(c, needs.window))
        return {};
    ConvolutionPlan plan;
    for (std::size_t i = 0; i < c.axes(); ++i)
        plan.axes[3 - c.axes() + i] = axisOf(c, i, needs.window);
    plan.images = graph.shape(c.x)[0];
    plan.groups = c.groups;
    plan.inputs = graph.shape(c.x)[1] / c.groups;
    plan.results = graph.shape(c.result)[1] / c.groups;
    plan.exact = needs.exact;
    plan.pooled = !needs.window.empty();
    if (plan.inputs < 2)
        return {};
    TileSearch search;
    const auto columns = static_cast<int>(ceilingOf(plan.results, 8));
    for (const auto& [columnsOfWarp, warps] : channelShapes(columns, needs.channelsOfAWarp)) {
        plan.columnsOfWarp = columnsOfWarp;
        plan.warpsAlongChannels = warps;
        for (const int rows : {4, 2, 1}) {
            plan.rowsOfWarp = rows;
            if (sumsOf(plan) * 4 * (plan.exact ? 2 : 1) > 128)
                continue; // more sums than registers
            for (const int along : {4 / warps, 8 / warps}) {
                plan.warpsAlongPlaces = along;
                for (const std::int64_t chunk : {8, 16, 32}) {
                    plan.chunk = plan.inputs < 8 ? plan.inputs : chunk;
                    if (plan.chunk <= plan.inputs + 7)
                        search.tryTiles(plan);
                }
            }
        }
    }
    return search.best();
}

} // namespace cudal1::policy
