// SPDX-License-Identifier: GPL-3.0-or-later
// Finding attention in a graph.
#include "core/policy/attention.h"

#include "core/policy/technique.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace cudal1::policy {

namespace {

using nlohmann::json;

constexpr std::int64_t widest = 128; // columns that the registers of a warp have room for

std::int64_t matricesOf(const Shape& shape)
{
    std::int64_t out = 1;
    for (std::size_t i = 0; i + 2 < shape.size(); ++i)
        out *= shape[i];
    return out;
}

bool sameMatrices(const Shape& a, const Shape& b)
{
    return a.size() >= 2 && b.size() >= 2 && std::equal(a.end() - 2, a.end(), b.end() - 2) &&
           matricesOf(a) == matricesOf(b);
}

/// What a node gets that hands on the matrices of its first argument, in order and in the same number.
std::optional<int> sameMatricesBefore(const Graph& graph, const GraphNode& node)
{
    const std::string name = shortName(node.op);
    if (name != "view" && name != "_unsafe_view" && name != "reshape" && name != "expand")
        return {};
    const auto source = Graph::tensor(node.args.at(0));
    const bool same = source && sameMatrices(graph.shape(*source), graph.shape(node.outputs[0]));
    return same ? source : std::nullopt;
}

MatrixBatch laidOut(int value, const Shape& shape, const std::vector<std::int64_t>& stride)
{
    MatrixBatch out;
    out.value = value;
    for (std::size_t i = 0; i + 2 < shape.size(); ++i)
        out.batch.emplace_back(shape[i], stride[i]);
    out.row = stride[shape.size() - 2];
    out.column = stride.back();
    return out;
}

/// Empty where nobody knows how the value lies in memory.
std::optional<MatrixBatch> batchOf(const Graph& graph, int value)
{
    const GraphValue& one = graph.value(value);
    if (one.shape.size() < 2 || one.stride.size() != one.shape.size())
        return {};
    return laidOut(value, one.shape, one.stride);
}

/// The factor of a product as it lies before it was copied into order.
std::optional<MatrixBatch> factor(const Graph& graph, int value)
{
    while (const GraphNode* node = graph.producer(value)) {
        const auto copied = node->op == "aten.clone.default" ? Graph::tensor(node->args.at(0)) : std::nullopt;
        const auto source = copied ? copied : sameMatricesBefore(graph, *node);
        if (!source || graph.value(*source).stride.size() != graph.shape(*source).size())
            break;
        value = *source;
    }
    return graph.isFloat32(value) ? batchOf(graph, value) : std::nullopt;
}

/// `value` as it is read beside scores of this shape.
std::optional<MatrixBatch> besideScores(const Graph& graph, int value, const Shape& scores)
{
    const Shape& shape = graph.shape(value);
    const auto kind = graph.value(value).kind;
    const bool movesWithModule = kind == GraphValue::Kind::Parameter || kind == GraphValue::Kind::Buffer;
    // A tensor of one number may lie in the host's memory, where no kernel can read it.
    if (shape.size() > scores.size() || !isInOrder(graph, value) || (shape.empty() && !movesWithModule))
        return {};
    MatrixBatch out;
    out.value = value;
    std::int64_t step = 1;
    for (std::size_t i = 0; i < scores.size(); ++i) { // from the last axis on
        const std::int64_t extent = i < shape.size() ? shape[shape.size() - 1 - i] : 1;
        const std::int64_t wanted = scores[scores.size() - 1 - i];
        if (extent != 1 && extent != wanted)
            return {};
        const std::int64_t stride = extent == 1 ? 0 : step;
        step *= extent;
        if (i == 0)
            out.column = stride;
        else if (i == 1)
            out.row = stride;
        else
            out.batch.insert(out.batch.begin(), {wanted, stride});
    }
    return out;
}

/// Whether each row begins at a multiple of so many elements.
bool everyStride(const MatrixBatch& matrix, std::int64_t elements)
{
    return matrix.row != 0 && matrix.row % elements == 0 &&
           std::all_of(matrix.batch.begin(), matrix.batch.end(),
                       [&](const auto& axis) { return axis.first == 1 || axis.second % elements == 0; });
}

class AttentionFinder {
public:
    explicit AttentionFinder(const Graph& graph) : m_graph(graph) {}

