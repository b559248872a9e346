// SPDX-License-Identifier: GPL-3.0-or-later
// Technique split_reduction: a layer norm of few long rows is reduced by the whole GPU in two steps.
#include "core/base/bytestext.h"
#include "core/base/timetext.h"
#include "core/policy/technique.h"

namespace cudal1::policy {

namespace {

constexpr std::int64_t fewRows = 128;
constexpr std::int64_t longRow = 1 << 16;

const GraphNode* findReduction(const Graph& graph)
{
    for (const GraphNode& node : graph.nodes()) {
        if (node.op != "aten.native_layer_norm.default" || node.outputs.size() != 3)
            continue;
        const std::int64_t rows = graph.numel(node.outputs[1]);
        const int x = *Graph::tensor(node.args[0]);
        const bool onlyResult = graph.consumers(node.outputs[1]).empty() && graph.consumers(node.outputs[2]).empty();
        if (rows > 0 && rows <= fewRows && graph.numel(x) / rows >= longRow && graph.numel(x) / rows % 1024 == 0 &&
            onlyResult)
            return &node;
    }
    return nullptr;
}

const std::string rowMoments = R"py(def row_moments(x, rows, parts, eps):
    """Mean and 1/deviation of each of a few long rows, from the moments of many short parts of them."""
    variance, mean = torch.var_mean(x.reshape(rows, parts, -1), dim=2, correction=0)
    centre = mean.mean(dim=1, keepdim=True)
    spread = (variance + (mean - centre).square()).mean(dim=1, keepdim=True)
    return centre, torch.rsqrt(spread + eps)
)py";

class SplitReduction : public Technique {
public:
    std::string id() const override { return "split_reduction"; }
    std::string title() const override { return "Two-step reduction"; }
    std::string comment() const override { return "reduce few long rows in many parts, so that the whole GPU works"; }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        if (!context.cuda())
            return Match::no("The device is a CPU, whose few cores one row each keeps busy.");
        std::string why;
        if (!context.rewritable(why))
            return Match::no(why);
        const GraphNode* node = findReduction(context.graph);
        if (!node)
            return Match::no("No layer norm has at most " + std::to_string(fewRows) + " rows of at least " +
                             std::to_string(longRow) + " elements.");
        const Graph& graph = context.graph;
        const std::int64_t rows = graph.numel(node->outputs[1]);
        const int x = *Graph::tensor(node->args[0]);
        const double moved = 2.0 * static_cast<double>(graph.bytes(x));
        Match m;
        m.applies = true;
        m.gain = 5;
        m.finding = "The layer norm reduces " + std::to_string(rows) + " rows of " +
                    std::to_string(graph.numel(x) / rows) + " elements, one block of threads a row, so " +
                    std::to_string(rows) + " of " + std::to_string(context.prompt.device.processors) +
                    " multiprocessors work: " + base::timeText(node->time_ns) + " for " + base::bytesText(moved) + ".";
        m.design = "Mean and variance of a row follow exactly from those of its parts: m = mean(m_i), v = mean(v_i + "
                   "(m_i - m)^2). Thousands of parts keep every multiprocessor busy; "
                   "what remains is element-wise.";
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext&) const override
    {
        while (const GraphNode* found = findReduction(graph)) {
            const GraphNode node = *found;
            Source::once(source.helpers, rowMoments);
            const int x = *Graph::tensor(node.args[0]);
            const Shape full = graph.shape(x);
            const std::int64_t rows = graph.numel(node.outputs[1]);
            const Shape flat{rows, graph.numel(x) / rows};
            const auto intermediate = [&](const Shape& shape) { return graph.addValue(shape, "float32"); };
            const auto ref = [](int id) { return nlohmann::json{{"value", id}}; };
            const int centre = intermediate({rows, 1}), scale = intermediate({rows, 1}), row = intermediate(flat),
                      centred = intermediate(flat), scaled = intermediate(flat);
            GraphNode moments = graph.pythonNode("row_moments({0}, " + std::to_string(rows) + ", 1024, " +
                                                     pythonNumber(Graph::number(node.args[4]).value_or(1e-5)) + ")",
                                                 {x}, centre);
            moments.outputs = {centre, scale};
            std::vector<GraphNode> added{moments, graph.makeNode("aten.reshape.default", {ref(x), flat}, {row}),
                                         graph.makeNode("aten.sub.Tensor", {ref(row), ref(centre)}, {centred}),
                                         graph.makeNode("aten.mul.Tensor", {ref(centred), ref(scale)}, {scaled})};
            int last = scaled;
            for (const std::size_t index : {2U, 3U}) { // weight, bias
                if (node.args[index].is_null())
                    continue;
                const int vector = intermediate({flat[1]}), next = intermediate(flat);
                added.push_back(graph.makeNode("aten.reshape.default", {node.args[index], Shape{flat[1]}}, {vector}));
                added.push_back(graph.makeNode(index == 2 ? "aten.mul.Tensor" : "aten.add.Tensor",
                                               {ref(last), ref(vector)}, {next}));
                last = next;
            }
            added.push_back(graph.makeNode("aten.reshape.default", {ref(last), full}, {node.outputs[0]}));
            graph.replace({node.id}, std::move(added));
        }
    }
};

} // namespace

std::unique_ptr<Technique> makeSplitReduction()
{
    return std::make_unique<SplitReduction>();
}

} // namespace cudal1::policy
