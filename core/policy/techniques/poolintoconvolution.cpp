// SPDX-License-Identifier: GPL-3.0-or-later
// Technique pool_into_convolution: an average pool behind a convolution becomes a part of its weight.
#include "core/base/timetext.h"
#include "core/policy/convolutions.h"
#include "core/policy/technique.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

/// Along one axis: what the taps of the joined convolution are made of, and where it reads.
struct JoinedAxis {
    std::vector<std::vector<bool>> mix; ///< [new tap][old tap]: whether the old one is a part of the new one
    std::int64_t stride = 1;
    std::int64_t before = 0, after = 0; ///< zeros around the input; negative: so many places are not read
};

struct PoolSite : ScaledConvolution {
    GraphNode pool;
    Shape window, stride;
    std::vector<JoinedAxis> axes;

    /// A convolution of single taps leaves places apart: it can follow the pool.
    bool pointwise() const
    {
        const Convolution& c = convolution;
        const Shape ones(c.axes(), 1), zeros(c.axes(), 0);
        return !c.transposed && c.kernel == ones && c.stride == ones && c.padding == zeros;
    }
    double multiplications(const Graph& graph) const
    {
        const Shape& out = graph.shape(pool.outputs[0]);
        double count = 1;
        for (std::size_t i = 0; i < axes.size(); ++i)
            count *= static_cast<double>(out[i + 2]) * (pointwise() ? 1.0 : static_cast<double>(axes[i].mix.size()));
        return count;
    }
};

/// With y[o] = sum over t of x[o s - p + t] w[t], the mean over a window of q results reads x[o S s - p + j] with the
/// sum of those w[t] for which j = a s + t, 0 <= a < q.
JoinedAxis joinOrdinary(const Convolution& c, std::size_t i, std::int64_t window, std::int64_t stride, std::int64_t out)
{
    JoinedAxis axis;
    const std::int64_t taps = (window - 1) * c.stride[i] + c.kernel[i];
    axis.mix.assign(static_cast<std::size_t>(taps), std::vector<bool>(static_cast<std::size_t>(c.kernel[i])));
    for (std::int64_t a = 0; a < window; ++a) {
        for (std::int64_t t = 0; t < c.kernel[i]; ++t)
            axis.mix[static_cast<std::size_t>(a * c.stride[i] + t)][static_cast<std::size_t>(t)] = true;
    }
    axis.stride = stride * c.stride[i];
    axis.before = c.padding[i];
    axis.after = (out - 1) * axis.stride + taps - axis.before - c.in[i];
    return axis;
}

/// A transposed convolution has y[i s - p + t] += x[i] w[t]. Where S is a multiple of s, the mean over the window from
/// o S on reads x[o S / s + d] with the sum of those w[t] for which t = j + p - d s, 0 <= j < q.
JoinedAxis joinTransposed(const Convolution& c, std::size_t i, std::int64_t window, std::int64_t stride,
                          std::int64_t out)
{
    JoinedAxis axis;
    const std::int64_t s = c.stride[i], p = c.padding[i];
    const std::int64_t room = c.kernel[i] - 1 - p; // the first d is -room / s, rounded up
    const std::int64_t first = -(room >= 0 ? room / s : -((s - 1 - room) / s));
    for (std::int64_t d = first; window - 1 + p - d * s >= 0; ++d) {
        std::vector<bool> row(static_cast<std::size_t>(c.kernel[i]));
        for (std::int64_t j = 0; j < window; ++j) {
            const std::int64_t t = j + p - d * s;
            if (t >= 0 && t < c.kernel[i])
                row[static_cast<std::size_t>(t)] = true;
        }
        axis.mix.push_back(std::move(row));
    }
    axis.stride = stride / s;
    axis.before = -first;
    axis.after = (out - 1) * axis.stride + first + static_cast<std::int64_t>(axis.mix.size()) - c.in[i];
    return axis;
}

