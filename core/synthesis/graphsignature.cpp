// SPDX-License-Identifier: GPL-3.0-or-later
// Labels each value of a graph by what it was computed from, and puts the labels together.
#include "core/synthesis/graphsignature.h"

#include "core/synthesis/seededchoice.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>

namespace cudal1::synthesis {

namespace {

using nlohmann::json;
using protocol::GraphValue;

constexpr std::array products{"mm", "bmm", "addmm", "baddbmm", "matmul", "linear", "addbmm"};
constexpr std::array movements{"t",
                               "view",
                               "_unsafe_view",
                               "transpose",
                               "permute",
                               "expand",
                               "squeeze",
                               "unsqueeze",
                               "reshape",
                               "clone",
                               "detach",
                               "alias",
                               "contiguous",
                               "slice",
                               "select",
                               "split",
                               "chunk",
                               "unbind",
                               "as_strided",
                               "empty",
                               "zeros",
                               "ones",
                               "full",
                               "zeros_like",
                               "ones_like",
                               "empty_like",
                               "full_like",
                               "arange",
                               "lift_fresh",
                               "_to_copy",
                               "copy",
                               "new_zeros",
                               "new_ones",
                               "new_empty",
                               "unsafe_split",
                               "scalar_tensor",
                               "split_with_sizes",
                               "unflatten",
                               "flatten",
                               "empty_strided",
                               "fill",
                               "_reshape_alias"};
constexpr std::array commutative{"add", "mul", "maximum", "minimum", "eq"};

bool isIn(const auto& list, std::string_view name)
{
    return std::find(list.begin(), list.end(), name) != list.end();
}

class Labels {
public:
    Labels(const protocol::OperatorGraph& graph, bool flowAlone) : m_graph(graph), m_flowAlone(flowAlone) {}

    std::uint64_t key()
    {
        m_labels.assign(m_graph.values.size(), 0);
        for (const GraphValue& value : m_graph.values)
            if (isValue(value.id))
                m_labels[static_cast<std::size_t>(value.id)] = leaf(value);
        std::vector<std::uint64_t> all;
        for (const protocol::GraphNode& node : m_graph.nodes)
            addNode(node, all);
        std::sort(all.begin(), all.end());
        std::uint64_t key = text("graph");
        for (const std::uint64_t one : all)
            key = mix(key, one);
        for (const int output : m_graph.outputs)
            key = mix(key, labelOf(output));
        return key;
    }

private:
    static std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return mixedBits(a ^ mixedBits(b)); }
    static std::uint64_t text(std::string_view word)
    {
        std::uint64_t out = 1469598103934665603u;
        for (const char c : word)
            out = mix(out, static_cast<unsigned char>(c));
        return out;
    }
    bool isValue(int id) const { return id >= 0 && static_cast<std::size_t>(id) < m_graph.values.size(); }
    std::uint64_t labelOf(int id) const { return isValue(id) ? m_labels[static_cast<std::size_t>(id)] : 0; }

    std::uint64_t shapeClass(const GraphValue& value) const
    {
        if (m_flowAlone)
            return 0;
        std::uint64_t out = text(value.dtype);
        for (const std::int64_t size : value.shape)
            out = mix(out, std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(size, 0))));
        return out;
    }
    std::uint64_t leaf(const GraphValue& value) const
    {
        const bool input = value.kind == GraphValue::Kind::Input;
        return mix(text(input ? "input" : "weight"), shapeClass(value));
    }

    /// Of an argument. Sizes of what is moved follow from the shapes of the results.
    std::uint64_t argument(const json& argument, bool moves) const
    {
        if (argument.is_array()) {
            std::uint64_t out = text("list");
            for (const json& item : argument)
                out = mix(out, this->argument(item, moves));
            return out;
        }
        if (argument.is_object() && argument.contains("value"))
            return labelOf(argument.at("value").get<int>());
        if (m_flowAlone || argument.is_number_float() || (moves && argument.is_number()))
            return 1;
        return text(argument.dump());
    }

    static const json* firstValue(const json& arguments)
    {
        for (const json& one : arguments) {
            if (one.is_object() && one.contains("value"))
                return &one;
            if (one.is_array())
                if (const json* inner = firstValue(one))
                    return inner;
        }
        return nullptr;
    }

    void addNode(const protocol::GraphNode& node, std::vector<std::uint64_t>& all)
    {
        const std::string plain = plainOperator(node.op);
        const bool moves = isMovement(plain);
        std::uint64_t label = text(plain);
        if (m_flowAlone && moves) {
            const json* from = firstValue(node.args);
            label = from ? labelOf(from->at("value").get<int>()) : text("weight");
        } else {
            std::vector<std::uint64_t> arguments;
            for (const json& one : node.args)
                arguments.push_back(argument(one, moves));
            if (isIn(commutative, plain) && arguments.size() >= 2)
                std::sort(arguments.begin(), arguments.begin() + 2);
            // How a bias is handed over is no matter of the flow: products take their tensors in any order.
            if (m_flowAlone && plain == "mm")
                std::sort(arguments.begin(), arguments.end());
            for (const std::uint64_t one : arguments)
                label = mix(label, one);
            if (!m_flowAlone)
                for (const auto& [name, one] : node.kwargs.items())
                    label = mix(label, mix(text(name), argument(one, moves)));
            all.push_back(label);
        }
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const int output = node.outputs[i];
            if (!isValue(output))
                continue;
            const GraphValue& value = m_graph.values[static_cast<std::size_t>(output)];
            m_labels[static_cast<std::size_t>(output)] = m_flowAlone && moves ? label
                                                                              : mix(mix(label, i), shapeClass(value));
        }
    }

    const protocol::OperatorGraph& m_graph;
    bool m_flowAlone;
    std::vector<std::uint64_t> m_labels; ///< by value id; of what is written in place, the newest
};

} // namespace

std::string plainOperator(std::string_view name)
{
    if (name.starts_with("aten."))
        name.remove_prefix(5);
    name = name.substr(0, name.find('.'));
    if (name.size() > 1 && name.ends_with('_') && !name.ends_with("__"))
        name.remove_suffix(1);
    return isIn(products, name) ? "mm" : std::string(name);
}

bool isMovement(std::string_view plain)
{
    return isIn(movements, plain);
}

std::vector<std::string> computeSequence(const protocol::OperatorGraph& graph)
{
    std::vector<std::string> out;
    for (const protocol::GraphNode& node : graph.nodes)
        if (std::string plain = plainOperator(node.op); !isMovement(plain))
            out.push_back(std::move(plain));
    return out;
}

std::uint64_t taskKey(const protocol::OperatorGraph& graph)
{
    return Labels(graph, false).key();
}

std::uint64_t flowKey(const protocol::OperatorGraph& graph)
{
    return Labels(graph, true).key();
}

std::string keyText(std::uint64_t key)
{
    char out[17];
    std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(key));
    return out;
}

} // namespace cudal1::synthesis
