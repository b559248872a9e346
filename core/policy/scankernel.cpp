// SPDX-License-Identifier: GPL-3.0-or-later
// Running sums and products as CUDA.
#include "core/policy/scankernel.h"

#include "core/policy/kernelpieces.h"

#include <algorithm>
#include <vector>

namespace cudal1::policy {

namespace {

constexpr std::int64_t lanes = 32, columnThreads = 256;

// The threads of a warp have the elements of a part of a row in their order.
const std::string scanOverWarp = R"cuda(
// What the threads of the warp before this one have together; `all` becomes what the whole warp has.
__device__ __forceinline__ float before_thread(float mine, unsigned lane, float& all)
{
    #pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const float other = __shfl_up_sync(0xffffffffu, mine, step);
        mine = lane >= step ? joined(other, mine) : mine;
    }
    all = __shfl_sync(0xffffffffu, mine, 31);
    const float before = __shfl_up_sync(0xffffffffu, mine, 1);
    return lane == 0 ? NEUTRAL : before;
}
)cuda";

const std::string scanInThread =
    R"cuda(        // Within a thread, then over the warp, whose parts of the row follow one another.
        float before[TAKEN], of_warp = NEUTRAL;
        #pragma unroll
        for (int u = 0; u < TAKEN; ++u) {
            #pragma unroll
            for (int l = 1; l < WIDTH; ++l)
                v[u * WIDTH + l] = joined(v[u * WIDTH + l - 1], v[u * WIDTH + l]);
            float all;
            before[u] = before_thread(v[u * WIDTH + WIDTH - 1], lane, all);
            before[u] = joined(of_warp, before[u]);
            of_warp = joined(of_warp, all);
        }
)cuda";

// Two arrays in turns: when one is filled again, all threads have passed the barrier behind which they read it.
const std::string scanOverWarps = R"cuda(        // Over the warps of the row.
        float* const shown = totals[PASS % 2][threadIdx.x / 32 / WARPS];
        if (lane == 0)
            shown[warp] = of_warp;
        __syncthreads();
        float of_pass;
        const float earlier = before_thread(lane < WARPS ? shown[lane] : NEUTRAL, lane, of_pass);
        const float base = joined(carry, __shfl_sync(0xffffffffu, earlier, warp));
)cuda";

class ScanText {
public:
    ScanText(const ScanKernel& kernel, std::int64_t sourceElements) : m_kernel(kernel)
    {
        const std::int64_t most = std::max(sourceElements, kernel.columns() * kernel.length);
        m_index = most >= (std::int64_t{1} << 31) ? "unsigned long long" : "unsigned";
        if (kernel.inner > 1) {
            constexpr std::int64_t atOnce = 16; // loads of a thread that are under way together
            m_taken = std::min(atOnce, kernel.length);
            m_pass = m_taken;
        } else {
            planRows();
        }
    }

    std::int64_t threads() const { return m_kernel.inner > 1 ? columnThreads : m_warps * m_rowsOfBlock * lanes; }
    std::int64_t grid() const
    {
        return m_kernel.inner > 1 ? (m_kernel.columns() + columnThreads - 1) / columnThreads
                                  : (m_kernel.rows + m_rowsOfBlock - 1) / m_rowsOfBlock;
    }
    bool readsVectors() const { return m_width > 1; }

    std::string run(const std::string& name)
    {
        const bool sums = m_kernel.operation == ScanKernel::Operation::Sum;
        define("LENGTH", number(m_kernel.length) + "u", "places of a row");
        define("WIDTH", number(m_width), "neighbouring places are a part");
        define("TAKEN", number(m_taken), "parts that a thread has in a pass over a row");
        if (m_kernel.inner == 1)
            define("WARPS", number(m_warps) + "u", "of a row");
        define("NEUTRAL", sums ? "0.0f" : "1.0f", "");
        define("INDEX", m_index, "");
        out += std::string("\n__device__ __forceinline__ float joined(float a, float b)\n{\n    return a ") +
               (sums ? "+" : "*") + " b;\n}\n" + (m_kernel.inner == 1 ? scanOverWarp : "");
        takeFunction();
        out += "\nextern \"C\" __global__ void __launch_bounds__(" + number(threads()) + ") " + name + "(" +
               parameters() + ", float* __restrict__ out)\n{\n";
        if (m_kernel.inner > 1)
            columnsBody();
        else
            rowsBody();
        return withDefinitions(out + "}\n");
    }

