// SPDX-License-Identifier: GPL-3.0-or-later
// Kernel programs as C with OpenMP: loops whose innermost one runs over contiguous memory in vector registers.
#include "core/policy/kernelwriter.h"

#include "core/policy/kernelpieces.h"

#include <algorithm>
#include <functional>
#include <map>

namespace cudal1::policy {

namespace {

constexpr std::int64_t chunk = 4096; ///< elements of a partial sum, and of a thread's piece of a flat loop
constexpr std::int64_t tile = 512;   ///< columns that are reduced side by side

std::string least(const std::string& a, const std::string& b)
{
    return "(" + a + " < " + b + " ? " + a + " : " + b + ")";
}

std::string combine(const std::string& op, const std::string& into, const std::string& with)
{
    if (op == "sum" || op == "prod")
        return into + (op == "sum" ? " += " : " *= ") + with + ";";
    return into + " = " + into + (op == "max" ? " > " : " < ") + with + " ? " + into + " : " + with + ";";
}

const char* clause(const std::string& op)
{
    return op == "sum" ? "+" : op == "prod" ? "*" : op == "max" ? "max" : "min";
}

class CWriter {
public:
    CWriter(const KernelProgram& program, const std::string& name) : m_program(program), m_name(name) {}

    std::string run()
    {
        m_out = "void " + m_name + "(" + signature(m_program, false) + ", int threads)\n{\n";
        if (!m_program.reduces())
            elementWise();
        else if (m_program.innerExtent() == 1)
            rows();
        else
            columns();
        return m_out + "}\n";
    }

private:
    void line(int depth, const std::string& text)
    {
        m_out += std::string(static_cast<std::size_t>(depth) * 4, ' ') + text + "\n";
    }

    void parallelFor(const std::string& variable, std::int64_t extent)
    {
        line(1, "#pragma omp parallel for num_threads(threads) if (threads > 1" +
                    std::string(total() < 32768 ? " && 0" : "") + ")");
        line(1, "for (long " + variable + " = 0; " + variable + " < " + number(extent) + "; ++" + variable + ") {");
    }

    std::int64_t total() const
    {
        std::int64_t n = 1;
        for (const std::int64_t extent : m_program.domain)
            n *= extent;
        return n;
    }

    // Element-wise programs keep all axes in `inner`; the last one is the vector loop.
    void elementWise()
    {
        std::vector<KernelAxis> axes = m_program.axes();
        if (axes.empty())
            axes.push_back({1, std::vector<std::int64_t>(m_program.inputs.size(), 0)});
        const KernelAxis last = axes.back();
        axes.pop_back();
        std::int64_t outer = 1;
        for (const KernelAxis& axis : axes)
            outer *= axis.extent;
        const bool flat = outer == 1 && last.extent > chunk;
        const std::int64_t width = flat ? chunk : last.extent;
        parallelFor("o", flat ? (last.extent + chunk - 1) / chunk : outer);
        if (flat)
            line(2, "const long n = " + least(number(width), number(last.extent) + " - o * " + number(width)) + ";");
        for (std::size_t k = 0; k < m_program.inputs.size(); ++k) {
            const std::string offset = flat ? (last.strides[k] ? "o * " + number(width) : "")
                                            : offsetText(axes, k, "o");
            line(2, "const float* p" + number(static_cast<std::int64_t>(k)) + " = a" +
                        number(static_cast<std::int64_t>(k)) + (offset.empty() ? "" : " + " + offset) + ";");
        }
        for (std::size_t k = 0; k < m_program.outputs.size(); ++k)
            line(2, "float* q" + number(static_cast<std::int64_t>(k)) + " = out" +
                        number(static_cast<std::int64_t>(k)) + " + o * " + number(width) + ";");
        line(2, "#pragma omp simd");
        line(2, "for (long i = 0; i < " + (flat ? "n" : number(width)) + "; ++i) {");
        std::map<int, std::string> names;
        m_out += declare(
            m_program, m_program.roots(true), names,
            [&](int k) {
                return "p" + std::to_string(k) + (last.strides[static_cast<std::size_t>(k)] ? "[i]" : "[0]");
            },
            std::string(12, ' '));
        store(3, names, true, "[i]", "[i]");
        line(2, "}");
        line(1, "}");
    }

    void store(int depth, const std::map<int, std::string>& names, bool full, const std::string& fullIndex,
               const std::string& rowIndex)
    {
        for (std::size_t k = 0; k < m_program.outputs.size(); ++k) {
            const KernelOutput& output = m_program.outputs[k];
            if (output.full == full)
                line(depth, "q" + number(static_cast<std::int64_t>(k)) + (full ? fullIndex : rowIndex) + " = " +
                                names.at(output.expr) + ";");
        }
    }

