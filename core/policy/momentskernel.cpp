// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics of norms as CUDA.
#include "core/policy/momentskernel.h"

#include "core/policy/kernelpieces.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

constexpr std::int64_t threads = 256;

const std::string head = R"cuda(#define INFINITY __int_as_float(0x7f800000)
struct Moments { float count, mean, square; }; // square: the sum of squares of what differs from the mean

__device__ __forceinline__ void join(Moments& a, const Moments& b)
{
    const float count = a.count + b.count, delta = b.mean - a.mean, part = b.count / fmaxf(count, 1.0f);
    a.mean += delta * part;
    a.square += b.square + delta * delta * a.count * part;
    a.count = count;
}

__device__ Moments over_block(Moments m, float* shared)
{
    for (int step = 16; step > 0; step >>= 1) {
        Moments other;
        other.count = __shfl_xor_sync(0xffffffffu, m.count, step);
        other.mean = __shfl_xor_sync(0xffffffffu, m.mean, step);
        other.square = __shfl_xor_sync(0xffffffffu, m.square, step);
        join(m, other);
    }
    float* mine = shared + threadIdx.x / 32 * 3;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        mine[0] = m.count;
        mine[1] = m.mean;
        mine[2] = m.square;
    }
    __syncthreads();
    m = {shared[0], shared[1], shared[2]};
    for (int i = 1; i < 8; ++i)
        join(m, {shared[i * 3], shared[i * 3 + 1], shared[i * 3 + 2]});
    return m;
}

)cuda";

// Where a set has several blocks: all but the last one leave.
const std::string lastBlock = R"cuda(    __shared__ unsigned last;
    if (threadIdx.x == 0) {
        volatile float* to = parts + blockIdx.x * 3;
        to[0] = all.count;
        to[1] = all.mean;
        to[2] = all.square;
        __threadfence();
        last = atomicAdd(tickets + set, 1u) == BLOCKS - 1 ? 1u : 0u;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    mine = {0.0f, 0.0f, 0.0f};
    for (unsigned i = threadIdx.x; i < BLOCKS; i += 256) {
        const volatile float* from = parts + (set * BLOCKS + i) * 3;
        join(mine, {from[0], from[1], from[2]});
    }
    all = over_block(mine, shared);
    if (threadIdx.x == 0)
        tickets[set] = 0;
)cuda";

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
        out = head;
        if (blocks > 1)
            out += "#define BLOCKS " + number(blocks) + "u\n\n";
        out += "extern \"C\" __global__ void __launch_bounds__(256) " + name + "(" + parameters() + ")\n{\n";
        line(1, "__shared__ float shared[24];");
        line(1, blocks > 1 ? "const unsigned set = blockIdx.x / BLOCKS;" : "const unsigned set = blockIdx.x;");
        line(1, "Moments mine = {0.0f, 0.0f, 0.0f};");
        line(1, m_index + " t = " + (blocks > 1 ? "blockIdx.x % BLOCKS * 256 + " : "") + "threadIdx.x;");
        // From the end: what is read last is still in the cache when the next kernel begins with it.
        const std::int64_t units = m_kernel.count() / m_width, stride = blocks * threads, atOnce = 16 / m_width;
        if (units >= atOnce * stride)
            elements(atOnce, units, stride, "t + " + number((atOnce - 1) * stride) + "u < " + number(units) + "u");
        elements(1, units, stride, "t < " + number(units) + "u");
        line(1, "Moments all = over_block(mine, shared);");
        if (blocks > 1)
            out += lastBlock;
        results();
        return out + "}\n";
    }

private:
    void line(int depth, const std::string& text)
    {
        out += std::string(static_cast<std::size_t>(depth) * 4, ' ') + text + "\n";
    }

    std::size_t inputs() const { return m_kernel.program ? m_kernel.program->inputs.size() : 1; }

    std::string parameters() const
    {
        std::string list;
        for (std::size_t i = 0; i < inputs(); ++i)
            list += "const float* __restrict__ a" + std::to_string(i) + ", ";
        if (m_kernel.weights > 0)
            list += "const float* __restrict__ weight, ";
        if (m_kernel.momentum)
            list += "float* running_mean, float* running_var, ";
        if (m_kernel.counts)
            list += "long long* count, ";
        if (m_kernel.blocksOfASet() > 1)
            list += "float* parts, unsigned* tickets, ";
        return list + "float* centre, float* scale";
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
        const KernelProgram& program = *m_kernel.program;
        const std::vector<KernelAxis> axes = program.axes();
        line(3, "#pragma unroll");
        line(3, "for (int l = 0; l < " + number(m_width) + "; ++l) {");
        std::map<int, std::string> names;
        const auto load = [&](int input) {
            if (input == m_kernel.programInput)
                return "v[u * " + number(m_width) + " + l]";
            const std::string offset = offsetText(axes, static_cast<std::size_t>(input), "(k + l)");
            return "a" + std::to_string(input) + "[" + (offset.empty() ? "0" : offset) + "]";
        };
        out += declare(program, {program.outputs[0].expr}, names, load, std::string(16, ' '));
        line(4, "v[u * " + number(m_width) + " + l] = " + names.at(program.outputs[0].expr) + ";");
        line(3, "}");
    }

    void results()
    {
        const std::string count = floatText(static_cast<double>(m_kernel.count()));
        line(1, "const float inverse = 1.0f / sqrtf(all.square / " + count + " + " + floatText(m_kernel.eps) + ");");
        line(1, "for (unsigned i = threadIdx.x; i < " + number(m_kernel.channels) + "u; i += 256) {");
        line(2, "const unsigned to = set * " + number(m_kernel.channels) + "u + i;");
        line(2, "centre[to] = all.mean;");
        line(2, m_kernel.weights > 0 ? "scale[to] = inverse * weight[to % " + number(m_kernel.weights) + "u];"
                                     : "scale[to] = inverse;");
        line(1, "}");
        if (!m_kernel.momentum)
            return;
        const std::string part = floatText(*m_kernel.momentum), rest = floatText(1 - *m_kernel.momentum);
        line(1, "if (threadIdx.x == 0) {");
        line(2, "running_mean[set] = " + rest + " * running_mean[set] + " + part + " * all.mean;");
        line(2, "running_var[set] = " + rest + " * running_var[set] + " + part + " * (all.square / " +
                    floatText(static_cast<double>(m_kernel.count() - 1)) + ");");
        if (m_kernel.counts) {
            line(2, "if (set == 0)");
            line(3, "++*count;");
        }
        line(1, "}");
    }

    const MomentsKernel& m_kernel;
    std::int64_t m_width = 1;
    std::string m_index, out;
};

