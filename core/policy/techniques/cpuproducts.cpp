// SPDX-License-Identifier: GPL-3.0-or-later
// Technique cpu_products: matrix products through oneDNN with weights packed once, and the activation in the same call.
#include "core/base/timetext.h"
#include "core/policy/technique.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

bool lastsAsWeightsDo(const Graph& graph, int id)
{
    if (graph.ofModule(id))
        return true;
    const GraphNode* made = graph.producer(id); // folded weights are as lasting as the weights they are made from
    return made && made->op == "cudal1.python" && made->kwargs.value("stem", "") == "folded_";
}

bool eligible(const Graph& graph, const GraphNode& node)
{
    if (node.op != "cudal1.linear" && node.op != "aten.mm.default")
        return false;
    const int x = *Graph::tensor(node.args[0]), y = *Graph::tensor(node.args[1]);
    const Shape& out = graph.shape(node.outputs[0]);
    return graph.value(x).dtype == "float32" && graph.shape(x).size() == 2 && out[1] > 1 &&
           (out[0] > 1 || node.op == "cudal1.linear") && graph.numel(x) + graph.numel(y) > 4096;
}

// What oneDNN can do to each element as it writes it: its name, and its numbers.
std::optional<std::string> epilogue(const GraphNode& node)
{
    const std::string name = shortName(node.op);
    if (name == "relu" || name == "sigmoid" || name == "tanh")
        return "'" + name + "', [], ''";
    if (name == "leaky_relu")
        return "'leaky_relu', [" + pythonNumber(Graph::number(Graph::argument(node, 1)).value_or(0.01)) + "], ''";
    return {};
}

class CpuProducts : public Technique {
public:
    std::string id() const override { return "cpu_products"; }
    std::string title() const override { return "oneDNN products, packed weights"; }
    std::string comment() const override
    {
        return "multiply through oneDNN in full precision, with weights packed once";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        if (context.cuda())
            return Match::no("The device is a GPU; oneDNN's products are for CPUs.");
        std::string why;
        if (!context.rewritable(why))
            return Match::no(why);
        const Graph& graph = context.graph;
        double share = 0, flop = 0;
        int count = 0;
        for (const GraphNode& node : graph.nodes()) {
            if (!eligible(graph, node))
                continue;
            ++count;
            share += node.time_ns;
            flop += 2.0 *
                    static_cast<double>(graph.numel(*Graph::tensor(node.args[0])) * graph.shape(node.outputs[0])[1]);
        }
        if (count == 0)
            return Match::no(
                "No two-dimensional float32 product has more than one row and column and over 4096 elements.");
        Match m;
        m.applies = true;
        m.gain = 1.6;
        m.finding = std::to_string(count) + (count == 1 ? " product does " : " products do ") + numberText(flop / 1e9) +
                    " GFLOP in " + base::timeText(share) +
                    (share > 0 ? ", " + numberText(flop / share) + " GFLOP/s." : ".");
        m.design = "oneDNN chooses its code for this processor at run time and takes weights in blocked order. They "
                   "are packed once, and again when they change; an activation behind "
                   "the product is applied as it is written. Precision stays float32.";
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext&) const override
    {
        for (bool changed = true; changed;) {
            changed = false;
            for (const GraphNode& node : graph.nodes()) {
                if (eligible(graph, node)) {
                    replaceProduct(graph, source, node);
                    changed = true;
                    break;
                }
            }
        }
        graph.removeDead();
    }

private:
    static void replaceProduct(Graph& graph, Source& source, GraphNode node)
    {
        const int x = *Graph::tensor(node.args[0]);
        int weight = *Graph::tensor(node.args[1]);
        const bool linear = node.op == "cudal1.linear";
        const std::int64_t rows = graph.shape(x)[0];
        std::vector<GraphNode> added;
        std::set<int> removed{node.id};
        int out = node.outputs[0];
        if (linear && rows == 1) { // one row is a walk over the weight, which is faster along its columns
            const int turned = prepareWeight(graph, source, added, "turned", "weight.t().contiguous()", weight,
                                             {graph.shape(weight)[1], graph.shape(weight)[0]});
            if (node.args[2].is_null())
                added.push_back(graph.makeNode("aten.mm.default", {{{"value", x}}, {{"value", turned}}}, {out}));
            else
                added.push_back(
                    graph.makeNode("aten.addmm.default", {node.args[2], {{"value", x}}, {{"value", turned}}}, {out}));
            // One row: `eligible` asks for more than one in plain products, so this ends.
            graph.replace(removed, std::move(added));
            return;
        }
        std::string behind = "'none', [], ''";
        if (graph.usedOnce(out)) {
            const GraphNode* next = graph.consumers(out).front();
            if (const auto attribute = epilogue(*next)) {
                behind = *attribute;
                removed.insert(next->id);
                out = next->outputs[0];
            }
        }
        std::vector<int> values{x};
        std::string second = "{1}";
        if (linear && lastsAsWeightsDo(graph, weight))
            weight = prepareWeight(graph, source, added, "packed",
                                   "torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), " +
                                       std::to_string(rows) + ")",
                                   weight, graph.shape(weight));
        else if (!linear)
            second = "{1}.t()";
        values.push_back(weight);
        std::string bias = "None";
        if (linear && !node.args[2].is_null()) {
            bias = "{2}";
            values.push_back(*Graph::tensor(node.args[2]));
        }
        added.push_back(graph.pythonNode(
            "torch.ops.mkldnn._linear_pointwise({0}, " + second + ", " + bias + ", " + behind + ")", values, out));
        added.back().kwargs["stem"] = "product_";
        graph.replace(removed, std::move(added));
    }

    static int prepareWeight(Graph& graph, Source& source, std::vector<GraphNode>& added, const std::string& stem,
                             const std::string& expression, int weight, const Shape& shape)
    {
        Source::once(source.helpers, preparedHelper());
        const std::string name = stem + "_" + std::to_string(weight);
        Source::once(source.methods, "def " + name + "(self, weight):\n    return (" + expression + ",)\n");
        const int packed = graph.addValue(shape, "float32");
        added.push_back(graph.pythonNode("prepared(self, '" + name + "', {0})[0]", {weight}, packed));
        added.back().kwargs["stem"] = stem + "_";
        return packed;
    }
};

} // namespace

std::unique_ptr<Technique> makeCpuProducts()
{
    return std::make_unique<CpuProducts>();
}

} // namespace cudal1::policy