    void pointers(const std::string& rowBase, const std::string& fullBase)
    {
        for (std::size_t k = 0; k < m_program.inputs.size(); ++k) {
            const std::string offset = offsetText(m_program.outer, k, "o");
            line(2, "const float* p" + number(static_cast<std::int64_t>(k)) + " = a" +
                        number(static_cast<std::int64_t>(k)) + (offset.empty() ? "" : " + " + offset) + ";");
        }
        for (std::size_t k = 0; k < m_program.outputs.size(); ++k)
            line(2, "float* q" + number(static_cast<std::int64_t>(k)) + " = out" +
                        number(static_cast<std::int64_t>(k)) + " + " +
                        (m_program.outputs[k].full ? fullBase : rowBase) + ";");
    }

    std::string rowLoad(int k, const std::string& r, const std::string& i) const
    {
        const auto input = static_cast<std::size_t>(k);
        const std::string a = offsetText(m_program.reduced, input, r), b = offsetText(m_program.inner, input, i);
        return "p" + std::to_string(k) + "[" +
               (a.empty()   ? (b.empty() ? "0" : b)
                : b.empty() ? a
                            : a + " + " + b) +
               "]";
    }

    // One row after another, each contiguous. Sums of more than a chunk go on in double.
    void rows()
    {
        const std::int64_t extent = m_program.reducedExtent();
        parallelFor("o", m_program.outerExtent());
        pointers("o", "o * " + number(extent));
        std::map<int, std::string> row;
        const auto load = [&](int k) { return rowLoad(k, "r", "0"); };
        for (int stage = 0; stage < m_program.stages; ++stage) {
            const auto reductions = reductionsOf(m_program, stage);
            std::string clauses;
            for (const int id : reductions) {
                const std::string& op = m_program.exprs[static_cast<std::size_t>(id)].op;
                line(2, std::string(op == "sum" ? "double" : "float") + " t" + number(id) + " = " + neutral(op) + ";");
                clauses += std::string(" reduction(") + clause(op) + ":c" + number(id) + ")";
                if (op == "max" || op == "min") {
                    line(2, "int nan" + number(id) + " = 0;");
                    clauses += " reduction(|:nan" + number(id) + ")";
                }
            }
            line(2, "for (long b = 0; b < " + number(extent) + "; b += " + number(chunk) + ") {");
            line(3, "const long end = " + least("b + " + number(chunk), number(extent)) + ";");
            for (const int id : reductions)
                line(3,
                     "float c" + number(id) + " = " + neutral(m_program.exprs[static_cast<std::size_t>(id)].op) + ";");
            line(3, "#pragma omp simd" + clauses);
            line(3, "for (long r = b; r < end; ++r) {");
            std::map<int, std::string> names = row;
            std::vector<int> args;
            args.reserve(reductions.size());
            for (const int id : reductions)
                args.push_back(m_program.exprs[static_cast<std::size_t>(id)].args[0]);
            m_out += declare(m_program, args, names, load, std::string(16, ' '));
            for (std::size_t n = 0; n < reductions.size(); ++n)
                accumulate(4, reductions[n], "c" + number(reductions[n]), names.at(args[n]));
            line(3, "}");
            for (const int id : reductions)
                line(3, combine(m_program.exprs[static_cast<std::size_t>(id)].op, "t" + number(id), "c" + number(id)));
            line(2, "}");
            for (const int id : reductions) {
                const std::string& op = m_program.exprs[static_cast<std::size_t>(id)].op;
                const std::string total_ = "t" + number(id);
                line(2,
                     "const float e" + number(id) + " = " +
                         (op == "max" || op == "min" ? "nan" + number(id) + " ? NAN : " + total_ : "(float)" + total_) +
                         ";");
                row[id] = "e" + number(id);
            }
            m_out += declare(m_program, rowResults(m_program, stage), row, load, std::string(8, ' '));
        }
        for (const int id : m_program.roots(false))
            m_out += declare(m_program, {id}, row, load, std::string(8, ' '));
        store(2, row, false, "", "[0]");
        if (!m_program.roots(true).empty()) {
            line(2, "#pragma omp simd");
            line(2, "for (long r = 0; r < " + number(extent) + "; ++r) {");
            std::map<int, std::string> names = row;
            m_out += declare(m_program, m_program.roots(true), names, load, std::string(12, ' '));
            store(3, names, true, "[r]", "");
            line(2, "}");
        }
        line(1, "}");
    }

    // Vector registers would drop a NaN in a maximum, so it is noted beside.
    void accumulate(int depth, int id, const std::string& into, const std::string& with)
    {
        const std::string& op = m_program.exprs[static_cast<std::size_t>(id)].op;
        line(depth, combine(op, into, with));
        if (op == "max" || op == "min")
            line(depth, "nan" + number(id) + " |= " + with + " != " + with + ";");
    }

    using Load = std::function<std::string(int)>;

