// SPDX-License-Identifier: GPL-3.0-or-later
// Bounds of values, operator by operator. Two values that are equal element by element share a class, so that x - x is
// 0.
#include "core/policy/intervals.h"

#include <algorithm>
#include <cmath>

namespace cudal1::policy {

namespace {

using nlohmann::json;

constexpr double infinity = std::numeric_limits<double>::infinity();

// 0 * infinity: the bound is never reached by a finite value, and 0 times a finite value is 0.
double times(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

Bounds product(const Bounds& a, const Bounds& b)
{
    const double corners[] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)};
    return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

Bounds clamped(const Bounds& x, double low, double high)
{
    return {std::min(std::max(x.low, low), high), std::min(std::max(x.high, low), high)};
}

class Analysis {
public:
    explicit Analysis(const Graph& graph)
        : m_graph(graph), m_bounds(graph.data().values.size()), m_class(m_bounds.size())
    {
        for (std::size_t i = 0; i < m_class.size(); ++i)
            m_class[i] = static_cast<int>(i);
    }

    std::vector<Bounds> run()
    {
        for (const GraphNode& node : m_graph.nodes()) {
            if (node.outputs.empty() || node.outputs[0] < 0 || node.args.empty())
                continue;
            at(node.outputs[0]) = result(node);
        }
        return m_bounds;
    }

private:
    Bounds& at(int id) { return m_bounds[static_cast<std::size_t>(id)]; }

    Bounds of(const json& argument)
    {
        if (const auto id = Graph::tensor(argument))
            return at(*id);
        if (const auto number = Graph::number(argument))
            return {*number, *number};
        if (const auto written = Graph::writtenNumber(argument))
            return {*written, *written};
        return {};
    }

    double numberOr(const json& argument, double otherwise) const
    {
        return Graph::number(argument).value_or(otherwise);
    }

    bool same(const json& a, const json& b) const
    {
        const auto x = Graph::tensor(a), y = Graph::tensor(b);
        return x && y && m_class[static_cast<std::size_t>(*x)] == m_class[static_cast<std::size_t>(*y)];
    }

    // A reduction over extents of 1 copies its argument.
    bool copies(const GraphNode& node)
    {
        const auto from = Graph::tensor(node.args[0]);
        if (!from || m_graph.numel(*from) != m_graph.numel(node.outputs[0]))
            return false;
        m_class[static_cast<std::size_t>(node.outputs[0])] = m_class[static_cast<std::size_t>(*from)];
        return true;
    }

    Bounds result(const GraphNode& node)
    {
        const std::string name = shortName(node.op);
        const Bounds x = of(node.args[0]);
        const auto arg = [&](std::size_t i, std::string_view key = {}) -> const json& {
            return Graph::argument(node, i, key);
        };
        if (isView(node.op)) {
            if (name != "split" && name != "unbind" && name != "split_with_sizes" && name != "chunk") {
                copies(node);
                return x;
            }
            for (const int output : node.outputs)
                at(output) = x;
            return x;
        }
        if (name == "add" || name == "sub" || name == "rsub") {
            const double alpha = numberOr(arg(2, "alpha"), 1);
            const Bounds y = product(of(arg(1)), {alpha, alpha});
            if (name == "add")
                return {x.low + y.low, x.high + y.high};
            if (same(node.args[0], arg(1)) && alpha == 1)
                return {0, 0};
            return name == "sub" ? Bounds{x.low - y.high, x.high - y.low} : Bounds{y.low - x.high, y.high - x.low};
        }
        if (name == "mul")
            return product(x, of(arg(1)));
        if (name == "div") {
            const Bounds y = of(arg(1));
            if (y.low > 0 || y.high < 0)
                return product(x, {1 / y.high, 1 / y.low});
            return {};
        }
        if (name == "neg")
            return {-x.high, -x.low};
        if (name == "relu")
            return clamped(x, 0, infinity);
        if (name == "clamp" || name == "hardtanh")
            return clamped(x, numberOr(arg(1, name == "clamp" ? "min" : "min_val"), name == "clamp" ? -infinity : -1),
                           numberOr(arg(2, name == "clamp" ? "max" : "max_val"), name == "clamp" ? infinity : 1));
        if (name == "clamp_min")
            return clamped(x, numberOr(arg(1), -infinity), infinity);
        if (name == "clamp_max")
            return clamped(x, -infinity, numberOr(arg(1), infinity));
        if (name == "minimum" || name == "maximum") {
            const Bounds y = of(arg(1));
            return name == "minimum" ? Bounds{std::min(x.low, y.low), std::min(x.high, y.high)}
                                     : Bounds{std::max(x.low, y.low), std::max(x.high, y.high)};
        }
        return activation(node, name, x);
    }

