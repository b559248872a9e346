// SPDX-License-Identifier: GPL-3.0-or-later
// The plain form of an operator graph and the edits that techniques make to it.
#include "core/policy/graph.h"

#include "core/policy/inplace.h"
#include "core/policy/instancenorms.h"
#include "core/policy/recurrences.h"
#include "core/policy/writtennumbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace cudal1::policy {

using nlohmann::json;

namespace {

const json null;

void collect(const json& argument, std::vector<int>& out)
{
    if (argument.is_array()) {
        for (const json& item : argument)
            collect(item, out);
    } else if (argument.is_object() && argument.contains("value")) {
        out.push_back(argument["value"].get<int>());
    }
}

bool isTransposeOf2d(const GraphNode& node, std::size_t rank)
{
    if (rank != 2)
        return false;
    if (node.op == "aten.t.default")
        return true;
    if (node.op == "aten.permute.default")
        return node.args.size() > 1 && (node.args[1] == json{1, 0} || node.args[1] == json{-1, -2});
    if (node.op == "aten.transpose.int" && node.args.size() == 3 && node.args[1].is_number() &&
        node.args[2].is_number())
        return (node.args[1].get<int>() - node.args[2].get<int>()) % 2 != 0;
    return false;
}

} // namespace

Graph::Graph(const protocol::OperatorGraph& traced) : m_graph(traced)
{
    if (traced.truncated)
        m_whyNot = "the graph is longer than is rewritten, or has an argument that cannot be written down";
    else if (traced.outputKind != "tensor" && traced.outputKind != "tuple" && traced.outputKind != "list")
        m_whyNot = "the result is a " + traced.outputKind + ", not tensors";
    else if (traced.outputs.empty())
        m_whyNot = "the graph has no result";
    else if (traced.nodes.size() > 1500)
        m_whyNot = std::to_string(traced.nodes.size()) + " operators are more than are rewritten";
    for (const GraphValue& value : m_graph.values) {
        if (value.kind == GraphValue::Kind::Constant && value.name.empty())
            m_whyNot = "a constant of shape " + shapeText(value.shape) + " is made inside forward";
    }
    renumber();
    recogniseRecurrences();
    if (rewritable()) {
        m_whyNot = dropInPlace(m_graph);
        m_uses.clear();
    }
    if (rewritable()) {
        foldWrittenNumbers(m_graph);
        m_uses.clear();
        dropCopies();
        dropPlaces();
        recogniseLinear();
        recogniseInstanceNorms(*this);
        removeDead();
        m_plain = true;
        if (traced.randomised)
            m_whyNot = "the module draws random numbers, whose order a rewrite would change";
    }
}

void Graph::renumber()
{
    m_nextNode = 0;
    for (GraphNode& node : m_graph.nodes)
        node.id = m_nextNode++;
}

/// cuDNN's operator takes all weights as one piece of memory as well, which two nodes before it make.
void Graph::recogniseRecurrences()
{
    for (const GraphNode& node : std::vector(m_graph.nodes)) {
        std::optional<GraphNode> layer = recurrentLayerOf(node);
        if (!layer || isRead(node.outputs[3]))
            continue;
        std::set<int> removed{node.id};
        for (const GraphNode& other : m_graph.nodes)
            if (std::ranges::find(other.outputs, node.outputs[4]) != other.outputs.end())
                removed.insert(other.id);
        replace(removed, {std::move(*layer)});
    }
}