    // The reductions of a stage, a value for each column; `row` gets their names.
    void reduceColumns(int stage, std::int64_t width, std::map<int, std::string>& row, const Load& load)
    {
        const auto reductions = reductionsOf(m_program, stage);
        std::vector<int> args;
        for (const int id : reductions) {
            const std::string& op = m_program.exprs[static_cast<std::size_t>(id)].op;
            args.push_back(m_program.exprs[static_cast<std::size_t>(id)].args[0]);
            line(2, "float t" + number(id) + "[" + number(width) + "];");
            if (op == "max" || op == "min")
                line(2, "int nans" + number(id) + "[" + number(width) + "];");
        }
        line(2, "for (long i = 0; i < n; ++i) {");
        for (const int id : reductions) {
            const std::string& op = m_program.exprs[static_cast<std::size_t>(id)].op;
            line(3, "t" + number(id) + "[i] = " + neutral(op) + ";");
            if (op == "max" || op == "min")
                line(3, "nans" + number(id) + "[i] = 0;");
        }
        line(2, "}");
        line(2, "for (long r = 0; r < " + number(m_program.reducedExtent()) + "; ++r) {");
        line(3, "#pragma omp simd");
        line(3, "for (long i = 0; i < n; ++i) {");
        std::map<int, std::string> names = row;
        m_out += declare(m_program, args, names, load, std::string(16, ' '));
        for (std::size_t k = 0; k < reductions.size(); ++k) {
            const std::string& op = m_program.exprs[static_cast<std::size_t>(reductions[k])].op;
            line(4, combine(op, "t" + number(reductions[k]) + "[i]", names.at(args[k])));
            if (op == "max" || op == "min")
                line(4,
                     "nans" + number(reductions[k]) + "[i] |= " + names.at(args[k]) + " != " + names.at(args[k]) + ";");
        }
        line(3, "}");
        line(2, "}");
        for (const int id : reductions) {
            const std::string& op = m_program.exprs[static_cast<std::size_t>(id)].op;
            if (op == "max" || op == "min")
                line(2, "for (long i = 0; i < n; ++i)\n            t" + number(id) + "[i] = nans" + number(id) +
                            "[i] ? NAN : t" + number(id) + "[i];");
            row[id] = "t" + number(id) + "[i]";
        }
    }

    // What a stage makes of its reductions, a value for each column.
    void storeColumns(int stage, std::int64_t width, std::map<int, std::string>& row, const Load& load)
    {
        const auto results = rowResults(m_program, stage);
        if (results.empty())
            return;
        for (const int id : results)
            line(2, "float w" + number(id) + "[" + number(width) + "];");
        line(2, "#pragma omp simd");
        line(2, "for (long i = 0; i < n; ++i) {");
        std::map<int, std::string> local = row;
        m_out += declare(m_program, results, local, load, std::string(12, ' '));
        for (const int id : results) {
            line(3, "w" + number(id) + "[i] = " + local.at(id) + ";");
            row[id] = "w" + number(id) + "[i]";
        }
        line(2, "}");
    }

    // Many columns side by side: the vector loop runs over columns and the reduction over rows of memory.
    void columns()
    {
        const std::int64_t inner = m_program.innerExtent(), extent = m_program.reducedExtent();
        const std::int64_t width = std::min(tile, inner), pieces = (inner + width - 1) / width;
        parallelFor("job", m_program.outerExtent() * pieces);
        line(2, "const long o = job / " + number(pieces) + ", first = job % " + number(pieces) + " * " + number(width) +
                    ";");
        line(2, "const long n = " + least(number(width), number(inner) + " - first") + ";");
        pointers("o * " + number(inner) + " + first", "o * " + number(extent * inner) + " + first");
        const auto load = [&](int k) { return rowLoad(k, "r", "(first + i)"); };
        std::map<int, std::string> row;
        for (int stage = 0; stage < m_program.stages; ++stage) {
            reduceColumns(stage, width, row, load);
            storeColumns(stage, width, row, load);
        }
        if (!m_program.roots(false).empty()) {
            line(2, "for (long i = 0; i < n; ++i) {");
            std::map<int, std::string> names = row;
            m_out += declare(m_program, m_program.roots(false), names, load, std::string(12, ' '));
            store(3, names, false, "", "[i]");
            line(2, "}");
        }
        if (!m_program.roots(true).empty()) {
            line(2, "for (long r = 0; r < " + number(extent) + "; ++r) {");
            line(3, "#pragma omp simd");
            line(3, "for (long i = 0; i < n; ++i) {");
            std::map<int, std::string> names = row;
            m_out += declare(m_program, m_program.roots(true), names, load, std::string(16, ' '));
            store(4, names, true, "[r * " + number(inner) + " + i]", "");
            line(3, "}");
            line(2, "}");
        }
        line(1, "}");
    }

    const KernelProgram& m_program;
    const std::string m_name;
    std::string m_out;
};

} // namespace

std::string cText(const KernelProgram& program, const std::string& name)
{
    return CWriter(program, name).run();
}

} // namespace cudal1::policy
