// SPDX-License-Identifier: GPL-3.0-or-later
// Technique transposed_by_phase: a transposed convolution as ordinary convolutions, one for each remainder of the
// result's place by the stride.
#include "core/base/timetext.h"
#include "core/policy/convolutions.h"
#include "core/policy/kernelwriter.h"
#include "core/policy/technique.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

bool single(const Shape& numbers)
{
    return std::all_of(numbers.begin(), numbers.end(), [](std::int64_t n) { return n == 1; });
}

/// A transposed convolution that ordinary ones replace, and gain on this kind of device.
std::optional<Convolution> findTransposed(const Graph& graph, bool cuda)
{
    for (const GraphNode& node : graph.nodes()) {
        const auto c = convolutionOf(graph, node);
        if (!c || !c->transposed || c->dilated() || c->groups != 1)
            continue;
        bool fits = true;
        for (std::size_t i = 0; i < c->axes(); ++i) {
            const bool one = c->stride[i] == 1;
            fits = fits && c->kernel[i] >= c->stride[i] &&
                   (!one || (c->outputPadding[i] == 0 && c->padding[i] < c->kernel[i]));
        }
        // On a GPU the phases' results are written with gaps, which costs more than it saves; of images with two axes
        // the library computes the transposed convolution as fast as an ordinary one.
        if (fits && (!cuda || (single(c->stride) && c->axes() == 3)))
            return c;
    }
    return {};
}

const std::string byPhase = R"py(def phase_taps(weight, stride):
    """The weights of the ordinary convolutions that a transposed one consists of, one for each remainder by the stride."""
    flipped = weight.transpose(0, 1).flip(*range(2, weight.dim()))
    phases = [flipped]
    for axis, step in enumerate(stride, 2):
        taps = weight.shape[axis]
        starts = [(taps - 1 - remainder) % step for remainder in range(step)]
        phases = [p[(slice(None),) * axis + (slice(start, None, step),)] for p in phases for start in starts]
    return tuple(p.contiguous() for p in phases)


def convolve_by_phase(x, phases, bias, shape, stride, padding):
    """The transposed convolution whose phase_taps() are `phases`: each fills the places of its remainder."""
    convolution = (torch.conv1d, torch.conv2d, torch.conv3d)[x.dim() - 3]
    out = x.new_empty(shape)
    for number, taps in enumerate(phases):
        target, margins, windows = out, [], []
        for axis in reversed(range(len(stride))):  # the last axis changes fastest
            number, remainder = divmod(number, stride[axis])
            first = (remainder - padding[axis]) % stride[axis]
            places = len(range(first, shape[axis + 2], stride[axis]))
            before = taps.shape[axis + 2] - 1 - (first + padding[axis] - remainder) // stride[axis]
            after = places + taps.shape[axis + 2] - 1 - before - x.shape[axis + 2]
            margin = max(before, after, 0)
            margins.insert(0, margin)
            windows.append((axis + 2, margin - before, places))
            index = [slice(None)] * out.dim()
            index[axis + 2] = slice(first, None, stride[axis])
            target = target[tuple(index)]
        result = convolution(x, taps, bias, padding=margins)
        for window in windows:
            result = result.narrow(*window)
        target.copy_(result)
    return out
)py";

class TransposedByPhase : public Technique {
public:
    std::string id() const override { return "transposed_by_phase"; }
    std::string title() const override { return "Transposed convolution by phase"; }
    std::string comment() const override
    {
        return "compute a transposed convolution as ordinary ones, one for each remainder by the stride";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        std::string why;
        if (!context.rewritable(why))
            return Match::no(why);
        const Graph& graph = context.graph;
        const auto c = findTransposed(graph, context.cuda());
        if (!c)
            return Match::no(context.cuda()
                                 ? "No transposed convolution of volumes has stride 1; others gain nothing on a GPU."
                                 : "The graph has no transposed convolution without groups and dilation.");
        std::int64_t phases = 1;
        for (const std::int64_t step : c->stride)
            phases *= step;
        const GraphNode& node = *graph.producer(c->result);
        const double share = context.share(node.time_ns);
        Match m;
        m.applies = true;
        m.gain = 1 / (1 - 0.5 * share);
        m.finding = "A transposed convolution with a " + shapeText(graph.shape(c->weight)) + " weight takes " +
                    base::timeText(node.time_ns) + ", " + numberText(100 * share) +
                    " % of the operators' time; ordinary convolutions of the same work are faster.";
        m.design = phases == 1
                     ? "With stride 1 it is the ordinary convolution with the flipped weight, and with more zeros "
                       "around the input. The flipped weight is kept and computed again when the weight changes."
                     : "Results whose places have the same remainder by the stride need the same taps. Each of the " +
                           std::to_string(phases) +
                           " phases is an ordinary convolution with its part of the taps, flipped; no multiplication "
                           "is added. The parts are kept and computed again when the weight changes.";
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext& context) const override
    {
        while (const auto c = findTransposed(graph, context.cuda())) {
            Source::once(source.helpers, preparedHelper());
            const GraphNode node = *graph.producer(c->result);
            graph.replace({node.id},
                          single(c->stride) ? flipped(graph, source, *c, node) : phases(graph, source, *c, node));
        }
    }

private:
    static std::vector<GraphNode> flipped(Graph& graph, Source& source, const Convolution& c, const GraphNode& node)
    {
        std::string axes;
        Shape shape = graph.shape(c.weight), padding;
        std::swap(shape[0], shape[1]);
        for (std::size_t i = 0; i < c.axes(); ++i) {
            axes += (i ? ", " : "") + std::to_string(i + 2);
            padding.push_back(c.kernel[i] - 1 - c.padding[i]);
        }
        const std::string name = addMethod(source, "flipped_" + std::to_string(c.result), "(self, weight)",
                                           "return (weight.transpose(0, 1).flip(" + axes + ").contiguous(),)\n");
        const int weight = graph.addValue(shape, "float32");
        std::vector<GraphNode> added{preparedNode(graph, name, {c.weight}, {weight})};
        added.back().kwargs["stem"] = "flipped_";
        nlohmann::json args = node.args;
        args[1] = {{"value", weight}};
        args[4] = padding;
        args[6] = false;
        added.push_back(graph.makeNode(node.op, std::move(args), {c.result}));
        return added;
    }

    static std::vector<GraphNode> phases(Graph& graph, Source& source, const Convolution& c, const GraphNode& node)
    {
        Source::once(source.helpers, byPhase);
        const std::string name = addMethod(source, "phases_" + std::to_string(c.result), "(self, weight)",
                                           "return phase_taps(weight, " + tupleText(c.stride) + ")\n");
        std::vector<int> values{c.x, c.weight};
        if (c.bias)
            values.push_back(*c.bias);
        return {graph.pythonNode("convolve_by_phase({0}, prepared(self, '" + name + "', {1}), " +
                                     (c.bias ? "{2}" : "None") + ", " + tupleText(graph.shape(c.result)) + ", " +
                                     tupleText(c.stride) + ", " + tupleText(c.padding) + ")",
                                 values, node.outputs[0])};
    }
};

} // namespace

std::unique_ptr<Technique> makeTransposedByPhase()
{
    return std::make_unique<TransposedByPhase>();
}

} // namespace cudal1::policy
