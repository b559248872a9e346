// SPDX-License-Identifier: GPL-3.0-or-later
// Technique arg_reduction: places of largest and smallest values along an axis, by a kernel of our own.
#include "core/base/timetext.h"
#include "core/policy/argkernel.h"
#include "core/policy/technique.h"

#include <algorithm>
#include <optional>

namespace cudal1::policy {

namespace {

struct ArgSite {
    ArgKernel kernel;
    std::size_t axis = 0;
    int x = -1, result = -1;
    double replaced_ns = 0, expected_ns = 0;

    std::string text(const Graph& graph) const
    {
        return "where the " + std::string(kernel.largest ? "largest" : "smallest") + " value is along dimension " +
               std::to_string(axis) + " of " + shapeText(graph.shape(x));
    }
};

/// Whether the operator's result is places alone; of max and min over a dimension where nobody reads the values.
bool findsPlaces(const Graph& graph, const GraphNode& node)
{
    if (node.op == "aten.argmax.default" || node.op == "aten.argmin.default")
        return node.outputs.size() == 1;
    return (node.op == "aten.max.dim" || node.op == "aten.min.dim") && node.outputs.size() == 2 &&
           !graph.isRead(node.outputs[0]) && graph.isRead(node.outputs[1]);
}

double expected_ns(const Graph& graph, int x, const ArgKernel& kernel)
{
    const double atWork = std::min(1.0, static_cast<double>(kernel.blocks()) / processorsOfAnH100);
    const double read = static_cast<double>(graph.numel(x)) * 4, written = static_cast<double>(kernel.results()) * 8;
    const double copy_ns = isInOrder(graph, x) ? 0 : kernelLaunch_ns + 2 * read / bytesPerNs;
    return copy_ns + kernelLaunch_ns + (read + written) / bytesPerNs / atWork;
}

/// Empty where the operator is none that the kernel is for.
std::optional<ArgSite> argReduction(const Graph& graph, const GraphNode& node)
{
    if (!findsPlaces(graph, node))
        return {};
    const auto x = Graph::tensor(Graph::argument(node, 0, "self"));
    if (!x || !graph.isFloat32(*x) || graph.numel(*x) == 0)
        return {};
    const Shape& shape = graph.shape(*x);
    const auto axis = Graph::axis(Graph::argument(node, 1, "dim"), shape.size());
    if (!axis)
        return {};
    ArgSite site;
    site.axis = *axis;
    site.x = *x;
    site.result = node.outputs.back();
    site.kernel.largest = shortName(node.op).ends_with("max");
    site.kernel.extent = shape[site.axis];
    for (std::size_t i = 0; i < shape.size(); ++i)
        (i < site.axis ? site.kernel.outer : site.kernel.inner) *= i == site.axis ? 1 : shape[i];
    if (site.kernel.extent >= (std::int64_t{1} << 30) || site.kernel.blocks() >= (std::int64_t{1} << 31))
        return {};
    site.replaced_ns = node.time_ns;
    site.expected_ns = expected_ns(graph, site.x, site.kernel);
    return site;
}

std::optional<ArgSite> argSite(const Graph& graph, const GraphNode& node)
{
    auto site = argReduction(graph, node);
    if (site && site->replaced_ns > 0 && site->expected_ns > 0.9 * site->replaced_ns)
        return {};
    return site;
}

class ArgReduction : public Technique {
public:
    std::string id() const override { return "arg_reduction"; }
    std::string title() const override { return "Arg reduction in one kernel"; }
    std::string comment() const override
    {
        return "find the places of largest and smallest values by kernels that keep the whole GPU at work";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        std::string why;
        if (!context.takesKernels(why))
            return Match::no(why);
        const Graph& graph = context.graph;
        MatchedSites sites;
        std::string tooShort;
        for (const GraphNode& node : graph.nodes()) {
            if (const auto site = argSite(graph, node)) {
                sites.add(site->replaced_ns, site->expected_ns,
                          site->text(graph) + ", in " + base::timeText(site->replaced_ns));
            } else if (const auto fast = argReduction(graph, node)) {
                tooShort = "The framework finds " + fast->text(graph) + ", in " + base::timeText(fast->replaced_ns) +
                           "; a kernel of our own would take " + base::timeText(fast->expected_ns) + ".";
            }
        }
        if (sites.count == 0)
            return Match::no(!tooShort.empty() ? tooShort
                                               : "No argmax or argmin over one dimension of a float32 tensor is "
                                                 "computed.");
        Match m;
        m.applies = true;
        m.gain = sites.gain(context);
        m.finding = "The framework finds " + sites.list() + ". That takes " + sites.shareText(context) + ".";
        m.design =
            "Several threads share what lies along the dimension behind each result, and a block has so few results "
            "that all processors of the GPU get one where there are enough. Each thread keeps the best value that it "
            "has seen and its place; shared memory joins them. Of equal values the first counts, and NaN before any "
            "number, as in the framework. Expected: " +
            base::timeText(sites.expected_ns) + ".";
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext&) const override
    {
        // An edit ends pointers to nodes; values keep their ids.
        std::vector<int> results;
        for (const GraphNode& node : graph.nodes()) {
            if (const auto site = argSite(graph, node))
                results.push_back(site->result);
        }
        for (const int result : results) {
            const GraphNode& node = *graph.producer(result);
            const ArgSite site = *argSite(graph, node);
            const std::string name = addArgReduction(source, site.kernel, graph.shape(result),
                                                     "Finds " + site.text(graph) + ", in one kernel.");
            graph.replace({node.id}, {callNode(graph, name, {site.x}, {result}, "places_")});
        }
    }
};

} // namespace

std::unique_ptr<Technique> makeArgReduction()
{
    return std::make_unique<ArgReduction>();
}

} // namespace cudal1::policy
