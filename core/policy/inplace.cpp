// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that write in place become others that do not.
#include "core/policy/inplace.h"

#include <algorithm>
#include <array>
#include <optional>

namespace cudal1::policy {

namespace {

using nlohmann::json;

// Operators that write their first argument and have a twin that returns instead.
constexpr std::array inPlace{"relu_",     "add_",         "sub_",         "mul_",       "div_",  "leaky_relu_",
                             "hardtanh_", "clamp_",       "clamp_min_",   "clamp_max_", "silu_", "sigmoid_",
                             "tanh_",     "hardswish_",   "hardsigmoid_", "mish_",      "elu_",  "gelu_",
                             "neg_",      "exp_",         "sqrt_",        "rsqrt_",     "pow_",  "abs_",
                             "square_",   "masked_fill_", "bernoulli_"};

void visit(json& argument, const auto& change)
{
    if (argument.is_array()) {
        for (json& item : argument)
            visit(item, change);
    } else if (argument.is_object() && argument.contains("value")) {
        argument["value"] = change(argument["value"].get<int>());
    }
}

bool reads(const GraphNode& node, int value)
{
    const std::vector<int> read = Graph::tensors(node);
    return std::find(read.begin(), read.end(), value) != read.end();
}

bool makes(const GraphNode& node, int value)
{
    return std::find(node.outputs.begin(), node.outputs.end(), value) != node.outputs.end();
}

class InPlace {
public:
    explicit InPlace(protocol::OperatorGraph& graph) : m_graph(graph) {}

    std::string drop()
    {
        std::string whyNot;
        for (std::size_t at = 0; at < m_graph.nodes.size(); ++at) {
            const GraphNode& node = m_graph.nodes[at];
            const std::string op = node.op, name = shortName(op);
            if (op.ends_with(".out"))
                return op + " writes into an argument";
            if (name.empty() || name.back() != '_' || name.ends_with("__"))
                continue;
            const auto target = node.args.empty() ? std::optional<int>() : Graph::tensor(node.args[0]);
            if (!target && !node.args.empty() && node.args[0].is_array())
                return op + " writes into a list of tensors";
            if (!target || node.outputs.size() != 1 || node.outputs[0] != *target)
                continue;
            if (value(*target).kind == GraphValue::Kind::Buffer) { // a counter of the module: kept in its place
                const auto readers = std::count_if(m_graph.nodes.begin(), m_graph.nodes.end(),
                                                   [&](const GraphNode& other) { return reads(other, *target); });
                if (readers > 1)
                    whyNot = op + " writes a buffer that other operators read";
                continue;
            }
            if (restatesStrides(node, *target)) {
                m_graph.nodes.erase(m_graph.nodes.begin() + static_cast<std::ptrdiff_t>(at--));
                continue;
            }
            const bool known = std::find(inPlace.begin(), inPlace.end(), name) != inPlace.end();
            if (!known || !ownsMemory(*target, at))
                return op + " writes into a tensor that others may see";
            returnInstead(at, *target);
        }
        return whyNot;
    }

private:
    const GraphValue& value(int id) const { return m_graph.values[static_cast<std::size_t>(id)]; }

    /// aten.as_strided_ with the shape that the tensor has, and other strides only where an axis has one element.
    bool restatesStrides(const GraphNode& node, int target) const
    {
        const GraphValue& one = value(target);
        if (node.op != "aten.as_strided_.default" || node.args.size() != 3 || node.args[1] != json(one.shape) ||
            !node.args[2].is_array() || node.args[2].size() != one.shape.size() ||
            one.stride.size() != one.shape.size())
            return false;
        for (std::size_t i = 0; i < one.shape.size(); ++i)
            if (one.shape[i] != 1 && node.args[2][i] != one.stride[i])
                return false;
        return true;
    }

    /// Whether nobody else sees the memory of a value when the node at `end` writes it.
    bool ownsMemory(int target, std::size_t end) const
    {
        if (value(target).kind != GraphValue::Kind::Intermediate)
            return false;
        for (std::size_t i = 0; i < end; ++i) {
            const GraphNode& earlier = m_graph.nodes[i];
            if (!isView(earlier.op))
                continue;
            if (reads(earlier, target))
                return false;
            if (makes(earlier, target) && !isOnlyView(earlier, i))
                return false;
        }
        return true;
    }

    /// Whether this view is all that is ever read of what it shows.
    bool isOnlyView(const GraphNode& view, std::size_t at) const
    {
        const auto source = view.args.empty() ? std::nullopt : Graph::tensor(view.args[0]);
        if (!source || view.outputs.size() != 1 || value(*source).kind != GraphValue::Kind::Intermediate ||
            std::find(m_graph.outputs.begin(), m_graph.outputs.end(), *source) != m_graph.outputs.end())
            return false;
        for (const GraphNode& other : m_graph.nodes)
            if (&other != &view && reads(other, *source))
                return false;
        for (std::size_t i = 0; i < at; ++i)
            if (makes(m_graph.nodes[i], *source))
                return !isView(m_graph.nodes[i].op) || isOnlyView(m_graph.nodes[i], i);
        return false;
    }

    void returnInstead(std::size_t at, int target)
    {
        GraphValue fresh = value(target);
        fresh.id = static_cast<int>(m_graph.values.size());
        m_graph.values.push_back(fresh);
        GraphNode& node = m_graph.nodes[at];
        const std::string op = node.op, name = shortName(op);
        const auto dot = op.find('.');
        node.op = op.substr(0, dot + 1) + name.substr(0, name.size() - 1) + op.substr(op.find('.', dot + 1));
        node.outputs[0] = fresh.id;
        for (std::size_t i = at + 1; i < m_graph.nodes.size(); ++i) {
            readInstead(m_graph.nodes[i], target, fresh.id);
            std::replace(m_graph.nodes[i].outputs.begin(), m_graph.nodes[i].outputs.end(), target, fresh.id);
        }
        std::replace(m_graph.outputs.begin(), m_graph.outputs.end(), target, fresh.id);
    }

    protocol::OperatorGraph& m_graph;
};

} // namespace

std::string dropInPlace(protocol::OperatorGraph& graph)
{
    return InPlace(graph).drop();
}

void readInstead(GraphNode& node, int from, int to)
{
    const auto rename = [&](int id) { return id == from ? to : id; };
    visit(node.args, rename);
    for (auto& [key, argument] : node.kwargs.items())
        visit(argument, rename);
}

} // namespace cudal1::policy