    static std::vector<std::string> inputs(const ScanKernel& kernel)
    {
        std::vector<std::string> names{"x"};
        if (kernel.factor != ScanKernel::Factor::None)
            names.push_back(kernel.factor == ScanKernel::Factor::Mask ? "mask" : "factor");
        for (std::size_t i = 0; kernel.before.program && i < kernel.before.program->inputs.size(); ++i) {
            if (kernel.before.program->inputs[i] != kernel.before.from)
                names.push_back("b" + std::to_string(i));
        }
        return names;
    }

private:
    void line(int depth, const std::string& text)
    {
        out += std::string(static_cast<std::size_t>(depth) * 4, ' ') + text + "\n";
    }

    void define(const std::string& name, const std::string& value, const std::string& about)
    {
        out += "#define " + name + " " + value + (about.empty() ? "" : " // " + about) + "\n";
    }

    /// A part of four places is read and written at once where it lies at a multiple of four everywhere.
    bool aligned() const
    {
        const std::int64_t least = m_kernel.step > 0 ? m_kernel.offset : m_kernel.offset - 3;
        return m_kernel.length % 4 == 0 && m_kernel.sourceLength % 4 == 0 && least % 4 == 0 && m_kernel.low % 4 == 0 &&
               m_kernel.high % 4 == 0;
    }

    void planRows()
    {
        constexpr std::int64_t mostWarps = 32, vectorsFrom = 128, blocksWanted = 264, warpsOfBlock = 8;
        m_width = aligned() && m_kernel.length >= vectorsFrom ? 4 : 1;
        // Long rows take several passes, in each of which more is under way. More single places fill the registers.
        const std::int64_t each = m_width == 4 && m_kernel.length > mostWarps * lanes * 8 ? 16 : 8;
        m_warps = std::clamp<std::int64_t>((m_kernel.length + lanes * each - 1) / (lanes * each), 1, mostWarps);
        const std::int64_t part = lanes * m_warps * m_width;
        m_taken = std::min(each / m_width, (m_kernel.length + part - 1) / part);
        m_rowsOfBlock = std::clamp<std::int64_t>(m_kernel.rows / blocksWanted, 1,
                                                 std::max<std::int64_t>(warpsOfBlock / m_warps, 1));
        m_pass = part * m_taken;
    }

    bool oneRowOfBlock() const { return m_kernel.rows % m_rowsOfBlock == 0; }

    std::string parameters() const
    {
        std::string list;
        for (const std::string& one : inputs(m_kernel))
            list += (list.empty() ? "const " : ", const ") + std::string(one == "mask" ? "unsigned char" : "float") +
                    "* __restrict__ " + one;
        return list;
    }

    std::string arguments() const
    {
        std::string list;
        for (const std::string& one : inputs(m_kernel))
            list += one + ", ";
        return list;
    }

    /// What must hold of the place p, and of the row, so that there is an element.
    std::string insideText() const
    {
        const std::int64_t last = (m_kernel.length + m_pass - 1) / m_pass * m_pass;
        std::string text = oneRowOfBlock() ? "" : "works";
        const auto add = [&](bool needed, const std::string& condition) {
            if (needed)
                text += (text.empty() ? "" : " && ") + condition;
        };
        add(m_kernel.low > 0, "p >= " + number(m_kernel.low) + "u");
        add(m_kernel.high < last, "p < " + number(m_kernel.high) + "u");
        return text;
    }

