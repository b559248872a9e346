// SPDX-License-Identifier: GPL-3.0-or-later
// Technique fuse_elementwise: neighbouring element-wise operators and reductions become one generated kernel.
#include "core/base/timetext.h"
#include "core/policy/kernelwriter.h"
#include "core/policy/technique.h"

#include <algorithm>
#include <array>

namespace cudal1::policy {

namespace {

struct Group {
    std::vector<const GraphNode*> nodes;
    std::vector<int> results;
    std::optional<KernelProgram> program;
};

class Grouping {
public:
    Grouping(const Graph& graph, bool cuda) : m_graph(graph), m_cuda(cuda)
    {
        for (std::size_t i = 0; i < graph.nodes().size(); ++i)
            m_position[graph.nodes()[i].id] = i;
    }

    std::vector<Group> run()
    {
        std::vector<Group> groups;
        for (const GraphNode& node : m_graph.nodes()) {
            if (!canFuse(m_graph, node))
                continue;
            const auto joined = std::find_if(groups.rbegin(), groups.rend(),
                                             [&](Group& group) { return join(group, node); });
            if (joined != groups.rend())
                continue;
            Group single;
            if (join(single, node))
                groups.push_back(std::move(single));
        }
        std::erase_if(groups, [&](const Group& group) { return !pays(group); });
        return groups;
    }

private:
    // The group runs where its last operator stood, so nobody outside may read from it before that.
    bool join(Group& group, const GraphNode& node)
    {
        if (!group.nodes.empty()) {
            const auto read = Graph::tensors(node);
            const bool neighbour = std::any_of(group.nodes.begin(), group.nodes.end(), [&](const GraphNode* member) {
                return std::find(read.begin(), read.end(), member->outputs[0]) != read.end();
            });
            if (!neighbour || group.nodes.size() >= 24)
                return false;
        }
        Group grown = group;
        grown.nodes.push_back(&node);
        grown.results.clear();
        for (const GraphNode* member : grown.nodes) {
            const auto readers = m_graph.consumers(member->outputs[0]);
            bool outside = m_graph.isOutput(member->outputs[0]);
            for (const GraphNode* reader : readers) {
                const bool ours = std::any_of(grown.nodes.begin(), grown.nodes.end(),
                                              [&](const GraphNode* m) { return m->id == reader->id; });
                if (!ours && m_position.at(reader->id) < m_position.at(node.id))
                    return false;
                outside = outside || !ours;
            }
            if (outside)
                grown.results.push_back(member->outputs[0]);
        }
        if (grown.results.empty() || grown.results.size() > 4)
            return false;
        grown.program = buildProgram(m_graph, grown.nodes, grown.results);
        if (!grown.program || grown.program->inputs.empty() || grown.program->inputs.size() > 12)
            return false;
        // Few long rows would leave most of a GPU idle; split_reduction is for them.
        const KernelProgram& p = *grown.program;
        if (m_cuda && p.reduces() && p.outerExtent() * p.innerExtent() < 64 && p.reducedExtent() > 65536)
            return false;
        group = std::move(grown);
        return true;
    }

    // One operator alone is worth a kernel where the framework runs it in several passes or without vector code.
    bool pays(const Group& group) const
    {
        if (group.nodes.size() > 1)
            return true;
        // So short a kernel of the framework is bound by its launch, and the launch of ours costs as much.
        constexpr double launchBound_ns = 5e3;
        if (m_cuda && group.nodes[0]->time_ns > 0 && group.nodes[0]->time_ns < launchBound_ns)
            return false;
        static constexpr std::array alone{"_softmax",
                                          "_log_softmax",
                                          "native_layer_norm",
                                          "native_group_norm",
                                          "native_batch_norm",
                                          "logsumexp",
                                          "prod",
                                          "gelu",
                                          "linalg_vector_norm",
                                          "mish"};
        const std::string name = shortName(group.nodes[0]->op);
        const bool several = std::find(alone.begin(), alone.end(), name) != alone.end();
        const bool columnSum = group.program->reduces() && group.program->innerExtent() > 1;
        return several || columnSum;
    }

