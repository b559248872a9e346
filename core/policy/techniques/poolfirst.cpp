// SPDX-License-Identifier: GPL-3.0-or-later
// Technique pool_first: a maximum over windows goes before element-wise functions that never decrease.
#include "core/base/timetext.h"
#include "core/policy/convolutions.h"
#include "core/policy/technique.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

struct PoolFirstSite {
    GraphNode pool;
    ElementwiseSteps steps;
};

std::optional<PoolFirstSite> findPoolFirst(const Graph& graph)
{
    for (const GraphNode& node : graph.nodes()) {
        const std::string name = shortName(node.op);
        if (name != "max_pool2d_with_indices" && name != "max_pool3d_with_indices")
            continue;
        const auto from = Graph::tensor(node.args[0]);
        const int places = node.outputs.size() > 1 ? node.outputs[1] : -1;
        const bool placesRead = places >= 0 && graph.isRead(places);
        if (!from || placesRead || graph.numel(node.outputs[0]) >= graph.numel(*from))
            continue;
        ElementwiseSteps steps = stepsBefore(graph, *from,
                                             [&](const GraphNode& step) { return neverDecreasing(graph, step); });
        if (!steps.nodes.empty() && graph.usedOnce(steps.root))
            return PoolFirstSite{node, std::move(steps)};
    }
    return {};
}

class PoolFirst : public Technique {
public:
    std::string id() const override { return "pool_first"; }
    std::string title() const override { return "Maximum before activation"; }
    std::string comment() const override
    {
        return "take the maximum of each window first, and apply the functions that never decrease to what is left";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        std::string why;
        if (!context.rewritable(why))
            return Match::no(why);
        const Graph& graph = context.graph;
        const auto site = findPoolFirst(graph);
        if (!site)
            return Match::no("No max pool directly follows an element-wise function that never decreases.");
        std::string list;
        double time_ns = 0;
        for (const GraphNode& step : site->steps.nodes) {
            list += (list.empty() ? "" : ", ") + shortName(step.op);
            time_ns += step.time_ns;
        }
        const double share = context.share(time_ns);
        const double fewer = static_cast<double>(graph.numel(site->steps.root)) /
                             static_cast<double>(graph.numel(site->pool.outputs[0]));
        Match m;
        m.applies = true;
        m.gain = 1 / std::max(0.1, 1 - share * (1 - 1 / fewer));
        m.finding = "Before the max pool stand functions that never decrease: " + list + ". They run on " +
                    shapeText(graph.shape(site->steps.root)) + " elements and take " + base::timeText(time_ns) + ", " +
                    numberText(100 * share) + " % of the operators' time.";
        m.design =
            "Where f never decreases, max(f(a), f(b)) = f(max(a, b)), for all finite inputs and weights. So the pool "
            "comes first, and the functions run on " +
            numberText(fewer) + " times fewer elements. NaN stays NaN either way.";
        return m;
    }

    void rewrite(Graph& graph, Source&, const TechniqueContext&) const override
    {
        while (const auto site = findPoolFirst(graph)) {
            const int result = site->pool.outputs[0];
            const int pooled = graph.addValue(graph.shape(result), graph.value(result).dtype);
            nlohmann::json args = site->pool.args;
            args[0] = {{"value", site->steps.root}};
            GraphNode pool = graph.makeNode(site->pool.op, std::move(args), site->pool.outputs);
            pool.kwargs = site->pool.kwargs;
            pool.outputs[0] = pooled;
            std::vector<GraphNode> added{std::move(pool)};
            for (GraphNode& step : movedTo(graph, site->steps, pooled, result))
                added.push_back(std::move(step));
            graph.replace(site->steps.idsWith({site->pool.id}), std::move(added));
        }
    }
};

} // namespace

std::unique_ptr<Technique> makePoolFirst()
{
    return std::make_unique<PoolFirst>();
}

} // namespace cudal1::policy
