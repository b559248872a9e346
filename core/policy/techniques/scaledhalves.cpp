// SPDX-License-Identifier: GPL-3.0-or-later
// Technique scaled_halves: large products of float32 are three products of halves on tensor cores, nearly as exact.
#include "core/base/timetext.h"
#include "core/policy/halvesproduct.h"

namespace cudal1::policy {

namespace {

/// Whether the framework is expected to take longer than halves do.
bool isWorthHalves(const HalvesProduct& product)
{
    return product.expected_ns < 0.9 * product.replaced_ns;
}

std::optional<HalvesProduct> productToReplace(const Graph& graph, const GraphNode& node,
                                              const TechniqueContext& context)
{
    // An estimate is of float32, which the framework does not use there.
    if (context.prompt.precision == protocol::Precision::Tf32 && node.time_ns <= 0)
        return {};
    return halvesProduct(graph, node, context.rateOfMemory());
}

class ScaledHalves : public Technique {
public:
    std::string id() const override { return "scaled_halves"; }
    std::string title() const override { return "Float32 products by halves"; }
    std::string comment() const override
    {
        return "multiply large float32 matrices as three products of scaled halves on tensor cores";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        std::string why;
        if (!context.takesKernels(why))
            return Match::no(why);
        MatchedSites sites;
        std::string tooShort;
        for (const GraphNode& node : context.graph.nodes()) {
            const auto product = productToReplace(context.graph, node, context);
            if (!product)
                continue;
            if (isWorthHalves(*product))
                sites.add(product->replaced_ns, product->expected_ns,
                          product->text() + " in " + base::timeText(product->replaced_ns));
            else
                tooShort = "The framework multiplies " + product->text() + " in " +
                           base::timeText(product->replaced_ns) + "; with halves it is expected to take " +
                           base::timeText(product->expected_ns) + ".";
        }
        if (sites.count == 0)
            return Match::no(tooShort.empty()
                                 ? "There is no product of float32 matrices that lie in order or transposed, "
                                   "with at most one number added for each column."
                                 : tooShort);
        Match m;
        m.applies = true;
        m.gain = sites.gain(context);
        if (tooShort.empty())
            m.settles.insert("gemm_epilogue");
        m.finding = std::to_string(sites.count) + (sites.count == 1 ? " product" : " products") +
                    " of float32 matrices: " + sites.list() + ". That is " + sites.shareText(context) + ".";
        m.design =
            "Tensor cores do not multiply float32, so the library does without them. An H200 multiplies halves some "
            "fifteen times as fast on them, and a number is the sum of two halves when each row of the left factor and "
            "each column of the right one is scaled by a power of two: the product is then the sum of three products "
            "of halves, to within about one part in four million. Numbers that are 65,000 times smaller than the "
            "largest one of their row or column keep fewer digits. The library makes the three as one product, whose "
            "inner dimension is cut into chunks, since tensor cores round sums towards zero; another kernel adds the "
            "chunks as float32 and takes the powers of two away again. Halves of weights are kept until these change. "
            "Expected: " +
            base::timeText(sites.expected_ns) + ".";
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext& context) const override
    {
        // An edit ends pointers to nodes; values keep their ids.
        std::vector<int> results;
        for (const GraphNode& node : graph.nodes()) {
            if (const auto product = productToReplace(graph, node, context); product && isWorthHalves(*product))
                results.push_back(node.outputs[0]);
        }
        KnownHalves known;
        for (const int result : results) {
            if (const auto product = productToReplace(graph, *graph.producer(result), context))
                replaceByHalves(graph, source, *product, known);
        }
    }
};

} // namespace

std::unique_ptr<Technique> makeScaledHalves()
{
    return std::make_unique<ScaledHalves>();
}

} // namespace cudal1::policy
