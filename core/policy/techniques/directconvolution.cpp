// SPDX-License-Identifier: GPL-3.0-or-later
// Technique direct_convolution: convolutions in a kernel of our own, where the library has none that is fast, with the
// operators behind them that need one place at a time.
#include "core/base/timetext.h"
#include "core/policy/convolutionsite.h"
#include "core/policy/convolutionsource.h"
#include "core/policy/technique.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

class DirectConvolution : public Technique {
public:
    std::string id() const override { return "direct_convolution"; }
    std::string title() const override { return "Direct convolution"; }
    std::string comment() const override
    {
        return "compute convolutions, and what follows them at each place, in kernels of their own";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        if (!context.cuda())
            return Match::no("The kernel is for GPUs with tensor cores; the device is a CPU.");
        std::string why;
        if (!context.rewritable(why))
            return Match::no(why);
        std::vector<ConvolutionSite> sites;
        for (const GraphNode& node : context.graph.nodes()) {
            if (auto site = convolutionSite(context, context.graph, node))
                sites.push_back(std::move(*site));
        }
        if (sites.empty())
            return Match::no("The library's convolutions, if there are any, take less time than a kernel of our own "
                             "would by its model.");
        double replaced = 0, expected = 0;
        std::size_t operators = 0;
        std::string list;
        for (const ConvolutionSite& site : sites) {
            replaced += site.replaced_ns;
            expected += site.expected_ns;
            operators += site.after.size();
            list += (list.empty() ? "" : "; ") + site.description(context.graph) + " in " +
                    base::timeText(site.replaced_ns);
        }
        const bool rows = std::ranges::any_of(sites,
                                              [](const ConvolutionSite& s) { return s.kernel.rows.has_value(); });
        Match m;
        m.applies = true;
        const int left = context.launches() - static_cast<int>(operators);
        if (left == static_cast<int>(sites.size())) // nothing but these kernels
            m.settles.insert({"fuse_elementwise", "fold_scale", "window_kernels"});
        const auto& nodes = context.graph.nodes();
        const auto all = std::count_if(nodes.begin(), nodes.end(),
                                       [](const GraphNode& node) { return shortName(node.op) == "convolution"; });
        if (static_cast<std::size_t>(all) == sites.size())
            m.settles.insert("cudnn_benchmark");
        m.gain = 1 / std::max(0.02, 1 - context.share(replaced - expected));
        m.finding = "The framework computes " + list + ", " + numberText(100 * context.share(replaced)) +
                    " % of the operators' time.";
        m.design = "A block keeps the part of the input that its tile of places needs in shared memory and multiplies "
                   "it by tensor cores; " +
                   std::string(
                       sites.front().plan.exact
                           ? "each factor is two halves of a common power of two, so products are nearly as good as in "
                             "float32"
                           : "factors are rounded to halves of a common power of two, which are as long as TF32, to "
                             "which the framework's convolutions may round them") +
                   ". A transposed convolution is computed by phase: results whose places have one remainder by the "
                   "stride need the same taps, so no multiplication by the zeros between places is made. What follows "
                   "happens in registers" +
                   std::string(rows ? ", a norm of rows too: a warp has whole rows, and four of its threads share one"
                                    : "") +
                   ". Expected: " + base::timeText(expected) +
                   ". Numbers far below the largest one nearby keep fewer digits, and where inputs are infinite, "
                   "results may be NaN instead.";
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext& context) const override
    {
        // An edit ends pointers to nodes; values keep their ids.
        std::vector<int> results;
        for (const GraphNode& node : graph.nodes()) {
            if (convolutionOf(graph, node))
                results.push_back(node.outputs[0]);
        }
        for (const int result : results) {
            if (const auto site = convolutionSite(context, graph, *graph.producer(result)))
                graph.replace(site->ids(), convolutionNodes(graph, source, *site));
        }
    }
};

} // namespace

std::unique_ptr<Technique> makeDirectConvolution()
{
    return std::make_unique<DirectConvolution>();
}

} // namespace cudal1::policy