    std::optional<Attention> at(const GraphNode& node)
    {
        const std::string name = shortName(node.op);
        const bool found = name == "_scaled_dot_product_efficient_attention" ||
                                   name == "_scaled_dot_product_flash_attention_for_cpu"
                             ? ofLibrary(node, name.ends_with("cpu"))
                             : writtenOut(node, name);
        if (!found || !measure())
            return {};
        return m_out;
    }

private:
    void take(const GraphNode& node)
    {
        m_out.nodes.insert(node.id);
        m_out.replaced_ns += isView(node.op) ? 0 : node.time_ns;
    }

    /// One operator of the framework, which is given queries, keys and values as they lie.
    bool ofLibrary(const GraphNode& node, bool onCpu)
    {
        const auto argument = [&](std::size_t index, const char* keyword) -> const json& {
            return Graph::argument(node, index, keyword);
        };
        const json& bias = onCpu ? argument(99, "attn_mask") : argument(3, "attn_bias");
        const json &dropout = argument(onCpu ? 3 : 5, "dropout_p"), &causal = argument(onCpu ? 4 : 6, "is_causal");
        if (!(dropout.is_null() || Graph::number(dropout) == 0.0))
            return false;
        for (std::size_t i = 1; i < node.outputs.size(); ++i)
            if (node.outputs[i] >= 0 && m_graph.isRead(node.outputs[i]))
                return false;
        const auto q = Graph::tensor(node.args.at(0)), k = Graph::tensor(node.args.at(1)),
                   v = Graph::tensor(node.args.at(2));
        if (!q || !k || !v || m_graph.shape(*q).size() != 4 || m_graph.shape(*k).size() != 4)
            return false;
        const auto query = batchOf(m_graph, *q), key = batchOf(m_graph, *k), values = batchOf(m_graph, *v);
        const auto result = batchOf(m_graph, node.outputs[0]);
        if (!query || !key || !values || !result || !m_graph.isFloat32(*q))
            return false;
        const double scale =
            Graph::number(argument(99, "scale")).value_or(1 / std::sqrt(static_cast<double>(m_graph.shape(*q)[3])));
        m_out.ofLibrary = true;
        m_out.query = *query;
        m_out.key = *key;
        m_out.values = *values;
        m_out.result = *result;
        m_out.depth = m_graph.shape(*q)[3];
        m_out.causal = causal == true;
        m_out.steps.push_back({ScoreStep::Kind::Scale, scale, {}});
        if (const auto added = Graph::tensor(bias)) {
            Shape scores = m_graph.shape(*q);
            scores[3] = m_graph.shape(*k)[2];
            const auto operand = m_graph.isFloat32(*added) ? besideScores(m_graph, *added, scores) : std::nullopt;
            if (!operand)
                return false;
            m_out.steps.push_back({ScoreStep::Kind::Plus, 1, *operand});
        } else if (!bias.is_null()) {
            return false;
        }
        take(node);
        return true;
    }

    /// Softmax or ReLU between two products.
    bool writtenOut(const GraphNode& node, const std::string& name)
    {
        m_out.softmax = name == "_softmax";
        if (!m_out.softmax && name != "relu")
            return false;
        const auto scores = Graph::tensor(node.args.at(0));
        const std::size_t rank = m_graph.shape(node.outputs[0]).size();
        if (!scores || !m_graph.isFloat32(*scores) || rank < 3)
            return false;
        if (m_out.softmax && Graph::axis(Graph::argument(node, 1, "dim"), rank) != rank - 1)
            return false;
        take(node);
        return backward(*scores) && forward(node.outputs[0]);
    }

    bool backward(int value)
    {
        while (m_graph.usedOnce(value)) {
            const GraphNode* node = m_graph.producer(value);
            if (!node)
                return false;
            if (node->op == "aten.bmm.default") {
                take(*node);
                return factors(*node);
            }
            auto source = sameMatricesBefore(m_graph, *node);
            if (!source) {
                source = step(*node);
                if (!source)
                    return false;
            }
            take(*node);
            value = *source;
        }
        return false;
    }

