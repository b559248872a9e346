// SPDX-License-Identifier: GPL-3.0-or-later
// Technique aligned_products: products whose rows are no multiple of four elements, of factors that are padded so that
// the library can use its fast kernels for TF32.
#include "core/base/timetext.h"
#include "core/policy/kernelwriter.h"
#include "core/policy/technique.h"

#include <algorithm>
#include <optional>

namespace cudal1::policy {

namespace {

// Padded rows begin at multiples of 32 bytes. The library asks for 16, of both factors and of the result.
constexpr std::int64_t alignment = 8;

struct AlignedSite {
    int left = -1, right = -1;
    std::optional<int> bias;
    Shape leftShape, rightShape, biasShape, resultShape; ///< padded
    std::int64_t columns = 0;                            ///< of the result that is wanted
    double time_ns = 0;                                  ///< of the operator, as it was measured
    double replaced_ns = 0, expected_ns = 0;             ///< with TF32

    bool cut(const Graph& graph, int result) const { return resultShape != graph.shape(result); }
};

std::int64_t aligned(std::int64_t extent)
{
    return extent % 4 == 0 ? extent : (extent + alignment - 1) / alignment * alignment;
}

double sizeOf(const Shape& shape)
{
    double out = 1;
    for (const std::int64_t extent : shape)
        out *= static_cast<double>(extent);
    return out;
}

/// The time of a product at a rate in FLOP/ns; its tiles are 128 wide and high.
double product_ns(const AlignedSite& site, double rate)
{
    const auto tiles = [](std::int64_t extent) { return static_cast<double>((extent + 127) / 128 * 128); };
    const std::size_t rank = site.resultShape.size();
    const double batch = rank == 3 ? static_cast<double>(site.resultShape[0]) : 1;
    const double flop = 2 * batch * tiles(site.resultShape[rank - 2]) * tiles(site.resultShape[rank - 1]) *
                        static_cast<double>(site.leftShape.back());
    const double bytes = 4 * (sizeOf(site.leftShape) + sizeOf(site.rightShape) + sizeOf(site.resultShape));
    return std::max(flop / rate, bytes / bytesPerNs);
}

/// What copying a value into padded memory takes, with a launch for each edge of zeros.
double padding_ns(const Graph& graph, int value, const Shape& padded)
{
    int launches = 0;
    for (std::size_t i = 0; i < padded.size(); ++i)
        launches += padded[i] != graph.shape(value)[i];
    if (launches == 0 || lastsFromCallToCall(graph, value))
        return 0;
    return 8 * sizeOf(padded) / bytesPerNs + (launches + 1) * kernelLaunch_ns;
}

void estimate(const Graph& graph, const GraphNode& node, protocol::Precision precision, AlignedSite& site)
{
    constexpr double alignedRate = 250e3, unalignedRate = 115e3; // 1/8 on an H200
    site.time_ns = node.time_ns;
    site.replaced_ns = product_ns(site, unalignedRate);
    if (node.time_ns > 0) // in float32, unless the precision is tf32
        site.replaced_ns = precision == protocol::Precision::Tf32 ? node.time_ns
                                                                  : std::min(site.replaced_ns, node.time_ns);
    site.expected_ns = product_ns(site, alignedRate) + padding_ns(graph, site.left, site.leftShape) +
                       padding_ns(graph, site.right, site.rightShape);
    if (site.bias)
        site.expected_ns += padding_ns(graph, *site.bias, site.biasShape);
    if (site.cut(graph, node.outputs[0]))
        site.expected_ns += 8 * sizeOf(graph.shape(node.outputs[0])) / bytesPerNs + kernelLaunch_ns;
}

/// Empty where the rows are aligned as they are, or a factor does not lie in order.
std::optional<AlignedSite> unalignedProduct(const Graph& graph, const GraphNode& node, protocol::Precision precision)
{
    const auto operands = operandsOfProduct(node);
    if (!operands)
        return {};
    std::optional<AlignedSite> site(std::in_place);
    site->left = operands->left;
    site->right = operands->right;
    site->bias = operands->bias;
    const int result = node.outputs[0];
    site->leftShape = graph.shape(site->left);
    site->rightShape = graph.shape(site->right);
    site->resultShape = graph.shape(result);
    const std::size_t rank = site->resultShape.size();
    if ((rank != 2 && rank != 3) || site->leftShape.size() != rank || site->rightShape.size() != rank ||
        graph.numel(result) == 0 || graph.numel(site->left) == 0)
        return {};
    for (const int value : {site->left, site->right, result}) {
        if (graph.value(value).dtype != "float32" || !isInOrder(graph, value))
            return {};
    }
    site->columns = site->resultShape.back();
    if (site->bias && (graph.shape(*site->bias) != Shape{site->columns} || graph.value(*site->bias).dtype != "float32"))
        return {};
    const std::int64_t inner = aligned(site->leftShape.back()), columns = aligned(site->columns);
    if (inner == site->leftShape.back() && columns == site->columns)
        return {};
    const bool linear = node.op == "cudal1.linear"; // its weight has a row for each column of the result
    site->leftShape.back() = inner;
    site->rightShape[rank - 2] = linear ? columns : inner;
    site->rightShape[rank - 1] = linear ? inner : columns;
    site->resultShape.back() = columns;
    site->biasShape = {columns};
    estimate(graph, node, precision, *site);
    return site;
}

std::optional<AlignedSite> alignedSite(const Graph& graph, const GraphNode& node, protocol::Precision precision)
{
    auto site = unalignedProduct(graph, node, precision);
    return site && site->expected_ns < 0.9 * site->replaced_ns ? site : std::nullopt;
}

const std::string alignedRowsHelper = R"py(def with_aligned_rows(x, shape):
    """x in the first corner of a tensor of this shape, with zeros behind it."""
    out = corner = x.new_empty(shape)
    for axis, (size, extent) in enumerate(zip(x.shape, shape)):
        if size < extent:
            corner.narrow(axis, size, extent - size).zero_()
            corner = corner.narrow(axis, 0, size)
    corner.copy_(x)
    return out
)py";

class AlignedProducts : public Technique {
public:
    std::string id() const override { return "aligned_products"; }
    std::string title() const override { return "Aligned products"; }
    std::string comment() const override
    {
        return "pad the factors of products with zeros, so that each row begins where fast kernels can load it";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        if (!context.cuda())
            return Match::no("The device is a CPU; it is for tensor cores that rows have to be aligned.");
        std::string why;
        if (!context.rewritable(why))
            return Match::no(why);
        const protocol::Precision precision = context.prompt.precision;
        if (precision == protocol::Precision::Ieee)
            return Match::no("The precision is ieee, which allows no TF32; products in full float32 do not need rows "
                             "that are aligned.");
        double time = 0; // as measured
        MatchedSites sites;
        std::string tooShort;
        for (const GraphNode& node : context.graph.nodes()) {
            const auto site = unalignedProduct(context.graph, node, precision);
            if (!site)
                continue;
            const std::string text = productText(context.graph, *site);
            if (!alignedSite(context.graph, node, precision)) {
                tooShort = text + " is expected to take " + base::timeText(site->replaced_ns) +
                           " with TF32 as it is, and " + base::timeText(site->expected_ns) + " padded";
                continue;
            }
            time += site->time_ns;
            sites.add(site->replaced_ns, site->expected_ns, text + " in " + base::timeText(site->time_ns));
        }
        if (sites.count == 0)
            return Match::no(tooShort.empty()
                                 ? "No matrix product of float32 matrices, which lie in order, has rows that are no "
                                   "multiple of four elements and adds no more than a number for each column."
                                 : "Padding does not pay: the product of " + tooShort + ".");
        Match m;
        m.applies = true;
        // Beside TF32, which the gain is for.
        const double others = std::max(0.0, context.operators_ns() - time);
        m.gain = (others + sites.replaced_ns) / (others + sites.expected_ns);
        m.finding = std::to_string(sites.count) + (sites.count == 1 ? " product has" : " products have") +
                    " rows that are no multiple of four elements: " + sites.list() + ".";
        m.design =
            "The library's fast kernels for TF32 move 16 bytes at once, so each row of both factors and of the result "
            "must begin at a multiple of that. Rows are padded with zeros, which change no sum: inputs in each call, "
            "weights once and again when they change. What is wanted of the result is copied out of it. Expected with "
            "TF32: " +
            base::timeText(sites.expected_ns) + ", where rows as they are take " + base::timeText(sites.replaced_ns) +
            "; in full float32 nothing is gained.";
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext& context) const override
    {
        // An edit ends pointers to nodes; values keep their ids.
        std::vector<int> results;
        for (const GraphNode& node : graph.nodes()) {
            if (alignedSite(graph, node, context.prompt.precision))
                results.push_back(node.outputs[0]);
        }
        for (const int result : results) {
            const GraphNode node = *graph.producer(result);
            if (const auto site = alignedSite(graph, node, context.prompt.precision))
                replaceSite(graph, source, node, *site);
        }
    }

private:
    static std::string productText(const Graph& graph, const AlignedSite& site)
    {
        return shapeText(graph.shape(site.left)) + " and " + shapeText(graph.shape(site.right));
    }

