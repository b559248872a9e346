// SPDX-License-Identifier: GPL-3.0-or-later
// Technique mean_before_convolution: the mean of a convolution over all places follows from sums of its input.
#include "core/base/timetext.h"
#include "core/policy/convolutions.h"
#include "core/policy/technique.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

struct MeanSite : ScaledConvolution {
    GraphNode mean;
    bool keep = false;
};

std::optional<MeanSite> findMean(const Graph& graph)
{
    for (const GraphNode& node : graph.nodes()) {
        const auto from = node.op == "aten.mean.dim" ? Graph::tensor(node.args[0]) : std::nullopt;
        const nlohmann::json& dims = Graph::argument(node, 1, "dim");
        if (!from || !dims.is_array())
            continue;
        const auto rank = static_cast<std::int64_t>(graph.shape(*from).size());
        std::set<std::int64_t> places;
        for (const nlohmann::json& dim : dims)
            places.insert((dim.get<std::int64_t>() + rank) % rank);
        if (rank < 3 || static_cast<std::int64_t>(places.size()) != rank - 2 || *places.begin() != 2)
            continue;
        auto before = scaledConvolutionBefore(graph, *from);
        const nlohmann::json& keep = Graph::argument(node, 2, "keepdim");
        if (before && before->convolution.groups == 1)
            return MeanSite{std::move(*before), node, keep.is_boolean() && keep.get<bool>()};
    }
    return {};
}

const std::string tapSums = R"py(def tap_places(out, size, taps, stride, padding, transposed, like):
    """[size, taps] for one axis of a convolution: 1 where a tap is multiplied with an input, 0 where it lies outside."""
    place = torch.arange(size, device=like.device)[:, None]
    tap = torch.arange(taps, device=like.device)[None, :]
    if transposed:  # result[place * stride - padding + tap] gets input[place] times the tap
        to = place * stride - padding + tap
        reached = (to >= 0) & (to < out)
    else:  # result[to] gets input[to * stride - padding + tap] times the tap
        to = place + padding - tap
        reached = (to >= 0) & (to < out * stride) & (to % stride == 0)
    return reached.to(like.dtype)


def tap_sums(x, *places):
    """For each channel and tap of a convolution the sum of all inputs that the tap is multiplied with."""
    for matrix in reversed(places):
        x = torch.movedim(x @ matrix, -1, 2)
    return x.flatten(1)
)py";

class MeanBeforeConvolution : public Technique {
public:
    std::string id() const override { return "mean_before_convolution"; }
    std::string title() const override { return "Mean before convolution"; }
    std::string comment() const override
    {
        return "sum the convolution's input for each tap instead of averaging its results";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        std::string why;
        if (!context.rewritable(why))
            return Match::no(why);
        const Graph& graph = context.graph;
        const auto site = findMean(graph);
        if (!site)
            return Match::no("No mean over all places of an image follows a convolution, directly or after constant "
                             "scales.");
        const Convolution& c = site->convolution;
        const double time_ns = site->node.time_ns + site->mean.time_ns;
        const double share = context.share(time_ns);
        Match m;
        m.applies = true;
        m.gain = 1 / std::max(0.1, 1 - 0.9 * share);
        m.finding = std::string("Of the ") + shapeText(graph.shape(c.result)) + " results of a " +
                    (c.transposed ? "transposed " : "") +
                    "convolution only the mean over all places is used. The two take " + base::timeText(time_ns) +
                    ", " + numberText(100 * share) + " % of the operators' time.";
        m.design =
            "The sum of all results of a channel is the sum over taps of w[t] times the sum of those inputs that "
            "w[t] is multiplied with; at the borders some are left out. So the input is summed once for each "
            "tap, and one small product with the weight is left. It holds for all inputs and weights, and "
            "nothing of the convolution's size is computed or written.";
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext&) const override
    {
        while (const auto site = findMean(graph)) {
            Source::once(source.helpers, preparedHelper());
            Source::once(source.helpers, tapSums);
            const Convolution& c = site->convolution;
            std::vector<GraphNode> added = means(graph, source, *site);
            const int channels = added.back().outputs[0];
            const int result = site->mean.outputs[0];
            Shape kept = graph.shape(c.result);
            std::fill(kept.begin() + 2, kept.end(), 1);
            const bool steps = !site->steps.nodes.empty();
            const int image = steps || !site->keep ? graph.addValue(kept, "float32") : result;
            added.push_back(graph.makeNode("aten.reshape.default", {{{"value", channels}}, kept}, {image}));
            int last = image;
            if (steps) {
                last = site->keep ? result : graph.addValue(kept, "float32");
                for (GraphNode& step : movedTo(graph, site->steps, image, last))
                    added.push_back(std::move(step));
            }
            if (!site->keep)
                added.push_back(
                    graph.makeNode("aten.reshape.default", {{{"value", last}}, graph.shape(result)}, {result}));
            graph.replace(site->steps.idsWith({site->node.id, site->mean.id}), std::move(added));
        }
    }

private:
    /// [batch, channels]: the means of the convolution's results.
    static std::vector<GraphNode> means(Graph& graph, Source& source, const MeanSite& site)
    {
        const Convolution& c = site.convolution;
        const Shape& taps = graph.shape(c.weight);
        const std::int64_t outputs = graph.shape(c.result)[1];
        const std::int64_t sums = taps[0] * taps[1] / outputs * product(c.kernel);
        std::string statements = c.transposed ? "weight = weight.transpose(0, 1)\n" : "";
        statements += "return (weight.flatten(1) / " + std::to_string(product(c.out));
        const int weight = graph.addValue({outputs, sums}, "float32");
        std::vector<int> prepared{weight};
        std::string code = "tap_sums({0}";
        for (std::size_t i = 0; i < c.axes(); ++i) {
            statements += ",\n        tap_places(" + std::to_string(c.out[i]) + ", " + std::to_string(c.in[i]) + ", " +
                          std::to_string(c.kernel[i]) + ", stride=" + std::to_string(c.stride[i]) +
                          ", padding=" + std::to_string(c.padding[i]) +
                          ", transposed=" + (c.transposed ? "True" : "False") + ", like=weight)";
            prepared.push_back(graph.addValue({c.in[i], c.kernel[i]}, "float32"));
            code += ", {" + std::to_string(i + 1) + "}";
        }
        const std::string name = addMethod(source, "summed_" + std::to_string(site.mean.outputs[0]), "(self, weight)",
                                           statements + ")\n");
        std::vector<GraphNode> added{preparedNode(graph, name, {c.weight}, prepared)};
        added.back().kwargs["stem"] = "taps_";
        const int summed = graph.addValue({graph.shape(c.x)[0], sums}, "float32");
        std::vector<int> read = prepared;
        read.front() = c.x;
        added.push_back(graph.pythonNode(code + ")", read, summed));
        added.back().kwargs["stem"] = "sums_";
        const int channels = graph.addValue({graph.shape(c.x)[0], outputs}, "float32");
        added.push_back(
            graph.makeNode("cudal1.linear", {{{"value", summed}}, {{"value", weight}}, site.node.args[2]}, {channels}));
        return added;
    }

    static std::int64_t product(const Shape& shape)
    {
        std::int64_t out = 1;
        for (const std::int64_t extent : shape)
            out *= extent;
        return out;
    }
};

} // namespace

std::unique_ptr<Technique> makeMeanBeforeConvolution()
{
    return std::make_unique<MeanBeforeConvolution>();
}

} // namespace cudal1::policy
