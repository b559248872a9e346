// SPDX-License-Identifier: GPL-3.0-or-later
// Attention as CUDA.
#include "core/policy/attentionkernel.h"

#include "core/policy/attentionpieces.h"
#include "core/policy/kernelpieces.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

/// How the work of a kernel is cut.
struct AttentionPlan {
    std::int64_t warps = 4;
    std::int64_t sixteens = 1;                ///< each warp has so many times sixteen queries
    std::int64_t keys = 64;                   ///< of a tile
    std::int64_t blocks = 3, exactBlocks = 3; ///< that a processor must have registers for, in TF32 and without
};

/// Of nine ways to cut 3/31, 3/43 and 3/50 the fastest on an H200 that keeps a thread's numbers in registers. Without
/// TF32 a thread has both parts of its scores, and what a tile adds to its sums.
AttentionPlan planOf(const Attention& attention)
{
    AttentionPlan plan;
    const std::int64_t columns = attention.depth + attention.width;
    if (attention.queries > 64 && columns <= 64)
        plan.sixteens = plan.blocks = plan.exactBlocks = 2;
    else if (columns > 64)
        plan.exactBlocks = 2;
    return plan;
}

class AttentionText {
public:
    explicit AttentionText(const Attention& attention) : m_attention(attention), m_plan(planOf(attention))
    {
        if (!attention.steps.empty() && attention.steps.back().kind == ScoreStep::Kind::Mask)
            m_mask = &attention.steps.back().operand;
        m_kinds = masksTiles(attention);
    }

    std::int64_t threads() const { return m_plan.warps * 32; }
    std::int64_t queriesOfBlock() const { return m_plan.warps * m_plan.sixteens * 16; }
    std::int64_t queryTiles() const { return (m_attention.queries + queriesOfBlock() - 1) / queriesOfBlock(); }
    std::int64_t keyTiles() const { return (m_attention.keys + m_plan.keys - 1) / m_plan.keys; }
    std::int64_t sharedBytes() const { return 4 * m_plan.keys * (keyPitch() + valuePitch()); }
    /// Whether another kernel looks at the tiles of the mask before.
    bool kinds() const { return m_kinds; }
    std::int64_t masks() const
    {
        std::int64_t out = 1;
        for (const auto& [extent, stride] : m_mask->batch)
            out *= stride == 0 ? 1 : extent;
        return out;
    }

    std::string run(const std::string& name)
    {
        constants();
        m_out += attentionFunctions;
        places();
        if (m_kinds) {
            std::string text = kindsOfTiles;
            text.replace(text.find("KINDS"), 5, name + "_kinds");
            m_out += text;
        }
        m_out += "\nextern \"C\" __global__ void __launch_bounds__(threads, exact ? " + number(m_plan.exactBlocks) +
                 " : " + number(m_plan.blocks) + ") " + name + "(" + parameters() + ")\n{\n" + headOfAttention;
        tiles();
        m_out += storesOfAttention + "}\n";
        return "\n" + withDefinitions(m_out.substr(1));
    }

private:
    // Rows begin so that the threads of a warp read different banks: eight rows of pairs, or four pairs of rows.
    std::int64_t keyPitch() const { return m_attention.depth % 16 == 0 ? m_attention.depth + 8 : m_attention.depth; }
    std::int64_t valuePitch() const
    {
        return m_attention.width % 16 == 0 ? m_attention.width + 4 : m_attention.width + 12;
    }

    void constants()
    {
        const auto constant = [this](const char* name, std::int64_t value) {
            m_out += "constexpr int " + std::string(name) + " = " + number(value) + ";\n";
        };
        const auto word = [](bool value) { return std::string(value ? "true" : "false"); };
        m_out += "\nconstexpr bool exact = true, softmax = " + word(m_attention.softmax) +
                 ", zeros_without_keys = " + word(m_attention.ofLibrary) + ";\n";
        constant("queries", m_attention.queries);
        constant("keys", m_attention.keys);
        constant("depth", m_attention.depth);
        constant("width", m_attention.width);
        constant("threads", threads());
        constant("block_queries", queriesOfBlock());
        constant("sixteens", m_plan.sixteens);
        constant("tile", m_plan.keys);
        constant("query_tiles", queryTiles());
        constant("key_tiles", keyTiles());
        constant("key_pitch", keyPitch());
        constant("value_pitch", valuePitch());
        const auto row = [this](const char* name, const MatrixBatch& matrix) {
            m_out += "constexpr long long " + std::string(name) + "_row = " + number(matrix.row) + ";\n";
        };
        row("query", m_attention.query);
        row("key", m_attention.key);
        row("values", m_attention.values);
        row("out", m_attention.result);
    }

