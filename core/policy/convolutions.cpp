// SPDX-License-Identifier: GPL-3.0-or-later
// Reads convolutions and the steps behind them from a graph.
#include "core/policy/convolutions.h"

#include "core/policy/technique.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

using nlohmann::json;

/// One number for each spatial axis; empty where the argument is anything else.
std::optional<Shape> numbersOf(const json& argument, std::size_t axes)
{
    if (!argument.is_array() || argument.size() != axes)
        return {};
    Shape out;
    for (const json& item : argument) {
        if (!item.is_number_integer())
            return {};
        out.push_back(item.get<std::int64_t>());
    }
    return out;
}

/// The argument that a step reads its tensor from, and the other one where it has two.
struct Operands {
    std::size_t tensor = 0;
    const json* other = nullptr;
    bool plain = false; ///< no further arguments
};

Operands operandsOf(const Graph& graph, const GraphNode& step)
{
    Operands out;
    const auto intermediate = [&](std::size_t index) {
        const auto id = index < step.args.size() ? Graph::tensor(step.args[index]) : std::nullopt;
        return id && !graph.ofModule(*id);
    };
    out.tensor = intermediate(0) ? 0 : 1;
    out.plain = step.args.size() <= 2 && step.kwargs.empty() && intermediate(out.tensor) &&
                !(intermediate(0) && intermediate(1));
    if (step.args.size() == 2)
        out.other = &step.args[1 - out.tensor];
    return out;
}

/// Whether a parameter is the same at all places of the images that `step` computes.
bool broadcastOverPlaces(const Graph& graph, const GraphNode& step, const json& argument)
{
    const auto id = Graph::tensor(argument);
    const std::size_t rank = graph.shape(step.outputs[0]).size();
    if (!id || !graph.ofModule(*id) || graph.value(*id).dtype != "float32" || graph.shape(*id).size() > rank)
        return false;
    const Shape& shape = graph.shape(*id);
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i + rank - shape.size() >= 2 && shape[i] != 1)
            return false;
    }
    return true;
}

/// Whether a mean over `dims` is one over places of images with so many dimensions.
bool areOfPlaces(const json& dims, std::size_t rank)
{
    const auto all = static_cast<std::int64_t>(rank);
    return dims.is_array() && !dims.empty() && std::all_of(dims.begin(), dims.end(), [all](const json& dim) {
               return dim.is_number_integer() && (dim.get<std::int64_t>() + all) % all >= 2;
           });
}

} // namespace

bool Convolution::dilated() const
{
    return std::any_of(dilation.begin(), dilation.end(), [](std::int64_t step) { return step != 1; });
}

double Convolution::multiplications() const
{
    double out = 1;
    for (std::size_t i = 0; i < axes(); ++i)
        out *= static_cast<double>(kernel[i] * (transposed ? in[i] : this->out[i]));
    return out;
}

std::optional<Convolution> convolutionOf(const Graph& graph, const GraphNode& node)
{
    if (node.op != "aten.convolution.default" || node.args.size() != 9)
        return {};
    const auto x = Graph::tensor(node.args[0]), weight = Graph::tensor(node.args[1]);
    if (!x || !weight || !(graph.ofModule(*weight) || isPrepared(graph, *weight)) ||
        graph.value(*weight).dtype != "float32" || graph.shape(*x).size() != graph.shape(*weight).size())
        return {};
    Convolution out;
    out.node = node.id;
    out.x = *x;
    out.weight = *weight;
    out.result = node.outputs[0];
    out.bias = Graph::tensor(node.args[2]);
    if (out.bias ? !graph.ofModule(*out.bias) : !node.args[2].is_null())
        return {};
    const Shape &input = graph.shape(*x), &taps = graph.shape(*weight), &result = graph.shape(out.result);
    const std::size_t axes = taps.size() - 2;
    const auto stride = numbersOf(node.args[3], axes), padding = numbersOf(node.args[4], axes),
               dilation = numbersOf(node.args[5], axes), outputPadding = numbersOf(node.args[7], axes);
    if (!stride || !padding || !dilation || !outputPadding || !node.args[6].is_boolean() ||
        !node.args[8].is_number_integer())
        return {};
    out.transposed = node.args[6].get<bool>();
    out.groups = node.args[8].get<std::int64_t>();
    out.kernel.assign(taps.begin() + 2, taps.end());
    out.in.assign(input.begin() + 2, input.end());
    out.out.assign(result.begin() + 2, result.end());
    out.stride = *stride;
    out.padding = *padding;
    out.dilation = *dilation;
    out.outputPadding = *outputPadding;
    return out;
}

