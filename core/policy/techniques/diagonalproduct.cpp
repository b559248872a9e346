// SPDX-License-Identifier: GPL-3.0-or-later
// Technique diagonal_product: a product with a diagonal matrix scales rows or columns.
#include "core/base/bytestext.h"
#include "core/policy/technique.h"

namespace cudal1::policy {

namespace {

struct DiagonalSite {
    const GraphNode* product = nullptr;
    int diagonal = -1; ///< the vector
    int dense = -1;
    bool left = true;
};

std::optional<DiagonalSite> findDiagonal(const Graph& graph)
{
    const auto diagonalOf = [&](const nlohmann::json& argument) -> std::optional<int> {
        const auto id = Graph::tensor(argument);
        const GraphNode* made = id ? graph.producer(*id) : nullptr;
        if (!made || (made->op != "aten.diag_embed.default" && made->op != "aten.diag.default") || made->args.empty())
            return {};
        const auto vector = Graph::tensor(made->args[0]);
        // Other diagonals than the main one would need an offset of rows.
        const bool plain = (made->args.size() == 1 || made->args[1] == 0) && made->args.size() <= 2 &&
                           made->kwargs.empty();
        return vector && plain && graph.shape(*vector).size() == 1 ? vector : std::nullopt;
    };
    for (const GraphNode& node : graph.nodes()) {
        if (node.op != "aten.mm.default")
            continue;
        const auto a = diagonalOf(node.args[0]), b = diagonalOf(node.args[1]);
        if (a)
            return DiagonalSite{&node, *a, *Graph::tensor(node.args[1]), true};
        if (b)
            return DiagonalSite{&node, *b, *Graph::tensor(node.args[0]), false};
    }
    return {};
}

class DiagonalProduct : public Technique {
public:
    std::string id() const override { return "diagonal_product"; }
    std::string title() const override { return "Diagonal product as broadcasting"; }
    std::string comment() const override { return "multiply rows or columns instead of building a diagonal matrix"; }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        std::string why;
        if (!context.rewritable(why))
            return Match::no(why);
        const auto site = findDiagonal(context.graph);
        if (!site)
            return Match::no("No product has a factor made by diag or diag_embed.");
        const Graph& graph = context.graph;
        const double inner = static_cast<double>(graph.numel(site->diagonal));
        const double elements = static_cast<double>(graph.numel(site->dense));
        const double moved = static_cast<double>(graph.bytes(site->dense) + graph.bytes(site->product->outputs[0]));
        Match m;
        m.applies = true;
        m.gain = 10;
        m.settles.insert("scaled_halves");
        m.finding = "One factor of the " + shapeText(graph.shape(site->product->outputs[0])) +
                    " product is a diagonal matrix: " + numberText(2 * inner * elements / 1e9) +
                    " GFLOP are spent where " + numberText(elements / 1e9) + " are needed.";
        m.design = "diag(a) B has the rows of B, each times one element of a, and B diag(a) the columns. The product "
                   "becomes a broadcast multiplication that moves " +
                   base::bytesText(moved) +
                   " and never builds the diagonal matrix. For finite B the sums are the same: every other term is 0.";
        return m;
    }

    void rewrite(Graph& graph, Source&, const TechniqueContext&) const override
    {
        while (const auto site = findDiagonal(graph)) {
            int factor = site->diagonal;
            std::vector<GraphNode> added;
            if (site->left) {
                const int column = graph.addValue({graph.shape(factor)[0], 1}, graph.value(factor).dtype);
                added.push_back(graph.makeNode("aten.unsqueeze.default", {{{"value", factor}}, 1}, {column}));
                factor = column;
            }
            // Broadcasting follows the dense factor's shape on either side.
            added.push_back(graph.makeNode("aten.mul.Tensor", {{{"value", site->dense}}, {{"value", factor}}},
                                           site->product->outputs));
            graph.replace({site->product->id}, std::move(added));
        }
        graph.removeDead();
    }
};

} // namespace

std::unique_ptr<Technique> makeDiagonalProduct()
{
    return std::make_unique<DiagonalProduct>();
}

} // namespace cudal1::policy
