// SPDX-License-Identifier: GPL-3.0-or-later
// Operator graphs as a few words.
#pragma once

#include "core/protocol/messages.h"

#include <string>
#include <vector>

namespace cudal1::tests {

/// Values are added as they are made; each operator has one result.
class GraphMaker {
public:
    int value(std::vector<std::int64_t> shape, protocol::GraphValue::Kind kind = protocol::GraphValue::Kind::Input)
    {
        const int id = int(graph.values.size());
        graph.values.push_back({id, std::move(shape), {}, "float32", {}, kind});
        if (kind == protocol::GraphValue::Kind::Input)
            graph.inputs.push_back(id);
        return id;
    }
    int weight(std::vector<std::int64_t> shape)
    {
        return value(std::move(shape), protocol::GraphValue::Kind::Parameter);
    }
    /// Numbers among the arguments are values; `others` follow them as they are.
    int op(const std::string& name, const std::vector<int>& values, std::vector<std::int64_t> shape,
           const nlohmann::json& others = nlohmann::json::array())
    {
        const int out = value(std::move(shape), protocol::GraphValue::Kind::Intermediate);
        protocol::GraphNode node;
        node.id = int(graph.nodes.size());
        node.op = name;
        for (const int one : values)
            node.args.push_back({{"value", one}});
        for (const auto& one : others)
            node.args.push_back(one);
        node.outputs = {out};
        graph.nodes.push_back(node);
        graph.outputs = {out};
        return out;
    }

    protocol::OperatorGraph graph;
};

} // namespace cudal1::tests