ElementwiseSteps stepsBefore(const Graph& graph, int value, const std::function<bool(const GraphNode&)>& passes)
{
    ElementwiseSteps out{value, {}};
    while (graph.usedOnce(out.root)) {
        const GraphNode* step = graph.producer(out.root);
        if (!step || step->outputs.size() != 1 || hasEffects(*step) || !passes(*step))
            break;
        const auto from = Graph::tensor(step->args[operandsOf(graph, *step).tensor]);
        if (!from || graph.shape(*from) != graph.shape(value) || graph.value(*from).dtype != graph.value(value).dtype)
            break;
        out.root = *from;
        out.nodes.insert(out.nodes.begin(), *step);
    }
    return out;
}

std::set<int> ElementwiseSteps::idsWith(std::set<int> others) const
{
    for (const GraphNode& step : nodes)
        others.insert(step.id);
    return others;
}

std::vector<GraphNode> movedTo(Graph& graph, const ElementwiseSteps& steps, int from, int result)
{
    std::vector<GraphNode> out;
    for (const GraphNode& step : steps.nodes) {
        const std::size_t tensor = operandsOf(graph, step).tensor;
        const bool last = out.size() + 1 == steps.nodes.size();
        const int next = last ? result : graph.addValue(graph.shape(from), graph.value(from).dtype);
        json args = step.args;
        args[tensor] = {{"value", from}};
        GraphNode moved = graph.makeNode(step.op, std::move(args), {next});
        moved.kwargs = step.kwargs;
        moved.time_ns = step.time_ns * static_cast<double>(graph.numel(next)) /
                        static_cast<double>(graph.numel(step.outputs[0]));
        out.push_back(std::move(moved));
        from = next;
    }
    return out;
}

bool sameAtAllPlaces(const Graph& graph, const GraphNode& step)
{
    const std::string name = shortName(step.op);
    const Operands operands = operandsOf(graph, step);
    if ((name != "add" && name != "sub" && name != "mul" && name != "div") || !operands.plain || !operands.other ||
        (name == "div" && operands.tensor != 0))
        return false;
    return Graph::number(*operands.other) || broadcastOverPlaces(graph, step, *operands.other);
}

std::optional<ScaledConvolution> scaledConvolutionBefore(const Graph& graph, int value)
{
    ElementwiseSteps steps = stepsBefore(graph, value,
                                         [&](const GraphNode& step) { return sameAtAllPlaces(graph, step); });
    const GraphNode* node = graph.usedOnce(steps.root) ? graph.producer(steps.root) : nullptr;
    const auto convolution = node ? convolutionOf(graph, *node) : std::nullopt;
    if (!convolution || convolution->dilated())
        return {};
    return ScaledConvolution{*convolution, *node, std::move(steps)};
}

bool Pool::plain() const
{
    return !rounded && std::all_of(padding.begin(), padding.end(), [](std::int64_t n) { return n == 0; }) &&
           std::all_of(dilation.begin(), dilation.end(), [](std::int64_t n) { return n == 1; });
}

std::optional<Pool> poolOf(const Graph& graph, const GraphNode& node)
{
    const std::string name = shortName(node.op);
    const bool mean = name == "avg_pool2d" || name == "avg_pool3d";
    if (!mean && name != "max_pool2d_with_indices" && name != "max_pool3d_with_indices")
        return {};
    const int places = node.outputs.size() > 1 ? node.outputs[1] : -1;
    if (places >= 0 && graph.isRead(places))
        return {};
    const auto x = Graph::tensor(node.args[0]);
    const std::size_t axes = name.find("2d") == std::string::npos ? 3 : 2;
    if (!x || graph.shape(*x).size() != axes + 2)
        return {};
    bool good = true;
    const auto numbers = [&](std::size_t at, const char* keyword, const Shape& otherwise, std::int64_t least) {
        const json& argument = Graph::argument(node, at, keyword);
        if (argument.is_null() || (argument.is_array() && argument.empty()))
            return otherwise;
        Shape out;
        for (const json& item : argument.is_array() ? argument : json::array({argument}))
            out.push_back(item.is_number_integer() ? item.get<std::int64_t>() : -1);
        if (out.size() == 1)
            out.resize(axes, out[0]);
        good = good && out.size() == axes &&
               std::all_of(out.begin(), out.end(), [&](std::int64_t n) { return n >= least; });
        return out;
    };
    Pool out{*x, node.outputs[0], mean, numbers(1, "kernel_size", {}, 1), {}, {}, {}};
    out.stride = numbers(2, "stride", out.window, 1);
    out.padding = numbers(3, "padding", Shape(axes, 0), 0);
    out.dilation = mean ? Shape(axes, 1) : numbers(4, "dilation", Shape(axes, 1), 1);
    out.rounded = Graph::argument(node, mean ? 4 : 5, "ceil_mode") == true;
    out.countsPadding = Graph::argument(node, 5, "count_include_pad") != false || !mean;
    if (!good || out.window.size() != axes || (mean && !Graph::argument(node, 6, "divisor_override").is_null()))
        return {};
    return out;
}

