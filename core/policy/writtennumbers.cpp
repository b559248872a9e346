// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers in the place of tensors of one number.
#include "core/policy/writtennumbers.h"

#include "core/policy/graph.h"

#include <cmath>
#include <map>
#include <optional>
#include <string>

namespace cudal1::policy {

namespace {

using nlohmann::json;

class WrittenNumbers {
public:
    explicit WrittenNumbers(protocol::OperatorGraph& graph) : m_graph(graph) {}

    void fold()
    {
        for (GraphNode& node : m_graph.nodes) {
            if (!node.op.starts_with("aten.") || node.args.empty() || node.outputs.size() != 1)
                continue;
            if (const auto result = numberOf(node))
                m_numbers[node.outputs[0]] = *result;
            else
                readNumbers(node);
        }
    }

private:
    bool isFloat32(int value) const { return m_graph.values[static_cast<std::size_t>(value)].dtype == "float32"; }

    /// The number that an argument stands for, as a tensor.
    std::optional<double> number(const json& argument) const
    {
        if (const auto value = Graph::tensor(argument)) {
            const auto found = m_numbers.find(*value);
            return found == m_numbers.end() ? std::nullopt : std::optional(found->second);
        }
        const auto written = Graph::writtenNumber(argument);
        const bool isFloat = written &&
                             argument.at("literal").get<std::string>().find("dtype=torch.float32") != std::string::npos;
        return isFloat ? written : std::nullopt;
    }

    /// Of a node that makes one number of another.
    std::optional<double> numberOf(const GraphNode& node) const
    {
        const auto x = node.args.size() == 1 && node.kwargs.empty() ? number(node.args[0]) : std::nullopt;
        if (!x || !isFloat32(node.outputs[0]))
            return {};
        const std::string name = shortName(node.op);
        const auto single = static_cast<float>(*x);
        std::optional<float> out;
        if (name == "lift_fresh" || name == "lift_fresh_copy" || name == "detach" || name == "alias" || name == "clone")
            out = single;
        else if (name == "log")
            out = std::log(single);
        else if (name == "exp")
            out = std::exp(single);
        else if (name == "sqrt")
            out = std::sqrt(single);
        else if (name == "neg")
            out = -single;
        return out && std::isfinite(*out) ? std::optional<double>(*out) : std::nullopt;
    }

    void readNumbers(GraphNode& node) const
    {
        const std::string name = shortName(node.op);
        const auto x = Graph::tensor(node.args[0]);
        if (!x || number(node.args[0]) || !isFloat32(*x) || !node.kwargs.empty())
            return;
        if (node.op == "aten.clamp.Tensor") {
            json args = json::array({node.args[0]});
            for (std::size_t i = 1; i < node.args.size(); ++i) {
                const auto bound = number(node.args[i]);
                if (!bound && !node.args[i].is_null())
                    return;
                args.push_back(bound ? json(*bound) : json());
            }
            node.op = "aten.clamp.default";
            node.args = std::move(args);
            return;
        }
        const auto other = node.args.size() == 2 ? number(node.args[1]) : std::nullopt;
        if (!other)
            return;
        if (name == "minimum" || name == "maximum")
            node.op = name == "minimum" ? "aten.clamp_max.default" : "aten.clamp_min.default";
        else if (node.op != "aten.mul.Tensor" && node.op != "aten.add.Tensor" && node.op != "aten.sub.Tensor" &&
                 node.op != "aten.div.Tensor")
            return;
        node.args[1] = *other;
    }

    protocol::OperatorGraph& m_graph;
    std::map<int, double> m_numbers; ///< of values
};

} // namespace

void foldWrittenNumbers(protocol::OperatorGraph& graph)
{
    WrittenNumbers(graph).fold();
}

} // namespace cudal1::policy
