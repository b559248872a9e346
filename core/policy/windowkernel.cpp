// SPDX-License-Identifier: GPL-3.0-or-later
// Pools and depthwise convolutions as CUDA.
#include "core/policy/windowkernel.h"

#include "core/policy/kernelpieces.h"

#include <vector>

namespace cudal1::policy {

namespace {

constexpr std::int64_t windowThreads = 256;

class WindowText {
public:
    explicit WindowText(const WindowKernel& kernel) : m_kernel(kernel) {}

    std::string run(const std::string& name)
    {
        const std::string index = m_kernel.results() >= (std::int64_t{1} << 31) ? "unsigned long long" : "unsigned";
        std::string list = "const float* __restrict__ x, ";
        for (const std::string& one : furtherInputs(m_kernel))
            list += "const float* __restrict__ " + one + ", ";
        out = "extern \"C\" __global__ void __launch_bounds__(256) " + name + "(" + list +
              "float* __restrict__ out)\n{\n";
        line(1, "const " + index + " q = blockIdx.x * (" + index + ")256 + threadIdx.x;");
        line(1, "if (q >= " + number(m_kernel.results()) + "u)");
        line(2, "return;");
        const auto& [d, h, w] = m_kernel.axes;
        line(1, "const int w = q % " + number(w.out) + "u, h = q / " + number(w.out) + "u % " + number(h.out) +
                    "u, d = q / " + number(w.out * h.out) + "u % " + number(d.out) + "u;");
        line(1, "const unsigned image = q / " + number(w.out * h.out * d.out) + "u;");
        source();
        const char* const names[] = {"d", "h", "w"};
        for (std::size_t i = 0; i < 3; ++i) {
            const WindowKernel::Axis& axis = m_kernel.axes[i];
            line(1, std::string("const int ") + names[i] + "0 = " + names[i] + " * " + number(axis.stride) + " - " +
                        number(axis.padding) + ";");
        }
        line(1, std::string("float total = ") +
                    (m_kernel.kind == WindowKernel::Kind::Max ? "-INFINITY"
                     : m_kernel.bias                          ? "bias[channel]"
                                                              : "0.0f") +
                    ";");
        if (!wholeWindows())
            line(1, "int count = 0;");
        windows();
        if (m_kernel.kind == WindowKernel::Kind::Mean)
            line(1, wholeWindows() ? "total *= " + floatText(1.0 / static_cast<double>(m_kernel.taps())) + ";"
                                   : "total /= count;");
        store();
        return withDefinitions(out + "}\n");
    }

    static std::vector<std::string> furtherInputs(const WindowKernel& kernel)
    {
        std::vector<std::string> names;
        if (kernel.kind == WindowKernel::Kind::Products)
            names.push_back("weight");
        if (kernel.bias)
            names.push_back("bias");
        for (const auto& [chain, prefix] : {std::pair{&kernel.before, "b"}, std::pair{&kernel.after, "a"}}) {
            for (std::size_t i = 0; chain->program && i < chain->program->inputs.size(); ++i) {
                if (chain->program->inputs[i] != chain->from)
                    names.push_back(prefix + std::to_string(i));
            }
        }
        return names;
    }

private:
    void line(int depth, const std::string& text)
    {
        out += std::string(static_cast<std::size_t>(depth) * 4, ' ') + text + "\n";
    }

    bool wholeWindows() const { return m_kernel.kind != WindowKernel::Kind::Mean || m_kernel.countsPadding; }

    /// The image and channel of the tensor that a result is made of.
    void source()
    {
        const std::int64_t each = m_kernel.outChannels / m_kernel.inChannels;
        if (m_kernel.kind == WindowKernel::Kind::Products)
            line(1, "const unsigned channel = image % " + number(m_kernel.outChannels) + "u;");
        line(1, "const unsigned from = image / " + number(each) + "u;"); // channels of an image are neighbours
        line(1, "const float* const plane = x + (unsigned long long)from * " + number(m_kernel.places()) + "u;");
    }

    void windows()
    {
        const char* const names[] = {"d", "h", "w"};
        constexpr std::int64_t mostUnrolled = 64;
        int depth = 1;
        std::string inside; // what holds where the place is one of the image
        for (std::size_t i = 0; i < 3; ++i) {
            const WindowKernel::Axis& axis = m_kernel.axes[i];
            const std::string n = names[i];
            if (i == 2 || m_kernel.taps() <= mostUnrolled)
                line(depth, "#pragma unroll");
            line(depth, "for (int i" + n + " = 0; i" + n + " < " + number(axis.window) + "; ++i" + n + ") {");
            line(++depth, "const int " + n + "1 = " + n + "0 + i" + n + " * " + number(axis.dilation) + ";");
            if (!axis.inside())
                inside += (inside.empty() ? "" : " && ") + n + "1 >= 0 && " + n + "1 < " + number(axis.in);
        }
        const auto& [d, h, w] = m_kernel.axes;
        const std::string place = "plane[(d1 * " + number(h.in) + " + h1) * " + number(w.in) + " + w1]";
        if (!inside.empty()) // no branch, so that all loads of a window are under way at once
            line(depth, "const bool inside = " + inside + ";");
        line(depth, "const float v = " + (inside.empty() ? place : "inside ? " + place + " : 0.0f") + ";");
        const std::string value = elementText(depth);
        if (m_kernel.kind == WindowKernel::Kind::Max)
            line(depth, "total = " + (inside.empty() ? "" : std::string("!inside ? total : ")) + "Max::of(total, " +
                            value + ");");
        else if (m_kernel.kind == WindowKernel::Kind::Mean)
            line(depth, "total += " + (inside.empty() ? value : "inside ? " + value + " : 0.0f") + ";");
        else
            line(depth, "total += " + (inside.empty() || value == "v" ? value : "(inside ? " + value + " : 0.0f)") +
                            " * weight[((channel * " + number(d.window) + " + id) * " + number(h.window) + " + ih) * " +
                            number(w.window) + " + iw];");
        if (!wholeWindows())
            line(depth, inside.empty() ? "++count;" : "count += inside;");
        while (--depth > 0)
            line(depth, "}");
    }

