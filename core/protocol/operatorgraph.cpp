// SPDX-License-Identifier: GPL-3.0-or-later
// JSON of operator graphs.
#include "core/protocol/fields.h"
#include "core/protocol/messages.h"

namespace cudal1::protocol {

constexpr Words<GraphValue::Kind, 5> valueKindWords{{
    {GraphValue::Kind::Input, "input"},
    {GraphValue::Kind::Parameter, "parameter"},
    {GraphValue::Kind::Buffer, "buffer"},
    {GraphValue::Kind::Constant, "constant"},
    {GraphValue::Kind::Intermediate, "intermediate"},
}};
static std::string_view toString(GraphValue::Kind kind)
{
    return wordOf(valueKindWords, kind);
}
static bool fromString(std::string_view word, GraphValue::Kind& out)
{
    return valueOf(valueKindWords, word, out);
}

void fields(auto& io, Is<GraphValue> auto& v)
{
    io("id", v.id);
    io("shape", v.shape);
    io("stride", v.stride);
    io("dtype", v.dtype);
    io("name", v.name);
    io("kind", v.kind);
}

void fields(auto& io, Is<GraphNode> auto& v)
{
    io("id", v.id);
    io("op", v.op);
    io("module", v.module);
    io("args", v.args);
    io("kwargs", v.kwargs);
    io("outputs", v.outputs);
    io("time_ns", v.time_ns);
}

void fields(auto& io, Is<OperatorGraph> auto& v)
{
    io.list("values", v.values);
    io.list("nodes", v.nodes);
    io("inputs", v.inputs);
    io("outputs", v.outputs);
    io("output_kind", v.outputKind);
    io("forward_parameters", v.forwardParameters);
    io("modules", v.modules);
    io("total_ns", v.total_ns);
    io("parameter_bytes", v.parameter_bytes);
    io("truncated", v.truncated);
    io("randomised", v.randomised);
    io("device", v.device);
}
CUDAL1_JSON(OperatorGraph)

} // namespace cudal1::protocol
