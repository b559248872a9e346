// SPDX-License-Identifier: GPL-3.0-or-later
// Techniques that are a setting of the framework or of the process: tf32, bf16_products, ieee_recurrence,
// cudnn_benchmark, heap_reuse.
#include "core/policy/technique.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

double timeOf(const Context& context, auto predicate)
{
    double sum = 0;
    for (const GraphNode& node : context.prompt.graph.nodes)
        sum += predicate(node) ? node.time_ns : 0;
    return sum;
}

bool has(const Context& context, auto predicate)
{
    return std::any_of(context.prompt.graph.nodes.begin(), context.prompt.graph.nodes.end(), predicate);
}

bool isProduct(const GraphNode& node)
{
    const std::string name = shortName(node.op);
    return name == "mm" || name == "addmm" || name == "bmm" || name == "baddbmm" || name == "addbmm" || name.find("attention") != std::string::npos;
}
bool isConvolution(const GraphNode& node) { return shortName(node.op).find("convolution") != std::string::npos; }
bool isRecurrence(const GraphNode& node) { return node.op.find("_rnn") != std::string::npos; }

std::string share(const Context& context, double ns)
{
    const double all = context.operators_ns();
    return timeText(ns) + (all > 0 ? ", " + numberText(100 * ns / all) + " % of the operators' time" : "");
}

class Tf32 : public Technique {
public:
    std::string id() const override { return "tf32"; }
    std::string title() const override { return "TF32"; }
    std::string comment() const override { return "declared lower precision: products and convolutions may round their factors to TF32"; }

    Match match(const Context& context) const override
    {
        if (!context.cuda())
            return Match::no("TF32 is a format of GPUs; the device is a CPU.");
        if (context.prompt.precision == protocol::Precision::Ieee)
            return Match::no("The precision is ieee, which allows no TF32.");
        const double products = timeOf(context, isProduct);
        if (!has(context, isProduct))
            return Match::no(has(context, isConvolution) ? "There are only convolutions, which use TF32 by the framework's default."
                                                         : "The graph has no product or convolution.");
        if (context.prompt.precision == protocol::Precision::Tf32)
            return Match::no("The precision setting tf32 already allows it on both sides.");
        Match m;
        m.applies = true;
        m.gain = 1.8;
        m.finding = "Products take " + share(context, products) + ", in full float32.";
        m.design = "Tensor cores multiply TF32 (10 bits of mantissa) several times faster than float32. This is a change of precision: it is declared here, and the judge shows the speed-up at equal precision beside it.";
        return m;
    }

    void wrap(Source& source, const Context&) const override
    {
        source.settings.push_back("if USE_TF32:\n    torch.backends.cuda.matmul.allow_tf32 = True\n    torch.backends.cudnn.allow_tf32 = True");
    }
};

class Bf16Products : public Technique {
public:
    std::string id() const override { return "bf16_products"; }
    std::string title() const override { return "bfloat16 factors"; }
    std::string comment() const override { return "declared lower precision: oneDNN products may round their factors to bfloat16"; }

    Match match(const Context& context) const override
    {
        if (context.cuda())
            return Match::no("The device is a GPU; tf32 is the technique there.");
        if (context.prompt.precision != protocol::Precision::Kernelbench)
            return Match::no("The precision setting asks for more than bfloat16 factors.");
        if (!has(context, isProduct) && !has(context, isConvolution))
            return Match::no("The graph has no product or convolution.");
        const double ns = timeOf(context, [](const GraphNode& n) { return isProduct(n) || isConvolution(n); });
        if (context.operators_ns() > 0 && ns < 0.4 * context.operators_ns())
            return Match::no("Products and convolutions take only " + share(context, ns) + ".");
        Match m;
        m.applies = true;
        m.gain = 1.5;
        m.finding = "Products and convolutions take " + share(context, ns) + ", in full float32.";
        m.design = "Processors with bfloat16 instructions multiply two factors for the price of one and still add in float32. This is a change of precision: it is declared here, and on a processor without them nothing changes.";
        return m;
    }

    void wrap(Source& source, const Context&) const override
    {
        source.settings.push_back("if USE_BF16_PRODUCTS:\n    torch.backends.mkldnn.matmul.fp32_precision = 'bf16'\n    torch.backends.mkldnn.conv.fp32_precision = 'bf16'");
    }
};

class IeeeRecurrence : public Technique {
public:
    std::string id() const override { return "ieee_recurrence"; }
    std::string title() const override { return "Recurrence without TF32"; }
    std::string comment() const override { return "higher precision: recurrent layers in float32, for which cuDNN has another kernel"; }

