// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics of norms as CUDA.
#include "core/policy/momentskernel.h"

#include "core/policy/kernelpieces.h"
#include "core/policy/momentspieces.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

using namespace momentstext;

constexpr std::int64_t momentsThreads = 256;

std::string parametersText(const MomentsKernel& kernel, bool joins)
{
    std::string list;
    for (std::size_t i = 0; i < (kernel.program ? kernel.program->inputs.size() : 1); ++i)
        list += "const float* __restrict__ a" + std::to_string(i) + ", ";
    if (kernel.weights > 0)
        list += "const float* __restrict__ weight, ";
    if (kernel.momentum)
        list += "float* running_mean, float* running_var, ";
    if (kernel.counts)
        list += "long long* count, ";
    if (joins)
        list += "float* parts, unsigned* tickets, ";
    return list + "float* centre, float* scale";
}

/// Stores what `all` says of `set`; every thread of a block, or only the one that has it, comes here.
std::string resultsText(const MomentsKernel& kernel, bool ofAThread = false)
{
    std::string out;
    const auto line = [&](int depth, const std::string& text) {
        out += std::string(static_cast<std::size_t>(depth) * 4, ' ') + text + "\n";
    };
    const std::string count = floatText(static_cast<double>(kernel.count()));
    line(1, "const float inverse = 1.0f / sqrtf(all.square / " + count + " + " + floatText(kernel.eps) + ");");
    if (!ofAThread) {
        line(1, "for (unsigned i = threadIdx.x; i < " + number(kernel.channels) + "u; i += 256) {");
        line(2, "const unsigned to = set * " + number(kernel.channels) + "u + i;");
    } else {
        line(1, "{");
        line(2, "const unsigned to = set;");
    }
    line(2, "centre[to] = all.mean;");
    line(2, kernel.weights > 0 ? "scale[to] = inverse * weight[to % " + number(kernel.weights) + "u];"
                               : "scale[to] = inverse;");
    line(1, "}");
    if (!kernel.momentum)
        return out;
    const std::string part = floatText(*kernel.momentum), rest = floatText(1 - *kernel.momentum);
    line(1, ofAThread ? "{" : "if (threadIdx.x == 0) {");
    line(2, "running_mean[set] = " + rest + " * running_mean[set] + " + part + " * all.mean;");
    line(2, "running_var[set] = " + rest + " * running_var[set] + " + part + " * (all.square / " +
                floatText(static_cast<double>(kernel.count() - 1)) + ");");
    if (kernel.counts) {
        line(2, "if (set == 0)");
        line(3, "++*count;");
    }
    line(1, "}");
    return out;
}

/// The program's result at the element `v[place]`, which lies at `offset` of a tensor with these axes.
std::string programText(const MomentsKernel& kernel, const std::vector<KernelAxis>& axes, const std::string& place,
                        const std::string& offset)
{
    const KernelProgram& program = *kernel.program;
    std::map<int, std::string> names;
    const auto load = [&](int input) {
        if (input == kernel.programInput)
            return "v[" + place + "]";
        const std::string at = offsetText(axes, static_cast<std::size_t>(input), offset);
        return "a" + std::to_string(input) + "[" + (at.empty() ? "0" : at) + "]";
    };
    const std::string text = declare(program, {program.outputs[0].expr}, names, load, std::string(16, ' '));
    return text + std::string(16, ' ') + "v[" + place + "] = " + names.at(program.outputs[0].expr) + ";\n";
}

class MomentsText {
public:
    explicit MomentsText(const MomentsKernel& kernel) : m_kernel(kernel)
    {
        m_width = kernel.run % 4 == 0 ? 4 : 1;
        const std::int64_t total = kernel.count() * kernel.sets;
        m_index = total >= (std::int64_t{1} << 31) ? "unsigned long long" : "unsigned";
    }