    /// The function that reads what a thread has of a pass, in the order of the scan.
    void takeFunction()
    {
        const bool columns = m_kernel.inner > 1;
        const std::string partStep = columns ? "" : m_width == 1 ? " * 32" : " * 32 * WIDTH";
        const bool zeros = m_kernel.low > 0 || m_kernel.high < m_kernel.length;
        out += std::string("\n// The elements of this thread's parts from place `first` on.") +
               (zeros ? " Places without an element are zero." : " What is behind the row's end reaches no result.") +
               "\n__device__ __forceinline__ void take(float (&v)[TAKEN * WIDTH], " + parameters() + ", INDEX from, " +
               (oneRowOfBlock() ? "" : "bool works, ") + "unsigned first)\n{\n";
        line(1, "#pragma unroll");
        line(1, "for (int u = 0; u < TAKEN; ++u) {");
        line(2, "const unsigned p = first + u" + partStep + ";");
        const std::string inside = insideText();
        const bool forward = m_kernel.step > 0;
        const std::int64_t shift = forward ? m_kernel.offset : m_kernel.offset - (m_width - 1);
        std::string place = forward ? "p" : number(shift) + "u - p";
        if (forward && shift != 0)
            place = shift > 0 ? "p + " + number(shift) + "u" : "p - " + number(-shift) + "u";
        place = place == "p" && !columns ? "p" : "(" + place + ")";
        if (columns)
            place += " * (INDEX)" + number(m_kernel.inner) + "u";
        if (!inside.empty())
            line(2, "const bool inside = " + inside + ";");
        line(2, "const INDEX k = " + (inside.empty() ? "from + " + place : "inside ? from + " + place + " : 0") + ";");
        loads();
        line(2, "#pragma unroll");
        line(2, "for (int l = 0; l < WIDTH; ++l) {");
        const std::string value = valueText();
        line(3, std::string("v[u * WIDTH + ") + (forward ? "l" : "WIDTH - 1 - l") +
                    "] = " + (inside.empty() ? value : "inside ? " + value + " : 0.0f") + ";");
        line(2, "}");
        line(1, "}");
        line(0, "}");
    }

    void loads()
    {
        if (m_width == 1)
            return;
        const auto vector = [&](const std::string& to, const std::string& from) {
            line(2, "const float4 " + to + "4 = *reinterpret_cast<const float4*>(" + from + " + k);");
            line(2, "const float " + to + "[4] = {" + to + "4.x, " + to + "4.y, " + to + "4.z, " + to + "4.w};");
        };
        vector("read", "x");
        if (m_kernel.factor == ScanKernel::Factor::Mask)
            line(2, "const unsigned selected = *reinterpret_cast<const unsigned*>(mask + k); // a byte for each place");
        else if (m_kernel.factor == ScanKernel::Factor::Numbers)
            vector("by", "factor");
    }

    /// An element of the source, with what stands before it. What a mask leaves out is multiplied by zero, as NaN and
    /// infinity are in the reference.
    std::string valueText()
    {
        const std::string read = m_width == 4 ? "read[l]" : "x[k]";
        std::string value = read;
        if (m_kernel.before.program) {
            const KernelProgram& program = *m_kernel.before.program;
            const std::vector<KernelAxis> axes = program.axes();
            std::map<int, std::string> known;
            const auto load = [&](int input) {
                if (input == *m_kernel.before.input())
                    return read;
                const std::string at = offsetText(axes, static_cast<std::size_t>(input),
                                                  m_width == 4 ? "(k + l)" : "k");
                return "b" + std::to_string(input) + "[" + (at.empty() ? "0" : at) + "]";
            };
            out += declare(program, {program.outputs[0].expr}, known, load, std::string(12, ' '));
            value = known.at(program.outputs[0].expr);
        }
        if (m_kernel.factor == ScanKernel::Factor::Mask)
            value += m_width == 4 ? " * (selected >> 8 * l & 255u ? 1.0f : 0.0f)" : " * (mask[k] ? 1.0f : 0.0f)";
        else if (m_kernel.factor == ScanKernel::Factor::Numbers)
            value += m_width == 4 ? " * by[l]" : " * factor[k]";
        return value;
    }