    /// Functions that say where a matrix of each tensor begins.
    void places()
    {
        place("query", m_attention.query);
        place("key", m_attention.key);
        place("values", m_attention.values);
        place("out", m_attention.result);
        for (std::size_t i = 0; i < m_attention.steps.size(); ++i) {
            if (m_attention.steps[i].kind != ScoreStep::Kind::Scale)
                place(operandName(i), m_attention.steps[i].operand);
        }
    }

    void place(const std::string& name, const MatrixBatch& matrix)
    {
        std::string offset;
        std::int64_t behind = 1;
        for (std::size_t i = matrix.batch.size(); i-- > 0;) {
            const auto [extent, stride] = matrix.batch[i];
            if (extent != 1 && stride != 0) {
                std::string index = behind == 1 ? "(long long)matrix" : "(long long)(matrix / " + number(behind) + ")";
                if (behind * extent < m_attention.batch)
                    index += " % " + number(extent);
                offset += (offset.empty() ? "" : " + ") + index + " * " + number(stride);
            }
            behind *= extent;
        }
        m_out += "static __device__ __forceinline__ long long " + name + "_at(int " + (offset.empty() ? "" : "matrix") +
                 ") { return " + (offset.empty() ? "0" : offset) + "; }\n";
    }

    std::string operandName(std::size_t step) const
    {
        return m_attention.steps[step].kind == ScoreStep::Kind::Mask ? "mask" : "operand_" + std::to_string(step);
    }

    std::string parameters() const
    {
        std::string out = "const float* __restrict__ query, const float* __restrict__ key, "
                          "const float* __restrict__ values, ";
        for (std::size_t i = 0; i < m_attention.steps.size(); ++i) {
            if (m_attention.steps[i].kind == ScoreStep::Kind::Mask)
                out += "const unsigned char* __restrict__ mask, ";
            else if (m_attention.steps[i].kind != ScoreStep::Kind::Scale)
                out += "const float* __restrict__ " + operandName(i) + ", ";
        }
        if (m_kinds)
            out += "const int* __restrict__ kinds, ";
        return out + "float* __restrict__ out";
    }

    void line(int depth, const std::string& text)
    {
        m_out += std::string(static_cast<std::size_t>(depth) * 4, ' ') + text + "\n";
    }

    void tiles()
    {
        for (std::size_t i = 0; i < m_attention.steps.size(); ++i)
            if (m_attention.steps[i].kind != ScoreStep::Kind::Scale)
                line(1, operandName(i) + " += " + operandName(i) + "_at(matrix);");
        if (m_kinds)
            line(1, "kinds += (mask_at(matrix) / ((long long)queries * keys) * query_tiles + first_query / "
                    "block_queries) * key_tiles;");
        line(1, m_attention.causal ? "const int last = min(key_tiles, (first_query + block_queries - 1) / tile + 1);"
                                   : "const int last = key_tiles;");
        line(1, "int next = 0;");
        if (m_kinds) {
            line(1, "while (next < last && kinds[next] == 0)");
            line(2, "++next;");
        }
        line(1, "if (next < last)");
        line(2, "begin_copy<depth, key_pitch>(key_tile, key, next * tile, key_row);");
        line(1, "while (next < last) {");
        line(2, "const int first_key = next * tile;");
        if (m_kinds)
            line(2, "const bool hides = kinds[next] == 2;");
        line(2, "++next;");
        if (m_kinds) {
            line(2, "while (next < last && kinds[next] == 0)");
            line(3, "++next;");
        }
        m_out += scoresOfTile;
        steps();
        m_out += (m_attention.softmax ? softmaxOfTile : reluOfTile) + endOfTile;
    }

    void steps()
    {
        const bool rows = std::any_of(m_attention.steps.begin(), m_attention.steps.end(), [](const ScoreStep& step) {
            return step.operand.row != 0 || step.operand.column != 0;
        });
        line(2, "#pragma unroll");
        line(2, "for (int s = 0; s < sixteens * (tile / 8); ++s) {");
        line(3, "const int m = s / (tile / 8), n = s % (tile / 8);");
        line(3, "#pragma unroll");
        line(3, "for (int i = 0; i < 4; ++i) {");
        line(4, "const int k = first_key + n * 8 + part * 2 + i % 2;");
        if (rows || m_attention.causal)
            line(4, "const int q = own_query + m * 16 + i / 2 * 8;");
        line(4, "float score = scores[m][n][i];");
        for (std::size_t i = 0; i < m_attention.steps.size(); ++i) {
            const ScoreStep& step = m_attention.steps[i];
            const std::string at = operandName(i) + "[" + index(step.operand) + "]";
            // What lies behind the last query or key is not read.
            const std::string inside = step.operand.row == 0 && step.operand.column == 0 ? ""
                                                                                         : "q < queries && k < keys";
            switch (step.kind) {
            case ScoreStep::Kind::Scale: line(4, "score *= " + floatText(step.number) + ";"); break;
            case ScoreStep::Kind::Times:
            case ScoreStep::Kind::Plus:
                if (!inside.empty())
                    line(4, "if (" + inside + ")");
                line(inside.empty() ? 4 : 5,
                     std::string("score ") + (step.kind == ScoreStep::Kind::Times ? "*=" : "+=") + " " + at + ";");
                break;
            case ScoreStep::Kind::Mask:
                line(4, "if (" + std::string(m_kinds ? "hides && " : "") + (inside.empty() ? "" : inside + " && ") +
                            at + ")");
                line(5, "score = -INFINITY;");
                break;
            }
        }
        const std::string none = m_attention.softmax ? "-INFINITY" : "0.0f";
        std::string hidden;
        if (m_attention.keys % m_plan.keys != 0)
            hidden = "k >= keys";
        if (m_attention.causal)
            hidden += std::string(hidden.empty() ? "" : " || ") + "k > q";
        line(4, "scores[m][n][i] = " + (hidden.empty() ? "score" : hidden + " ? " + none + " : score") + ";");
        line(3, "}");
        line(2, "}");
    }