    std::string run(const std::string& name)
    {
        const std::int64_t blocks = m_kernel.blocksOfASet();
        out = moments + "\n" + overBlock;
        if (blocks > 1)
            out += "#define BLOCKS " + number(blocks) + "u\n\n";
        out += "extern \"C\" __global__ void __launch_bounds__(256) " + name + "(" +
               parametersText(m_kernel, blocks > 1) + ")\n{\n";
        line(1, "__shared__ float shared[24];");
        line(1, blocks > 1 ? "const unsigned set = blockIdx.x / BLOCKS;" : "const unsigned set = blockIdx.x;");
        line(1, "Moments mine = {0.0f, 0.0f, 0.0f};");
        line(1, m_index + " t = " + (blocks > 1 ? "blockIdx.x % BLOCKS * 256 + " : "") + "threadIdx.x;");
        if (m_kernel.parts)
            parts(*m_kernel.parts, blocks * momentsThreads);
        else
            tensor(blocks * momentsThreads);
        line(1, "Moments all = over_block(mine, shared);");
        if (blocks > 1)
            out += lastBlock;
        out += resultsText(m_kernel);
        return withDefinitions(out + "}\n");
    }

private:
    void line(int depth, const std::string& text)
    {
        out += std::string(static_cast<std::size_t>(depth) * 4, ' ') + text + "\n";
    }

    void parts(const TileParts& p, std::int64_t stride)
    {
        const std::string groups = number(p.groups) + "u", run = number(p.run()) + "u";
        line(1, "const float* const from = a0 + (size_t)(set % " + groups + " * " + number(p.channels * p.images) +
                    "u + set / " + groups + ") * " + number(p.ofAnImage * 3) + ";");
        line(1, "#pragma unroll 4");
        line(1, "for (; t < " + number(p.count()) + "u; t += " + number(stride) + "u) {");
        line(2, "const float* const part = from + (size_t)(t / " + run + " * " + number(p.images * p.ofAnImage) +
                    "u + t % " + run + ") * 3;");
        line(2, "join(mine, {part[0], part[1], part[2]});");
        line(1, "}");
    }

    void tensor(std::int64_t stride)
    {
        // From the end: what is read last is still in the cache when the next kernel begins with it.
        const std::int64_t units = m_kernel.count() / m_width, atOnce = 16 / m_width;
        if (units >= atOnce * stride)
            elements(atOnce, units, stride, "t + " + number((atOnce - 1) * stride) + "u < " + number(units) + "u");
        elements(1, units, stride, "t < " + number(units) + "u");
    }

    /// A loop in which a thread takes `atOnce` times `m_width` elements while `condition` holds.
    void elements(std::int64_t atOnce, std::int64_t units, std::int64_t stride, const std::string& condition)
    {
        const std::string at = "a" + std::to_string(m_kernel.programInput);
        const std::int64_t taken = atOnce * m_width, rowUnits = m_kernel.run / m_width;
        line(1, "for (; " + condition + "; t += " + number(atOnce * stride) + "u) {");
        line(2, "float v[" + number(taken) + "];");
        line(2, "#pragma unroll");
        line(2, "for (int u = 0; u < " + number(atOnce) + "; ++u) {");
        line(3, "const " + m_index + " i = " + number(units - 1) + "u - (t + u * " + number(stride) + "u);");
        const std::string times = m_width == 4 ? " * 4" : "";
        line(3,
             "const " + m_index + " k = " +
                 (m_kernel.pieces == 1 ? "set * (" + m_index + ")" + number(m_kernel.run) + "u + i" + times + ";"
                                       : "(i / " + number(rowUnits) + "u * " + number(m_kernel.sets) + "u + set) * " +
                                             number(m_kernel.run) + "u + i % " + number(rowUnits) + "u" + times + ";"));
        if (m_width == 4) {
            line(3, "const float4 f = *reinterpret_cast<const float4*>(" + at + " + k);");
            line(3, "v[u * 4] = f.x, v[u * 4 + 1] = f.y, v[u * 4 + 2] = f.z, v[u * 4 + 3] = f.w;");
        } else {
            line(3, "v[u] = " + at + "[k];");
        }
        if (m_kernel.program)
            applyProgram();
        line(2, "}");
        line(2, "float sum = 0.0f, square = 0.0f;");
        line(2, "#pragma unroll");
        line(2, "for (int u = 0; u < " + number(taken) + "; ++u)");
        line(3, "sum += v[u];");
        line(2, "const float mean = sum * " + floatText(1.0 / static_cast<double>(taken)) + ";");
        line(2, "#pragma unroll");
        line(2, "for (int u = 0; u < " + number(taken) + "; ++u)");
        line(3, "square += (v[u] - mean) * (v[u] - mean);");
        line(2, "join(mine, {" + floatText(static_cast<double>(taken)) + ", mean, square});");
        line(1, "}");
    }

    void applyProgram()
    {
        line(3, "#pragma unroll");
        line(3, "for (int l = 0; l < " + number(m_width) + "; ++l) {");
        out += programText(m_kernel, m_kernel.program->axes(), "u * " + number(m_width) + " + l", "(k + l)");
        line(3, "}");
    }

