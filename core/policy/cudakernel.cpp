// SPDX-License-Identifier: GPL-3.0-or-later
// Kernel programs as CUDA: four elements a thread where memory allows it, reductions by warp shuffles and shared
// memory.
#include "core/policy/kernelwriter.h"

#include "core/policy/kernelpieces.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

namespace cudal1::policy {

namespace {

// A row belongs to neighbouring threads.
const std::string overRow = R"cuda(template<class Op, int threads> __device__ float over_row(float v, float* shared)
{
    for (int step = (threads < 32 ? threads : 32) / 2; step > 0; step >>= 1)
        v = Op::of(v, __shfl_xor_sync(0xffffffffu, v, step));
    if (threads <= 32)
        return v;
    const int warp = threadIdx.x >> 5;
    __syncthreads();
    if ((threadIdx.x & 31) == 0)
        shared[warp] = v;
    __syncthreads();
    v = shared[0];
    for (int i = 1; i < threads / 32; ++i)
        v = Op::of(v, shared[i]);
    return v;
}

)cuda";

// A column belongs to threads that stand `wide` apart.
const std::string overColumn =
    R"cuda(template<class Op, int wide, int threads> __device__ float over_column(float v, float* shared)
{
    if (threads == wide)
        return v;
    __syncthreads();
    shared[threadIdx.x] = v;
    __syncthreads();
    v = shared[threadIdx.x % wide];
    for (int i = 1; i < threads / wide; ++i)
        v = Op::of(v, shared[i * wide + threadIdx.x % wide]);
    return v;
}

)cuda";

class CudaWriter {
public:
    CudaWriter(const KernelProgram& program, const std::string& name, const LaunchOptions& launch,
               bool channelsInnermost)
        : m_program(program), m_name(name), m_launch(launch), m_channelsInnermost(channelsInnermost)
    {
        for (const std::int64_t extent : program.domain)
            m_total *= extent;
        m_index = m_total >= (std::int64_t{1} << 31) ? "unsigned long long" : "unsigned";
    }

    CudaText run()
    {
        if (!m_program.reduces())
            elementWise();
        else if (const auto shape = rowsInRegisters())
            rows(*shape);
        else if (m_program.innerExtent() == 1)
            rows();
        else
            columns();
        const std::string& reducer = m_program.innerExtent() == 1 ? overRow : overColumn;
        m_kernel.text = withDefinitions((m_program.reduces() ? reducer : "") +
                                        "extern \"C\" __global__ void __launch_bounds__(" + number(m_kernel.threads()) +
                                        ") " + m_name + "(" + signature(m_program, true) + ")\n{\n" + m_out + "}\n");
        return m_kernel;
    }

private:
    void line(int depth, const std::string& text)
    {
        m_out += std::string(static_cast<std::size_t>(depth) * 4, ' ') + text + "\n";
    }

    static std::string at(const std::string& pointer, const std::vector<std::string>& parts)
    {
        std::string offset;
        for (const std::string& part : parts)
            offset += part.empty() ? "" : (offset.empty() ? "" : " + ") + part;
        return pointer + "[" + (offset.empty() ? "0" : offset) + "]";
    }

    /// Whether the input is the whole domain in order.
    static bool dense(const std::vector<KernelAxis>& axes, std::size_t input)
    {
        std::int64_t step = 1;
        for (std::size_t i = axes.size(); i-- > 0; step *= axes[i].extent) {
            if (axes[i].strides[input] != step)
                return false;
        }
        return !axes.empty();
    }

