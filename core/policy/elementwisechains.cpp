// SPDX-License-Identifier: GPL-3.0-or-later
// Gathers element-wise operators before and behind a value.
#include "core/policy/elementwisechains.h"

#include "core/policy/reductions.h"

#include <algorithm>
#include <set>

namespace cudal1::policy {

namespace {

/// What of `values` others than `members` read.
std::vector<int> openValues(const Graph& graph, const std::vector<int>& values,
                            const std::vector<const GraphNode*>& members)
{
    std::vector<int> out;
    for (const int value : values) {
        const auto readers = graph.consumers(value);
        const bool inside = std::all_of(readers.begin(), readers.end(), [&](const GraphNode* reader) {
            return std::any_of(members.begin(), members.end(),
                               [&](const GraphNode* member) { return member->id == reader->id; });
        });
        if (!inside || graph.isOutput(value))
            out.push_back(value);
    }
    return out;
}

/// Element-wise, in float32, over no more than images and channels but for the operands of the shape of `value`.
bool mayBeInChain(const Graph& graph, const GraphNode& node, int value, std::set<int>& full)
{
    if (!canFuse(graph, node) || isReduction(node) || node.outputs.size() != 1 ||
        graph.shape(node.outputs[0]) != graph.shape(value) || graph.shape(value).size() < 2)
        return false;
    const std::int64_t vectors = graph.shape(value)[0] * graph.shape(value)[1];
    for (const int id : Graph::tensors(node)) {
        if (graph.shape(id) == graph.shape(value) && !graph.ofModule(id))
            full.insert(id);
        else if (graph.numel(id) > vectors)
            return false;
    }
    return true;
}

} // namespace

std::optional<int> Chain::input() const
{
    if (!program)
        return {};
    const auto at = std::find(program->inputs.begin(), program->inputs.end(), from);
    return at == program->inputs.end() ? std::nullopt : std::optional(static_cast<int>(at - program->inputs.begin()));
}

std::vector<Chain> chainsBehind(const Graph& graph, int from,
                                const std::function<bool(const std::optional<KernelProgram>&)>& fits)
{
    std::vector<Chain> out{{{}, {}, from, from}};
    std::vector<int> computed{from};
    std::vector<const GraphNode*> members;
    for (const GraphNode& node : graph.nodes()) {
        const auto read = Graph::tensors(node);
        const bool follows = std::any_of(read.begin(), read.end(), [&](int id) {
            return std::find(computed.begin(), computed.end(), id) != computed.end();
        });
        if (!follows || !canFuse(graph, node) || node.outputs.size() != 1)
            continue;
        members.push_back(&node);
        computed.push_back(node.outputs[0]);
        const auto open = openValues(graph, computed, members);
        if (open != std::vector<int>{node.outputs[0]})
            continue;
        auto program = buildProgram(graph, members, open);
        if (!fits(program))
            break;
        out.push_back({members, std::move(program), from, node.outputs[0]});
    }
    return out;
}

Chain chainBefore(const Graph& graph, int value, int reader)
{
    Chain best{{}, {}, value, value};
    std::vector<const GraphNode*> nodes;
    std::set<int> open{value}; // what the chain begins with, so far
    const auto reads = [&](const GraphNode* node) {
        return node->id == reader ||
               std::any_of(nodes.begin(), nodes.end(), [&](const GraphNode* one) { return one->id == node->id; });
    };
    while (true) {
        const GraphNode* last = nullptr;
        for (const GraphNode& node : graph.nodes()) {
            if (!node.outputs.empty() && open.contains(node.outputs[0]))
                last = &node;
        }
        if (!last || graph.isOutput(last->outputs[0]) || !mayBeInChain(graph, *last, value, open))
            break;
        const auto readers = graph.consumers(last->outputs[0]);
        if (!std::all_of(readers.begin(), readers.end(), reads))
            break;
        open.erase(last->outputs[0]);
        nodes.insert(nodes.begin(), last);
        if (open.size() == 1) {
            best.nodes = nodes;
            best.from = *open.begin();
        }
    }
    if (best.nodes.empty())
        return best;
    best.program = buildProgram(graph, best.nodes, {value});
    const auto& program = best.program;
    if (!program || !program->outputs[0].full || !program->scalars.empty() || program->domain != graph.shape(value) ||
        program->inputs.size() > 8 || !best.input())
        return {{}, {}, value, value};
    return best;
}

} // namespace cudal1::policy