    bool factors(const GraphNode& product)
    {
        const auto left = Graph::tensor(product.args.at(0)), right = Graph::tensor(product.args.at(1));
        const auto query = left ? factor(m_graph, *left) : std::nullopt;
        auto key = right ? factor(m_graph, *right) : std::nullopt;
        if (!query || !key)
            return false;
        m_out.query = *query;
        std::swap(key->row, key->column); // it is transposed
        m_out.key = *key;
        m_out.depth = m_graph.shape(*left).back();
        return true;
    }

    /// Adds what the node does with scores; returns these.
    std::optional<int> step(const GraphNode& node)
    {
        if (!node.op.starts_with("aten.") || node.args.size() < 2 || !node.kwargs.empty())
            return {};
        const std::string name = shortName(node.op);
        const Shape& shape = m_graph.shape(node.outputs[0]);
        auto source = Graph::tensor(node.args[0]);
        ScoreStep step;
        if (name == "masked_fill") {
            const auto mask = Graph::tensor(node.args[1]);
            const auto fill = node.args.size() > 2 ? Graph::number(node.args[2]) : std::nullopt;
            // The steps are found from the last one on.
            if (!mask || !fill || *fill != -std::numeric_limits<double>::infinity() || !m_out.steps.empty() ||
                m_graph.value(*mask).dtype != "bool")
                return {};
            step.kind = ScoreStep::Kind::Mask;
            if (const auto operand = besideScores(m_graph, *mask, shape))
                step.operand = *operand;
        } else if (name == "mul" || name == "div" || name == "add") {
            const auto number = Graph::number(node.args[1]);
            auto other = Graph::tensor(node.args[1]);
            if (number && name != "add") {
                step.number = name == "mul" ? *number : 1 / *number;
            } else if (other && source && name != "div") {
                if (matricesOf(m_graph.shape(*source)) != matricesOf(shape) ||
                    m_graph.shape(*source).size() != shape.size())
                    std::swap(source, other);
                step.kind = name == "mul" ? ScoreStep::Kind::Times : ScoreStep::Kind::Plus;
                if (const auto operand = m_graph.isFloat32(*other) ? besideScores(m_graph, *other, shape)
                                                                   : std::nullopt)
                    step.operand = *operand;
            } else {
                return {};
            }
        } else {
            return {};
        }
        if (!source || m_graph.shape(*source) != shape ||
            (step.kind != ScoreStep::Kind::Scale && step.operand.value < 0))
            return {};
        m_out.steps.insert(m_out.steps.begin(), std::move(step));
        return source;
    }

    bool forward(int value)
    {
        while (m_graph.usedOnce(value)) {
            const GraphNode& node = *m_graph.consumers(value).front();
            if (node.op == "aten.bmm.default") {
                const auto right = Graph::tensor(node.args.at(1));
                const auto values = right && *right != value ? factor(m_graph, *right) : std::nullopt;
                if (!values)
                    return false;
                m_out.values = *values;
                take(node);
                return results(node.outputs[0]);
            }
            if (sameMatricesBefore(m_graph, node) != value)
                return false;
            take(node);
            value = node.outputs[0];
        }
        return false;
    }