    Match match(const Context& context) const override
    {
        if (!context.cuda() || !has(context, isRecurrence))
            return Match::no("No recurrent layer runs in cuDNN.");
        if (context.prompt.precision == protocol::Precision::Ieee)
            return Match::no("The precision is ieee already.");
        const double ns = timeOf(context, isRecurrence);
        Match m;
        m.applies = true;
        m.gain = 1.3;
        m.finding = "The recurrence takes " + share(context, ns) + ".";
        m.design = "Its products are small and its steps follow one another, so tensor cores hardly help; with TF32 off cuDNN chooses other kernels, which may be faster, at higher precision.";
        return m;
    }

    void wrap(Source& source, const Context&) const override
    {
        source.settings.push_back("if USE_IEEE_RECURRENCE:\n    torch.backends.cudnn.allow_tf32 = False");
    }
};

class CudnnBenchmark : public Technique {
public:
    std::string id() const override { return "cudnn_benchmark"; }
    std::string title() const override { return "cuDNN search"; }
    std::string comment() const override { return "let cuDNN measure its algorithms on the first call instead of guessing"; }

    Match match(const Context& context) const override
    {
        if (!context.cuda())
            return Match::no("cuDNN is for GPUs; the device is a CPU.");
        if (!has(context, isConvolution))
            return Match::no("The graph has no convolution.");
        Match m;
        m.applies = true;
        m.gain = 1.15;
        m.finding = "Convolutions take " + share(context, timeOf(context, isConvolution)) + ".";
        m.design = "cuDNN's heuristics choose an algorithm by shape; measuring each one once finds a better one for shapes that they misjudge.";
        return m;
    }

    void wrap(Source& source, const Context&) const override
    {
        source.settings.push_back("if USE_CUDNN_BENCHMARK:\n    torch.backends.cudnn.benchmark = True");
    }
};

class HeapReuse : public Technique {
public:
    std::string id() const override { return "heap_reuse"; }
    std::string title() const override { return "Memory kept between calls"; }
    std::string comment() const override { return "keep freed memory in the process instead of mapping and clearing fresh pages in each call"; }

    Match match(const Context& context) const override
    {
        if (context.cuda())
            return Match::no("On a GPU the framework's own allocator keeps memory between calls.");
        // The C library maps anything above 32 MiB afresh, whatever was freed before.
        constexpr std::int64_t mapped = 32 << 20;
        std::int64_t large = 0, most = 0;
        for (const GraphValue& value : context.prompt.graph.values) {
            if (value.kind != GraphValue::Kind::Intermediate || value.id >= static_cast<int>(context.graph.data().values.size()))
                continue;
            const std::int64_t bytes = context.graph.bytes(value.id);
            large += bytes >= mapped ? bytes : 0;
            most = std::max(most, bytes);
        }
        if (large == 0)
            return Match::no("The largest tensor that a call makes has " + bytesText(static_cast<double>(most)) + "; the C library already keeps blocks under 32 MiB.");
        Match m;
        m.applies = true;
        m.gain = 1.5;
        m.finding = "A call makes tensors of " + bytesText(static_cast<double>(large)) + " in blocks of 32 MiB and more, each of which the system maps, clears and takes back in every call: about "
                    + std::to_string(large / 4096) + " page faults.";
        m.design = "The C library is told to serve large blocks from its heap and not to return it, as the framework does on GPUs. A block is reused when its tensor is gone; results still own their memory.";
        return m;
    }

    void wrap(Source& source, const Context&) const override
    {
        source.settings.push_back("if USE_HEAP_REUSE:\n"
                                  "    import ctypes\n\n"
                                  "    _c_library = ctypes.CDLL(None)\n"
                                  "    if hasattr(_c_library, 'mallopt'):\n"
                                  "        _c_library.mallopt(-4, 0)            # M_MMAP_MAX: no mappings of their own for large blocks\n"
                                  "        _c_library.mallopt(-1, 2**31 - 1)    # M_TRIM_THRESHOLD: freed memory stays");
    }
};

} // namespace

std::unique_ptr<Technique> makeTf32() { return std::make_unique<Tf32>(); }
std::unique_ptr<Technique> makeBf16Products() { return std::make_unique<Bf16Products>(); }
std::unique_ptr<Technique> makeIeeeRecurrence() { return std::make_unique<IeeeRecurrence>(); }
std::unique_ptr<Technique> makeCudnnBenchmark() { return std::make_unique<CudnnBenchmark>(); }
std::unique_ptr<Technique> makeHeapReuse() { return std::make_unique<HeapReuse>(); }

} // namespace cudal1::policy