std::optional<Pool> plainPoolOf(const Graph& graph, const GraphNode& node)
{
    auto pool = poolOf(graph, node);
    return pool && pool->plain() ? pool : std::nullopt;
}

bool neverDecreasing(const Graph& graph, const GraphNode& step)
{
    // With numbers alone as their further arguments.
    static const std::set<std::string> functions{"relu",      "tanh",      "sigmoid", "hardtanh",    "clamp",
                                                 "clamp_min", "clamp_max", "exp",     "hardsigmoid", "relu6"};
    const std::string name = shortName(step.op);
    const Operands operands = operandsOf(graph, step);
    if (functions.contains(name)) {
        for (std::size_t i = 1; i < step.args.size(); ++i) {
            if (Graph::tensor(step.args[i]))
                return false;
        }
        return operands.tensor == 0 && step.kwargs.empty();
    }
    if (name == "leaky_relu")
        return operands.tensor == 0 && step.kwargs.empty() &&
               Graph::number(Graph::argument(step, 1, "negative_slope")).value_or(0.01) >= 0;
    if (!operands.plain || !operands.other)
        return false;
    const auto number = Graph::number(*operands.other);
    if (name == "mul" || (name == "div" && operands.tensor == 0))
        return number && *number > 0;
    if (name == "add" || (name == "sub" && operands.tensor == 0))
        return number || broadcastOverPlaces(graph, step, *operands.other);
    return false;
}

bool averagesPlaces(const Graph& graph, const GraphNode& node)
{
    const std::string name = shortName(node.op);
    const auto x = node.args.empty() ? std::nullopt : Graph::tensor(node.args[0]);
    if (!x || node.outputs.size() != 1 || graph.value(node.outputs[0]).dtype != "float32" ||
        graph.shape(*x).size() != graph.shape(node.outputs[0]).size())
        return false;
    const std::size_t rank = graph.shape(*x).size();
    const bool images = (name.ends_with("2d") && rank == 4) || (name.ends_with("3d") && rank == 5);
    if (name.starts_with("_adaptive_avg_pool"))
        return images;
    if (name.starts_with("avg_pool")) {
        const auto zero = [](const json& one) { return one == 0; };
        const json& padding = Graph::argument(node, 3, "padding");
        return images && Graph::argument(node, 6, "divisor_override").is_null() &&
               (padding.is_null() || std::all_of(padding.begin(), padding.end(), zero));
    }
    return name == "mean" && Graph::argument(node, 2, "keepdim") == true &&
           areOfPlaces(Graph::argument(node, 1, "dim"), rank);
}

bool averagesAllPlaces(const Graph& graph, const GraphNode& node)
{
    const auto x = node.args.empty() ? std::nullopt : Graph::tensor(node.args[0]);
    if (!x || node.outputs.size() != 1 || graph.value(node.outputs[0]).dtype != "float32")
        return false;
    const Shape& shape = graph.shape(*x);
    if (shape.size() < 3 || graph.numel(node.outputs[0]) != shape[0] * shape[1])
        return false;
    const std::string name = shortName(node.op);
    if (name.starts_with("_adaptive_avg_pool"))
        return averagesPlaces(graph, node);
    const json& dims = Graph::argument(node, 1, "dim");
    return name == "mean" && dims.size() + 2 == shape.size() && areOfPlaces(dims, shape.size());
}

} // namespace cudal1::policy
