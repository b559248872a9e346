// SPDX-License-Identifier: GPL-3.0-or-later
// Lowers ATen operators to expressions over one domain.
#include "core/policy/kernelprogram.h"

#include "core/policy/kernelaxes.h"
#include "core/policy/reductions.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace cudal1::policy {

namespace {

using nlohmann::json;
using Kind = KernelExpr::Kind;

const std::set<std::string, std::less<>> unary{"relu",  "sigmoid",    "tanh",   "exp",  "log",       "sqrt",
                                               "rsqrt", "abs",        "neg",    "silu", "hardswish", "hardsigmoid",
                                               "mish",  "reciprocal", "square", "erf",  "sin",       "cos"};
const std::set<std::string, std::less<>> binary{"add", "sub", "mul", "div", "rsub", "minimum", "maximum"};
const std::set<std::string, std::less<>> other{"leaky_relu", "clamp", "clamp_min", "clamp_max", "hardtanh",
                                               "gelu",       "elu",   "softplus",  "pow"};

bool isScalarName(const json& argument)
{
    if (!argument.is_object() || !argument.contains("literal"))
        return false;
    const std::string text = argument["literal"].get<std::string>();
    return !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_') &&
           text.find_first_of("(.") == std::string::npos;
}

class Builder {
public:
    Builder(const Graph& graph, const std::vector<const GraphNode*>& nodes, const std::vector<int>& results)
        : m_graph(graph), m_nodes(nodes), m_results(results)
    {
    }

    std::optional<KernelProgram> run()
    {
        if (!findDomain())
            return {};
        for (const GraphNode* node : m_nodes) {
            const auto lowered = lower(*node);
            if (!lowered)
                return {};
            m_lowered[node->outputs[0]] = *lowered;
            const std::string name = shortName(node->op);
            m_program.operators.push_back(name.substr(name.find_first_not_of('_')));
        }
        for (const int id : m_results) {
            const auto it = m_lowered.find(id);
            if (it == m_lowered.end())
                return {};
            const KernelExpr& expr = m_program.exprs[static_cast<std::size_t>(it->second.expr)];
            const bool full = !m_program.stages || expr.full;
            if (m_space.refined(m_graph.shape(id)) != (full              ? m_program.domain
                                                       : it->second.drop ? m_dropShape
                                                                         : m_keepShape))
                return {};
            m_program.outputs.push_back({id, it->second.expr, full});
        }
        joinAxes();
        orderChannelsInnermost();
        findInPlace();
        return std::move(m_program);
    }

private:
    struct Lowered {
        int expr = -1;
        bool drop = false; ///< a row value whose shape lacks the reduced axes
    };

    bool findDomain()
    {
        bool begun = false;
        for (const GraphNode* node : m_nodes) {
            if (!isReduction(*node))
                continue;
            auto found = reductionOf(m_graph, *node);
            if (!found || (begun && *found != m_space))
                return false;
            m_space = std::move(*found);
            begun = true;
        }
        m_program.domain = m_space.domain;
        if (m_space.axes.empty()) {
            for (const GraphNode* node : m_nodes) {
                const Shape& shape = m_graph.shape(node->outputs[0]);
                if (shape.size() > m_program.domain.size() ||
                    (shape.size() == m_program.domain.size() && elements(shape) > elements(m_program.domain)))
                    m_program.domain = shape;
            }
        }
        for (std::size_t i = 0; i < m_program.domain.size(); ++i) {
            const bool reduced = std::find(m_space.axes.begin(), m_space.axes.end(), i) != m_space.axes.end();
            m_keepShape.push_back(reduced ? 1 : m_program.domain[i]);
            if (!reduced)
                m_dropShape.push_back(m_program.domain[i]);
        }
        return elements(m_program.domain) > 0;
    }

    static std::int64_t elements(const Shape& shape)
    {
        std::int64_t n = 1;
        for (const std::int64_t extent : shape)
            n *= extent;
        return n;
    }

    int add(KernelExpr expr)
    {
        for (const int arg : expr.args) {
            const KernelExpr& from = m_program.exprs[static_cast<std::size_t>(arg)];
            expr.full = expr.full || from.full;
            expr.stage = std::max(expr.stage, from.kind == Kind::Reduction ? from.stage + 1 : from.stage);
        }
        if (expr.kind == Kind::Reduction) {
            expr.full = false;
            m_program.stages = std::max(m_program.stages, expr.stage + 1);
        }
        m_program.exprs.push_back(std::move(expr));
        return static_cast<int>(m_program.exprs.size()) - 1;
    }

    int constant(double value) { return add({Kind::Constant, 0, value, {}, {}, false, 0}); }
    int apply(const std::string& op, std::vector<int> args)
    {
        return add({Kind::Operation, 0, 0, op, std::move(args), false, 0});
    }