    // Four neighbours a thread where the tensor has so many. An input that does not step through the whole tensor is
    // read one by one where rows are no multiple of four.
    void elementWise()
    {
        const std::vector<KernelAxis> axes = m_channelsInnermost ? m_program.channelsInnermost : m_program.axes();
        const bool wholeRows = axes.empty() || axes.back().extent % 4 == 0;
        const int width = m_launch.vector == 4 && m_total % 4 == 0 ? 4 : 1;
        const std::int64_t steps = m_total / width;
        m_kernel.wide = m_launch.block;
        m_kernel.grid = (steps + m_launch.block - 1) / m_launch.block;
        line(1,
             "const " + m_index + " q = blockIdx.x * (" + m_index + ")" + number(m_launch.block) + " + threadIdx.x;");
        line(1, "if (q >= " + number(steps) + "u)");
        line(2, "return;");
        line(1, "const " + m_index + " k = q" + (width == 4 ? " * 4;" : ";"));
        for (std::size_t n = 0; n < m_program.inputs.size(); ++n) {
            const std::string id = number(static_cast<std::int64_t>(n)), offset = offsetText(axes, n, "k");
            const bool walks = !axes.empty() && axes.back().strides[n] != 0;
            if (width == 1) {
                line(1, "const float v" + id + " = " + at("a" + id, {offset}) + ";");
            } else if (dense(axes, n) || (wholeRows && walks)) {
                line(1, "const float4 f" + id + " = *reinterpret_cast<const float4*>(a" + id + " + " +
                            (dense(axes, n) ? "k" : offset) + ");");
                line(1, "const float v" + id + "[4] = {f" + id + ".x, f" + id + ".y, f" + id + ".z, f" + id + ".w};");
            } else {
                std::string four;
                for (int l = 0; l < 4; ++l)
                    four += (l ? ", " : "") +
                            at("a" + id,
                               {wholeRows || l == 0 ? offset : offsetText(axes, n, "(k + " + number(l) + ")")});
                line(1, "const float v" + id + "[4] = {" + four + "};");
            }
        }
        for (std::size_t n = 0; n < m_program.outputs.size() && width == 4; ++n)
            line(1, "float w" + number(static_cast<std::int64_t>(n)) + "[4];");
        if (width == 4) {
            line(1, "#pragma unroll");
            line(1, "for (int l = 0; l < 4; ++l) {");
        }
        std::map<int, std::string> names;
        m_out += declare(
            m_program, m_program.roots(true), names,
            [&](int n) { return "v" + std::to_string(n) + (width == 4 ? "[l]" : ""); },
            std::string(width == 4 ? 8 : 4, ' '));
        for (std::size_t n = 0; n < m_program.outputs.size(); ++n) {
            const std::string id = number(static_cast<std::int64_t>(n));
            line(width == 4 ? 2 : 1, (width == 4 ? "w" + id + "[l]" : "out" + id + "[k]") + " = " +
                                         names.at(m_program.outputs[n].expr) + ";");
        }
        if (width != 4)
            return;
        line(1, "}");
        for (std::size_t n = 0; n < m_program.outputs.size(); ++n) {
            const std::string id = number(static_cast<std::int64_t>(n));
            line(1, "*reinterpret_cast<float4*>(out" + id + " + k) = make_float4(w" + id + "[0], w" + id + "[1], w" +
                        id + "[2], w" + id + "[3]);");
        }
    }

    // The passes over the reduced axis; `loop` opens a loop over r, `over` combines the threads of a row or column:
    // "over_row<" with the operator before `parameters`, which close its template.
    void passes(const std::string& loop, const std::string& over, const std::string& parameters,
                const std::function<std::string(int)>& load, std::map<int, std::string>& row)
    {
        m_out += passesText(
            m_program, loop,
            [&](const std::string& op, const std::string& value) {
                return over + "<" + op + ", " + parameters + ">(" + value + ", shared)";
            },
            load, row);
        m_out += declare(m_program, m_program.roots(false), row, load, "    ");
    }

    void storeFull(const std::string& loop, const std::function<std::string(int)>& load,
                   const std::map<int, std::string>& row, const std::string& index)
    {
        if (m_program.roots(true).empty())
            return;
        line(1, loop);
        std::map<int, std::string> names = row;
        m_out += declare(m_program, m_program.roots(true), names, load, std::string(8, ' '));
        for (std::size_t n = 0; n < m_program.outputs.size(); ++n) {
            if (m_program.outputs[n].full)
                line(2, "out" + number(static_cast<std::int64_t>(n)) + "[" + index +
                            "] = " + names.at(m_program.outputs[n].expr) + ";");
        }
        line(1, "}");
    }

    void storeRow(const std::string& condition, const std::map<int, std::string>& row, const std::string& index)
    {
        for (std::size_t n = 0; n < m_program.outputs.size(); ++n) {
            if (!m_program.outputs[n].full)
                line(1, "if (" + condition + ")\n        out" + number(static_cast<std::int64_t>(n)) + "[" + index +
                            "] = " + row.at(m_program.outputs[n].expr) + ";");
        }
    }