    const MomentsKernel& m_kernel;
    std::int64_t m_width = 1;
    std::string m_index, out;
};

/// For batch norms of tensors whose channels lie innermost: a thread has a few neighbouring channels at some places.
class InnermostText {
public:
    explicit InnermostText(const MomentsKernel& kernel) : m_kernel(kernel)
    {
        m_width = kernel.sets % 4 == 0 ? 4 : 1;
        m_columns = std::min<std::int64_t>(kernel.sets / m_width, 32);
        m_rows = momentsThreads / m_columns;
        m_strips = (kernel.sets / m_width + m_columns - 1) / m_columns;
        constexpr std::int64_t blocksAtOnce = 528;
        m_blocks = std::clamp<std::int64_t>(blocksAtOnce / m_strips, 1,
                                            (kernel.count() + m_rows * atOnce - 1) / (m_rows * atOnce));
    }

    std::int64_t grid() const { return m_strips * m_blocks; }
    std::int64_t strips() const { return m_strips; }
    std::int64_t parts() const { return m_blocks * m_kernel.sets * 3; }

    std::string run(const std::string& name) const
    {
        std::string out = moments + "\n" + overBlock;
        const auto define = [&](const std::string& key, const std::string& value) {
            out += "#define " + key + " " + value + "\n";
        };
        define("WIDTH", number(m_width));
        define("COLUMNS", number(m_columns) + "u");
        define("ROWS", number(m_rows) + "u");
        define("BLOCKS", number(m_blocks) + "u");
        define("CHANNELS", number(m_kernel.sets) + "u");
        define("PLACES", number(m_kernel.count()) + "u");
        define("AT_ONCE", number(atOnce));
        define("INDEX",
               m_kernel.count() * m_kernel.sets >= (std::int64_t{1} << 31) ? "unsigned long long" : "unsigned");
        out += "\n" + overRows + "extern \"C\" __global__ void __launch_bounds__(256) " + name + "(" +
               parametersText(m_kernel, true) + ")\n" + innermostBegin;
        const std::string x = "a" + std::to_string(m_kernel.programInput), indent(16, ' ');
        if (m_width == 4)
            out += indent + "const float4 f = *reinterpret_cast<const float4*>(" + x + " + k);\n" + indent +
                   "v[u * 4] = f.x, v[u * 4 + 1] = f.y, v[u * 4 + 2] = f.z, v[u * 4 + 3] = f.w;\n";
        else
            out += indent + "v[u] = " + x + "[k];\n";
        if (m_kernel.program)
            out += indent + "#pragma unroll\n" + indent + "for (int l = 0; l < WIDTH; ++l) {\n" +
                   programText(m_kernel, m_kernel.program->channelsInnermost, "u * WIDTH + l", "(k + l)") + indent +
                   "}\n";
        return withDefinitions(out + innermostEnd + resultsText(m_kernel, true) + "    }\n}\n");
    }

private:
    static constexpr std::int64_t atOnce = 4; ///< places that a thread reads together

    const MomentsKernel& m_kernel;
    std::int64_t m_width = 1, m_columns = 1, m_rows = 1, m_strips = 1, m_blocks = 1;
};

std::vector<std::string> parameterNames(const MomentsKernel& kernel)
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < (kernel.program ? kernel.program->inputs.size() : 1); ++i)
        names.push_back("a" + std::to_string(i));
    if (kernel.weights > 0)
        names.push_back("weight");
    if (kernel.momentum)
        names.insert(names.end(), {"running_mean", "running_var"});
    if (kernel.counts)
        names.push_back("count");
    return names;
}

std::string constructorText(const std::string& name, const std::string& text, std::int64_t grid, std::size_t slots)
{
    return name + " = CudaKernel(\"" + name + "\", r\"\"\"\n" + text + "\"\"\", " + number(grid) + ", " +
           number(momentsThreads) + ", " + std::to_string(slots) + ", 0)\n";
}

/// Statements that bring the inputs to the order of memory which the kernel reads.
std::string momentsInputText(const MomentsKernel& kernel, const std::string& format)
{
    const std::string x = "a" + std::to_string(kernel.programInput);
    std::string out;
    if (!format.empty())
        out = "    innermost = " + x + ".is_contiguous(memory_format=" + format + ") and not " + x +
              ".is_contiguous()\n    order = " + format + " if innermost else torch.contiguous_format\n";
    for (const std::string& a : parameterNames(kernel)) {
        if (a.starts_with("a")) {
            const bool ordered = a == x && !format.empty();
            out += "    if not " + a + ".is_contiguous(" + (ordered ? "memory_format=order" : "") + ") or " + a +
                   ".data_ptr() % 16:\n        " + a + " = " + a +
                   ".clone(memory_format=" + (ordered ? "order" : "torch.contiguous_format") + ")\n";
        }
    }
    return out + (kernel.weights > 0 ? "    weight = weight.contiguous()\n" : "");
}