    // A reduction counts its copies: a row value that is summed is multiplied by the extent of the axis.
    int reduce(const std::string& op, int arg)
    {
        if (!m_program.exprs[static_cast<std::size_t>(arg)].full)
            m_failed = true;
        return add({Kind::Reduction, 0, 0, op, {arg}, false, 0});
    }

    std::optional<Lowered> operand(const json& argument)
    {
        if (const auto number = Graph::number(argument))
            return Lowered{constant(*number), false};
        if (isScalarName(argument)) {
            const std::string name = argument["literal"].get<std::string>();
            auto it = std::find(m_program.scalars.begin(), m_program.scalars.end(), name);
            if (it == m_program.scalars.end())
                it = m_program.scalars.insert(it, name);
            return Lowered{add({Kind::Scalar, static_cast<int>(it - m_program.scalars.begin()), 0, {}, {}, false, 0}),
                           false};
        }
        const auto id = Graph::tensor(argument);
        if (!id)
            return {};
        if (const auto it = m_lowered.find(*id); it != m_lowered.end())
            return it->second;
        return input(*id);
    }

    std::optional<Lowered> input(int id)
    {
        // What forward makes of a number lies in the host's memory, which no kernel of a device can read.
        if (const GraphNode* made = m_graph.producer(id); made && shortName(made->op) == "lift_fresh") {
            const auto number = Graph::writtenNumber(made->args[0]);
            return number ? std::optional(Lowered{constant(*number), false}) : std::nullopt;
        }
        // An attribute that is a tensor of one number stays on the host when the module moves to a device.
        if (m_graph.value(id).kind == GraphValue::Kind::Constant && m_graph.shape(id).empty())
            return {};
        return input(id, m_space.refined(m_graph.shape(id)));
    }

    /// As a tensor of this shape, which broadcasts to the domain.
    std::optional<Lowered> input(int id, const Shape& shape)
    {
        if (m_graph.value(id).dtype != "float32" || shape.size() > m_program.domain.size())
            return {};
        const std::size_t shift = m_program.domain.size() - shape.size();
        std::vector<std::int64_t> strides(m_program.domain.size(), 0);
        std::int64_t step = 1;
        bool full = m_space.axes.empty();
        for (std::size_t i = shape.size(); i-- > 0; step *= shape[i]) {
            const std::size_t axis = i + shift;
            if (shape[i] != 1 && shape[i] != m_program.domain[axis])
                return {};
            strides[axis] = shape[i] == 1 ? 0 : step;
            full = full ||
                   (shape[i] != 1 && std::find(m_space.axes.begin(), m_space.axes.end(), axis) != m_space.axes.end());
        }
        // Extent 1 on the reduced axes counts as full too when those axes have extent 1 in the domain.
        m_program.inputs.push_back(id);
        m_strides.push_back(strides);
        const Lowered lowered{add({Kind::Input, static_cast<int>(m_program.inputs.size()) - 1, 0, {}, {}, full, 0}),
                              false};
        m_lowered[id] = lowered;
        return lowered;
    }

    /// A parameter of a norm, of which each channel has a number of its own.
    std::optional<Lowered> channels(const json& argument)
    {
        const auto id = Graph::tensor(argument);
        if (!id || m_lowered.contains(*id) || m_space.groups == 0)
            return {};
        return input(*id, m_space.ofChannels());
    }

    // Values without the reduced axes broadcast from another side than the domain: only numbers go with them.
    bool together(const Lowered& a, const Lowered& b)
    {
        if (a.drop == b.drop)
            return true;
        const KernelExpr& kept = m_program.exprs[static_cast<std::size_t>(a.drop ? b.expr : a.expr)];
        return kept.kind == Kind::Constant || kept.kind == Kind::Scalar;
    }

    std::optional<Lowered> lower(const GraphNode& node)
    {
        const std::string name = shortName(node.op);
        const auto x = operand(node.args[0]);
        if (!x || node.outputs.empty())
            return {};
        const auto arg = [&](std::size_t i, std::string_view key) {
            return Graph::number(Graph::argument(node, i, key));
        };
        std::optional<Lowered> out;
        if (unary.contains(name)) {
            out = Lowered{apply(name, {x->expr}), x->drop};
        } else if (binary.contains(name)) {
            const auto y = operand(node.args[1]);
            if (!y || !together(*x, *y) || Graph::argument(node, 2, "rounding_mode").is_string())
                return {};
            const json& alphaArgument = Graph::argument(node, 2, "alpha");
            const auto alpha = alphaArgument.is_null() ? 1.0 : Graph::number(alphaArgument);
            if (!alpha)
                return {};
            // x - alpha y and alpha's place in rsub, y - alpha x
            int a = x->expr, b = y->expr;
            if (name == "rsub")
                std::swap(a, b);
            if (*alpha != 1)
                b = apply("mul", {b, constant(*alpha)});
            out = Lowered{apply(name == "rsub" ? "sub" : name, {a, b}), x->drop || y->drop};
        } else if (other.contains(name)) {
            out = withNumbers(node, name, *x, arg);
        } else if (isReduction(node) && !x->drop) {
            out = reduction(node, name, x->expr, arg);
        }
        if (m_failed)
            return {};
        return out;
    }

