// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses tiles by a model that was fitted to 2,468 timings of plans for convolutions of the bundled tasks on an H200.
// There its choice takes 3 % longer than the best plan that was measured (geometric mean), and it tells the time within
// 16 % (median).
#include "core/policy/convolutionplan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cudal1::policy {

namespace {

constexpr std::int64_t productsOfAStep = 16; // of tensor cores in half precision

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

/// Registers of a thread that the compiler takes where it may have as many as it likes.
double registersOf(const ConvolutionPlan& p)
{
    return 6.17 * static_cast<double>(sumsOf(p)) + 25 + (p.exact ? 5.67 * p.rowsOfWarp : 0) + 1.81 * p.columnsOfWarp +
           (p.cut() ? 4.91 * p.rowsOfWarp * p.columnsOfWarp : 0);
}

/// Registers of a thread that the plan leaves room for.
double roomForRegisters(const ConvolutionPlan& p)
{
    return std::min(255.0, std::floor(65536.0 / (p.threads() * std::max(1, p.residentBlocks)) / 8) * 8);
}

/// Nanoseconds on an H200.
double modelled_ns(const ConvolutionPlan& p)
{
    constexpr double processors = 132, cyclesPerSecond = 1.755e9, bytesPerSecond = 4.396e12, launch_ns = 2500;
    const double warps = p.threads() / 32.0;
    const ConvolutionAxis& width = p.axes[2];
    double places = 1, stored = 1, phases = 1;
    for (const ConvolutionAxis& axis : p.axes) {
        places *= static_cast<double>(axis.tile);
        stored *= static_cast<double>(axis.stored);
        phases *= static_cast<double>(axis.phases);
    }
    double patches = static_cast<double>(p.chunks());
    if (p.chunks() > 1)
        patches *= static_cast<double>(p.axes[0].phases * p.axes[1].phases);
    const double copies = patches * static_cast<double>(p.axes[0].patch() * p.axes[1].patch() * width.patch());
    const double ofRows = 1 + 16.1 / static_cast<double>(width.patch()); // of short rows more is read than is used
    const double channels = p.columnsOfWarp * p.warpsAlongChannels * 8;
    double stores = places * stored * channels / 32 * 0.695;
    if (width.out % 8 != 0 && !p.summed) { // rows begin inside of a sector of 32 bytes, which two runs then share
        const std::int64_t row = width.tile * width.stored;
        stores *= 1 + 73.9 / static_cast<double>(row >= width.out ? row * p.axes[1].tile : row);
    }
    const double work = places * (p.workBefore * phases + p.workAfter * stored) * channels / 32 * 5.3;
    const double steps = static_cast<double>(p.steps() * p.chunks()) * warps;
    const double step = 0.662 * (p.rowsOfWarp * (p.exact ? 8 : 4) + 2) + 2.879 * p.columnsOfWarp * (p.exact ? 2 : 1) +
                        p.rowsOfWarp * p.columnsOfWarp * (p.exact ? 0.161 : 0.576) + 0.378;
    double block = copies * (0.09 * static_cast<double>(p.chunk) * ofRows + 0.025) + 432.5 * patches + steps * step +
                   stores + work + 37.8 * warps * phases + 5;
    const double room = roomForRegisters(p), wanted = std::min(255.0, registersOf(p)),
                 registers = std::min(room, wanted);
    block *= 1 + 0.963 * std::max(0.0, wanted / room - 1); // what has no register lies in memory
    const double memory = static_cast<double>(p.sharedBytes() + p.steps() * 32 + 1024);
    const double together = std::max(
        1.0, std::floor(std::min({16.0, 226e3 / memory, 64 / warps, 65536 / (p.threads() * registers),
                                  std::ceil(static_cast<double>(p.tiles()) / processors)})));
    constexpr double enough = 21.5; // warps of a processor that hide one another's waiting
    block *= std::pow(std::max(1.0, enough / (together * warps)), 0.787);
    double waves = std::max(1.0, static_cast<double>(p.tiles()) / (processors * together));
    waves = waves < 4 ? std::ceil(waves) : waves;
    const double inputs = static_cast<double>(p.images * p.groups * p.inputs * p.axes[0].in * p.axes[1].in * width.in);
    const double written = p.summed ? 0 : static_cast<double>(p.resultElements());
    return waves * together * block / cyclesPerSecond * 1e9 + 4 * (inputs + written) / bytesPerSecond * 1e9 + launch_ns;
}

/// Plans with any tile for places that these warps can have.
class TileSearch {
public:
    explicit TileSearch(const VisitPlan& visit) : m_visit(visit) {}