std::optional<PoolSite> findPool(const Graph& graph)
{
    for (const GraphNode& node : graph.nodes()) {
        const auto pool = plainPoolOf(graph, node);
        if (!pool || !pool->mean)
            continue;
        auto before = scaledConvolutionBefore(graph, pool->x);
        if (!before)
            continue;
        PoolSite site{std::move(*before), node, pool->window, pool->stride, {}};
        const Convolution& convolution = site.convolution;
        bool joins = !convolution.transposed || convolution.groups == 1;
        for (std::size_t i = 0; i < convolution.axes() && joins; ++i) {
            const std::int64_t out = graph.shape(node.outputs[0])[i + 2];
            joins = !convolution.transposed || site.stride[i] % convolution.stride[i] == 0;
            if (joins)
                site.axes.push_back((convolution.transposed ? joinTransposed : joinOrdinary)(
                    convolution, i, site.window[i], site.stride[i], out));
        }
        if (joins && site.multiplications(graph) < 0.9 * convolution.multiplications())
            return site;
    }
    return {};
}

const std::string mixTaps = R"py(def mix_taps(weight, *mixes):
    """New taps along each axis of a convolution's weight: each is the mean of the old ones that its list names."""
    for axis, (window, mix) in enumerate(mixes, 2):
        taps = [sum((weight.select(axis, old) for old in row), torch.zeros_like(weight.select(axis, 0))) for row in mix]
        weight = torch.stack(taps, axis) / window
    return weight.contiguous()
)py";

class PoolIntoConvolution : public Technique {
public:
    std::string id() const override { return "pool_into_convolution"; }
    std::string title() const override { return "Average pool in the weight"; }
    std::string comment() const override
    {
        return "convolve with the means of the taps instead of averaging the convolution's results";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        std::string why;
        if (!context.rewritable(why))
            return Match::no(why);
        const Graph& graph = context.graph;
        const auto site = findPool(graph);
        if (!site)
            return Match::no("No average pool without padding follows a convolution, directly or after constant "
                             "scales, so that joining the two would save work.");
        const Convolution& c = site->convolution;
        const double saved = c.multiplications() / site->multiplications(graph);
        const double time_ns = site->node.time_ns + site->pool.time_ns;
        const double share = context.share(time_ns);
        Match m;
        m.applies = true;
        m.gain = 1 / std::max(0.1, 1 - share * (1 - 1 / saved));
        m.finding = std::string("An average pool follows a ") + (c.transposed ? "transposed " : "") +
                    "convolution: of its " + shapeText(graph.shape(c.result)) + " results only means over windows of " +
                    shapeText(site->window) + " are used. The two take " + base::timeText(time_ns) + ", " +
                    numberText(100 * share) + " % of the operators' time.";
        m.design = site->pointwise()
                     ? "The convolution has single taps, so it leaves places apart: the mean of the inputs comes "
                       "first, and the convolution runs on what is left. Both are linear, so the result is the same."
                     : "Both are linear, so their product is one convolution, whose taps are means of the old ones: " +
                           numberText(saved) +
                           " times fewer multiplications, and the results between the two are never written. The "
                           "joined weight is kept and computed again when the weight changes.";
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext&) const override
    {
        while (const auto site = findPool(graph)) {
            const int result = site->pool.outputs[0];
            const bool steps = !site->steps.nodes.empty();
            const int convolved = steps ? graph.addValue(graph.shape(result), graph.value(result).dtype) : result;
            std::vector<GraphNode> added = site->pointwise() ? pooledFirst(graph, *site, convolved)
                                                             : joined(graph, source, *site, convolved);
            if (steps) {
                for (GraphNode& step : movedTo(graph, site->steps, convolved, result))
                    added.push_back(std::move(step));
            }
            graph.replace(site->steps.idsWith({site->node.id, site->pool.id}), std::move(added));
        }
    }

private:
    static std::vector<GraphNode> pooledFirst(Graph& graph, const PoolSite& site, int convolved)
    {
        Shape shape = graph.shape(site.pool.outputs[0]);
        shape[1] = graph.shape(site.convolution.x)[1];
        const int pooled = graph.addValue(shape, "float32");
        GraphNode pool = graph.makeNode(site.pool.op, site.pool.args, {pooled});
        pool.kwargs = site.pool.kwargs;
        pool.args[0] = {{"value", site.convolution.x}};
        GraphNode convolution = graph.makeNode(site.node.op, site.node.args, {convolved});
        convolution.args[0] = {{"value", pooled}};
        convolution.time_ns = site.node.time_ns * site.multiplications(graph) / site.convolution.multiplications();
        return {std::move(pool), std::move(convolution)};
    }