    Bounds activation(const GraphNode& node, const std::string& name, const Bounds& x)
    {
        if (name == "sigmoid")
            return {x.low == -infinity ? 0 : 1 / (1 + std::exp(-x.low)),
                    x.high == infinity ? 1 : 1 / (1 + std::exp(-x.high))};
        if (name == "tanh")
            return {std::tanh(x.low), std::tanh(x.high)};
        if (name == "exp")
            return {std::exp(x.low), std::exp(x.high)};
        if (name == "sqrt" && x.low >= 0)
            return {std::sqrt(x.low), std::sqrt(x.high)};
        if (name == "abs" || name == "square") {
            const double least = x.low > 0 ? x.low : x.high < 0 ? -x.high : 0, most = std::max(-x.low, x.high);
            return name == "abs" ? Bounds{least, most} : Bounds{least * least, most * most};
        }
        if (name == "_softmax") {
            const auto id = Graph::tensor(node.args[0]);
            const auto dim = Graph::number(Graph::argument(node, 1));
            if (id && dim) {
                const Shape& shape = m_graph.shape(*id);
                const auto axis = static_cast<std::size_t>(*dim < 0 ? *dim + static_cast<double>(shape.size()) : *dim);
                if (axis < shape.size() && shape[axis] == 1)
                    return {1, 1};
            }
            return {0, 1};
        }
        // Minima of smooth activations, rounded outward.
        if (x == Bounds{0, 0} && (name == "gelu" || name == "silu" || name == "mish" || name == "hardswish" ||
                                  name == "leaky_relu" || name == "elu"))
            return {0, 0};
        if (name == "gelu" || name == "silu" || name == "mish" || name == "hardswish") {
            const double least = name == "gelu" ? -0.18 : name == "silu" ? -0.279 : name == "mish" ? -0.31 : -0.376;
            return {x.low >= 0 ? 0 : std::max(least, std::min(x.low, 0.0)), x.high <= 0 ? 0 : x.high};
        }
        if (name == "leaky_relu") {
            const double slope = numberOr(Graph::argument(node, 1), 0.01);
            const auto f = [&](double v) { return v > 0 ? v : times(v, slope); };
            return slope >= 0 ? Bounds{f(x.low), f(x.high)} : Bounds{};
        }
        if (name == "amax" || name == "amin" || name == "mean" || name == "max" || name == "min" ||
            name == "max_pool2d_with_indices" || name == "max_pool3d_with_indices" || name == "_adaptive_avg_pool2d" ||
            name == "_adaptive_avg_pool3d") {
            if (name[0] != '_' && name.find("pool") == std::string::npos)
                copies(node);
            return x;
        }
        if (name == "sum") {
            const auto from = Graph::tensor(node.args[0]);
            if (copies(node) || !from)
                return x;
            const auto count = static_cast<double>(m_graph.numel(*from)) /
                               static_cast<double>(std::max<std::int64_t>(1, m_graph.numel(node.outputs[0])));
            return product(x, {count, count});
        }
        if (name == "logsumexp") {
            copies(node);
            const auto from = Graph::tensor(node.args[0]);
            const bool single = from && m_graph.numel(*from) == m_graph.numel(node.outputs[0]);
            return single ? x : Bounds{};
        }
        if (name == "bernoulli" || name == "bernoulli_" || name == "native_dropout") // dropout keeps or clears
            return name == "native_dropout" ? (x == Bounds{0, 0} ? x : Bounds{}) : Bounds{0, 1};
        return {};
    }

    const Graph& m_graph;
    std::vector<Bounds> m_bounds;
    std::vector<int> m_class;
};

} // namespace

std::vector<Bounds> boundsOf(const Graph& graph)
{
    return Analysis(graph).run();
}

} // namespace cudal1::policy
