// SPDX-License-Identifier: GPL-3.0-or-later
// JSON of operator graphs.
#include "core/protocol/fields.h"
#include "core/protocol/messages.h"

#include <utility>

namespace cudal1::protocol {

using nlohmann::json;

namespace {

constexpr std::array<std::pair<GraphValue::Kind, std::string_view>, 5> kindWords{{
    {GraphValue::Kind::Input, "input"},
    {GraphValue::Kind::Parameter, "parameter"},
    {GraphValue::Kind::Buffer, "buffer"},
    {GraphValue::Kind::Constant, "constant"},
    {GraphValue::Kind::Intermediate, "intermediate"},
}};

} // namespace

void to_json(json& j, const OperatorGraph& v)
{
    json values = json::array();
    for (const GraphValue& value : v.values)
        values.push_back({{"id", value.id},
                          {"shape", value.shape},
                          {"stride", value.stride},
                          {"dtype", value.dtype},
                          {"name", value.name},
                          {"kind", wordOf(kindWords, value.kind)}});
    json nodes = json::array();
    for (const GraphNode& node : v.nodes)
        nodes.push_back({{"id", node.id},
                         {"op", node.op},
                         {"module", node.module},
                         {"args", node.args},
                         {"kwargs", node.kwargs},
                         {"outputs", node.outputs},
                         {"time_ns", node.time_ns}});
    j = {{"values", std::move(values)},
         {"nodes", std::move(nodes)},
         {"inputs", v.inputs},
         {"outputs", v.outputs},
         {"output_kind", v.outputKind},
         {"forward_parameters", v.forwardParameters},
         {"modules", v.modules},
         {"total_ns", v.total_ns},
         {"parameter_bytes", v.parameter_bytes},
         {"truncated", v.truncated},
         {"randomised", v.randomised},
         {"device", v.device}};
}

void from_json(const json& j, OperatorGraph& v)
{
    for (const json& entry : j.at("values")) {
        GraphValue value;
        get(entry, "id", value.id);
        get(entry, "shape", value.shape);
        get(entry, "stride", value.stride);
        get(entry, "dtype", value.dtype);
        get(entry, "name", value.name);
        std::string kind;
        get(entry, "kind", kind);
        valueOf(kindWords, kind, value.kind);
        v.values.push_back(std::move(value));
    }
    for (const json& entry : j.at("nodes")) {
        GraphNode node;
        get(entry, "id", node.id);
        get(entry, "op", node.op);
        get(entry, "module", node.module);
        get(entry, "args", node.args);
        get(entry, "kwargs", node.kwargs);
        get(entry, "outputs", node.outputs);
        get(entry, "time_ns", node.time_ns);
        v.nodes.push_back(std::move(node));
    }
    get(j, "inputs", v.inputs);
    get(j, "outputs", v.outputs);
    get(j, "output_kind", v.outputKind);
    get(j, "forward_parameters", v.forwardParameters);
    get(j, "modules", v.modules);
    get(j, "total_ns", v.total_ns);
    get(j, "parameter_bytes", v.parameter_bytes);
    get(j, "truncated", v.truncated);
    get(j, "randomised", v.randomised);
    get(j, "device", v.device);
}

} // namespace cudal1::protocol