    /// Rows that the threads which share one can keep in registers.
    struct RowShape {
        int lanes = 32;            ///< threads of a row
        int vectors = 1;           ///< of four elements that a thread has; some threads lack the last one
        bool even = true;          ///< no thread does
        std::set<int> early, late; ///< inputs with a number for each element: read by reductions, or only behind them
    };

    std::optional<RowShape> rowsInRegisters() const
    {
        const std::int64_t extent = m_program.reducedExtent(), units = extent / 4;
        constexpr std::int64_t longest = 8; // vectors of four: with more of them the threads of a processor become few
        if (m_program.innerExtent() != 1 || extent % 4 != 0 || m_launch.vector != 4)
            return {};
        RowShape shape;
        if (extent <= 1024) {
            while (shape.lanes > 1 && (units < 2 * shape.lanes || units % shape.lanes != 0))
                shape.lanes /= 2;
            if (units / shape.lanes > longest)
                shape.lanes = 32;
        } else {
            shape.lanes = extent <= 8192 ? m_launch.block : 1024;
        }
        shape.vectors = static_cast<int>((units + shape.lanes - 1) / shape.lanes);
        shape.even = units % shape.lanes == 0;
        if (shape.vectors > longest)
            return {};
        for (const KernelExpr& expr : m_program.exprs) {
            if (expr.kind == KernelExpr::Kind::Reduction)
                collectInputs(expr.args[0], shape.early);
        }
        for (const KernelExpr& expr : m_program.exprs) {
            if (expr.kind == KernelExpr::Kind::Input && expr.full && !shape.early.contains(expr.index))
                shape.late.insert(expr.index);
        }
        const std::size_t registersOfAThread = shape.lanes == 1024 ? 32 : 64;
        const auto each = static_cast<std::size_t>(shape.vectors) * 4;
        if (shape.early.size() * each > registersOfAThread || shape.late.size() * each > registersOfAThread)
            return {};
        return shape;
    }

    void collectInputs(int root, std::set<int>& out) const
    {
        const KernelExpr& expr = m_program.exprs[static_cast<std::size_t>(root)];
        if (expr.kind == KernelExpr::Kind::Input && expr.full)
            out.insert(expr.index);
        for (const int arg : expr.args)
            collectInputs(arg, out);
    }

    /// Ends a loop where its index is in the last vector and the thread has none.
    static std::string leave(const std::string& last) { return "if (" + last + " && !inside)\n            break;"; }

    /// Reads what a thread has of an input into registers c0[], c1[]...
    void readRow(int input, const RowShape& shape)
    {
        const auto n = static_cast<std::size_t>(input);
        const std::string id = number(input), outer = offsetText(m_program.outer, n, "o"),
                          reduced = offsetText(m_program.reduced, n, "r");
        const bool aligned = std::all_of(m_program.outer.begin(), m_program.outer.end(),
                                         [&](const KernelAxis& axis) { return axis.strides[n] % 4 == 0; });
        line(1, "float c" + id + "[" + number(shape.vectors * 4) + "];");
        line(1, "#pragma unroll");
        line(1, "for (int m = 0; m < " + number(shape.vectors) + "; ++m) {");
        if (!shape.even)
            line(2, leave("m >= " + number(shape.vectors - 1)));
        if (reduced == "r" && aligned) {
            line(2, "const " + m_index + " r = (m * " + number(shape.lanes) + " + x) * 4;");
            line(2, "const float4 f = *reinterpret_cast<const float4*>(a" + id + " + " +
                        (outer.empty() ? "" : outer + " + ") + "r);");
            line(2, "c" + id + "[m * 4] = f.x, c" + id + "[m * 4 + 1] = f.y, c" + id + "[m * 4 + 2] = f.z, c" + id +
                        "[m * 4 + 3] = f.w;");
        } else {
            line(2, "for (int l = 0; l < 4; ++l) {");
            line(3, "const " + m_index + " r = (m * " + number(shape.lanes) + " + x) * 4 + l;");
            line(3, "c" + id + "[m * 4 + l] = " + at("a" + id, {outer, reduced}) + ";");
            line(2, "}");
        }
        line(1, "}");
    }

