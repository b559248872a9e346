// SPDX-License-Identifier: GPL-3.0-or-later
// Technique triangular_product: of a product whose other half is thrown away, only the half that stays is computed.
#include "core/base/timetext.h"
#include "core/policy/technique.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

struct TriangularSite {
    const GraphNode* product = nullptr;
    const GraphNode* cut = nullptr;
    bool upper = true;
};

std::optional<TriangularSite> findTriangular(const Graph& graph)
{
    for (const GraphNode& node : graph.nodes()) {
        const bool upper = node.op == "aten.triu.default";
        if (!upper && node.op != "aten.tril.default")
            continue;
        const auto id = Graph::tensor(node.args[0]);
        const GraphNode* product = id && graph.usedOnce(*id) ? graph.producer(*id) : nullptr;
        const auto offset = node.args.size() > 1 ? Graph::number(node.args[1]) : 0;
        if (product && product->op == "aten.mm.default" && offset == 0)
            return TriangularSite{product, &node, upper};
    }
    return {};
}

const std::string triangularHelper = R"py(def triangular_product(a, b, block, upper):
    """triu(a @ b) or tril(a @ b), in bands of rows that are multiplied only with the columns which are kept."""
    rows, columns = a.shape[0], b.shape[1]
    out = torch.empty(rows, columns, dtype=a.dtype, device=a.device)
    for top in range(0, rows, block):
        bottom = min(top + block, rows)
        left, right = (min(top, columns), columns) if upper else (0, min(bottom, columns))
        if right > left:
            torch.mm(a[top:bottom], b[:, left:right], out=out[top:bottom, left:right])
    # One pass writes the zeros, whatever memory that was never written holds: for each band it would be three launches.
    return out.triu_() if upper else out.tril_()
)py";

class TriangularProduct : public Technique {
public:
    std::string id() const override { return "triangular_product"; }
    std::string title() const override { return "Half of a product"; }
    std::string comment() const override { return "compute only the triangle of the product that is kept"; }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        std::string why;
        if (!context.rewritable(why))
            return Match::no(why);
        const auto site = findTriangular(context.graph);
        if (!site)
            return Match::no("No product is followed by triu or tril.");
        const Shape& shape = context.graph.shape(site->product->outputs[0]);
        if (shape[0] < 512)
            return Match::no("The product has " + std::to_string(shape[0]) +
                             " rows; bands of it would be too small to pay.");
        const double part = 0.5 + 0.5 * static_cast<double>(block(shape, context)) / static_cast<double>(shape[0]);
        Match m;
        m.applies = true;
        m.gain = 0.9 / part;
        m.finding = std::string(site->upper ? "triu" : "tril") + " throws away one half of the " + shapeText(shape) +
                    " product, which takes " + base::timeText(site->product->time_ns) + " of " +
                    base::timeText(context.operators_ns()) + ".";
        m.design = "Bands of " + std::to_string(block(shape, context)) +
                   " rows are multiplied only with the columns that are kept: " + numberText(100 * part) +
                   " % of the multiplications. It relies on the reference's own " + (site->upper ? "triu" : "tril") +
                   " and assumes nothing about the inputs.";
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext& context) const override
    {
        const auto site = findTriangular(graph);
        if (!site)
            return;
        Source::once(source.helpers, triangularHelper);
        const std::string code = "triangular_product({0}, {1}, block=" +
                                 std::to_string(block(graph.shape(site->product->outputs[0]), context)) +
                                 ", upper=" + (site->upper ? "True" : "False") + ")";
        graph.replace(
            {site->product->id, site->cut->id},
            {graph.pythonNode(code, {*Graph::tensor(site->product->args[0]), *Graph::tensor(site->product->args[1])},
                              site->cut->outputs[0])});
    }

private:
    // Narrow bands save more and run each product less well; a GPU needs wider ones, and still wider ones where its
    // matrix units are so fast that launches count. `block` of the launch scales it.
    static std::int64_t block(const Shape& shape, const TechniqueContext& context)
    {
        const bool tensorCores = context.cuda() && context.prompt.precision != protocol::Precision::Ieee;
        const std::int64_t bands = tensorCores ? 4 : context.cuda() ? 8 : 16;
        return std::max<std::int64_t>(64, (shape[0] / bands * context.launch.block / 256 + 63) / 64 * 64);
    }
};

} // namespace

std::unique_ptr<Technique> makeTriangularProduct()
{
    return std::make_unique<TriangularProduct>();
}

} // namespace cudal1::policy