std::string functionText(const MomentsKernel& kernel, const std::string& name, const Shape& results,
                         const std::string& format)
{
    const std::int64_t blocks = kernel.blocksOfASet();
    std::string parameters, pointers;
    for (const std::string& one : parameterNames(kernel)) {
        parameters += (parameters.empty() ? "" : ", ") + one;
        pointers += one + ".data_ptr(), ";
    }
    const std::size_t slots = parameterNames(kernel).size() + 2;
    std::int64_t parts = blocks > 1 ? kernel.sets * blocks * 3 : 0, tickets = kernel.sets;
    std::string out = constructorText(name + "_kernel", MomentsText(kernel).run(name + "_kernel"), kernel.sets * blocks,
                                      slots + (blocks > 1 ? 2 : 0));
    if (!format.empty()) {
        const InnermostText innermost(kernel);
        out += constructorText(name + "_innermost", innermost.run(name + "_innermost"), innermost.grid(), slots + 2);
        parts = std::max(parts, innermost.parts());
        tickets = std::max(tickets, innermost.strips());
    }
    if (parts > 0)
        out += name + "_work = {}  # of each device: parts of sets, and how many of a set are there\n";
    out += "\n\ndef " + name + "(" + parameters + "):\n    \"\"\"Mean and " + (kernel.weights > 0 ? "weight" : "1") +
           " / deviation of " + number(kernel.sets) + " sets of " + number(kernel.count()) + " elements, by " +
           number(blocks) + (blocks == 1 ? " block" : " blocks") + " each" +
           (kernel.momentum ? "; running statistics are updated" : "") + ".\"\"\"\n" + momentsInputText(kernel, format);
    if (parts > 0)
        out += "    parts, tickets = " + name + "_work.get(a0.device) or " + name +
               "_work.setdefault(a0.device, (torch.empty(" + number(parts) + ", device=a0.device), torch.zeros(" +
               number(tickets) + ", dtype=torch.int32, device=a0.device)))\n";
    out += "    centre, scale = torch.empty(" + tupleText(results) + ", device=a0.device), torch.empty(" +
           tupleText(results) + ", device=a0.device)\n";
    const std::string work = "parts.data_ptr(), tickets.data_ptr(), ", last = "centre.data_ptr(), scale.data_ptr())\n";
    const auto call = [&](const std::string& kernelName, bool joins) {
        return kernelName + "(a0.get_device(), " + pointers + (joins ? work : "") + last;
    };
    if (format.empty())
        out += "    " + call(name + "_kernel", blocks > 1);
    else
        out += "    if innermost:\n        " + call(name + "_innermost", true) + "    else:\n        " +
               call(name + "_kernel", blocks > 1);
    return out + "    return centre, scale\n";
}

} // namespace

std::int64_t MomentsKernel::blocksOfASet() const
{
    // Blocks of which four run at a time on each of the 132 processors of an H100, so that all end together.
    constexpr std::int64_t atOnce = 528, elementsOfABlock = 4096, partsOfABlock = 1024;
    const std::int64_t units = parts ? parts->count() : count(), each = parts ? partsOfABlock : elementsOfABlock;
    const std::int64_t most = (units + each - 1) / each;
    return std::clamp<std::int64_t>(atOnce / sets, 1, most);
}

std::string addMoments(Source& source, const MomentsKernel& kernel, const Shape& results,
                       const TechniqueContext& context)
{
    addCudaHelper(source);
    // A set is a channel of all images there.
    const bool images = !kernel.parts && (results.size() == 4 || results.size() == 5) && results[0] == 1 &&
                        results[1] == kernel.sets && (!kernel.program || !kernel.program->channelsInnermost.empty());
    std::string format;
    if (images && mayKeepChannelsLast(context))
        format = results.size() == 5 ? "torch.channels_last_3d" : "torch.channels_last";
    return addFunction(source, "moments",
                       [&](const std::string& name) { return functionText(kernel, name, results, format); });
}

} // namespace cudal1::policy