    void tryTiles(const ConvolutionPlan& shape)
    {
        ConvolutionPlan plan = shape;
        const std::int64_t places = 16 * plan.warpsAlongPlaces * plan.rowsOfWarp;
        auto& [depth, height, width] = plan.axes;
        for (const std::int64_t w : sizes(width, places)) {
            width.tile = w;
            for (const std::int64_t h : sizes(height, places / w)) {
                height.tile = h;
                for (const std::int64_t d : sizes(depth, places / (w * h))) {
                    depth.tile = d;
                    consider(plan);
                }
            }
        }
    }

private:
    /// Sizes of tiles along an axis: for each number of tiles the least that covers it, and those that fill rows of
    /// eight, up to `most`.
    static std::vector<std::int64_t> sizes(const ConvolutionAxis& axis, std::int64_t most)
    {
        const std::int64_t places = ceilingOf(axis.out, axis.stored);
        std::vector<std::int64_t> all;
        for (std::int64_t size = 8; size < 2 * places; size *= 2)
            all.push_back(size);
        for (std::int64_t tiles = 1; tiles <= std::min<std::int64_t>(places, 12); ++tiles)
            all.push_back(ceilingOf(places, tiles));
        all.push_back(std::min(most, places));
        std::ranges::sort(all);
        const auto [end, last] = std::ranges::unique(all);
        all.erase(end, last);
        std::erase_if(all, [most](std::int64_t size) { return size > most; });
        return all;
    }

    void consider(ConvolutionPlan& plan)
    {
        if (plan.sharedBytes() > mostShared)
            return;
        for (const int warps : {0, 16, 24, 32}) { // of a processor
            plan.residentBlocks = warps * 32 / plan.threads();
            // Where sums are stored the compiler takes more registers than the model knows of, and room for 128 was
            // best in nearly all timings. Elsewhere a bound above what it takes changes nothing.
            if (plan.summed ? warps != 16 : warps > 0 && registersOf(plan) <= roomForRegisters(plan))
                continue;
            m_visit(plan, modelled_ns(plan));
        }
    }