    static void replaceSite(Graph& graph, Source& source, const GraphNode& node, const AlignedSite& site)
    {
        const auto ref = [](int id) { return nlohmann::json{{"value", id}}; };
        Source::once(source.helpers, alignedRowsHelper);
        const int result = node.outputs[0];
        std::vector<GraphNode> added;
        const int left = padded(graph, source, added, site.left, site.leftShape),
                  right = padded(graph, source, added, site.right, site.rightShape);
        nlohmann::json args = nlohmann::json::array({ref(left), ref(right)});
        if (site.bias)
            args.insert(node.op == "aten.addmm.default" ? args.begin() : args.end(),
                        ref(padded(graph, source, added, *site.bias, site.biasShape)));
        else if (node.op == "cudal1.linear")
            args.push_back(nullptr);
        const bool cut = site.cut(graph, result);
        const int product = cut ? graph.addValue(site.resultShape, "float32") : result;
        added.push_back(graph.makeNode(node.op, std::move(args), {product}));
        added.back().time_ns = node.time_ns;
        if (cut) {
            added.push_back(
                graph.pythonNode("{0}[..., :" + std::to_string(site.columns) + "].contiguous()", {product}, result));
            added.back().kwargs["stem"] = "product_";
        }
        graph.replace({node.id}, std::move(added));
    }

    /// The value in this shape; what lasts is padded once.
    static int padded(Graph& graph, Source& source, std::vector<GraphNode>& added, int value, const Shape& shape)
    {
        if (shape == graph.shape(value))
            return value;
        const int out = graph.addValue(shape, "float32");
        if (lastsFromCallToCall(graph, value)) {
            Source::once(source.helpers, preparedHelper());
            const std::string method = addMethod(source, "padded_" + std::to_string(value), "(self, weight)",
                                                 "return (with_aligned_rows(weight, " + tupleText(shape) + "),)\n");
            added.push_back(preparedNode(graph, method, {value}, {out}));
        } else {
            added.push_back(graph.pythonNode("with_aligned_rows({0}, " + tupleText(shape) + ")", {value}, out));
        }
        added.back().kwargs["stem"] = "padded_";
        return out;
    }
};

} // namespace

std::unique_ptr<Technique> makeAlignedProducts()
{
    return std::make_unique<AlignedProducts>();
}

} // namespace cudal1::policy