    /// Thread x of those that share a row or column, of which the block has `high`; y is the row's number in the block.
    void beginBlock(int wide, int high)
    {
        m_kernel.wide = wide;
        m_kernel.high = high;
        line(1, high == 1 ? "const unsigned x = threadIdx.x;"
                          : "const unsigned x = threadIdx.x % " + number(wide) + "u, y = threadIdx.x / " +
                                number(wide) + "u;");
    }

    // A row for the threads of one y: theirs is row `o`.
    void beginRows(std::int64_t outer, int wide, int high)
    {
        m_kernel.grid = (outer + high - 1) / high;
        line(1, "__shared__ float shared[32];");
        beginBlock(wide, high);
        line(1, "const " + m_index +
                    " o = " + (high == 1 ? "blockIdx.x;" : "blockIdx.x * (" + m_index + ")" + number(high) + " + y;"));
        line(1, "if (o >= " + number(outer) + "u)");
        line(2, "return;");
    }

    // Each row is read once and kept in registers; short rows share a warp.
    void rows(const RowShape& shape)
    {
        const std::int64_t extent = m_program.reducedExtent(), outer = m_program.outerExtent();
        const std::string lanes = number(shape.lanes);
        beginRows(outer, shape.lanes, shape.lanes > 32 ? 1 : (outer > 264 ? 256 : 32) / shape.lanes);
        const auto load = [&](int k) {
            return shape.early.contains(k) || shape.late.contains(k)
                     ? "c" + number(k) + "[e]"
                     : at("a" + number(k), {offsetText(m_program.outer, static_cast<std::size_t>(k), "o")});
        };
        if (!shape.even)
            line(1, "const bool inside = " + number((shape.vectors - 1) * shape.lanes) + " + x < " +
                        number(extent / 4) + "u;");
        for (const int input : shape.early)
            readRow(input, shape);
        std::string loop = "#pragma unroll\n    for (int e = 0; e < " + number(shape.vectors * 4) + "; ++e) {";
        if (!shape.even)
            loop += "\n        " + leave("e >= " + number(shape.vectors * 4 - 4));
        std::map<int, std::string> row;
        passes(loop, "over_row", lanes, load, row);
        storeRow("x == 0", row, "o");
        if (m_program.roots(true).empty())
            return;
        for (const int input : shape.late)
            readRow(input, shape);
        for (std::size_t n = 0; n < m_program.outputs.size(); ++n) {
            if (m_program.outputs[n].full)
                line(1, "float w" + number(static_cast<std::int64_t>(n)) + "[" + number(shape.vectors * 4) + "];");
        }
        line(1, loop);
        std::map<int, std::string> names = row;
        m_out += declare(m_program, m_program.roots(true), names, load, std::string(8, ' '));
        for (std::size_t n = 0; n < m_program.outputs.size(); ++n) {
            if (m_program.outputs[n].full)
                line(2,
                     "w" + number(static_cast<std::int64_t>(n)) + "[e] = " + names.at(m_program.outputs[n].expr) + ";");
        }
        line(1, "}");
        line(1, "#pragma unroll");
        line(1, "for (int m = 0; m < " + number(shape.vectors) + "; ++m) {");
        if (!shape.even)
            line(2, leave("m >= " + number(shape.vectors - 1)));
        for (std::size_t n = 0; n < m_program.outputs.size(); ++n) {
            const std::string w = "w" + number(static_cast<std::int64_t>(n));
            if (m_program.outputs[n].full)
                line(2, "*reinterpret_cast<float4*>(out" + number(static_cast<std::int64_t>(n)) + " + o * " +
                            number(extent) + " + (m * " + lanes + " + x) * 4) = make_float4(" + w + "[m * 4], " + w +
                            "[m * 4 + 1], " + w + "[m * 4 + 2], " + w + "[m * 4 + 3]);");
        }
        line(1, "}");
    }

