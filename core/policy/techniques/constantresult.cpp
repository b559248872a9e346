// SPDX-License-Identifier: GPL-3.0-or-later
// Technique constant_result: bounds of every value prove that the result cannot depend on the inputs.
#include "core/policy/intervals.h"
#include "core/policy/technique.h"

#include <cmath>

namespace cudal1::policy {

namespace {

class ConstantResult : public Technique {
public:
    std::string id() const override { return "constant_result"; }
    std::string title() const override { return "Constant result"; }
    std::string comment() const override { return "write the only value that the result can have, for finite inputs"; }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        const Graph& graph = context.graph;
        if (!graph.analysable())
            return Match::no("No bounds were computed: " + graph.whyNotRewritable() + ".");
        if (graph.data().inputs.empty())
            return Match::no("There is no input that says where the result has to be made.");
        for (const GraphNode& node : graph.nodes()) {
            if (hasEffects(node) && graph.readsBuffers(node))
                return Match::no(node.op + " updates buffers of the module, so the computation cannot be left out.");
        }
        const auto bounds = boundsOf(graph);
        for (const int id : graph.data().outputs) {
            const Bounds& b = bounds[static_cast<std::size_t>(id)];
            if (!(b.low == b.high && std::isfinite(b.low)))
                return Match::no("The result is only known to lie in [" + numberText(b.low) + ", " +
                                 numberText(b.high) + "], which is no single value.");
            if (graph.value(id).dtype != "float32")
                return Match::no("The result has dtype " + graph.value(id).dtype + "; only float32 is written.");
        }
        const Bounds& b = bounds[static_cast<std::size_t>(graph.data().outputs.front())];
        Match m;
        m.applies = true;
        m.gain = 50;
        m.finding = "Interval analysis over " + std::to_string(graph.nodes().size()) +
                    (graph.nodes().size() == 1 ? " operator gives" : " operators gives") + " the result the bounds [" +
                    numberText(b.low) + ", " + numberText(b.high) + "] for every finite input and parameter.";
        m.design = "Since lower and upper bound are equal, nothing before the result can change it; the " +
                   shapeText(graph.shape(graph.data().outputs.front())) + " result is filled with " +
                   numberText(b.low) + " in every call.";
        return m;
    }

    void rewrite(Graph& graph, Source&, const TechniqueContext& context) const override
    {
        const auto bounds = boundsOf(context.graph);
        std::set<int> all;
        for (const GraphNode& node : graph.nodes())
            all.insert(node.id);
        std::vector<GraphNode> added;
        const std::vector<int> outputs = context.graph.data().outputs;
        for (const int old : outputs) {
            const int fresh = graph.addValue(context.graph.shape(old), "float32");
            added.push_back(graph.pythonNode("torch.full(" + shapeText(graph.shape(fresh)) + ", " +
                                                 pythonNumber(bounds[static_cast<std::size_t>(old)].low) +
                                                 ", device={0}.device)",
                                             {graph.data().inputs.front()}, fresh));
            graph.redirect(old, fresh);
        }
        graph.replace(all, std::move(added));
    }
};

} // namespace

std::unique_ptr<Technique> makeConstantResult()
{
    return std::make_unique<ConstantResult>();
}

} // namespace cudal1::policy