void Graph::dropCopies()
{
    for (std::size_t i = 0; i < m_graph.nodes.size();) {
        const GraphNode node = m_graph.nodes[i];
        const std::string name = shortName(node.op);
        const auto source = node.args.empty() ? std::optional<int>() : tensor(node.args[0]);
        bool copy = source && node.outputs.size() == 1 &&
                    (name == "detach" || name == "alias" || name == "lift_fresh" || name == "clone");
        // A copy that changes the layout is there for a view that follows; one that is a result keeps it apart.
        if (copy && name == "clone" && value(*source).stride != value(node.outputs[0]).stride)
            copy = false;
        if (copy && isOutput(node.outputs[0]) &&
            (isOutput(*source) || value(*source).kind != GraphValue::Kind::Intermediate))
            copy = false;
        if (!copy) {
            ++i;
            continue;
        }
        redirect(node.outputs[0], *source);
        m_graph.nodes.erase(m_graph.nodes.begin() + static_cast<std::ptrdiff_t>(i));
        m_uses.clear();
    }
}

void Graph::dropPlaces()
{
    for (GraphNode& node : m_graph.nodes) {
        const bool largest = node.op == "aten.max.dim";
        if ((!largest && node.op != "aten.min.dim") || node.outputs.size() != 2 || isRead(node.outputs[1]))
            continue;
        const json dim = argument(node, 1, "dim"), keep = argument(node, 2, "keepdim");
        node.op = largest ? "aten.amax.default" : "aten.amin.default";
        node.args = {node.args[0], json::array({dim}), keep.is_null() ? json(false) : keep};
        node.kwargs = json::object();
        node.outputs.resize(1);
        m_uses.clear();
    }
}

void Graph::recogniseLinear()
{
    for (GraphNode& node : m_graph.nodes) {
        const bool addmm = node.op == "aten.addmm.default" && node.args.size() == 3 && node.kwargs.empty();
        if (!addmm && !(node.op == "aten.mm.default" && node.args.size() == 2))
            continue;
        const auto x = tensor(node.args[addmm ? 1 : 0]);
        const auto transposed = tensor(node.args[addmm ? 2 : 1]);
        if (!x || !transposed)
            continue;
        const GraphNode* made = producer(*transposed);
        const auto weight = made && !made->args.empty() ? tensor(made->args[0]) : std::optional<int>();
        if (!weight || !isTransposeOf2d(*made, shape(*weight).size()))
            continue;
        json bias = nullptr;
        if (addmm) {
            const auto id = tensor(node.args[0]);
            if (!id || shape(*id) != Shape{shape(*weight)[0]})
                continue;
            bias = {{"value", *id}};
        }
        node.args = json::array({{{"value", *x}}, {{"value", *weight}}, bias});
        node.op = "cudal1.linear";
        m_uses.clear();
    }
}

bool Graph::ofModule(int id) const
{
    using Kind = GraphValue::Kind;
    const Kind kind = value(id).kind;
    return kind == Kind::Parameter || kind == Kind::Buffer || kind == Kind::Constant;
}

const Graph::Uses& Graph::uses(int value) const
{
    if (m_uses.empty()) {
        m_uses.resize(m_graph.values.size());
        for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
            const int at = static_cast<int>(i);
            for (const int id : m_graph.nodes[i].outputs)
                if (id >= 0 && m_uses[static_cast<std::size_t>(id)].producer < 0)
                    m_uses[static_cast<std::size_t>(id)].producer = at;
            for (const int id : tensors(m_graph.nodes[i])) {
                Uses& one = m_uses[static_cast<std::size_t>(id)];
                ++one.reads;
                if (one.readers.empty() || one.readers.back() != at)
                    one.readers.push_back(at);
            }
        }
    }
    static const Uses none; // of a value that was added since
    return static_cast<std::size_t>(value) < m_uses.size() ? m_uses[static_cast<std::size_t>(value)] : none;
}

const GraphNode* Graph::producer(int id) const
{
    const int at = uses(id).producer;
    return at < 0 ? nullptr : &m_graph.nodes[static_cast<std::size_t>(at)];
}

std::vector<const GraphNode*> Graph::consumers(int id) const
{
    std::vector<const GraphNode*> out;
    for (const int at : uses(id).readers)
        out.push_back(&m_graph.nodes[static_cast<std::size_t>(at)]);
    return out;
}

bool Graph::isOutput(int id) const
{
    return std::find(m_graph.outputs.begin(), m_graph.outputs.end(), id) != m_graph.outputs.end();
}

