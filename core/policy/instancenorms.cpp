// SPDX-License-Identifier: GPL-3.0-or-later
// Finds instance norms between the views that the framework puts around them.
#include "core/policy/instancenorms.h"

#include "core/policy/reductions.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace cudal1::policy {

void recogniseInstanceNorms(Graph& graph)
{
    for (const GraphNode& norm : std::vector(graph.nodes())) {
        if (!isInstanceNorm(graph, norm) || norm.outputs.size() != 3 || graph.isRead(norm.outputs[1]) ||
            graph.isRead(norm.outputs[2]) || !graph.usedOnce(*Graph::tensor(norm.args[0])) ||
            !graph.usedOnce(norm.outputs[0]))
            continue;
        const GraphNode* before = graph.producer(*Graph::tensor(norm.args[0]));
        const GraphNode* after = graph.consumers(norm.outputs[0]).front();
        const auto isReshape = [](const GraphNode& node) {
            return node.op == "aten.view.default" || node.op == "aten.reshape.default";
        };
        if (!before || !isReshape(*before) || !isReshape(*after))
            continue;
        const int x = *Graph::tensor(before->args[0]), result = after->outputs[0];
        const Shape images = graph.shape(x), flat = graph.shape(*Graph::tensor(norm.args[0]));
        if (images.size() != flat.size() || images.size() < 3 || graph.shape(result) != images ||
            images[0] * images[1] != flat[1] || !std::equal(images.begin() + 2, images.end(), flat.begin() + 2))
            continue;
        std::int64_t places = 1;
        for (std::size_t i = 2; i < images.size(); ++i)
            places *= images[i];
        nlohmann::json args = {{{"value", x}}, nullptr, nullptr, images[0], images[1], places, images[1], norm.args[7]};
        const Shape statistics{images[0], images[1]};
        GraphNode group = graph.makeNode(
            "aten.native_group_norm.default", std::move(args),
            {result, graph.addValue(statistics, "float32"), graph.addValue(statistics, "float32")});
        group.time_ns = norm.time_ns;
        graph.replace({before->id, norm.id, after->id}, {std::move(group)});
    }
}

} // namespace cudal1::policy