    /// Results are written where a copy would put them that turns the axes before it puts them in order.
    bool results(int product)
    {
        const auto plain = batchOf(m_graph, product);
        if (!plain)
            return false;
        m_out.result = *plain;
        int value = product;
        std::vector<const GraphNode*> nodes;
        const auto reader = [&](int of) -> const GraphNode* {
            return m_graph.usedOnce(of) ? m_graph.consumers(of).front() : nullptr;
        };
        const GraphNode* node = reader(value);
        if (node && sameMatricesBefore(m_graph, *node) == value) {
            nodes.push_back(node);
            value = node->outputs[0];
            node = reader(value);
        }
        if (!node || node->op != "aten.transpose.int" || Graph::tensor(node->args.at(0)) != value)
            return true;
        const std::size_t rank = m_graph.shape(value).size();
        const auto a = Graph::axis(node->args.at(1), rank), b = Graph::axis(node->args.at(2), rank);
        const int turned = node->outputs[0];
        const GraphNode* copy = reader(turned);
        if (!copy || copy->op != "aten.clone.default" || !a || !b || a == b || std::max(*a, *b) + 1 == rank ||
            !isInOrder(m_graph, copy->outputs[0]))
            return true;
        nodes.insert(nodes.end(), {node, copy});
        // Of the copy, with its axes turned back.
        std::vector<std::int64_t> stride = m_graph.value(copy->outputs[0]).stride;
        std::swap(stride[*a], stride[*b]);
        m_out.result = laidOut(copy->outputs[0], m_graph.shape(value), stride);
        for (const GraphNode* one : nodes)
            take(*one);
        return true;
    }

    bool measure()
    {
        const auto matrices = [](const MatrixBatch& batch) {
            std::int64_t out = 1;
            for (const auto& [extent, stride] : batch.batch)
                out *= extent;
            return out;
        };
        const Shape &query = m_graph.shape(m_out.query.value), &values = m_graph.shape(m_out.values.value);
        m_out.batch = matrices(m_out.query);
        m_out.queries = query[query.size() - 2];
        m_out.keys = values[values.size() - 2];
        m_out.width = values.back();
        if (matrices(m_out.key) != m_out.batch || matrices(m_out.values) != m_out.batch ||
            matrices(m_out.result) != m_out.batch || m_out.queries < 1 || m_out.keys < 1 || m_out.batch < 1)
            return false;
        for (const ScoreStep& step : m_out.steps)
            if (step.operand.value >= 0 && matrices(step.operand) != m_out.batch)
                return false;
        if (m_out.depth % 8 != 0 || m_out.width % 8 != 0 || m_out.depth > widest || m_out.width > widest ||
            m_out.depth == 0 || m_out.width == 0 || m_out.query.column != 1 || m_out.key.column != 1 ||
            m_out.values.column != 1 || m_out.result.column != 1)
            return false;
        if (!everyStride(m_out.key, 4) || !everyStride(m_out.values, 4) || !everyStride(m_out.result, 2))
            return false;
        // Three products of parts for one in full float32; a block has 64 queries or more, and a tile 64 keys.
        constexpr double flopPerNs = 60e3, tile = 64;
        const auto whole = [](std::int64_t n) { return tile * std::ceil(static_cast<double>(n) / tile); };
        const double flop = 2 * static_cast<double>(m_out.batch) * whole(m_out.queries) * whole(m_out.keys) *
                            static_cast<double>(m_out.depth + m_out.width);
        const double bytes = 4 * static_cast<double>(m_out.batch) *
                             static_cast<double>((m_out.queries + m_out.keys) * (m_out.depth + m_out.width));
        m_out.expected_ns = kernelLaunch_ns + std::max(flop / flopPerNs, bytes / bytesPerNs);
        return m_out.replaced_ns <= 0 || m_out.expected_ns < 0.9 * m_out.replaced_ns;
    }

    const Graph& m_graph;
    Attention m_out;
};

} // namespace

std::string Attention::text() const
{
    return std::to_string(batch) + " times " + std::to_string(queries) + " queries and " + std::to_string(keys) +
           " keys of " + std::to_string(depth) + " numbers";
}

bool masksTiles(const Attention& attention)
{
    if (attention.steps.empty() || attention.steps.back().kind != ScoreStep::Kind::Mask)
        return false;
    const MatrixBatch& mask = attention.steps.back().operand;
    return mask.row == attention.keys && mask.column == 1;
}

std::vector<Attention> attentionsOf(const Graph& graph)
{
    std::vector<Attention> out;
    for (const GraphNode& node : graph.nodes()) {
        if (auto found = AttentionFinder(graph).at(node))
            out.push_back(std::move(*found));
    }
    return out;
}

} // namespace cudal1::policy