    static std::string index(const MatrixBatch& operand)
    {
        std::string out;
        if (operand.row != 0)
            out = operand.row == 1 ? "q" : "(long long)q * " + number(operand.row);
        if (operand.column != 0)
            out += std::string(out.empty() ? "" : " + ") +
                   (operand.column == 1 ? "k" : "k * " + number(operand.column));
        return out.empty() ? "0" : out;
    }

    const Attention& m_attention;
    const AttentionPlan m_plan;
    const MatrixBatch* m_mask = nullptr;
    bool m_kinds = false;
    std::string m_out;
};

} // namespace

std::vector<int> inputsOf(const Attention& attention)
{
    std::vector<int> out{attention.query.value, attention.key.value, attention.values.value};
    for (const ScoreStep& step : attention.steps) {
        if (step.kind != ScoreStep::Kind::Scale)
            out.push_back(step.operand.value);
    }
    return out;
}

std::string addAttention(Source& source, const Graph& graph, const Attention& attention)
{
    addCudaHelper(source);
    Source::once(source.helpers, laidOutHelper());
    return addFunction(source, "fused_attention", [&](const std::string& name) {
        AttentionText text(attention);
        std::vector<std::string> tensors{"query", "key", "values"};
        std::string checks, pointers, parameters;
        const std::vector<int> values = inputsOf(attention);
        for (std::size_t i = 3; i < values.size(); ++i)
            tensors.push_back("operand_" + std::to_string(i - 3));
        for (std::size_t i = 0; i < values.size(); ++i) {
            parameters += (i ? ", " : "") + tensors[i];
            pointers += tensors[i] + ".data_ptr(), ";
            checks += "    " + tensors[i] + " = " +
                      (i < 3 ? "laid_out(" + tensors[i] + ", " + tupleText(graph.value(values[i]).stride) + ")"
                             : tensors[i] + ".contiguous()") +
                      "\n";
        }
        const std::string kernel = name + "_kernel";
        const std::string launch = number(text.queryTiles() * attention.batch) + ", " + number(text.threads()) + ", " +
                                   number(static_cast<std::int64_t>(values.size()) + 1 + text.kinds()) + ", 0, " +
                                   number(text.sharedBytes());
        std::string out = kernel + "_text = r\"\"\"" + text.run(kernel) + "\"\"\"\n" + kernel + " = CudaKernel(\"" +
                          kernel + "\", " + kernel + "_text, " + launch + ")\n" + kernel + "_in_tf32 = CudaKernel(\"" +
                          kernel + "\", " + kernel + "_text.replace(\"exact = true\", \"exact = false\"), " + launch +
                          ")\n";
        const std::int64_t tiles = text.kinds() ? text.masks() * text.queryTiles() * text.keyTiles() : 0;
        if (text.kinds())
            out += kernel + "_kinds = CudaKernel(\"" + kernel + "_kinds\", " + kernel + "_text, " + number(tiles) +
                   ", 256, 2, 0)\n";
        out += "\n\ndef " + name + "(" + parameters + "):\n    \"\"\"Attention: " + attention.text() +
               "; no score is written to memory.\"\"\"\n" + checks + "    out = torch.empty_strided(" +
               tupleText(graph.shape(attention.result.value)) + ", " +
               tupleText(graph.value(attention.result.value).stride) + ", dtype=torch.float32, device=query.device)\n" +
               "    kernel = " + kernel + "_in_tf32 if torch.backends.cuda.matmul.allow_tf32 else " + kernel + "\n";
        if (text.kinds()) {
            out += "    kinds = torch.empty(" + number(tiles) + ", dtype=torch.int32, device=query.device)\n    " +
                   kernel + "_kinds(query.get_device(), " + tensors.back() + ".data_ptr(), kinds.data_ptr())\n";
            pointers += "kinds.data_ptr(), ";
        }
        return out + "    kernel(query.get_device(), " + pointers + "out.data_ptr())\n    return out\n";
    });
}

} // namespace cudal1::policy