    std::optional<Lowered> withNumbers(const GraphNode& node, const std::string& name, const Lowered& x, auto arg)
    {
        const auto made = [&](const std::string& op, std::vector<int> args) {
            return Lowered{apply(op, std::move(args)), x.drop};
        };
        if (name == "leaky_relu")
            return made("leaky_relu", {x.expr, constant(arg(1, "negative_slope").value_or(0.01))});
        if (name == "clamp" || name == "hardtanh") {
            const bool clamp = name == "clamp";
            for (const std::size_t i : {1U, 2U}) {
                const json& bound = Graph::argument(node, i, i == 1 ? "min" : "max");
                if (!bound.is_null() && !Graph::number(bound))
                    return {};
            }
            const double low = arg(1, clamp ? "min" : "min_val").value_or(clamp ? -INFINITY : -1),
                         high = arg(2, clamp ? "max" : "max_val").value_or(clamp ? INFINITY : 1);
            return made("clamp", {x.expr, constant(low), constant(high)});
        }
        if (name == "clamp_min" || name == "clamp_max") {
            const auto bound = arg(1, name == "clamp_min" ? "min" : "max");
            if (!bound)
                return {};
            return made(name == "clamp_min" ? "maximum" : "minimum", {x.expr, constant(*bound)});
        }
        if (name == "gelu")
            return made(Graph::argument(node, 1, "approximate") == "tanh" ? "gelu_tanh" : "gelu", {x.expr});
        if (name == "elu") {
            if (arg(2, "scale").value_or(1) != 1 || arg(3, "input_scale").value_or(1) != 1)
                return {};
            return made("elu", {x.expr, constant(arg(1, "alpha").value_or(1))});
        }
        if (name == "softplus") {
            if (arg(1, "beta").value_or(1) != 1 || arg(2, "threshold").value_or(20) != 20)
                return {};
            return made("softplus", {x.expr});
        }
        const auto power = node.args.size() > 1 ? Graph::number(node.args[1]) : std::nullopt; // pow
        if (!power)
            return {};
        if (*power == 2)
            return made("square", {x.expr});
        if (*power == 3)
            return made("mul", {apply("square", {x.expr}), x.expr});
        if (*power == 0.5)
            return made("sqrt", {x.expr});
        return made("pow", {x.expr, constant(*power)});
    }

    std::optional<Lowered> reduction(const GraphNode& node, const std::string& name, int x, auto arg)
    {
        std::int64_t count = 1;
        for (const std::size_t axis : m_space.axes)
            count *= m_program.domain[axis];
        const auto mean = [&](int e) {
            return apply("mul", {reduce("sum", e), constant(1.0 / static_cast<double>(count))});
        };
        const bool layer = name == "native_layer_norm";
        if (layer || isGroupNorm(node) || isInstanceNorm(m_graph, node)) {
            if (node.outputs.size() != 3 || !m_graph.consumers(node.outputs[1]).empty() ||
                !m_graph.consumers(node.outputs[2]).empty())
                return {};
            const int centred = apply("sub", {x, mean(x)});
            const int variance = mean(apply("square", {centred}));
            int out = apply(
                "mul",
                {centred,
                 apply("rsqrt", {apply("add", {variance, constant(arg(layer ? 4 : 7, "eps").value_or(1e-5))})})});
            const std::size_t first = layer ? 2 : 1;
            for (const std::size_t i : {first, first + 1}) {
                if (node.args[i].is_null())
                    continue;
                const auto vector = layer ? operand(node.args[i]) : channels(node.args[i]);
                if (!vector)
                    return {};
                out = apply(i == first ? "mul" : "add", {out, vector->expr});
            }
            return Lowered{out, false};
        }
        if (name == "_softmax" || name == "_log_softmax") {
            const int shifted = apply("sub", {x, reduce("max", x)});
            const int power = apply("exp", {shifted});
            const int sum = reduce("sum", power);
            if (name == "_softmax")
                return Lowered{apply("mul", {power, apply("reciprocal", {sum})}), false};
            return Lowered{apply("sub", {shifted, apply("log", {sum})}), false};
        }
        const bool norm = name == "linalg_vector_norm";
        const json& keepArgument = Graph::argument(node, norm ? 3 : 2, "keepdim");
        const bool keep = keepArgument.is_boolean() && keepArgument.get<bool>();
        // A result of another dtype was asked for.
        if (node.kwargs.contains("dtype") && !node.kwargs["dtype"].is_null())
            return {};
        int out = -1;
        if (norm) {
            if (arg(1, "ord").value_or(2) != 2)
                return {};
            out = apply("sqrt", {reduce("sum", apply("square", {x}))});
        } else if (name == "logsumexp") {
            const int largest = reduce("max", x);
            out = apply("add", {apply("log", {reduce("sum", apply("exp", {apply("sub", {x, largest})}))}), largest});
        } else {
            out = name == "mean" ? mean(x) : reduce(name == "amax" ? "max" : name == "amin" ? "min" : name, x);
        }
        return Lowered{out, !keep};
    }