bool Graph::isRead(int value) const
{
    return isOutput(value) || uses(value).reads > 0;
}

bool Graph::usedOnce(int id) const
{
    return uses(id).reads == 1 && !isOutput(id);
}

bool Graph::readsBuffers(const GraphNode& node) const
{
    const auto read = tensors(node);
    return std::any_of(read.begin(), read.end(), [&](int id) { return value(id).kind == GraphValue::Kind::Buffer; });
}

std::optional<int> Graph::tensor(const json& argument)
{
    if (argument.is_object() && argument.contains("value"))
        return argument["value"].get<int>();
    return {};
}

std::optional<double> Graph::number(const json& argument)
{
    if (argument.is_number())
        return argument.get<double>();
    if (argument.is_object() && argument.contains("literal")) {
        if (argument["literal"] == "float('inf')")
            return INFINITY;
        if (argument["literal"] == "float('-inf')")
            return -INFINITY;
    }
    return {};
}

std::optional<double> Graph::writtenNumber(const json& argument)
{
    constexpr std::string_view head = "torch.tensor(";
    const std::string text = argument.is_object() ? argument.value("literal", "") : "";
    if (!text.starts_with(head))
        return {};
    double out = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + head.size(), last, out);
    return error == std::errc() && end != last && *end == ',' ? std::optional(out) : std::nullopt;
}

std::optional<std::size_t> Graph::axis(const json& argument, std::size_t rank)
{
    if (!argument.is_number_integer())
        return {};
    const auto given = argument.get<std::int64_t>(), all = static_cast<std::int64_t>(rank);
    if (given < -all || given >= all)
        return {};
    return static_cast<std::size_t>(given < 0 ? given + all : given);
}

std::vector<int> Graph::tensors(const GraphNode& node)
{
    std::vector<int> out;
    collect(node.args, out);
    for (const auto& [key, argument] : node.kwargs.items())
        collect(argument, out);
    return out;
}

const json& Graph::argument(const GraphNode& node, std::size_t index, std::string_view keyword)
{
    if (index < node.args.size())
        return node.args[index];
    if (!keyword.empty()) {
        const auto it = node.kwargs.find(std::string(keyword));
        if (it != node.kwargs.end())
            return *it;
    }
    return null;
}

std::int64_t Graph::numel(int id) const
{
    std::int64_t n = 1;
    for (const std::int64_t extent : shape(id))
        n *= extent;
    return n;
}

std::int64_t Graph::bytes(int id) const
{
    const std::string& dtype = value(id).dtype;
    const std::int64_t size = dtype.ends_with("64")                   ? 8
                            : dtype.ends_with("16")                   ? 2
                            : dtype.ends_with("8") || dtype == "bool" ? 1
                                                                      : 4;
    return numel(id) * size;
}

int Graph::addValue(Shape shape, std::string dtype)
{
    GraphValue fresh;
    fresh.id = static_cast<int>(m_graph.values.size());
    fresh.dtype = std::move(dtype);
    fresh.stride.resize(shape.size());
    std::int64_t step = 1;
    for (std::size_t i = shape.size(); i-- > 0; step *= shape[i])
        fresh.stride[i] = step;
    fresh.shape = std::move(shape);
    m_graph.values.push_back(std::move(fresh));
    return m_graph.values.back().id;
}

GraphNode Graph::makeNode(std::string op, json args, std::vector<int> outputs) const
{
    GraphNode node;
    node.id = m_nextNode++;
    node.op = std::move(op);
    node.args = std::move(args);
    node.outputs = std::move(outputs);
    return node;
}

GraphNode Graph::pythonNode(std::string code, const std::vector<int>& values, int output) const
{
    json args = json::array();
    for (const int id : values)
        args.push_back({{"value", id}});
    GraphNode node = makeNode("cudal1.python", std::move(args), {output});
    node.kwargs = {{"code", std::move(code)}};
    return node;
}

