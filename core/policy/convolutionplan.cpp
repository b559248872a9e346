// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses tiles by measurements, and where there are none by a model that was fitted to 2,707 timings of plans for
// convolutions of the bundled tasks on an H200. Among these the model's choice takes 4 % longer than the best for
// levels 1 and 2, and 9 % over all (geometric means), and it tells the time within 13 % (median).
#include "core/policy/convolutionplan.h"

#include "core/policy/measuredplans.h"

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

// The largest amount of shared memory that a block may have on any GPU with these tensor cores, in all and without the
// lists of units, and of products whose places a block can list.
constexpr std::int64_t allShared = 99 * 1024, mostShared = 96 * 1024;
constexpr std::int64_t mostSteps = 500;

/// Tiles of 8 places and 16 channels that a warp sums up at a time.
std::int64_t sumsOf(const ConvolutionPlan& p)
{
    return (p.axes[2].phases + (p.pooled ? 1 : 0)) * p.placeTiles * p.channelTiles;
}

/// Registers of a thread that the compiler takes where it may have as many as it likes.
double registersOf(const ConvolutionPlan& p)
{
    const auto numbers = static_cast<double>(p.batch() * 4); // read at a time
    return 13 + 6.6 * static_cast<double>(sumsOf(p)) + 4 * p.channelTiles + (p.exact ? 2.5 * p.placeTiles : 0) +
           (p.cut() ? 6.3 * p.placeTiles * p.channelTiles : 0) + (p.ahead() ? 15 : numbers);
}

/// Registers of a thread that the plan leaves room for.
double roomForRegisters(const ConvolutionPlan& p)
{
    return std::min(255.0, std::floor(65536.0 / (p.threads() * std::max(1, p.residentBlocks)) / 8) * 8);
}