    const VisitPlan& m_visit;
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
    forPhases(*this, [&](std::int64_t taps) { sum += ceilingOf(taps * chunk, productsOfAStep); });
    return sum;
}
std::int64_t ConvolutionPlan::stepsOfASum() const
{
    std::int64_t most = 0;
    forPhases(*this, [&](std::int64_t taps) { most = std::max(most, ceilingOf(taps * chunk, productsOfAStep)); });
    return most;
}
bool ConvolutionPlan::cut() const
{
    return exact && stepsOfASum() > stepsOfAPart;
}
bool ConvolutionPlan::padded() const
{
    bool any = false;
    forPhases(*this, [&](std::int64_t taps) { any = any || taps * chunk % productsOfAStep != 0; });
    return any;
}
std::int64_t ConvolutionPlan::plane() const
{
    const std::int64_t places = axes[0].patch() * axes[1].patch() * axes[2].patch();
    // Eight neighbours read four pairs of channels at a time, or two at two taps: so these lie in banks of their own.
    const std::int64_t apart = chunk >= 8 ? 8 : 16;
    return chunk >= 4 ? places + (32 + apart - places % 32) % 32 : places;
}
std::int64_t ConvolutionPlan::tiles() const
{
    return images * groups * blocksOfColumns() * runs() * tilesOfARun();
}
std::int64_t ConvolutionPlan::tilesOfPlaces() const
{
    return axes[0].tiles() * axes[1].tiles() * axes[2].tiles();
}
std::int64_t ConvolutionPlan::tilesOfARun() const
{
    if (!summed)
        return 1;
    const std::int64_t wanted = std::max<std::int64_t>(1, blocksAtMost / (images * groups * blocksOfColumns()));
    return ceilingOf(tilesOfPlaces(), wanted);
}
std::int64_t ConvolutionPlan::runs() const
{
    return ceilingOf(tilesOfPlaces(), tilesOfARun());
}
std::int64_t ConvolutionPlan::blocks() const
{
    return std::min(tiles() / tilesOfARun(), blocksAtMost);
}
std::int64_t ConvolutionPlan::sharedBytes() const
{
    const std::int64_t staged = threads() / 32 * 8 * (rowsOfWarp * 16 * axes[2].stored + 4);
    const std::int64_t raw = ahead() ? inputs * axes[0].patch() * axes[1].patch() * axes[2].patch() : 0;
    return 4 * (staged + (chunk / 2 + (padded() ? 1 : 0)) * plane() * (exact ? 2 : 1) + raw);
}
std::int64_t ConvolutionPlan::packedWords() const
{
    return 4 + groups * chunks() * steps() * columns() * (exact ? 128 : 64);
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

/// Whether a thread's places have a bit each in a word, and a warp's part of the sums the memory of its results.
bool sumsFit(const ConvolutionPlan& plan)
{
    const std::int64_t stored = plan.axes[2].stored * plan.rowsOfWarp;
    return !plan.summed || (stored <= 16 && 3 * plan.columnsOfWarp <= 16 * stored + 4);
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

void forPlans(const Graph& graph, const Convolution& c, const ConvolutionNeeds& needs, const VisitPlan& visit)
{
    if (c.axes() > 3 || graph.shape(c.x).size() != c.axes() + 2 || !windowsFit(c, needs.window))
        return;
    ConvolutionPlan plan;
    for (std::size_t i = 0; i < c.axes(); ++i)
        plan.axes[3 - c.axes() + i] = axisOf(c, i, needs.window);
    plan.images = graph.shape(c.x)[0];
    plan.groups = c.groups;
    plan.inputs = graph.shape(c.x)[1] / c.groups;
    plan.results = graph.shape(c.result)[1] / c.groups;
    plan.exact = needs.exact;
    plan.pooled = !needs.window.empty();
    plan.summed = needs.summed;
    plan.workBefore = needs.workBefore;
    plan.workAfter = needs.workAfter;
    if (plan.inputs < 2 || plan.images < 1)
        return;
    TileSearch search(visit);
    const std::vector<std::int64_t> chunks = plan.inputs < 8 ? std::vector{plan.inputs + plan.inputs % 2}
                                                             : std::vector<std::int64_t>{8, 16, 32, 64};
    const auto columns = static_cast<int>(ceilingOf(plan.results, 8));
    for (const auto& [columnsOfWarp, warps] : channelShapes(columns, needs.channelsOfAWarp)) {
        plan.columnsOfWarp = columnsOfWarp;
        plan.warpsAlongChannels = warps;
        for (const int rows : {4, 2, 1}) {
            plan.rowsOfWarp = rows;
            for (const int along : {4 / warps, 8 / warps}) {
                plan.warpsAlongPlaces = along;
                for (const std::int64_t chunk : chunks) {
                    plan.chunk = chunk;
                    const bool fits = sumsOf(plan) * 4 * (plan.cut() ? 2 : 1) <= 128; // into registers
                    if (fits && sumsFit(plan) && chunk <= plan.inputs + 7 && plan.steps() <= mostSteps)
                        search.tryTiles(plan);
                }
            }
        }
    }
}

std::optional<PlannedConvolution> planConvolution(const Graph& graph, const Convolution& convolution,
                                                  const ConvolutionNeeds& needs)
{
    std::optional<PlannedConvolution> best;
    forPlans(graph, convolution, needs, [&best](const ConvolutionPlan& plan, double time_ns) {
        if (!best || time_ns < best->time_ns)
            best = PlannedConvolution{plan, time_ns};
    });
    return best;
}

} // namespace cudal1::policy