    void joinAxes()
    {
        const std::size_t first = m_space.axes.empty() ? m_program.domain.size() : m_space.axes.front();
        const std::size_t last = m_space.axes.empty() ? m_program.domain.size() : m_space.axes.back() + 1;
        join(m_program.outer, 0, first);
        join(m_program.reduced, first, last);
        join(m_program.inner, last, m_program.domain.size());
    }

    void join(std::vector<KernelAxis>& out, std::size_t from, std::size_t to)
    {
        for (std::size_t axis = from; axis < to; ++axis)
            appendAxis(out, m_program.domain[axis], axis, m_strides);
    }

    void orderChannelsInnermost()
    {
        std::vector<bool> whole;
        for (std::size_t k = 0; k < m_program.inputs.size(); ++k)
            whole.push_back(isWhole(k));
        if (!m_program.reduces())
            m_program.channelsInnermost = axesChannelsInnermost(m_program.domain, m_strides, whole);
    }

    bool isWhole(std::size_t input) const
    {
        return m_space.refined(m_graph.shape(m_program.inputs[input])) == m_program.domain;
    }

    /// Of our own nodes, those whose result is new in each call.
    static bool ownsResult(const std::string& stem)
    {
        return stem == "product_" || stem == "convolution_" || stem == "windowed_" || stem == "scanned_";
    }

    void findInPlace()
    {
        if (m_program.outputs.size() != 1 || !m_program.outputs[0].full)
            return;
        for (std::size_t k = 0; k < m_program.inputs.size(); ++k) {
            const int id = m_program.inputs[k];
            const GraphNode* made = m_graph.producer(id);
            if (!made || m_graph.isOutput(id) || m_space.refined(m_graph.shape(id)) != m_program.domain ||
                isView(made->op) || made->op == "aten._to_copy.default" ||
                (made->op == "cudal1.python" && !ownsResult(made->kwargs.value("stem", ""))) ||
                made->outputs.size() != 1)
                continue;
            const auto readers = m_graph.consumers(id);
            const bool ours = std::all_of(readers.begin(), readers.end(), [&](const GraphNode* n) {
                return std::any_of(m_nodes.begin(), m_nodes.end(), [&](const GraphNode* m) { return m->id == n->id; });
            });
            if (ours) {
                m_program.inPlace = static_cast<int>(k);
                return;
            }
        }
    }

    const Graph& m_graph;
    const std::vector<const GraphNode*>& m_nodes;
    const std::vector<int>& m_results;
    KernelProgram m_program;
    ReductionSpace m_space;
    Shape m_keepShape, m_dropShape;
    std::vector<std::vector<std::int64_t>> m_strides;
    std::map<int, Lowered> m_lowered;
    bool m_failed = false;
};

} // namespace

std::vector<int> KernelProgram::roots(bool full) const
{
    std::vector<int> out;
    for (const KernelOutput& output : outputs) {
        if (output.full == full)
            out.push_back(output.expr);
    }
    return out;
}

bool canFuse(const Graph& graph, const GraphNode& node)
{
    const std::string name = shortName(node.op);
    if (!node.op.starts_with("aten.") || node.outputs.empty() || node.outputs[0] < 0 || node.args.empty())
        return false;
    if (!unary.contains(name) && !binary.contains(name) && !other.contains(name) && !isReduction(node))
        return false;
    const bool norm = name == "native_layer_norm" || isGroupNorm(node) || isInstanceNorm(graph, node);
    if (graph.value(node.outputs[0]).dtype != "float32" || (node.outputs.size() > 1 && !norm))
        return false;
    for (const int id : Graph::tensors(node)) {
        if (graph.value(id).dtype != "float32")
            return false;
    }
    return true;
}

std::optional<KernelProgram> buildProgram(const Graph& graph, const std::vector<const GraphNode*>& nodes,
                                          const std::vector<int>& results)
{
    return Builder(graph, nodes, results).run();
}

} // namespace cudal1::policy
