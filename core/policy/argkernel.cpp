// SPDX-License-Identifier: GPL-3.0-or-later
// Places of extremes as CUDA.
#include "core/policy/argkernel.h"

#include "core/policy/kernelpieces.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

constexpr std::int64_t loadsAtOnce = 8;

struct Block {
    std::int64_t sharing = 1, columns = 1;
};

/// So many threads share a result that each has few loads, and so few results a block that all processors work.
Block blockOf(const ArgKernel& kernel)
{
    Block block;
    const std::int64_t sharingAtMost = kernel.alongAxis() ? 1024 : 32;
    while (block.sharing * loadsAtOnce < kernel.extent && block.sharing < sharingAtMost)
        block.sharing *= 2;
    block.columns = std::max<std::int64_t>(kernel.alongAxis() ? 1 : 32, 256 / block.sharing);
    const std::int64_t narrowest = kernel.alongAxis() ? 1 : 8; // eight numbers are what memory hands out at once
    while (block.columns > narrowest && blocksOf(kernel.results(), block.columns) < processorsOfAnH100)
        block.columns /= 2;
    while (blocksOf(kernel.results(), block.columns) < processorsOfAnH100 &&
           block.sharing * loadsAtOnce < kernel.extent && block.sharing * block.columns < 1024)
        block.sharing *= 2;
    while (block.sharing * block.columns < 32)
        block.columns *= 2;
    return block;
}

class ArgText {
public:
    explicit ArgText(const ArgKernel& kernel) : m_kernel(kernel), m_block(blockOf(kernel)) {}

    std::string run(const std::string& name)
    {
        const std::string threads = number(m_block.sharing * m_block.columns);
        comparison();
        line(0, "extern \"C\" __global__ void __launch_bounds__(" + threads + ") " + name +
                    "(const float* __restrict__ x, long long* __restrict__ out)");
        line(0, "{");
        line(1, "__shared__ float values[" + threads + "];");
        line(1, "__shared__ int places[" + threads + "];");
        const std::string along = number(m_kernel.alongAxis() ? m_block.sharing : m_block.columns) + "u";
        const std::string quotient = "threadIdx.x / " + along, rest = "threadIdx.x % " + along;
        line(1, "const int mine = " + (m_kernel.alongAxis() ? rest : quotient) +
                    "; // among the threads that share a result");
        line(1, "const " + index() + " q = blockIdx.x * (" + index() + ")" + number(m_block.columns) + " + " +
                    (m_kernel.alongAxis() ? quotient : rest) + ";");
        line(1, "const bool inside = q < " + number(m_kernel.results()) + "u;");
        line(1, std::string("float best = ") + (m_kernel.largest ? "-INFINITY;" : "INFINITY;"));
        line(1, "int at = " + number(m_kernel.extent) + ";");
        search();
        join();
        line(1, "if (inside && mine == 0)");
        line(2, "out[q] = at;");
        line(0, "}");
        return withDefinitions(m_out);
    }

private:
    void line(int depth, const std::string& text)
    {
        m_out += std::string(static_cast<std::size_t>(depth) * 4, ' ') + text + "\n";
    }

    std::string index() const
    {
        const bool wide = m_kernel.results() * m_kernel.extent >= (std::int64_t{1} << 31);
        return wide ? "unsigned long long" : "unsigned";
    }

    void comparison()
    {
        line(0, std::string("// Whether one value comes before another: NaN before any number, then the ") +
                    (m_kernel.largest ? "largest" : "smallest") + ", then the first.");
        line(0, "__device__ bool comes_before(float value, int place, float other, int at)");
        line(0, "{");
        line(1, "if (value != value || other != other)");
        line(2, "return value != value && (other == other || place < at);");
        line(1, std::string("return value ") + (m_kernel.largest ? ">" : "<") +
                    " other || (value == other && place < at);");
        line(0, "}\n");
    }

    /// What a thread has of the axis.
    void search()
    {
        const std::string inner = number(m_kernel.inner) + "u";
        const bool rows = m_kernel.inner == 1;
        line(1, "if (inside) {");
        line(2, "const float* const from = x + " +
                    (rows ? "q * " + number(m_kernel.extent) + "u"
                          : "q / " + inner + " * " + number(m_kernel.extent * m_kernel.inner) + "u + q % " + inner) +
                    ";");
        line(2, "#pragma unroll " + number(loadsAtOnce));
        line(2, "for (int r = mine; r < " + number(m_kernel.extent) + "; r += " + number(m_block.sharing) + ") {");
        line(3, "const float value = from[" + (rows ? "r" : "(" + index() + ")r * " + inner) + "];");
        line(3, "if (comes_before(value, r, best, at)) {");
        line(4, "best = value;");
        line(4, "at = r;");
        line(3, "}");
        line(2, "}");
        line(1, "}");
    }

    /// What the threads that share a result have found.
    void join()
    {
        line(1, "values[threadIdx.x] = best;");
        line(1, "places[threadIdx.x] = at;");
        line(1, "for (int step = " + number(m_block.sharing / 2) + "; step > 0; step >>= 1) {");
        line(2, "__syncthreads();");
        line(2, "const int other = threadIdx.x + step" + (m_kernel.alongAxis() ? "" : " * " + number(m_block.columns)) +
                    ";");
        line(2, "if (mine < step && comes_before(values[other], places[other], best, at)) {");
        line(3, "best = values[threadIdx.x] = values[other];");
        line(3, "at = places[threadIdx.x] = places[other];");
        line(2, "}");
        line(1, "}");
    }

    const ArgKernel& m_kernel;
    const Block m_block;
    std::string m_out;
};

} // namespace

std::int64_t ArgKernel::sharing() const
{
    return blockOf(*this).sharing;
}

std::int64_t ArgKernel::columns() const
{
    return blockOf(*this).columns;
}

std::int64_t ArgKernel::blocks() const
{
    return blocksOf(results(), columns());
}

bool ArgKernel::alongAxis() const
{
    return inner < 8;
}

std::string addArgReduction(Source& source, const ArgKernel& kernel, const Shape& shape, const std::string& about)
{
    addCudaHelper(source);
    return addFunction(source, kernel.largest ? "largest_at" : "smallest_at", [&](const std::string& name) {
        return name + "_kernel = CudaKernel(\"" + name + "_kernel\", r\"\"\"\n" +
               ArgText(kernel).run(name + "_kernel") + "\"\"\", " + number(kernel.blocks()) + ", " +
               number(kernel.sharing() * kernel.columns()) + ", 2, 0)\n\n\ndef " + name + "(x):\n    \"\"\"" + about +
               "\"\"\"\n    x = x.contiguous()\n    out = " + "torch.empty(" + tupleText(shape) +
               ", dtype=torch.int64, device=x.device)\n    " + name +
               "_kernel(x.get_device(), x.data_ptr(), out.data_ptr())\n    return out\n";
    });
}

} // namespace cudal1::policy
