// SPDX-License-Identifier: GPL-3.0-or-later
// Technique gemm_epilogue: a linear layer's ReLU runs in the product's own kernel.
#include "core/base/timetext.h"
#include "core/policy/technique.h"

namespace cudal1::policy {

namespace {

const GraphNode* findEpilogue(const Graph& graph)
{
    for (const GraphNode& node : graph.nodes()) {
        if (node.op != "cudal1.linear" || node.args[2].is_null() || !graph.usedOnce(node.outputs[0]))
            continue;
        if (graph.consumers(node.outputs[0]).front()->op == "aten.relu.default")
            return &node;
    }
    return nullptr;
}

class GemmEpilogue : public Technique {
public:
    std::string id() const override { return "gemm_epilogue"; }
    std::string title() const override { return "Activation inside the product"; }
    std::string comment() const override { return "add the bias and apply ReLU in the product's own kernel"; }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        if (!context.cuda())
            return Match::no("The device is a CPU; cpu_products does this there.");
        std::string why;
        if (!context.rewritable(why))
            return Match::no(why);
        Graph after = context.graph;
        // Folding may be what puts a bias in front of the activation.
        Source scratch;
        makeFoldScale()->rewrite(after, scratch, context);
        if (!findEpilogue(context.graph) && !findEpilogue(after))
            return Match::no("No linear layer with a bias is followed by ReLU alone.");
        Match m;
        m.applies = true;
        m.gain = 1.1;
        m.finding = "A linear layer with a bias is followed by ReLU, which takes " +
                    base::timeText(context.time_ns("relu")) + " as an operator of its own.";
        m.design = "The product's library adds bias and ReLU while the tile is still in registers, which saves a "
                   "launch and a round trip through memory.";
        return m;
    }

    void rewrite(Graph& graph, Source&, const TechniqueContext&) const override
    {
        while (const GraphNode* node = findEpilogue(graph)) {
            const GraphNode* relu = graph.consumers(node->outputs[0]).front();
            const GraphNode fused = graph.pythonNode(
                "torch._addmm_activation({2}, {0}, {1}.t())",
                {*Graph::tensor(node->args[0]), *Graph::tensor(node->args[1]), *Graph::tensor(node->args[2])},
                relu->outputs[0]);
            graph.replace({node->id, relu->id}, {fused});
        }
    }
};

} // namespace

std::unique_ptr<Technique> makeGemmEpilogue()
{
    return std::make_unique<GemmEpilogue>();
}

} // namespace cudal1::policy
