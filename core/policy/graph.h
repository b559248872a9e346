// SPDX-License-Identifier: GPL-3.0-or-later
// The operator graph of a task's reference, which techniques read and rewrite.
//
// Graph owns a copy of the graph that the evaluator traced. The constructor brings it to a plain form: an operator that
// writes in place becomes its twin that returns a new tensor, copies that change nothing are removed, a product with a
// transposed weight becomes `cudal1.linear`, and an instance norm without weights a group norm with one channel a
// group. Where this cannot be proven right, or a rewrite could change the order of random numbers, rewritable() is
// false, and only techniques that wrap the whole module apply.
// An operator that reads a tensor of one number which forward writes out reads that number, where it can.
//
// Some operators are our own, beside `aten.*`:
//   cudal1.linear(x, weight, bias)   as torch.nn.functional.linear
//   cudal1.lstm, cudal1.gru          recurrent layers of cuDNN, with the arguments of torch.lstm and torch.gru
//   cudal1.python(values...)         kwargs.code is an expression in which {0}, {1}... stand for the values
//
// A graph is used from one thread. Pointers to nodes are valid until the next edit. Ids of values and nodes must be of
// this graph.
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
    /// Why the graph is not rewritable, as a phrase for a person; empty when it is.
    const std::string& whyNotRewritable() const { return m_whyNot; }
    /// True when the graph is in its plain form, so that one may reason about its values. That includes modules that
    /// draw random numbers, which are not rewritable.
    bool analysable() const { return m_plain; }
    bool readsBuffers(const GraphNode& node) const; ///< true when an argument of the node is a buffer of the module

    const std::vector<GraphNode>& nodes() const { return m_graph.nodes; }
    const GraphValue& value(int id) const { return m_graph.values[static_cast<std::size_t>(id)]; }
    /// A parameter, a buffer or a constant: what lasts from call to call.
    bool ofModule(int id) const;
    const protocol::OperatorGraph& data() const { return m_graph; } ///< the graph as it is now

    /// The node that computes a value; null for inputs, parameters, buffers and constants.
    const GraphNode* producer(int value) const;
    std::vector<const GraphNode*> consumers(int value) const; ///< the nodes that read it, in order, each once
    bool isOutput(int value) const;                           ///< true when it is a result of the module
    bool isFloat32(int value) const { return this->value(value).dtype == "float32"; }
    bool isRead(int value) const; ///< true when a node reads it, or it is a result of the module
    /// True when exactly one argument of one node is `value`, and it is no result of the module.
    bool usedOnce(int value) const;

    // Arguments of nodes.
    /// The id in an argument of the form {"value": id}; empty for any other argument.
    static std::optional<int> tensor(const nlohmann::json& argument);
    /// The value of an argument that is a number or infinity; empty for any other argument, including a bool.
    static std::optional<double> number(const nlohmann::json& argument);
    /// The number of an argument that is a tensor of one, written out: "torch.tensor(0.5, dtype=torch.float32,
    /// device='cpu')". Empty for any other argument.
    static std::optional<double> writtenNumber(const nlohmann::json& argument);
    /// The axis of `rank` that an argument names, counted from the first; empty where it names none.
    static std::optional<std::size_t> axis(const nlohmann::json& argument, std::size_t rank);
    static std::vector<int> tensors(const GraphNode& node); ///< value ids in all arguments, in order, with repeats
    /// The positional argument at `index`, or else the argument with that keyword. JSON null where there is neither.
    static const nlohmann::json& argument(const GraphNode& node, std::size_t index, std::string_view keyword = {});
    const Shape& shape(int value) const { return m_graph.values[static_cast<std::size_t>(value)].shape; }
    std::int64_t numel(int value) const; ///< number of elements
    std::int64_t bytes(int value) const;

    // Edits. Each keeps the order of execution.
    int addValue(Shape shape, std::string dtype); ///< a contiguous tensor that nothing computes yet; returns its id
    /// A new node, which is not part of the graph until replace() puts it there.
    GraphNode makeNode(std::string op, nlohmann::json args, std::vector<int> outputs) const;
    /// The same for a node of the operator cudal1.python.
    GraphNode pythonNode(std::string code, const std::vector<int>& values, int output) const;
    /// Removes the nodes with these ids and puts `added` where the last of them stood.
    void replace(const std::set<int>& removed, std::vector<GraphNode> added);
    /// Makes every node that reads `from` read `to` instead. A result of the module that is `from` becomes `to` too.
    void redirect(int from, int to);
    /// Removes nodes whose outputs nobody reads. Nodes with effects (hasEffects) stay.
    void removeDead();

private:
    void recogniseRecurrences();
    void dropCopies();
    void dropPlaces(); ///< max(x, dim) becomes amax where nobody reads where the maximum is; min alike
    void recogniseLinear();
    void renumber(); ///< gives the nodes ids 0, 1, 2, …

    /// Of each value: places among the nodes.
    struct Uses {
        int producer = -1;        ///< the first node that computes it
        std::vector<int> readers; ///< in order, each once
        int reads = 0;            ///< arguments that are the value
    };
    /// Made once after each edit: a graph of a thousand nodes is asked some hundred thousand times.
    const Uses& uses(int value) const;

    protocol::OperatorGraph m_graph;
    mutable std::vector<Uses> m_uses; ///< empty after an edit
    std::string m_whyNot;
    bool m_plain = false; ///< in plain form
    mutable int m_nextNode = 0;
};

/// True for operators that move no data, such as view, transpose and expand.
bool isView(std::string_view op);
/// True for operators that change more than their outputs: those that write an argument, and batch and instance norm,
/// which write buffers in training mode although their schema does not say so.
bool hasEffects(const GraphNode& node);
/// The operator's name without namespace and overload: "conv" of "aten.conv.default".
std::string shortName(std::string_view op);
/// A shape as "[16, 64, 256]".
std::string shapeText(const Shape& shape);
/// A number with three significant digits.
std::string numberText(double value);
/// A Python literal that reads back as the same double.
std::string pythonNumber(double value);

} // namespace cudal1::policy