void Graph::replace(const std::set<int>& removed, std::vector<GraphNode> added)
{
    std::vector<GraphNode> kept;
    kept.reserve(m_graph.nodes.size() + added.size());
    std::size_t left = removed.size();
    for (GraphNode& node : m_graph.nodes) {
        if (!removed.contains(node.id)) {
            kept.push_back(std::move(node));
        } else if (--left == 0) {
            for (GraphNode& fresh : added)
                kept.push_back(std::move(fresh));
        }
    }
    m_graph.nodes = std::move(kept);
    m_uses.clear();
}

void Graph::redirect(int from, int to)
{
    for (GraphNode& node : m_graph.nodes)
        readInstead(node, from, to);
    std::replace(m_graph.outputs.begin(), m_graph.outputs.end(), from, to);
    m_uses.clear();
}

void Graph::removeDead()
{
    std::set<int> live(m_graph.outputs.begin(), m_graph.outputs.end());
    std::vector<GraphNode> kept;
    for (auto node = m_graph.nodes.rbegin(); node != m_graph.nodes.rend(); ++node) {
        const bool read = std::any_of(node->outputs.begin(), node->outputs.end(),
                                      [&](int id) { return live.contains(id); });
        if (!read && !hasEffects(*node))
            continue;
        for (const int id : tensors(*node))
            live.insert(id);
        kept.push_back(std::move(*node));
    }
    std::reverse(kept.begin(), kept.end());
    m_graph.nodes = std::move(kept);
    m_uses.clear();
}

bool isView(std::string_view op)
{
    static const std::set<std::string, std::less<>> views{
        "view",      "_unsafe_view",   "reshape",    "t",          "transpose", "permute",          "expand",
        "unsqueeze", "squeeze",        "select",     "slice",      "split",     "split_with_sizes", "chunk",
        "unbind",    "detach",         "alias",      "as_strided", "diagonal",  "narrow",           "movedim",
        "flatten",   "_reshape_alias", "lift_fresh", "unfold",     "view_as"};
    return views.contains(shortName(op));
}

bool hasEffects(const GraphNode& node)
{
    const std::string name = shortName(node.op);
    // Without running statistics, as an instance norm is computed, it has nowhere to write.
    if ((name == "native_batch_norm" || name == "cudnn_batch_norm") && node.args.size() > 4 && node.args[3].is_null() &&
        node.args[4].is_null())
        return false;
    if (name == "_native_batch_norm_legit_no_training" ||
        (name == "native_batch_norm" && node.args.size() > 5 && node.args[5] == false))
        return false;
    return name.find("batch_norm") != std::string::npos || name.find("instance_norm") != std::string::npos ||
           (!name.empty() && name.back() == '_');
}

std::string shortName(std::string_view op)
{
    const auto first = op.find('.');
    if (first == std::string_view::npos)
        return std::string(op);
    const auto second = op.find('.', first + 1);
    return std::string(op.substr(first + 1, second == std::string_view::npos ? second : second - first - 1));
}

std::string shapeText(const Shape& shape)
{
    std::string out = "[";
    for (const std::int64_t extent : shape)
        out += (out.size() > 1 ? ", " : "") + std::to_string(extent);
    return out + "]";
}

std::string numberText(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, std::abs(value) >= 1000 ? "%.0f" : "%.3g", value);
    return text;
}

std::string pythonNumber(double value)
{
    if (std::isinf(value))
        return value > 0 ? "float('inf')" : "float('-inf')";
    if (std::isnan(value))
        return "float('nan')";
    char text[40];
    for (int digits = 6; digits <= 17; ++digits) {
        std::snprintf(text, sizeof text, "%.*g", digits, value);
        if (std::strtod(text, nullptr) == value)
            break;
    }
    std::string out = text;
    if (out.find_first_of(".en") == std::string::npos)
        out += ".0";
    return out;
}

} // namespace cudal1::policy