    const Graph& m_graph;
    const bool m_cuda;
    std::map<int, std::size_t> m_position;
};

class FuseElementwise : public Technique {
public:
    std::string id() const override { return "fuse_elementwise"; }
    std::string title() const override { return "Fused kernels"; }
    std::string comment() const override
    {
        return "run neighbouring element-wise operators and reductions as one generated kernel";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        if (!context.cuda() && context.prompt.compiler.empty())
            return Match::no("There is no C compiler on this machine, which generated kernels need on a CPU.");
        std::string why;
        if (!context.rewritable(why))
            return Match::no(why);
        Graph after = context.graph;
        if (context.cuda()) { // what it leaves is element-wise
            Source scratch;
            makeSplitReduction()->rewrite(after, scratch, context);
        }
        auto groups = Grouping(context.graph, context.cuda()).run();
        if (groups.empty())
            groups = Grouping(after, context.cuda()).run();
        if (groups.empty())
            return Match::no(
                "No two element-wise operators or reductions in float32 follow one another over one shape, and none is "
                "worth a kernel by itself.");
        double time = 0;
        std::string list;
        std::size_t operators = 0;
        for (const Group& group : groups) {
            std::string names;
            for (const GraphNode* node : group.nodes) {
                time += node->time_ns;
                names += (names.empty() ? "" : ", ") + shortName(node->op);
            }
            operators += group.nodes.size();
            list += (list.empty() ? "" : "; ") + names + " over " + shapeText(group.program->domain);
        }
        const double share = context.operators_ns() > 0 ? time / context.operators_ns() : 0;
        Match m;
        m.applies = true;
        m.gain = 1 / std::max(0.1, 1 - 0.6 * share);
        m.finding = std::to_string(operators) + (operators == 1 ? " operator becomes " : " operators become ") +
                    std::to_string(groups.size()) + (groups.size() == 1 ? " kernel: " : " kernels: ") + list +
                    ". They take " + base::timeText(time) + ", " + numberText(100 * share) +
                    " % of the operators' time.";
        m.design =
            "Each operator alone reads and writes all of its tensors. One kernel reads the inputs once, keeps what is "
            "between in registers and writes the result once" +
            std::string(
                context.cuda()
                    ? "; four elements a thread where memory allows it, reductions by warp shuffles and shared memory."
                    : "; loops over contiguous memory for vector registers, compiled for this processor.");
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext& context) const override
    {
        // Groups point into the graph, so nothing is edited before all of them are written.
        std::vector<std::pair<std::set<int>, GraphNode>> edits;
        for (const Group& group : Grouping(graph, context.cuda()).run()) {
            const KernelProgram& program = *group.program;
            const std::string name = addKernel(source, graph, program, context);
            std::string code = name + "(";
            for (std::size_t i = 0; i < program.inputs.size(); ++i)
                code += (i ? ", {" : "{") + std::to_string(i) + "}";
            for (const std::string& scalar : program.scalars)
                code += ", " + scalar;
            GraphNode node = graph.pythonNode(code + ")", program.inputs, program.outputs[0].value);
            node.outputs.clear();
            for (const KernelOutput& output : program.outputs)
                node.outputs.push_back(output.value);
            node.kwargs["stem"] = "fused_out_";
            std::set<int> removed;
            for (const GraphNode* member : group.nodes)
                removed.insert(member->id);
            edits.push_back({std::move(removed), std::move(node)});
        }
        for (auto& [removed, node] : edits)
            graph.replace(removed, {std::move(node)});
    }
};

} // namespace

std::unique_ptr<Technique> makeFuseElementwise()
{
    return std::make_unique<FuseElementwise>();
}

} // namespace cudal1::policy
