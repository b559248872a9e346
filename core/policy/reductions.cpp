// SPDX-License-Identifier: GPL-3.0-or-later
// Reduced axes by operator.
#include "core/policy/reductions.h"

#include <algorithm>
#include <set>

namespace cudal1::policy {

using nlohmann::json;

namespace {

const std::set<std::string, std::less<>> reducing{"sum",
                                                  "mean",
                                                  "prod",
                                                  "amax",
                                                  "amin",
                                                  "logsumexp",
                                                  "_softmax",
                                                  "_log_softmax",
                                                  "native_layer_norm",
                                                  "native_group_norm",
                                                  "native_batch_norm",
                                                  "linalg_vector_norm"};

std::optional<std::vector<std::size_t>> axesOf(const GraphNode& node, const std::string& name, std::size_t rank)
{
    const json& dims = name == "linalg_vector_norm" ? Graph::argument(node, 2, "dim") : Graph::argument(node, 1, "dim");
    std::vector<std::size_t> axes;
    if (dims.is_null() || (dims.is_array() && dims.empty())) {
        for (std::size_t i = 0; i < rank; ++i)
            axes.push_back(i);
        return axes;
    }
    for (const json& dim : dims.is_array() ? dims : json::array({dims})) {
        if (!dim.is_number_integer())
            return {};
        axes.push_back(static_cast<std::size_t>((dim.get<std::int64_t>() + static_cast<std::int64_t>(rank)) %
                                                static_cast<std::int64_t>(std::max<std::size_t>(rank, 1))));
    }
    std::sort(axes.begin(), axes.end());
    for (std::size_t i = 1; i < axes.size(); ++i) {
        if (axes[i] != axes[i - 1] + 1)
            return {};
    }
    return axes;
}

std::vector<std::size_t> from(std::size_t first, std::size_t rank)
{
    std::vector<std::size_t> axes;
    for (std::size_t i = first; i < rank; ++i)
        axes.push_back(i);
    return axes;
}

std::optional<ReductionSpace> groupsOf(const Shape& shape, const GraphNode& node)
{
    if (shape.size() < 2 || !node.args[4].is_number_integer() || !node.args[6].is_number_integer())
        return {};
    const auto groups = node.args[6].get<std::int64_t>();
    if (node.args[4].get<std::int64_t>() != shape[1] || groups < 1 || shape[1] % groups != 0)
        return {};
    ReductionSpace out{shape, {}, groups};
    out.domain[1] = shape[1] / groups;
    out.domain.insert(out.domain.begin() + 1, groups);
    out.axes = from(2, out.domain.size());
    return out;
}

} // namespace

Shape ReductionSpace::refined(const Shape& shape) const
{
    // Shapes are aligned at their last axes; that of the channels is the second of a tensor with all of them.
    const std::size_t whole = domain.size() - 1;
    if (groups == 0 || shape.size() > whole || shape.size() + 1 < whole)
        return shape;
    const std::size_t at = shape.size() + 1 - whole;
    const std::int64_t each = domain[2];
    if (shape[at] != 1 && shape[at] != groups * each)
        return shape;
    Shape out = shape;
    out[at] = shape[at] == 1 ? 1 : each;
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(at), shape[at] == 1 ? 1 : groups);
    return out;
}

Shape ReductionSpace::ofChannels() const
{
    Shape out(domain.size() - 1, 1);
    out[0] = groups;
    out[1] = domain[2];
    return out;
}

bool isGroupNorm(const GraphNode& node)
{
    return node.op == "aten.native_group_norm.default" && node.args.size() == 8;
}

bool isInstanceNorm(const Graph& graph, const GraphNode& node)
{
    if (node.op != "aten.native_batch_norm.default" || node.args.size() != 8 || node.args[5] != true)
        return false;
    const auto x = Graph::tensor(node.args[0]);
    return x && graph.shape(*x).size() > 2 && graph.shape(*x)[0] == 1 &&
           std::all_of(node.args.begin() + 1, node.args.begin() + 5, [](const json& one) { return one.is_null(); });
}

bool isReduction(const GraphNode& node)
{
    return reducing.contains(shortName(node.op));
}

std::optional<ReductionSpace> reductionOf(const Graph& graph, const GraphNode& node)
{
    const std::string name = shortName(node.op);
    const Shape& shape = graph.shape(*Graph::tensor(node.args[0]));
    if (name == "native_group_norm")
        return isGroupNorm(node) ? groupsOf(shape, node) : std::nullopt;
    std::optional<std::vector<std::size_t>> axes;
    if (name == "native_batch_norm")
        axes = isInstanceNorm(graph, node) ? std::optional(from(2, shape.size())) : std::nullopt;
    else if (name == "native_layer_norm")
        axes = from(shape.size() - node.args[1].size(), shape.size());
    else
        axes = axesOf(node, name, shape.size());
    if (!axes || axes->empty())
        return {};
    return ReductionSpace{shape, std::move(*axes), 0};
}

} // namespace cudal1::policy
