// SPDX-License-Identifier: GPL-3.0-or-later
// Norms by operator.
#include "core/policy/normsite.h"

#include "core/policy/convolutions.h"
#include "core/policy/reductions.h"

#include <algorithm>
#include <utility>

namespace cudal1::policy {

using nlohmann::json;

namespace {

/// Other sets than those of a batch norm lie in one piece, and one block of threads a set reads them once and then from
/// the cache, where the cache holds what all blocks are at. Few sets leave most of the GPU idle then.
bool needsSeveralBlocks(std::int64_t sets, std::int64_t count)
{
    constexpr std::int64_t few = 128, many = 1 << 16, blocksAtOnce = 264, cached = 8'000'000;
    return (sets <= few && count >= many) || std::min(sets, blocksAtOnce) * count > cached;
}

bool onlyResultIsRead(const Graph& graph, const GraphNode& node)
{
    return graph.isRead(node.outputs[0]) && std::none_of(node.outputs.begin() + 1, node.outputs.end(),
                                                         [&](int id) { return id >= 0 && graph.isRead(id); });
}

/// The operator in front of `norm`, a batch norm that keeps this running mean, which counts its calls.
const GraphNode* counterOf(const Graph& graph, const GraphNode& norm, int runningMean)
{
    const std::string& name = graph.value(runningMean).name;
    const std::size_t dot = name.rfind('.');
    const std::string counter = (dot == std::string::npos ? "" : name.substr(0, dot + 1)) + "num_batches_tracked";
    for (const GraphNode& node : graph.nodes()) {
        if (node.id == norm.id)
            break;
        if (node.op != "aten.add_.Tensor" || node.args.size() != 2 || node.args[1] != 1 || !node.kwargs.empty())
            continue;
        const auto id = Graph::tensor(node.args[0]);
        if (id && graph.value(*id).kind == GraphValue::Kind::Buffer && graph.value(*id).name == counter &&
            graph.value(*id).dtype == "int64" && graph.numel(*id) == 1 && graph.usedOnce(*id))
            return &node;
    }
    return nullptr;
}

Shape ofChannels(const Shape& shape, bool ofImages)
{
    Shape out(shape.size(), 1);
    out[0] = ofImages ? shape[0] : 1;
    out[1] = shape[1];
    return out;
}

std::int64_t placesOfChannel(const Shape& shape)
{
    std::int64_t out = 1;
    for (std::size_t i = 2; i < shape.size(); ++i)
        out *= shape[i];
    return out;
}

/// In training mode: with statistics of the batch.
bool batchNorm(const Graph& graph, const GraphNode& node, NormSite& site)
{
    if ((node.op != "aten.native_batch_norm.default" && node.op != "aten.cudnn_batch_norm.default") ||
        node.args.size() != 8 || node.args[5] != true)
        return false;
    const Shape& shape = graph.shape(site.x);
    constexpr std::int64_t shortRun = 16; // so that threads that are neighbours read neighbours
    if (shape.size() < 3 || placesOfChannel(shape) < shortRun)
        return false;
    const auto mean = Graph::tensor(node.args[3]), variance = Graph::tensor(node.args[4]);
    if (mean.has_value() != variance.has_value())
        return false;
    site.kind = shape[0] == 1 && !mean ? "instance norm" : "batch norm";
    site.moments.pieces = shape[0];
    site.moments.sets = shape[1];
    site.moments.run = placesOfChannel(shape);
    site.statistics = ofChannels(shape, false);
    if (const auto weight = Graph::tensor(node.args[1])) {
        site.moments.weights = shape[1];
        site.read.push_back(*weight);
    }
    if (mean) {
        const auto momentum = Graph::number(node.args[6]);
        if (!momentum || !graph.usedOnce(*mean) || !graph.usedOnce(*variance))
            return false;
        site.moments.momentum = *momentum;
        site.read.insert(site.read.end(), {*mean, *variance});
        if (const GraphNode* counter = counterOf(graph, node, *mean)) {
            site.moments.counts = true;
            site.read.push_back(*Graph::tensor(counter->args[0]));
            site.nodes.insert(counter->id);
            site.replaced_ns += counter->time_ns;
        }
    }
    site.bias = Graph::tensor(node.args[2]);
    site.channels = true;
    return true;
}

bool groupNorm(const Graph& graph, const GraphNode& node, NormSite& site)
{
    if (!isGroupNorm(node) || !reductionOf(graph, node))
        return false;
    const Shape& shape = graph.shape(site.x);
    const auto groups = node.args[6].get<std::int64_t>();
    site.kind = groups == shape[1] ? "instance norm" : "group norm";
    site.moments.sets = shape[0] * groups;
    site.moments.run = shape[1] / groups * placesOfChannel(shape);
    site.moments.channels = shape[1] / groups;
    site.statistics = ofChannels(shape, true);
    if (const auto weight = Graph::tensor(node.args[1])) {
        site.moments.weights = shape[1];
        site.read.push_back(*weight);
    }
    site.bias = Graph::tensor(node.args[2]);
    site.channels = true;
    return true;
}

bool layerNorm(const Graph& graph, const GraphNode& node, NormSite& site)
{
    if (node.op != "aten.native_layer_norm.default" || node.args.size() != 5)
        return false;
    site.kind = "layer norm";
    site.moments.sets = graph.numel(node.outputs[1]);
    site.moments.run = site.moments.sets > 0 ? graph.numel(site.x) / site.moments.sets : 0;
    site.statistics = graph.shape(node.outputs[1]);
    site.weight = Graph::tensor(node.args[2]);
    site.bias = Graph::tensor(node.args[3]);
    return true;
}

bool isFloat(const Graph& graph, const std::optional<int>& value)
{
    return !value || graph.value(*value).dtype == "float32";
}

} // namespace

std::optional<NormSite> anyNormSite(const Graph& graph, const GraphNode& node)
{
    if (node.args.empty() || node.outputs.size() < 3 || !Graph::tensor(node.args[0]) || !onlyResultIsRead(graph, node))
        return {};
    NormSite site;
    site.x = *Graph::tensor(node.args[0]);
    site.result = node.outputs[0];
    site.nodes = {node.id};
    site.replaced_ns = node.time_ns;
    if (!batchNorm(graph, node, site) && !groupNorm(graph, node, site) && !layerNorm(graph, node, site))
        return {};
    if (!isFloat(graph, site.x) || !isFloat(graph, site.result) || !isFloat(graph, site.weight) ||
        !isFloat(graph, site.bias) || site.moments.count() < 2)
        return {};
    for (const int value : site.read) {
        if (!isFloat(graph, value) && graph.numel(value) != 1)
            return {};
    }
    const auto eps = Graph::number(node.args[node.args.size() - 1]);
    if (!eps)
        return {};
    site.moments.eps = *eps;
    site.read.insert(site.read.begin(), site.x);
    // The tensor is read for the statistics, read again and written.
    site.expected_ns = 2 * kernelLaunch_ns + 3 * static_cast<double>(graph.bytes(site.x)) / bytesPerNs;
    return site;
}

std::optional<NormSite> normSite(const Graph& graph, const GraphNode& node)
{
    auto site = anyNormSite(graph, node);
    const bool batch = site && site->kind == "batch norm";
    if (site && !batch && !needsSeveralBlocks(site->moments.sets, site->moments.count()))
        return {};
    return site;
}

NormStatistics statisticsNode(Graph& graph, const NormSite& site, const std::string& name, const std::vector<int>& read)
{
    const int centre = graph.addValue(site.statistics, "float32"), scale = graph.addValue(site.statistics, "float32");
    return {callNode(graph, name, read, {centre, scale}, "statistic_"), centre, scale};
}

std::vector<GraphNode> averagesBehind(const Graph& graph, const NormSite& site)
{
    std::vector<GraphNode> pools;
    int result = site.result;
    while (site.channels && graph.usedOnce(result) && averagesPlaces(graph, *graph.consumers(result).front())) {
        pools.push_back(*graph.consumers(result).front());
        result = pools.back().outputs[0];
    }
    return pools;
}

std::vector<GraphNode> normalizing(Graph& graph, const NormSite& site, const NormStatistics& statistics, int x,
                                   int result)
{
    const auto ref = [](int id) { return json{{"value", id}}; };
    std::vector<GraphNode> out;
    std::vector<std::pair<std::string, int>> steps{{"sub", statistics.centre}, {"mul", statistics.scale}};
    if (site.weight)
        steps.push_back({"mul", *site.weight});
    if (site.bias)
        steps.push_back({"add", *site.bias});
    const Shape shape = graph.shape(result);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        int operand = steps[i].second;
        if (site.channels && operand == site.bias) {
            Shape aligned(shape.size() - 1, 1);
            aligned[0] = shape[1];
            operand = graph.addValue(aligned, "float32");
            out.push_back(graph.makeNode("aten.reshape.default", {ref(steps[i].second), aligned}, {operand}));
        }
        const int next = i + 1 == steps.size() ? result : graph.addValue(shape, "float32");
        out.push_back(graph.makeNode("aten." + steps[i].first + ".Tensor", {ref(x), ref(operand)}, {next}));
        x = next;
    }
    return out;
}

void replaceNorm(Graph& graph, const NormSite& site, const std::vector<GraphNode>& pools, std::vector<GraphNode> before,
                 const NormStatistics& statistics)
{
    std::set<int> removed = site.nodes;
    int last = site.x, result = site.result;
    for (const GraphNode& pool : pools) {
        removed.insert(pool.id);
        result = pool.outputs[0];
        json args = pool.args;
        args[0] = {{"value", last}};
        last = graph.addValue(graph.shape(result), "float32");
        before.push_back(graph.makeNode(pool.op, std::move(args), {last}));
        before.back().kwargs = pool.kwargs;
        before.back().time_ns = pool.time_ns;
    }
    for (GraphNode& node : normalizing(graph, site, statistics, last, result))
        before.push_back(std::move(node));
    graph.replace(removed, std::move(before));
}

} // namespace cudal1::policy
