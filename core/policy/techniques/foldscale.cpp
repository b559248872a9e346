// SPDX-License-Identifier: GPL-3.0-or-later
// Technique fold_scale: scales, shifts and fixed batch norms behind a linear layer or convolution move into its
// weights.
#include "core/base/timetext.h"
#include "core/policy/affine.h"
#include "core/policy/technique.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

std::vector<AffineChain> foldableChains(const Graph& graph)
{
    std::vector<AffineChain> out;
    for (AffineChain& chain : affineChains(graph)) {
        if (!chain.trivial())
            out.push_back(std::move(chain));
    }
    return out;
}

bool trainingBatchNorm(const Graph& graph)
{
    return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const GraphNode& node) {
        return shortName(node.op).find("batch_norm") != std::string::npos && node.args.size() > 5 &&
               node.args[5] == true;
    });
}

class FoldScale : public Technique {
public:
    std::string id() const override { return "fold_scale"; }
    std::string title() const override { return "Folding into weights"; }
    std::string comment() const override
    {
        return "fold constant scales, biases and fixed batch norms into the weights before them";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        std::string why;
        if (!context.rewritable(why))
            return Match::no(why);
        const Graph& graph = context.graph;
        const auto chains = foldableChains(graph);
        if (chains.empty()) {
            if (trainingBatchNorm(graph))
                return Match::no("The batch norm uses the statistics of the batch (training mode), which are no "
                                 "constants that could be folded.");
            const bool any = std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const GraphNode& n) {
                return n.op == "cudal1.linear" || n.op == "aten.convolution.default";
            });
            return Match::no(
                any ? "No constant scale, shift or fixed batch norm directly follows a linear layer or convolution."
                    : "The graph has no linear layer or convolution with weights of its own.");
        }
        std::string list;
        double saved = 0;
        for (const AffineChain& chain : chains) {
            for (const std::string& name : chain.operators)
                list += (list.empty() ? "" : ", ") + name;
            for (const GraphNode& node : graph.nodes())
                saved += node.id != chain.root->id && chain.nodes.contains(node.id) ? node.time_ns : 0;
        }
        const double share = context.share(saved);
        Match m;
        m.applies = true;
        m.gain = 1 / std::max(0.05, 1 - share);
        m.finding = "Behind the weights stand operators that only scale and shift channels: " + list + ". They take " +
                    base::timeText(saved) + ", " + numberText(100 * share) + " % of the operators' time.";
        m.design = "a (W x + b) + c = (a W) x + (a b + c): the folded weights are computed once, kept, and computed "
                   "again when a weight changes, so the operators behind disappear.";
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext&) const override
    {
        for (auto chains = foldableChains(graph); !chains.empty(); chains = foldableChains(graph))
            fold(graph, source, chains.front());
        graph.removeDead();
    }

private:
    static void fold(Graph& graph, Source& source, const AffineChain& chain)
    {
        Source::once(source.helpers, preparedHelper());
        const int weight = *Graph::tensor(chain.root->args[1]);
        const Shape shape = graph.shape(weight);
        const std::string dtype = graph.value(weight).dtype;
        const bool scales = chain.scale != 1 || !chain.scaleFactors.empty();
        const bool shifts = chain.hasBias() ? scales || chain.shift != 0 || !chain.shiftTerms.empty()
                                            : chain.shift != 0 || !chain.shiftTerms.empty();
        std::vector<std::string> results;
        std::vector<int> outputs;
        GraphNode root = *chain.root;
        if (scales) {
            results.push_back(chain.weightExpression());
            outputs.push_back(graph.addValue(shape, dtype));
            root.args[1] = {{"value", outputs.back()}};
        }
        if (shifts) {
            results.push_back("(" + chain.biasExpression("weight.new_zeros(" + std::to_string(shape[0]) + ")") +
                              ").expand(" + std::to_string(shape[0]) + ").contiguous()");
            outputs.push_back(graph.addValue({shape[0]}, dtype));
            root.args[2] = {{"value", outputs.back()}};
        }
        std::string body = "return ";
        for (const std::string& result : results)
            body += result + ", ";
        body.pop_back();
        if (results.size() > 1)
            body.pop_back();
        root.outputs = {chain.result};
        const std::string method = chain.addMethod(source, "folded", body + "\n");
        graph.replace(chain.nodes, {chain.prepare(graph, method, outputs), root});
    }
};

} // namespace

std::unique_ptr<Technique> makeFoldScale()
{
    return std::make_unique<FoldScale>();
}

} // namespace cudal1::policy