    void rowsBody()
    {
        const std::int64_t passes = (m_kernel.length + m_pass - 1) / m_pass;
        if (m_warps > 1)
            line(1, "__shared__ float totals[" + std::string(passes > 1 ? "2" : "1") + "][" + number(m_rowsOfBlock) +
                        "][WARPS];");
        line(1, "const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32 % WARPS;");
        line(1, m_rowsOfBlock == 1 ? "const INDEX row = blockIdx.x;"
                                   : "const INDEX row = blockIdx.x * (INDEX)" + number(m_rowsOfBlock) +
                                         "u + threadIdx.x / 32 / WARPS;");
        if (!oneRowOfBlock())
            line(1, "const bool works = row < " + number(m_kernel.rows) + "u;");
        line(1, "const INDEX from = " + rowText("row") + " * " + number(m_kernel.sourceLength) + "u;");
        line(1, "unsigned first = (warp * TAKEN * 32 + lane) * WIDTH;");
        line(1, "float v[TAKEN * WIDTH];");
        const std::string call = arguments() + "from, " + (oneRowOfBlock() ? "" : "works, ");
        line(1, "take(v, " + call + "first);");
        std::string body = scanInThread;
        if (m_warps > 1) {
            body += scanOverWarps;
            const std::string turn = "PASS % 2";
            body.replace(body.find(turn), turn.size(), passes > 1 ? "pass % 2" : "0");
        }
        if (passes > 1) {
            line(1, "float carry = NEUTRAL; // what the passes before have together");
            line(1, "for (unsigned pass = 0; pass < " + number(passes) + "; ++pass) {");
            line(2, "float next[TAKEN * WIDTH]; // is read while this pass is computed");
            line(2, "if (pass + 1 < " + number(passes) + ")");
            line(3, "take(next, " + call + "first + " + number(m_pass) + "u);");
            out += body;
            storeRow("base");
            line(2, "carry = joined(carry, of_pass);");
            line(2, "first += " + number(m_pass) + "u;");
            line(2, "#pragma unroll");
            line(2, "for (int i = 0; i < TAKEN * WIDTH; ++i)");
            line(3, "v[i] = next[i];");
            line(1, "}");
            return;
        }
        const std::string carried = "joined(carry, __shfl_sync(0xffffffffu, earlier, warp))";
        if (m_warps > 1)
            body.replace(body.find(carried), carried.size(), "__shfl_sync(0xffffffffu, earlier, warp)");
        const std::size_t at = out.size();
        out += body;
        storeRow(m_warps > 1 ? "base" : "");
        for (std::size_t i = at; i < out.size(); i = out.find('\n', i) + 1) // there is no loop to be in
            out.erase(i, 4);
    }

    std::string rowText(const std::string& row) const
    {
        return m_kernel.firstRow == 0 ? row : "(" + row + " + " + number(m_kernel.firstRow) + "u)";
    }

    void storeRow(const std::string& base)
    {
        const bool whole = m_kernel.length % m_pass == 0;
        line(2, "#pragma unroll");
        line(2, "for (int u = 0; u < TAKEN; ++u) {");
        line(3, "const unsigned p = first + u * 32 * WIDTH;");
        if (!whole || !oneRowOfBlock())
            line(3, std::string("if (") + (oneRowOfBlock() ? "" : "!works") +
                        (!whole && !oneRowOfBlock() ? " || " : "") + (whole ? "" : "p >= LENGTH") + ")");
        if (!whole || !oneRowOfBlock())
            line(4, "break;");
        line(3, "const float start = " + (base.empty() ? "before[u]" : "joined(" + base + ", before[u])") + ";");
        const std::string to = "out[row * LENGTH + " +
                               std::string(m_kernel.storesReversed ? "(LENGTH - WIDTH - p)" : "p") + "]";
        const auto value = [&](int l) {
            return "joined(start, v[u * WIDTH + " + number(m_kernel.storesReversed ? m_width - 1 - l : l) + "])";
        };
        if (m_width == 1) {
            line(3, to + " = joined(start, v[u]);");
        } else {
            line(3, "const float4 results = make_float4(" + value(0) + ", " + value(1) + ",");
            line(10, "  " + value(2) + ", " + value(3) + ");");
            line(3, "*reinterpret_cast<float4*>(&" + to + ") = results;");
        }
        line(2, "}");
    }

