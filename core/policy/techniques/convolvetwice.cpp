// SPDX-License-Identifier: GPL-3.0-or-later
// Technique convolve_twice: a norm behind a convolution takes its statistics from a kernel that convolves and stores
// nothing else. Then the convolution runs again, with the norm behind it, so that results are written once and never
// read; or it does not, where only means over places are wanted.
#include "core/base/timetext.h"
#include "core/policy/convolutions.h"
#include "core/policy/convolutionsource.h"
#include "core/policy/normsite.h"
#include "core/policy/technique.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace cudal1::policy {

namespace {

struct NormedConvolution {
    NormSite norm;
    ConvolutionSite moments;
    std::vector<int> means; ///< ids of values that are means over all places of the norm's results
    bool again = false;     ///< whether anything else is made of the norm's results
    double replaced_ns = 0, expected_ns = 0;
};

/// Whether `value` is read by the operators of `chain`, or by `reader` where it has none, and by nothing else.
bool readWithin(const Graph& graph, int value, const Chain& chain, int reader)
{
    const auto readers = graph.consumers(value);
    return !graph.isOutput(value) && std::all_of(readers.begin(), readers.end(), [&](const GraphNode* node) {
        return node->id == reader || std::any_of(chain.nodes.begin(), chain.nodes.end(),
                                                 [&](const GraphNode* one) { return one->id == node->id; });
    });
}

std::optional<NormedConvolution> normedConvolution(const TechniqueContext& context, const Graph& graph,
                                                   const GraphNode& node)
{
    auto norm = anyNormSite(graph, node);
    if (!norm || !norm->channels || !graph.usedOnce(norm->x))
        return {};
    const Chain behind = chainBefore(graph, norm->x, node.id);
    const GraphNode* convolution = graph.producer(behind.from);
    if (!convolution || !readWithin(graph, behind.from, behind, node.id))
        return {};
    auto moments = momentsSite(context, graph, *convolution, behind);
    // The second convolution must be one of ours as well, or its results are written and read.
    const auto own = moments ? convolutionSite(context, graph, *convolution) : std::nullopt;
    if (!own)
        return {};
    NormedConvolution out{std::move(*norm), std::move(*moments), {}, false};
    out.again = graph.isOutput(out.norm.result);
    for (const GraphNode* reader : graph.consumers(out.norm.result)) {
        if (averagesAllPlaces(graph, *reader)) {
            out.means.push_back(reader->outputs[0]);
            out.replaced_ns += reader->time_ns;
        } else {
            out.again = true;
        }
    }
    // Without this technique the results are written, read for the statistics, read again and written.
    const double pass_ns = static_cast<double>(graph.bytes(out.norm.x)) / context.rateOfMemory();
    const double apart_ns = own->expected_ns +
                            (out.again ? 2 * kernelLaunch_ns + 3 * pass_ns : kernelLaunch_ns + pass_ns);
    const double joined_ns = out.moments.expected_ns + (out.again ? own->expected_ns : 0);
    if (joined_ns > 0.9 * apart_ns)
        return {};
    out.replaced_ns += out.norm.replaced_ns + convolution->time_ns;
    for (const GraphNode* one : behind.nodes)
        out.replaced_ns += one->time_ns;
    out.expected_ns = joined_ns;
    return out;
}

class ConvolveTwice : public Technique {
public:
    std::string id() const override { return "convolve_twice"; }
    std::string title() const override { return "Convolve twice"; }
    std::string comment() const override
    {
        return "take a norm's statistics from a convolution that stores nothing else, and convolve again for results";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        std::string why;
        if (!context.takesKernels(why))
            return Match::no(why);
        MatchedSites sites;
        bool others = false; // norms that split_reduction would take
        for (const GraphNode& node : context.graph.nodes()) {
            if (const auto site = normedConvolution(context, context.graph, node))
                sites.add(site->replaced_ns, site->expected_ns,
                          site->moments.description(context.graph) + ", then a " + site->norm.kind +
                              (site->again ? "" : ", of which only means over places are used"));
            else if (normSite(context.graph, node))
                others = true;
        }
        if (sites.count == 0)
            return Match::no("No batch norm in training mode, group norm or instance norm follows a convolution of our "
                             "own so that convolving again would take less time than writing and reading the results "
                             "between.");
        Match m;
        m.applies = true;
        m.gain = sites.gain(context);
        if (!others)
            m.settles.insert("split_reduction");
        m.finding = "A norm follows a convolution: " + sites.list() + ". They take " +
                    base::timeText(sites.replaced_ns) + ", " + sites.shareText(context) + ".";
        m.design =
            "One kernel convolves and stores only count, mean and squares of runs of tiles, which are joined by the "
            "exact formula for the variance of two sets. Means over places come from the same numbers, since the mean "
            "of normalized values is the normalized mean. Where the normalized values themselves are wanted, the "
            "convolution runs a second time with the norm behind it: its products cost less than writing its results "
            "and reading them twice. Running statistics are updated as before. Expected: " +
            base::timeText(sites.expected_ns) + ".";
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext& context) const override
    {
        // An edit ends pointers to nodes; values keep their ids.
        std::vector<int> results;
        for (const GraphNode& node : graph.nodes()) {
            if (const auto site = normedConvolution(context, graph, node))
                results.push_back(site->norm.result);
        }
        for (const int result : results) {
            if (auto site = normedConvolution(context, graph, *graph.producer(result)))
                replaceSite(graph, source, std::move(*site), context);
        }
        graph.removeDead();
    }

private:
    static void replaceSite(Graph& graph, Source& source, NormedConvolution site, const TechniqueContext& context)
    {
        NormSite& norm = site.norm;
        const Shape shape = graph.shape(norm.x); // a copy, since values are added
        const int parts = graph.addValue(partsShape(site.moments), "float32");
        site.moments.result = parts;
        std::vector<GraphNode> before = convolutionNodes(graph, source, site.moments);

        const bool batch = norm.kind == "batch norm";
        norm.moments.parts = TileParts{shape[0], site.moments.plan.runs(),
                                       batch ? norm.moments.sets : norm.moments.sets / shape[0], norm.moments.channels,
                                       batch};
        std::vector<int> read = norm.read;
        read[0] = parts;
        const NormStatistics statistics = statisticsNode(
            graph, norm, addMoments(source, norm.moments, norm.statistics, context), read);
        before.push_back(statistics.node);

        int means = -1;
        if (!site.means.empty()) {
            Shape ofChannels(shape.size(), 1);
            std::copy_n(shape.begin(), 2, ofChannels.begin());
            means = graph.addValue(ofChannels, "float32");
            before.push_back(meansNode(graph, source, site.moments, parts, means));
        }
        const std::vector<GraphNode> pools = site.means.empty() ? averagesBehind(graph, norm)
                                                                : std::vector<GraphNode>();
        replaceNorm(graph, norm, pools, std::move(before), statistics);
        for (const int result : site.means) {
            // Reductions may have dropped the axes of the places.
            const bool same = graph.shape(result) == graph.shape(means);
            const int normalized = same ? result : graph.addValue(graph.shape(means), "float32");
            std::vector<GraphNode> nodes = normalizing(graph, norm, statistics, means, normalized);
            if (!same)
                nodes.push_back(
                    graph.makeNode("aten.reshape.default", {{{"value", normalized}}, graph.shape(result)}, {result}));
            graph.replace({graph.producer(result)->id}, std::move(nodes));
        }
    }
};

} // namespace

std::unique_ptr<Technique> makeConvolveTwice()
{
    return std::make_unique<ConvolveTwice>();
}

} // namespace cudal1::policy