    // A row for each block, or for each warp where rows are short.
    void rows()
    {
        const std::int64_t extent = m_program.reducedExtent(), outer = m_program.outerExtent();
        const int wide = extent <= 1024 ? 32 : extent <= 8192 ? m_launch.block : 1024;
        beginRows(outer, wide, wide == 32 && outer > 264 ? 8 : 1);
        const auto load = [&](int k) {
            return at("a" + std::to_string(k), {offsetText(m_program.outer, static_cast<std::size_t>(k), "o"),
                                                offsetText(m_program.reduced, static_cast<std::size_t>(k), "r")});
        };
        const std::string loop = "for (" + m_index + " r = x; r < " + number(extent) + "u; r += " + number(wide) +
                                 "u) {";
        std::map<int, std::string> row;
        passes(loop, "over_row", number(wide), load, row);
        storeRow("x == 0", row, "o");
        storeFull(loop, load, row, "o * " + number(extent) + " + r");
    }

    // A column for each x; the threads of all y share its elements where there are few columns.
    void columns()
    {
        const std::int64_t extent = m_program.reducedExtent(), inner = m_program.innerExtent(),
                           outer = m_program.outerExtent();
        int share = 1;
        while (share < 32 && share * 2 <= extent && inner * outer * share < 132 * 1024)
            share *= 2;
        const int wide = std::max(32, m_launch.block / 2 / share / 32 * 32);
        const std::int64_t pieces = (inner + wide - 1) / wide;
        m_kernel.grid = pieces * outer;
        line(1, "__shared__ float shared[" + number(wide * share) + "];");
        beginBlock(wide, share);
        line(1, "const " + m_index + " o = blockIdx.x / " + number(pieces) + "u;");
        line(1, "const " + m_index + " column = blockIdx.x % " + number(pieces) + "u * " + number(wide) + "u + x;");
        line(1, "const bool inside = column < " + number(inner) + "u;");
        line(1, "const " + m_index + " i = inside ? column : 0;");
        const auto plain = [&](int k) {
            const auto input = static_cast<std::size_t>(k);
            return at("a" + std::to_string(k),
                      {offsetText(m_program.outer, input, "o"), offsetText(m_program.reduced, input, "r"),
                       offsetText(m_program.inner, input, "i")});
        };
        // Few elements a thread are kept in registers between the passes.
        const std::int64_t mine = extent / share;
        const std::string y = share == 1 ? "0u" : "y";
        std::string loop = "for (" + m_index + " r = " + y + "; r < " + number(extent) + "u; r += " + number(share) +
                           "u) {";
        std::function<std::string(int)> load = plain;
        std::set<int> kept;
        if (mine <= 64 && extent % share == 0 && !m_program.roots(true).empty()) {
            for (const KernelExpr& expr : m_program.exprs) {
                if (expr.kind == KernelExpr::Kind::Input && expr.full)
                    kept.insert(expr.index);
            }
            if (kept.size() == 1) {
                const int k = *kept.begin();
                line(1, "float c[" + number(mine) + "];");
                line(1, "#pragma unroll");
                line(1, "for (int m = 0; m < " + number(mine) + "; ++m) {");
                line(2, "const " + m_index + " r = m * " + number(share) + "u + " + y + ";");
                line(2, "c[m] = " + plain(k) + ";");
                line(1, "}");
                loop = "#pragma unroll\n    for (int m = 0; m < " + number(mine) + "; ++m) {\n        const " +
                       m_index + " r = m * " + number(share) + "u + " + y + ";";
                load = [plain, k](int input) { return input == k ? "c[m]" : plain(input); };
            }
        }
        std::map<int, std::string> row;
        passes(loop, "over_column", number(wide) + ", " + number(wide * share), load, row);
        line(1, "if (!inside)");
        line(2, "return;");
        storeRow(y + " == 0", row, "o * " + number(inner) + "u + i");
        storeFull(loop, load, row, "(o * " + number(extent) + "u + r) * " + number(inner) + "u + i");
    }

    const KernelProgram& m_program;
    const std::string m_name;
    const LaunchOptions m_launch;
    const bool m_channelsInnermost;
    std::string m_index;
    std::int64_t m_total = 1;
    CudaText m_kernel;
    std::string m_out;
};

} // namespace

CudaText cudaText(const KernelProgram& program, const std::string& name, const LaunchOptions& launch,
                  bool channelsInnermost)
{
    return CudaWriter(program, name, launch, channelsInnermost).run();
}

} // namespace cudal1::policy
