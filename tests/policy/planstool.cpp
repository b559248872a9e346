// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a task with its operator graph as JSON from standard input and prints, for each convolution that our kernel
// would compute, several plans with their kernels and what a kernel takes, for plans_on_gpu.py.
#include "core/policy/convolutionsite.h"
#include "core/policy/normsite.h"
#include "core/policy/pythonscanner.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <tuple>

using namespace cudal1;
using namespace cudal1::policy;

namespace {

/// The fastest plan by the model of each way to share the work, the fastest of all first, but before them the one that
/// is chosen.
std::vector<PlannedConvolution> plansOf(const Graph& graph, const ConvolutionSite& site, std::size_t most)
{
    std::map<std::tuple<int, int, int, int, std::int64_t, int>, PlannedConvolution> best;
    forPlans(graph, site.convolution, site.needs, [&best](const ConvolutionPlan& plan, double time_ns) {
        const auto [at, isNew] = best.try_emplace({plan.placeTiles, plan.channelTiles, plan.warpsAlongPlaces,
                                                   plan.warpsAlongChannels, plan.chunk, plan.residentBlocks},
                                                  PlannedConvolution{plan, time_ns, time_ns});
        if (!isNew && time_ns < at->second.time_ns)
            at->second = {plan, time_ns};
    });
    std::vector<PlannedConvolution> plans;
    for (auto& [shape, planned] : best)
        plans.push_back(std::move(planned));
    std::ranges::stable_sort(plans, {}, &PlannedConvolution::time_ns);
    const auto textOf = [&site](const PlannedConvolution& planned) {
        return convolutionText(planned.plan, "convolution", site.kernel);
    };
    const PlannedConvolution chosen = planConvolution(graph, site.convolution, site.needs).value();
    const std::string text = textOf(chosen);
    std::erase_if(plans, [&](const PlannedConvolution& planned) { return textOf(planned) == text; });
    plans.insert(plans.begin(), chosen);
    plans.resize(std::min(plans.size(), most));
    return plans;
}

/// Shapes of the kernel's arguments but the packed weight, in order, the result last.
nlohmann::json argumentsOf(const Graph& graph, const ConvolutionSite& site)
{
    nlohmann::json shapes{graph.shape(site.convolution.x), nullptr};
    if (site.convolution.bias)
        shapes.push_back(graph.shape(*site.convolution.bias));
    for (const auto& [value, input] : site.kernel.inputs())
        shapes.push_back(graph.shape(value));
    // What a kernel leaves of tiles instead of results is smaller.
    const bool results = site.kernel.stored == ConvolutionStore::Results;
    shapes.push_back(graph.shape(results ? site.result : site.convolution.result));
    return shapes;
}

/// The kernels that the library would propose, and those that would store moments for a norm behind.
std::vector<ConvolutionSite> sitesOf(const TechniqueContext& context)
{
    const Graph& graph = context.graph;
    std::vector<ConvolutionSite> sites;
    for (const GraphNode& node : graph.nodes()) {
        if (auto site = convolutionSite(context, graph, node))
            sites.push_back(std::move(*site));
        const auto norm = anyNormSite(graph, node);
        const Chain behind = norm ? chainBefore(graph, norm->x, node.id) : Chain{};
        const GraphNode* convolution = norm ? graph.producer(behind.from) : nullptr;
        if (!convolution)
            continue;
        if (auto site = momentsSite(context, graph, *convolution, behind))
            sites.push_back(std::move(*site));
    }
    return sites;
}

} // namespace

int main(int argc, char** argv)
{
    const std::size_t most = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1;
    const auto in = nlohmann::json::parse(std::cin);
    Prompt prompt;
    prompt.task.source = in.at("source").get<std::string>();
    prompt.graph = in.at("graph").get<protocol::OperatorGraph>();
    const auto scanned = scanPython(prompt.task.source);
    if (!scanned) {
        std::cerr << scanned.error().text() << "\n";
        return 1;
    }
    const Graph graph(prompt.graph);
    const TechniqueContext context{prompt, graph, *scanned, {}};
    nlohmann::json out = nlohmann::json::array();
    for (const ConvolutionSite& site : sitesOf(context)) {
        nlohmann::json plans = nlohmann::json::array();
        for (const auto& [plan, time_ns, modelled_ns] : plansOf(graph, site, most)) {
            nlohmann::json tile;
            for (const ConvolutionAxis& axis : plan.axes)
                tile.push_back(axis.tile);
            plans.push_back({{"model_us", modelled_ns / 1e3},
                             {"place_tiles", plan.placeTiles},
                             {"channel_tiles", plan.channelTiles},
                             {"warps", {plan.warpsAlongPlaces, plan.warpsAlongChannels}},
                             {"chunk", plan.chunk},
                             {"tile", tile},
                             {"resident", plan.residentBlocks},
                             {"images", plan.images},
                             {"work", {plan.workBefore, plan.workAfter}},
                             {"blocks", plan.blocks()},
                             {"threads", plan.threads()},
                             {"shared", plan.sharedBytes()},
                             {"taps", plan.packedWords()},
                             {"text", convolutionText(plan, "convolution", site.kernel)}});
        }
        out.push_back({{"site", site.description(graph)},
                       {"name", nameOf(graph, site.convolution, site.needs)},
                       {"moments", site.kernel.stored == ConvolutionStore::Moments},
                       {"replaced_us", site.replaced_ns / 1e3},
                       {"arguments", argumentsOf(graph, site)},
                       {"plans", plans}});
    }
    std::cout << out.dump() << "\n";
}