    void columnsBody()
    {
        const std::string inner = number(m_kernel.inner) + "u";
        line(1, "const INDEX column = blockIdx.x * (INDEX)256 + threadIdx.x;");
        line(1, "if (column >= " + number(m_kernel.columns()) + "u)");
        line(2, "return;");
        line(1, "const INDEX row = column / " + inner + ", place = column % " + inner + ";");
        line(1, "const INDEX from = " + rowText("row") + " * " + number(m_kernel.sourceLength * m_kernel.inner) +
                    "u + place;");
        line(1, "float total = NEUTRAL;");
        line(1, "for (unsigned first = 0; first < LENGTH; first += TAKEN) {");
        line(2, "float v[TAKEN]; // all are read before the first is needed");
        line(2, "take(v, " + arguments() + "from, first);");
        line(2, "#pragma unroll");
        line(2, "for (int u = 0; u < TAKEN; ++u) {");
        line(3, "const unsigned p = first + u;");
        if (m_kernel.length % m_taken != 0) {
            line(3, "if (p >= LENGTH)");
            line(4, "break;");
        }
        line(3, "total = joined(total, v[u]);");
        line(3, "out[(row * LENGTH + " + std::string(m_kernel.storesReversed ? "(LENGTH - 1 - p)" : "p") + ") * " +
                    inner + " + place] = total;");
        line(2, "}");
        line(1, "}");
    }

    const ScanKernel& m_kernel;
    std::int64_t m_width = 1, m_taken = 1, m_warps = 1, m_rowsOfBlock = 1;
    std::int64_t m_pass = 1; ///< places of a row between one pass and the next
    std::string m_index, out;
};

} // namespace

std::string addScan(Source& source, const ScanKernel& kernel, const Shape& shape, std::int64_t sourceElements,
                    const std::string& about)
{
    addCudaHelper(source);
    const bool sums = kernel.operation == ScanKernel::Operation::Sum;
    return addFunction(source, sums ? "running_sums" : "running_products", [&](const std::string& name) {
        ScanText text(kernel, sourceElements);
        const std::vector<std::string> names = ScanText::inputs(kernel);
        std::string parameters, pointers, dense;
        for (const std::string& one : names) {
            parameters += (parameters.empty() ? "" : ", ") + one;
            pointers += one + ".data_ptr(), ";
            dense += text.readsVectors() && one[0] != 'b'
                       ? "    if not " + one + ".is_contiguous() or " + one + ".data_ptr() % 16:\n        " + one +
                             " = " + one + ".clone(memory_format=torch.contiguous_format)\n"
                       : "    " + one + " = " + one + ".contiguous()\n";
        }
        return name + "_kernel = CudaKernel(\"" + name + "_kernel\", r\"\"\"\n" + text.run(name + "_kernel") +
               "\"\"\", " + number(text.grid()) + ", " + number(text.threads()) + ", " +
               std::to_string(names.size() + 1) + ", 0)\n\n\ndef " + name + "(" + parameters +
               "):\n    \"\"\"Computes " + about + " in one kernel.\"\"\"\n" + dense + "    out = torch.empty(" +
               tupleText(shape) + ", device=x.device)\n    " + name + "_kernel(x.get_device(), " + pointers +
               "out.data_ptr())\n    return out\n";
    });
}

} // namespace cudal1::policy
