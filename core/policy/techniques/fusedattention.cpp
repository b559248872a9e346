// SPDX-License-Identifier: GPL-3.0-or-later
// Technique fused_attention: scores, softmax or ReLU, and the product with the values in one kernel, which writes no
// score to memory.
#include "core/base/timetext.h"
#include "core/policy/attentionkernel.h"
#include "core/policy/technique.h"

namespace cudal1::policy {

namespace {

class FusedAttention : public Technique {
public:
    std::string id() const override { return "fused_attention"; }
    std::string title() const override { return "Attention in one kernel"; }
    std::string comment() const override
    {
        return "compute scores, what becomes of them and the product with the values in one kernel";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        std::string why;
        if (!context.takesKernels(why))
            return Match::no(why);
        MatchedSites sites;
        bool hides = false, softmax = false;
        for (const Attention& attention : attentionsOf(context.graph)) {
            sites.add(attention.replaced_ns, attention.expected_ns,
                      attention.text() + " in " + base::timeText(attention.replaced_ns));
            hides = hides || attention.causal || masksTiles(attention);
            softmax = softmax || attention.softmax;
        }
        if (sites.count == 0)
            return Match::no("No attention in float32 was found that would take longer than a kernel of our own: a "
                             "softmax or ReLU of scores between two batched products, or the framework's own operator, "
                             "with at most 128 columns, a multiple of eight.");
        Match m;
        m.applies = true;
        m.gain = sites.gain(context);
        m.finding = std::to_string(sites.count) + (sites.count == 1 ? " attention" : " attentions") +
                    " of the framework: " + sites.list() + ". That is " + sites.shareText(context) + ".";
        m.design =
            std::string("A block has some queries and goes over tiles of keys and values, so that scores stay in "
                        "registers. ") +
            (softmax ? "The largest score so far and the sum of exponentials belong to each query; where a "
                       "larger score comes, what was summed before is scaled. "
                     : "") +
            (hides ? "Tiles that a mask hides as a whole are left out. " : "") +
            "Queries, keys and values are read where they lie, without copies into order. Tensor cores multiply: "
            "in TF32 where products may use that, else the parts of each number three times, with an error like "
            "that of float32. Expected without TF32: " +
            base::timeText(sites.expected_ns) + ".";
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext&) const override
    {
        // An edit gives the rest of the graph other nodes.
        for (auto found = attentionsOf(graph); !found.empty(); found = attentionsOf(graph)) {
            const Attention& attention = found.front();
            const std::string name = addAttention(source, graph, attention);
            graph.replace(attention.nodes,
                          {callNode(graph, name, inputsOf(attention), {attention.result.value}, "attended_")});
        }
    }
};

} // namespace

std::unique_ptr<Technique> makeFusedAttention()
{
    return std::make_unique<FusedAttention>();
}

} // namespace cudal1::policy
