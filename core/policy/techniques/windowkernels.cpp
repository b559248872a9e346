// SPDX-License-Identifier: GPL-3.0-or-later
// Technique window_kernels: pools and depthwise convolutions in kernels that are made for their windows, with what
// stands before and behind them.
#include "core/base/timetext.h"
#include "core/policy/convolutions.h"
#include "core/policy/technique.h"
#include "core/policy/windowkernel.h"

#include <algorithm>
#include <map>
#include <set>

namespace cudal1::policy {

namespace {

struct WindowSite {
    WindowKernel kernel;
    std::set<int> nodes; ///< ids of all operators that the kernel replaces
    std::vector<int> read;
    int result = -1;
    std::string operators; ///< "mul, avg_pool3d, tanh"
    double replaced_ns = 0, expected_ns = 0;

    void take(const GraphNode& node)
    {
        nodes.insert(node.id);
        replaced_ns += node.time_ns;
        operators += (operators.empty() ? "" : ", ") + shortName(node.op);
    }
};

bool passes(const Graph& graph, int value)
{
    return graph.value(value).dtype == "float32" && graph.numel(value) > 0;
}

void setAxes(WindowKernel& kernel, const Graph& graph, int x, int result, const std::array<const Shape*, 4>& numbers)
{
    const Shape &in = graph.shape(x), &out = graph.shape(result);
    kernel.images = in[0];
    kernel.inChannels = in[1];
    kernel.outChannels = out[1];
    const std::size_t axes = in.size() - 2;
    for (std::size_t i = 0; i < axes; ++i)
        kernel.axes[3 - axes + i] = {in[i + 2],        out[i + 2],       (*numbers[0])[i],
                                     (*numbers[1])[i], (*numbers[2])[i], (*numbers[3])[i]};
}

/// Whether the pool `first`, whose result `second` pools, is one with it: windows without padding, which overlap for
/// maxima at most.
bool mergeable(const Graph& graph, const Pool& first, const Pool& second)
{
    if (first.mean != second.mean || !first.plain() || !second.plain() || !graph.usedOnce(first.result))
        return false;
    for (std::size_t i = 0; i < first.window.size(); ++i) {
        if (first.mean ? first.stride[i] != first.window[i] : first.stride[i] > first.window[i])
            return false;
    }
    return true;
}

/// How often each element is read, and so how often what stands before a window is computed.
double overlap(const WindowKernel& kernel)
{
    double out = 1;
    for (const WindowKernel::Axis& axis : kernel.axes)
        out *= static_cast<double>(axis.window) / static_cast<double>(axis.stride);
    return out;
}

bool isCheap(const GraphNode& node)
{
    static const std::set<std::string> cheap{"add",       "sub",      "mul",        "relu",    "clamp",   "clamp_min",
                                             "clamp_max", "hardtanh", "leaky_relu", "minimum", "maximum", "neg"};
    return cheap.contains(shortName(node.op));
}

void takeBefore(const Graph& graph, WindowSite& site, int x, const GraphNode& node)
{
    Chain& before = site.kernel.before;
    before = chainBefore(graph, x, node.id);
    const bool once = overlap(site.kernel) <= 1;
    constexpr double often = 9; // a window of three by three, whose sums of products take as long
    const bool few = overlap(site.kernel) <= often && std::all_of(before.nodes.begin(), before.nodes.end(),
                                                                  [](const GraphNode* one) { return isCheap(*one); });
    if (!sameOverPlaces(before) || !(once || few))
        before = {{}, {}, x, x};
    for (const GraphNode* one : before.nodes)
        site.take(*one);
}

void takeBehind(const Graph& graph, WindowSite& site, int result)
{
    const Shape& shape = graph.shape(result);
    const auto fits = [&](const std::optional<KernelProgram>& program) {
        return program && !program->reduces() && program->outputs.size() == 1 && program->outputs[0].full &&
               program->domain == shape && program->scalars.empty() && program->inputs.size() <= 8 &&
               std::find(program->inputs.begin(), program->inputs.end(), result) != program->inputs.end();
    };
    site.kernel.after = chainsBehind(graph, result, fits).back();
    for (const GraphNode* one : site.kernel.after.nodes)
        site.take(*one);
}

void finish(const Graph& graph, WindowSite& site, int x)
{
    site.result = site.kernel.after.result;
    site.read.insert(site.read.begin(), site.kernel.before.from);
    for (const Chain* chain : {&site.kernel.before, &site.kernel.after}) {
        for (std::size_t i = 0; chain->program && i < chain->program->inputs.size(); ++i) {
            if (chain->program->inputs[i] != chain->from)
                site.read.push_back(chain->program->inputs[i]);
        }
    }
    site.expected_ns = kernelLaunch_ns + static_cast<double>(graph.bytes(x) + graph.bytes(site.result)) / bytesPerNs;
}

std::optional<WindowSite> poolSite(const Graph& graph, const GraphNode& node)
{
    auto pool = poolOf(graph, node);
    if (!pool || (pool->mean && pool->rounded) || !passes(graph, pool->x) || !passes(graph, pool->result))
        return {};
    if (graph.usedOnce(pool->result)) { // by a pool that is one with it, whose site this is then
        const auto next = poolOf(graph, *graph.consumers(pool->result).front());
        if (next && mergeable(graph, *pool, *next))
            return {};
    }
    WindowSite site;
    const GraphNode* first = &node;
    std::vector<const GraphNode*> pools{&node};
    while (const GraphNode* earlier = graph.producer(pool->x)) {
        const auto inner = poolOf(graph, *earlier);
        if (!inner || !mergeable(graph, *inner, *pool))
            break;
        for (std::size_t i = 0; i < pool->window.size(); ++i) {
            pool->window[i] = (pool->window[i] - 1) * inner->stride[i] + inner->window[i];
            pool->stride[i] *= inner->stride[i];
        }
        pool->x = inner->x;
        first = earlier;
        pools.insert(pools.begin(), earlier);
    }
    site.kernel.kind = pool->mean ? WindowKernel::Kind::Mean : WindowKernel::Kind::Max;
    site.kernel.countsPadding = pool->countsPadding;
    setAxes(site.kernel, graph, pool->x, pool->result, {&pool->window, &pool->stride, &pool->padding, &pool->dilation});
    takeBefore(graph, site, pool->x, *first);
    for (const GraphNode* one : pools)
        site.take(*one);
    takeBehind(graph, site, pool->result);
    finish(graph, site, pool->x);
    return site;
}

std::optional<WindowSite> depthwiseSite(const Graph& graph, const GraphNode& node)
{
    const auto c = convolutionOf(graph, node);
    if (!c || c->transposed || !passes(graph, c->x) || c->axes() > 3 || c->groups != graph.shape(c->x)[1] ||
        c->groups == 1 || graph.shape(c->weight)[1] != 1)
        return {};
    WindowSite site;
    site.kernel.kind = WindowKernel::Kind::Products;
    site.kernel.bias = c->bias.has_value();
    setAxes(site.kernel, graph, c->x, c->result, {&c->kernel, &c->stride, &c->padding, &c->dilation});
    site.read.push_back(c->weight);
    if (c->bias)
        site.read.push_back(*c->bias);
    takeBefore(graph, site, c->x, node);
    site.take(node);
    takeBehind(graph, site, c->result);
    finish(graph, site, c->x);
    return site;
}

std::optional<WindowSite> windowSite(const Graph& graph, const GraphNode& node)
{
    auto site = poolSite(graph, node);
    if (!site)
        site = depthwiseSite(graph, node);
    // So short a kernel of the framework is bound by its launch.
    constexpr double launchBound_ns = 10e3;
    const bool alone = site && site->nodes.size() == 1;
    if (!site || (alone && site->replaced_ns > 0 &&
                  (site->replaced_ns < launchBound_ns || site->expected_ns > 0.9 * site->replaced_ns)))
        return {};
    return site;
}

class WindowKernels : public Technique {
public:
    std::string id() const override { return "window_kernels"; }
    std::string title() const override { return "Kernels for windows"; }
    std::string comment() const override
    {
        return "compute pools and depthwise convolutions, with what stands around them, in kernels of their own";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        std::string why;
        if (!context.takesKernels(why))
            return Match::no(why);
        MatchedSites sites;
        for (const GraphNode& node : context.graph.nodes()) {
            if (const auto site = windowSite(context.graph, node))
                sites.add(site->replaced_ns, site->expected_ns,
                          site->operators + " to " + shapeText(context.graph.shape(site->result)) + " in " +
                              base::timeText(site->replaced_ns));
        }
        if (sites.count == 0)
            return Match::no("No pool and no depthwise convolution takes longer than its bytes, or has element-wise "
                             "operators around it.");
        Match m;
        m.applies = true;
        m.gain = sites.gain(context);
        m.finding = std::to_string(sites.count) + (sites.count == 1 ? " kernel for " : " kernels for ") + sites.list() +
                    ". They take " + sites.shareText(context) + ".";
        m.design =
            "Windows, strides and shapes are known when the kernel is compiled, so its loops are unrolled and no "
            "index is divided at run time; no places of maxima are stored. What stands before a window is "
            "computed as its elements are read, what follows before the result is written. Pools of pools "
            "without padding are one pool. Expected: " +
            base::timeText(sites.expected_ns) + ".";
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext&) const override
    {
        // An edit ends pointers to nodes; values keep their ids.
        std::vector<int> results;
        for (const GraphNode& node : graph.nodes()) {
            if (!node.outputs.empty() && windowSite(graph, node))
                results.push_back(node.outputs[0]);
        }
        for (const int result : results) {
            const GraphNode* node = graph.producer(result);
            const auto site = node ? windowSite(graph, *node) : std::nullopt;
            if (!site)
                continue;
            const std::string name = addWindow(source, site->kernel, graph.shape(site->result), site->operators);
            graph.replace(site->nodes, {callNode(graph, name, site->read, {site->result}, "windowed_")});
        }
    }
};

} // namespace

std::unique_ptr<Technique> makeWindowKernels()
{
    return std::make_unique<WindowKernels>();
}

} // namespace cudal1::policy