/// Nanoseconds on an H200.
double modelled_ns(const ConvolutionPlan& p)
{
    // Transfers overlap with the rest, and so count as if they were twice as fast as they are.
    constexpr double processors = 132, cyclesPerSecond = 1.755e9, bytesPerSecond = 8.6e12, launch_ns = 4910;
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
    const std::int64_t turns = ceilingOf(p.places(), p.threads() / p.teams());
    // Numbers of a patch; threads that have no place count as well.
    const double numbers = patches * static_cast<double>(turns * p.threads() * (p.units() / p.teams()) * 4);
    const double ofRows = 1 + 0.562 / static_cast<double>(width.patch()); // of short rows more is read than is used
    const double copies = numbers * (p.ahead() ? 0.122 * (p.copiedAtOnce() > 1 ? 1 : 1.6) : 0.0949 * ofRows);
    const auto channels = static_cast<double>(p.channelsOfBlock());
    double stores = places * stored * channels / 32 * 1.58;
    if (width.out % 8 != 0 && !p.summed) { // rows begin inside of a sector of 32 bytes, which two runs then share
        const std::int64_t row = width.tile * width.stored;
        stores *= 1 + 43.3 / static_cast<double>(row >= width.out ? row * p.axes[1].tile : row);
    }
    const double work = places * (p.workBefore * phases + p.workAfter * stored) * channels / 32 * 4.68;
    const double steps = static_cast<double>(p.steps() * p.chunks()) * warps;
    const double step = 0.446 * p.placeTiles * (p.exact ? 4 : 2) + 3.77 * p.channelTiles * (p.exact ? 2 : 1) + 8.7;
    double block = copies + 73.7 * warps * patches + steps * step + stores + work + 23.1 * warps * phases;
    const double room = roomForRegisters(p), wanted = std::min(255.0, registersOf(p)),
                 registers = std::min(room, wanted);
    const double missing = std::max(0.0, wanted / room - 1);
    block *= 1 + 0.746 * missing + 0.403 * missing * missing; // what has no register lies in memory
    const double memory = static_cast<double>(p.sharedBytes() + p.steps() * 16 + 1024);
    const double together = std::max(
        1.0, std::floor(std::min({16.0, 226e3 / memory, 64 / warps, 65536 / (p.threads() * registers),
                                  std::ceil(static_cast<double>(p.tiles()) / processors)})));
    constexpr double enough = 22.1; // warps of a processor that hide one another's waiting
    block *= std::pow(std::max(1.0, enough / (together * warps)), 0.822);
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
        const std::int64_t places = 8 * plan.warpsAlongPlaces * plan.placeTiles;
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
        const ConvolutionAxis& width = plan.axes[2];
        const std::int64_t shared = plan.sharedBytes();
        if (shared > mostShared || shared + 16 * (plan.steps() + 1) > allShared ||
            (plan.wholeRows && (width.tiles() > 1 || width.tile % 8 != 0 || 8 * plan.placeTiles % width.tile != 0)))
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
std::int64_t ConvolutionPlan::blocksOfChannels() const
{
    return ceilingOf(results, channelsOfBlock());
}
std::int64_t ConvolutionPlan::allChannelTiles() const
{
    return blocksOfChannels() * channelTiles * warpsAlongChannels;
}
std::int64_t ConvolutionPlan::pitch() const
{
    // The threads of a warp write two or four numbers each, of eight channels, which should lie in other banks.
    return placeTiles * 8 * axes[2].stored + (axes[2].stored == 2 ? 16 : 8);
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
std::int64_t ConvolutionPlan::places() const
{
    return axes[0].patch() * axes[1].patch() * axes[2].patch();
}
std::int64_t ConvolutionPlan::teams() const
{
    std::int64_t teams = 1;
    while (teams < 8 && 2 * teams <= units() && 2 * teams * places() <= threads())
        teams *= 2;
    return teams;
}
std::int64_t ConvolutionPlan::batch() const
{
    return std::min<std::int64_t>(4, units() / teams());
}
std::int64_t ConvolutionPlan::line() const
{
    const std::int64_t width = axes[2].patch();
    // The four units that are read at a time are taps of two rows at most, which should lie in other banks.
    return units() > 1 || axes[0].patch() * axes[1].patch() == 1 ? width : width + (12 - width % 8) % 8;
}
std::int64_t ConvolutionPlan::plane() const
{
    const std::int64_t places = axes[0].patch() * axes[1].patch() * line();
    // Neighbouring places read four units at a time, or two at two taps: so these lie in banks of their own.
    const std::int64_t banks = exact ? 8 : 16; // as wide as a unit
    const std::int64_t apart = units() == 2 ? banks / 2 : axes[2].stride % 2 != 0 ? banks / 4 : 1;
    return units() == 1 ? places : places + (banks + apart - places % banks) % banks;
}
std::int64_t ConvolutionPlan::copiedAtOnce() const
{
    const ConvolutionAxis& width = axes[2];
    return width.in % 4 == 0 && (width.tiles() == 1 || width.tile * width.stride % 4 == 0) ? 4 : 1;
}
std::int64_t ConvolutionPlan::rawBefore() const
{
    const std::int64_t step = copiedAtOnce();
    return (axes[2].low % step + step) % step;
}
std::int64_t ConvolutionPlan::rawWidth() const
{
    const std::int64_t step = copiedAtOnce();
    return ceilingOf(rawBefore() + axes[2].patch(), step) * step;
}
std::int64_t ConvolutionPlan::rawPlane() const
{
    return ceilingOf(axes[0].patch() * axes[1].patch() * rawWidth(), 4) * 4;
}
std::int64_t ConvolutionPlan::tiles() const
{
    return images * groups * blocksOfChannels() * runs() * tilesOfARun();
}
std::int64_t ConvolutionPlan::tilesOfPlaces() const
{
    return axes[0].tiles() * axes[1].tiles() * axes[2].tiles();
}
std::int64_t ConvolutionPlan::tilesOfARun() const
{
    if (!summed)
        return 1;
    const std::int64_t wanted = std::max<std::int64_t>(1, blocksAtMost / (images * groups * blocksOfChannels()));
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
    const std::int64_t staged = threads() / 32 * 8 * pitch();
    return 4 * (staged + (ahead() ? inputs * rawPlane() : 0)) +
           (units() + (padded() ? 1 : 0)) * plane() * (exact ? 16 : 8);
}
std::int64_t ConvolutionPlan::packedWords() const
{
    return 4 + groups * chunks() * steps() * allChannelTiles() * (exact ? 256 : 128);
}
std::int64_t ConvolutionPlan::resultElements() const
{
    return images * groups * results * axes[0].out * axes[1].out * axes[2].out;
}

namespace {

/// Whether tiles of whole rows have no place beyond the result.
bool rowsFit(const ConvolutionPlan& plan, const Convolution& c)
{
    return !plan.wholeRows || plan.axes[2].phases * ceilingOf(plan.axes[2].out, plan.axes[2].stored) == c.out.back();
}

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
    return !plan.summed || (plan.axes[2].stored * plan.placeTiles <= 16 && 6 * plan.channelTiles <= plan.pitch());
}

/// Tiles of 16 channels of a warp, and warps along channels.
std::vector<std::array<int, 2>> channelShapes(int tiles, bool together)
{
    if (together)
        return tiles <= 4 ? std::vector<std::array<int, 2>>{{tiles, 1}} : std::vector<std::array<int, 2>>{};
    if (tiles <= 2)
        return {{tiles, 1}};
    if (tiles == 3)
        return {{3, 1}, {2, 2}};
    return {{2, 1}, {2, 2}, {4, 1}};
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
    plan.wholeRows = needs.wholeRows;
    plan.workBefore = needs.workBefore;
    plan.workAfter = needs.workAfter;
    if (plan.inputs < 2 || plan.images < 1 || !rowsFit(plan, c))
        return;
    TileSearch search(visit);
    const std::vector<std::int64_t> chunks = plan.inputs < 8 ? std::vector{ceilingOf(plan.inputs, 4) * 4}
                                                             : std::vector<std::int64_t>{8, 16, 32, 64};
    const auto channelTiles = static_cast<int>(ceilingOf(plan.results, 16));
    for (const auto& [tiles, warps] : channelShapes(channelTiles, needs.channelsOfAWarp)) {
        plan.channelTiles = tiles;
        plan.warpsAlongChannels = warps;
        for (const int placeTiles : {8, 4, 2}) {
            if (needs.channelsOfAWarp && placeTiles < 4)
                continue; // a thread takes all channels of a place then
            plan.placeTiles = placeTiles;
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

namespace {

std::string joined(const Shape& numbers)
{
    std::string out;
    for (const std::int64_t n : numbers)
        out += (out.empty() ? "" : "x") + std::to_string(n);
    return out;
}

bool isThat(const ConvolutionPlan& plan, const MeasuredPlan& measured)
{
    return plan.placeTiles == measured.placeTiles && plan.channelTiles == measured.channelTiles &&
           plan.warpsAlongPlaces == measured.warpsAlongPlaces &&
           plan.warpsAlongChannels == measured.warpsAlongChannels && plan.chunk == measured.chunk &&
           plan.residentBlocks == measured.residentBlocks &&
           std::ranges::equal(plan.axes, measured.tile, {}, &ConvolutionAxis::tile);
}

} // namespace

std::string nameOf(const Graph& graph, const Convolution& c, const ConvolutionNeeds& needs)
{
    std::string out = joined(graph.shape(c.x)) + " " + std::to_string(graph.shape(c.result)[1]) + " k" +
                      joined(c.kernel);
    const auto addUnless = [&out](const char* what, const Shape& numbers, std::int64_t usual) {
        if (std::ranges::any_of(numbers, [usual](std::int64_t n) { return n != usual; }))
            out += what + joined(numbers);
    };
    addUnless(" s", c.stride, 1);
    addUnless(" p", c.padding, 0);
    addUnless(" d", c.dilation, 1);
    addUnless(" g", {c.groups}, 1);
    Shape usual; // places of the result, unless zeros stand on one side alone
    for (std::size_t i = 0; i < c.axes(); ++i)
        usual.push_back((c.in[i] + 2 * c.padding[i] - c.dilation[i] * (c.kernel[i] - 1) - 1) / c.stride[i] + 1);
    if (c.transposed || c.out != usual)
        out += " to " + joined(c.out);
    addUnless(" w", needs.window, 1);
    for (const auto& [is, what] : {std::pair{needs.exact, " exact"}, std::pair{needs.channelsOfAWarp, " channels"},
                                   std::pair{needs.wholeRows, " rows"}, std::pair{needs.summed, " sums"}})
        out += is ? what : "";
    for (const auto& [work, what] : {std::pair{needs.workBefore, " before "}, std::pair{needs.workAfter, " after "}}) {
        if (work != 0)
            out += what + std::to_string(std::lround(work));
    }
    return out;
}

std::optional<PlannedConvolution> planConvolution(const Graph& graph, const Convolution& convolution,
                                                  const ConvolutionNeeds& needs)
{
    const MeasuredPlan* const measured = measuredPlan(nameOf(graph, convolution, needs));
    std::optional<PlannedConvolution> best, known;
    forPlans(graph, convolution, needs, [&](const ConvolutionPlan& plan, double time_ns) {
        if (measured && isThat(plan, *measured))
            known = PlannedConvolution{plan, measured->time_us * 1e3, time_ns};
        if (!best || time_ns < best->time_ns)
            best = PlannedConvolution{plan, time_ns};
    });
    return known ? known : best;
}

} // namespace cudal1::policy