std::string functionText(const MomentsKernel& kernel, const std::string& name, const Shape& results)
{
    const std::int64_t blocks = kernel.blocksOfASet();
    std::vector<std::string> names;
    const std::size_t inputs = kernel.program ? kernel.program->inputs.size() : 1;
    for (std::size_t i = 0; i < inputs; ++i)
        names.push_back("a" + std::to_string(i));
    if (kernel.weights > 0)
        names.push_back("weight");
    if (kernel.momentum)
        names.insert(names.end(), {"running_mean", "running_var"});
    if (kernel.counts)
        names.push_back("count");
    std::string parameters, pointers;
    for (const std::string& one : names) {
        parameters += (parameters.empty() ? "" : ", ") + one;
        pointers += one + ".data_ptr(), ";
    }
    std::size_t slots = names.size() + 2;
    std::string work;
    if (blocks > 1) {
        slots += 2;
        pointers += "parts.data_ptr(), tickets.data_ptr(), ";
        work = "    parts, tickets = " + name + "_work.get(a0.device) or " + name +
               "_work.setdefault(a0.device, (torch.empty(" + number(kernel.sets * blocks * 3) +
               ", device=a0.device), torch.zeros(" + number(kernel.sets) + ", dtype=torch.int32, device=a0.device)))\n";
    }
    std::string out = name + "_kernel = CudaKernel(\"" + name + "_kernel\", r\"\"\"\n" +
                      MomentsText(kernel).run(name + "_kernel") + "\"\"\", " + number(kernel.sets * blocks) + ", (" +
                      number(threads) + ", 1), " + std::to_string(slots) + ", 0)\n";
    if (blocks > 1)
        out += name + "_work = {}  # of each device: parts of sets, and how many of a set are there\n";
    out += "\n\n@torch.compiler.disable\ndef " + name + "(" + parameters + "):\n    \"\"\"Mean and " +
           (kernel.weights > 0 ? "weight" : "1") + " / deviation of " + number(kernel.sets) + " sets of " +
           number(kernel.count()) + " elements, by " + number(blocks) + (blocks == 1 ? " block" : " blocks") + " each" +
           (kernel.momentum ? "; running statistics are updated" : "") + ".\"\"\"\n";
    for (std::size_t i = 0; i < inputs; ++i) {
        const std::string& a = names[i];
        out += "    if not " + a + ".is_contiguous() or " + a + ".data_ptr() % 16:\n        " + a + " = " + a +
               ".clone(memory_format=torch.contiguous_format)\n";
    }
    if (kernel.weights > 0)
        out += "    weight = weight.contiguous()\n";
    return out + work + "    centre, scale = torch.empty(" + tupleText(results) + ", device=a0.device), torch.empty(" +
           tupleText(results) + ", device=a0.device)\n    " + name + "_kernel(a0.get_device(), " + pointers +
           "centre.data_ptr(), scale.data_ptr())\n" + "    return centre, scale\n";
}

} // namespace

std::int64_t MomentsKernel::blocksOfASet() const
{
    // Blocks of which four run at a time on each of the 132 processors of an H100, so that all end together.
    constexpr std::int64_t atOnce = 528, elementsOfABlock = 4096;
    const std::int64_t most = (count() + elementsOfABlock - 1) / elementsOfABlock;
    return std::clamp<std::int64_t>(atOnce / sets, 1, most);
}

std::string addMoments(Source& source, const MomentsKernel& kernel, const Shape& results)
{
    addCudaHelper(source);
    return addFunction(source, "moments", [&](const std::string& name) { return functionText(kernel, name, results); });
}

} // namespace cudal1::policy
