// SPDX-License-Identifier: GPL-3.0-or-later
// An operator graph that techniques read and rewrite.
//
// Graph owns a copy of what the evaluator traced and brings it to a plain form first: operators that write in place become
// the ones that return, copies and dropouts that do nothing go, a transposed weight in a product becomes `cudal1.linear`.
// `rewritable()` is false where that cannot be proven right (aliased writes, unknown constants, cut graphs): then only the
// techniques that wrap the whole module apply.
//
// Operators of our own, beside `aten.*`:
//   cudal1.linear(x, weight, bias)   as torch.nn.functional.linear
//   cudal1.python(values...)         kwargs.code: an expression in which {0}, {1}... stand for the values
#pragma once

#include "core/protocol/messages.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::policy {

using protocol::GraphNode;
using protocol::GraphValue;
using Shape = std::vector<std::int64_t>;

class Graph {
public:
    explicit Graph(const protocol::OperatorGraph& traced);

    bool rewritable() const { return m_whyNot.empty(); }
    const std::string& whyNotRewritable() const { return m_whyNot; }
    /// True when values may be reasoned about, as they may in a module that draws random numbers.
    bool analysable() const { return m_plain; }
    bool readsBuffers(const GraphNode& node) const;

    const std::vector<GraphNode>& nodes() const { return m_graph.nodes; }
    const GraphValue& value(int id) const { return m_graph.values[static_cast<std::size_t>(id)]; }
    const protocol::OperatorGraph& data() const { return m_graph; }

    /// The node that makes a value; null for inputs, parameters, buffers and constants.
    const GraphNode* producer(int value) const;
    std::vector<const GraphNode*> consumers(int value) const;
    bool isOutput(int value) const;
    /// True when `value` is read once, and is no result of the module.
    bool usedOnce(int value) const;

    // arguments
    static std::optional<int> tensor(const nlohmann::json& argument);   ///< value id of {"value": id}
    static std::optional<double> number(const nlohmann::json& argument);///< a plain number (or infinity); no bool
    static std::vector<int> tensors(const GraphNode& node);             ///< of all arguments, in order, with repeats
    /// Positional argument, or the keyword, or null.
    static const nlohmann::json& argument(const GraphNode& node, std::size_t index, std::string_view keyword = {});
    const Shape& shape(int value) const { return m_graph.values[static_cast<std::size_t>(value)].shape; }
    std::int64_t numel(int value) const;
    std::int64_t bytes(int value) const;

    // editing; every edit keeps execution order
    int addValue(Shape shape, std::string dtype);
    GraphNode makeNode(std::string op, nlohmann::json args, std::vector<int> outputs) const;
    GraphNode pythonNode(std::string code, const std::vector<int>& values, int output) const;
    /// Puts `added` where the last of `removed` (node ids) stood and removes those.
    void replace(const std::set<int>& removed, std::vector<GraphNode> added);
    /// Makes every reader of `from`, and the module's result, use `to`.
    void redirect(int from, int to);
    /// Removes nodes whose results nobody reads; those with effects on buffers stay.
    void removeDead();

private:
    void functionalise();
    void dropCopies();
    void recogniseLinear();
    void renumber();

    protocol::OperatorGraph m_graph;
    std::string m_whyNot;
    bool m_plain = false;
    mutable int m_nextNode = 0;
};

/// True for operators that move no data: view, transpose, expand, ...
bool isView(std::string_view op);
/// True for operators that draw random numbers or write buffers behind their schema (batch norm in training mode).
bool hasEffects(const GraphNode& node);
/// "aten.conv.default" -> "conv".
std::string shortName(std::string_view op);
/// "[16, 64, 256]".
std::string shapeText(const Shape& shape);
/// A number with three significant digits.
std::string numberText(double value);
/// A Python literal that reads back as the same double.
std::string pythonNumber(double value);

} // namespace cudal1::policy