    static std::vector<GraphNode> joined(Graph& graph, Source& source, const PoolSite& site, int convolved)
    {
        Source::once(source.helpers, preparedHelper());
        Source::once(source.helpers, mixTaps);
        const Convolution& c = site.convolution;
        std::string mixes;
        Shape weightShape = graph.shape(c.weight), paddedShape = graph.shape(c.x), stride, padding, pads;
        if (c.transposed)
            std::swap(weightShape[0], weightShape[1]);
        bool even = true;
        for (std::size_t i = 0; i < site.axes.size(); ++i) {
            const JoinedAxis& axis = site.axes[i];
            mixes += ", (" + std::to_string(site.window[i]) + ", " + mixText(axis) + ")";
            pads.insert(pads.begin(), {axis.before, axis.after}); // the last axis comes first
            weightShape[i + 2] = static_cast<std::int64_t>(axis.mix.size());
            paddedShape[i + 2] += axis.before + axis.after;
            stride.push_back(axis.stride);
            // A convolution's own padding is the same on both sides; what it has no use for at the end it leaves out.
            even = even && axis.before >= 0 && axis.after <= axis.before && axis.after > axis.before - axis.stride;
            padding.push_back(axis.before);
        }
        const std::string name = addMethod(source, "pooled_" + std::to_string(site.pool.outputs[0]), "(self, weight)",
                                           std::string("return (mix_taps(weight") +
                                               (c.transposed ? ".transpose(0, 1)" : "") + mixes + "),)\n");
        const int weight = graph.addValue(weightShape, "float32");
        std::vector<GraphNode> added{preparedNode(graph, name, {c.weight}, {weight})};
        added.back().kwargs["stem"] = "pooled_";
        int x = c.x;
        if (!even) {
            x = graph.addValue(paddedShape, "float32");
            added.push_back(graph.makeNode("aten.constant_pad_nd.default", {{{"value", c.x}}, pads, 0}, {x}));
            padding.assign(site.axes.size(), 0);
        }
        nlohmann::json args = site.node.args;
        args[0] = {{"value", x}};
        args[1] = {{"value", weight}};
        args[3] = stride;
        args[4] = padding;
        args[6] = false;
        args[7] = Shape(site.axes.size(), 0);
        added.push_back(graph.makeNode(site.node.op, std::move(args), {convolved}));
        added.back().time_ns = site.node.time_ns * site.multiplications(graph) / c.multiplications();
        return added;
    }

    static std::string mixText(const JoinedAxis& axis)
    {
        std::string out;
        for (const std::vector<bool>& row : axis.mix) {
            std::string taps;
            for (std::size_t t = 0; t < row.size(); ++t) {
                if (row[t])
                    taps += (taps.empty() ? "" : ", ") + std::to_string(t);
            }
            out += (out.empty() ? "[" : ", [") + taps + "]";
        }
        return "[" + out + "]";
    }
};

} // namespace

std::unique_ptr<Technique> makePoolIntoConvolution()
{
    return std::make_unique<PoolIntoConvolution>();
}

} // namespace cudal1::policy
