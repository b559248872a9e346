// SPDX-License-Identifier: GPL-3.0-or-later
// Technique split_reduction: statistics of norms by a kernel that has several blocks for each set of elements. What
// remains of the norm is element-wise.
#include "core/base/timetext.h"
#include "core/policy/elementwisechains.h"
#include "core/policy/normsite.h"
#include "core/policy/technique.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

std::vector<NormSite> normSites(const Graph& graph)
{
    std::vector<NormSite> out;
    for (const GraphNode& node : graph.nodes()) {
        if (auto site = normSite(graph, node))
            out.push_back(std::move(*site));
    }
    return out;
}

/// What stands before the norm is computed again instead of being stored between the two kernels.
void takeElementwise(const Graph& graph, NormSite& site)
{
    Chain chain = chainBefore(graph, site.x, graph.producer(site.result)->id);
    if (chain.nodes.empty())
        return;
    site.moments.programInput = *chain.input();
    site.read.erase(site.read.begin());
    site.read.insert(site.read.begin(), chain.program->inputs.begin(), chain.program->inputs.end());
    site.moments.program = std::move(chain.program);
}

class SplitReduction : public Technique {
public:
    std::string id() const override { return "split_reduction"; }
    std::string title() const override { return "Two-step reduction"; }
    std::string comment() const override
    {
        return "take the statistics of norms in many parts, so that the whole GPU works, and normalize behind that";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        if (!context.cuda())
            return Match::no("The device is a CPU, whose few cores one row each keeps busy.");
        std::string why;
        if (!context.rewritable(why))
            return Match::no(why);
        const auto sites = normSites(context.graph);
        if (sites.empty())
            return Match::no("There is no batch norm in training mode over images, and no group norm, instance norm or "
                             "layer norm of few long rows or of more than the cache holds.");
        double replaced = 0, expected = 0;
        std::string list;
        for (const NormSite& site : sites) {
            replaced += site.replaced_ns;
            expected += site.expected_ns;
            if (&site - sites.data() < 4)
                list += (list.empty() ? "" : "; ") + site.kind + " of " + shapeText(context.graph.shape(site.x)) +
                        ", " + std::to_string(site.moments.sets) + " sets of " + std::to_string(site.moments.count()) +
                        " elements, in " + base::timeText(site.replaced_ns);
        }
        Match m;
        m.applies = true;
        const double left = 1 - context.share(std::max(0.0, replaced - expected));
        m.gain = std::max(1.02, 1 / std::max(0.05, left)); // what follows goes into the second kernel
        m.finding = std::to_string(sites.size()) + (sites.size() == 1 ? " norm" : " norms") +
                    " whose sets are long: " + list + (sites.size() > 4 ? "; and so on" : "") + ". " +
                    numberText(100 * context.share(replaced)) + " % of the operators' time.";
        m.design =
            "One kernel reads the tensor once for mean and variance; each set of elements has as many blocks of "
            "threads as keep all multiprocessors at work. Parts are joined by the exact formula for the variance of "
            "two sets, so nothing cancels. A batch norm's running statistics are updated as before. What is left of a "
            "norm is (x - mean) * scale + bias, which goes into one kernel with what follows; an average pool behind "
            "it comes first, since the average of normalized values is the normalized average. Expected: " +
            base::timeText(expected) + ".";
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext& context) const override
    {
        // An edit ends pointers to nodes; values keep their ids.
        std::vector<int> results;
        for (const NormSite& site : normSites(graph))
            results.push_back(site.result);
        for (const int result : results) {
            if (auto site = normSite(graph, *graph.producer(result)))
                replaceSite(graph, source, std::move(*site), context);
        }
    }

private:
    static void replaceSite(Graph& graph, Source& source, NormSite site, const TechniqueContext& context)
    {
        const std::vector<GraphNode> pools = averagesBehind(graph, site);
        if (pools.empty())
            takeElementwise(graph, site);
        const std::string name = addMoments(source, site.moments, site.statistics, context);
        const NormStatistics statistics = statisticsNode(graph, site, name, site.read);
        replaceNorm(graph, site, pools, {statistics.node}, statistics);
    }
};

} // namespace

std::unique_ptr<Technique> makeSplitReduction()
{
    return std::make_unique<SplitReduction>();
}

} // namespace cudal1::policy
