// SPDX-License-Identifier: GPL-3.0-or-later
// Technique reassociate_reduction: the sum over a linear layer's features is one product with the summed weight.
#include "core/policy/affine.h"
#include "core/policy/technique.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

struct Reassociable {
    AffineChain chain; ///< linear and what scales it
    const GraphNode* reduction = nullptr;
    bool mean = false;
    bool keep = false;
};

std::optional<Reassociable> findReassociable(const Graph& graph)
{
    for (const GraphNode& node : graph.nodes()) {
        const bool mean = node.op == "aten.mean.dim";
        if (!mean && node.op != "aten.sum.dim_IntList")
            continue;
        const auto from = Graph::tensor(node.args[0]);
        if (!from || graph.shape(*from).size() != 2 || !graph.usedOnce(*from))
            continue;
        const nlohmann::json& dims = Graph::argument(node, 1, "dim");
        if (!(dims == nlohmann::json{1} || dims == nlohmann::json{-1}))
            continue;
        for (AffineChain& chain : affineChains(graph)) {
            if (chain.result == *from && chain.root->op == "cudal1.linear") {
                const nlohmann::json& keep = Graph::argument(node, 2, "keepdim");
                return Reassociable{std::move(chain), &node, mean, keep.is_boolean() && keep.get<bool>()};
            }
        }
    }
    return {};
}

class ReassociateReduction : public Technique {
public:
    std::string id() const override { return "reassociate_reduction"; }
    std::string title() const override { return "Reduction before product"; }
    std::string comment() const override
    {
        return "sum the weight over its features once instead of summing every row of the product";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        std::string why;
        if (!context.rewritable(why))
            return Match::no(why);
        const auto site = findReassociable(context.graph);
        if (!site)
            return Match::no(
                "No linear layer's features are summed or averaged directly, or after constant scales alone.");
        const Graph& graph = context.graph;
        const Shape& weight = graph.shape(*Graph::tensor(site->chain.root->args[1]));
        Match m;
        m.applies = true;
        m.gain = 1.5;
        m.settles.insert("scaled_halves");
        m.finding = "A product with a " + shapeText(weight) + " weight is followed by a " +
                    (site->mean ? "mean" : "sum") + " over its " + std::to_string(weight[0]) +
                    " features; only one number of each row is used.";
        m.design = "The sum over j of (x · w_j) is x · (the sum over j of w_j): a matrix-vector product with " +
                   std::to_string(weight[0]) +
                   " times fewer operations. The summed weight is kept and computed again when the weight changes.";
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext&) const override
    {
        const auto site = findReassociable(graph);
        if (!site)
            return;
        Source::once(source.helpers, preparedHelper());
        const AffineChain& chain = site->chain;
        const Shape weight = graph.shape(*Graph::tensor(chain.root->args[1]));
        const std::string reduce = site->mean ? ".mean(0, keepdim=True)" : ".sum(0, keepdim=True)";
        std::string body = "weight = " + chain.weightExpression() + "\n";
        const std::string bias = chain.biasExpression("weight.new_zeros(" + std::to_string(weight[0]) + ")");
        body += "bias = torch.as_tensor(" + bias + ", dtype=weight.dtype, device=weight.device).expand(" +
                std::to_string(weight[0]) + ")\n";
        body += "return weight" + reduce + ", bias" + reduce + "\n";
        const std::string name = chain.addMethod(source, "summed", body);

        const int value = chain.root->outputs[0];
        const int summedWeight = graph.addValue({1, weight[1]}, graph.value(value).dtype);
        const int summedBias = graph.addValue({1}, graph.value(value).dtype);
        std::vector<GraphNode> added{chain.prepare(graph, name, {summedWeight, summedBias})};
        const int x = *Graph::tensor(chain.root->args[0]);
        const int row = graph.addValue({graph.shape(x)[0], 1}, graph.value(value).dtype);
        added.push_back(graph.makeNode("cudal1.linear",
                                       {{{"value", x}}, {{"value", summedWeight}}, {{"value", summedBias}}},
                                       {site->keep ? site->reduction->outputs[0] : row}));
        if (!site->keep)
            added.push_back(graph.makeNode("aten.squeeze.dim", {{{"value", row}}, 1}, site->reduction->outputs));
        std::set<int> removed = chain.nodes;
        removed.insert(site->reduction->id);
        graph.replace(removed, std::move(added));
        graph.removeDead();
    }
};

} // namespace

std::unique_ptr<Technique> makeReassociateReduction()
{
    return std::make_unique<ReassociateReduction>();
}

} // namespace cudal1::policy
