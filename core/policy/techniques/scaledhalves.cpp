// SPDX-License-Identifier: GPL-3.0-or-later
// Technique scaled_halves: large products of float32 are three products of halves on tensor cores, as exact as float32.
#include "core/base/timetext.h"
#include "core/policy/halvesproduct.h"

namespace cudal1::policy {

namespace {

/// Empty where the library's float32 is expected to be as fast.
std::optional<HalvesProduct> worthHalves(const Graph& graph, const GraphNode& node, double rate)
{
    auto product = halvesProduct(graph, node, rate);
    return product && product->expected_ns < 0.9 * product->replaced_ns ? product : std::nullopt;
}

class ScaledHalves : public Technique {
public:
    std::string id() const override { return "scaled_halves"; }
    std::string title() const override { return "Products of scaled halves"; }
    std::string comment() const override
    {
        return "multiply large matrices as three products of scaled halves on tensor cores, as exact as float32";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        std::string why;
        if (!context.takesKernels(why))
            return Match::no(why);
        MatchedSites sites;
        std::string tooShort;
        const double rate = context.rateOfMemory();
        for (const GraphNode& node : context.graph.nodes()) {
            const auto product = halvesProduct(context.graph, node, rate);
            if (!product)
                continue;
            if (worthHalves(context.graph, node, rate))
                sites.add(product->replaced_ns, product->expected_ns,
                          product->text() + " in " + base::timeText(product->replaced_ns));
            else
                tooShort = "The framework multiplies " + product->text() + " in " +
                           base::timeText(product->replaced_ns) + "; with halves it is expected to take " +
                           base::timeText(product->expected_ns) + ".";
        }
        if (sites.count == 0)
            return Match::no(tooShort.empty() ? "No matrix product of float32 matrices, which lie in order or "
                                                "transposed, adds no more than a number for each column."
                                              : tooShort);
        Match m;
        m.applies = true;
        m.gain = sites.gain(context);
        m.finding = std::to_string(sites.count) + (sites.count == 1 ? " product" : " products") +
                    " of float32 matrices: " + sites.list() + ". That is " + sites.shareText(context) + ".";
        m.design =
            "Tensor cores do not multiply float32, so the library does without them. They multiply halves some fifteen "
            "times as fast, and a number is the sum of two halves when each row of the left factor and each column of "
            "the right one is scaled by a power of two: the product is then the sum of three products of halves, "
            "without about one part in four million. The library makes them as one product, whose inner dimension is "
            "cut into chunks, since tensor cores round sums towards zero; another kernel adds the chunks as float32 "
            "and takes the powers of two away again. Halves of weights are kept until these change. Expected: " +
            base::timeText(sites.expected_ns) + ".";
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext& context) const override
    {
        const double rate = context.rateOfMemory();
        // An edit ends pointers to nodes; values keep their ids.
        std::vector<int> results;
        for (const GraphNode& node : graph.nodes()) {
            if (worthHalves(graph, node, rate))
                results.push_back(node.outputs[0]);
        }
        KnownHalves known;
        for (const int result : results) {
            if (const auto product = worthHalves(graph, *graph.producer(result), rate))
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