    /// What stands before the window, of the element v.
    std::string elementText(int depth)
    {
        if (!m_kernel.before.program)
            return "v";
        const KernelProgram& program = *m_kernel.before.program;
        const std::vector<KernelAxis> axes = program.axes();
        std::map<int, std::string> known;
        const auto load = [&](int input) {
            if (input == *m_kernel.before.input())
                return std::string("v");
            const std::string base = "(from * " + number(m_kernel.places()) + "u)";
            const std::string offset = offsetText(axes, static_cast<std::size_t>(input), base);
            return "b" + std::to_string(input) + "[" + (offset.empty() ? "0" : offset) + "]";
        };
        out += declare(program, {program.outputs[0].expr}, known, load,
                       std::string(static_cast<std::size_t>(depth) * 4, ' '));
        return known.at(program.outputs[0].expr);
    }

    void store()
    {
        std::string value = "total";
        if (m_kernel.after.program) {
            const KernelProgram& program = *m_kernel.after.program;
            const std::vector<KernelAxis> axes = program.axes();
            std::map<int, std::string> known;
            const auto load = [&](int input) {
                if (input == *m_kernel.after.input())
                    return std::string("total");
                const std::string offset = offsetText(axes, static_cast<std::size_t>(input), "q");
                return "a" + std::to_string(input) + "[" + (offset.empty() ? "0" : offset) + "]";
            };
            out += declare(program, {program.outputs[0].expr}, known, load, "    ");
            value = known.at(program.outputs[0].expr);
        }
        line(1, "out[q] = " + value + ";");
    }

    const WindowKernel& m_kernel;
    std::string out;
};

} // namespace

bool WindowKernel::Axis::inside() const
{
    return padding == 0 && (out - 1) * stride + (window - 1) * dilation < in;
}

std::int64_t WindowKernel::taps() const
{
    return axes[0].window * axes[1].window * axes[2].window;
}

std::int64_t WindowKernel::places() const
{
    return axes[0].in * axes[1].in * axes[2].in;
}

std::int64_t WindowKernel::results() const
{
    return images * outChannels * axes[0].out * axes[1].out * axes[2].out;
}

bool sameOverPlaces(const Chain& chain)
{
    if (!chain.program)
        return true;
    const KernelProgram& program = *chain.program;
    std::int64_t places = 1;
    for (std::size_t i = 2; i < program.domain.size(); ++i)
        places *= program.domain[i];
    const std::vector<KernelAxis> axes = program.axes();
    for (std::size_t input = 0; input < program.inputs.size(); ++input) {
        if (program.inputs[input] == chain.from)
            continue;
        std::int64_t below = 1;
        for (std::size_t i = axes.size(); i-- > 0 && below < places; below *= axes[i].extent) {
            if (axes[i].strides[input] != 0)
                return false;
        }
    }
    return true;
}

std::string addWindow(Source& source, const WindowKernel& kernel, const Shape& shape, const std::string& about)
{
    addCudaHelper(source);
    return addFunction(source, "windows", [&](const std::string& name) {
        std::vector<std::string> names{"x"};
        const auto further = WindowText::furtherInputs(kernel);
        names.insert(names.end(), further.begin(), further.end());
        std::string parameters, pointers, dense;
        for (const std::string& one : names) {
            parameters += (parameters.empty() ? "" : ", ") + one;
            pointers += one + ".data_ptr(), ";
            dense += "    " + one + " = " + one + ".contiguous()\n";
        }
        return name + "_kernel = CudaKernel(\"" + name + "_kernel\", r\"\"\"\n" +
               WindowText(kernel).run(name + "_kernel") + "\"\"\", " +
               number((kernel.results() + windowThreads - 1) / windowThreads) + ", " + number(windowThreads) + ", " +
               std::to_string(names.size() + 1) + ", 0)\n\n\ndef " + name + "(" + parameters +
               "):\n    \"\"\"Computes " + about + " in one kernel.\"\"\"\n" + dense + "    out = torch.empty(" +
               tupleText(shape) + ", device=x.device)\n    " + name + "_kernel(x.get_device(), " + pointers +
               "out.data_ptr())\n    return out\n";
    });
}

} // namespace cudal1::policy
