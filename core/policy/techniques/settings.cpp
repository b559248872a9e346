// SPDX-License-Identifier: GPL-3.0-or-later
// Techniques that are a setting of the framework: tf32, bf16_products, ieee_recurrence,
// cudnn_benchmark.
#include "core/base/timetext.h"
#include "core/policy/technique.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

double timeOf(const TechniqueContext& context, auto predicate)
{
    double sum = 0;
    for (const GraphNode& node : context.prompt.graph.nodes)
        sum += predicate(node) ? node.time_ns : 0;
    return sum;
}

bool has(const TechniqueContext& context, auto predicate)
{
    return std::any_of(context.prompt.graph.nodes.begin(), context.prompt.graph.nodes.end(), predicate);
}

bool isProduct(const GraphNode& node)
{
    const std::string name = shortName(node.op);
    return name == "mm" || name == "addmm" || name == "bmm" || name == "baddbmm" || name == "addbmm" ||
           name.find("attention") != std::string::npos;
}
bool isConvolution(const GraphNode& node)
{
    return shortName(node.op).find("convolution") != std::string::npos;
}
bool isRecurrence(const GraphNode& node)
{
    return node.op.find("_rnn") != std::string::npos || node.op == "cudal1.lstm" || node.op == "cudal1.gru";
}

std::string share(const TechniqueContext& context, double ns)
{
    const double all = context.operators_ns();
    return base::timeText(ns) + (all > 0 ? ", " + numberText(100 * ns / all) + " % of the operators' time" : "");
}

class Tf32 : public Technique {
public:
    std::string id() const override { return "tf32"; }
    std::string title() const override { return "TF32"; }
    std::string comment() const override
    {
        return "declared lower precision: products and convolutions may round their factors to TF32";
    }

    Match match(const TechniqueContext& context) const override
    {
        if (!context.cuda())
            return Match::no("TF32 is a format of GPUs; the device is a CPU.");
        if (context.prompt.precision == protocol::Precision::Ieee)
            return Match::no("The precision is ieee, which allows no TF32.");
        const double products = timeOf(context, isProduct);
        if (!has(context, isProduct))
            return Match::no(has(context, isConvolution)
                                 ? "There are only convolutions, which use TF32 by the framework's default."
                                 : "The graph has no product or convolution.");
        if (context.prompt.precision == protocol::Precision::Tf32)
            return Match::no("The precision setting tf32 already allows it on both sides.");
        Match m;
        m.applies = true;
        m.gain = 1.8;
        m.finding = "Products take " + share(context, products) + ", in full float32.";
        m.design =
            "Tensor cores multiply TF32 (10 bits of mantissa) several times faster than float32. This is a change of "
            "precision: it is declared here, and the judge shows the speed-up at equal precision beside it.";
        return m;
    }

    void wrap(Source& source, const TechniqueContext&) const override
    {
        source.settings.push_back("if USE_TF32:\n    torch.backends.cuda.matmul.allow_tf32 = True\n    "
                                  "torch.backends.cudnn.allow_tf32 = True");
    }
};

class Bf16Products : public Technique {
public:
    std::string id() const override { return "bf16_products"; }
    std::string title() const override { return "bfloat16 factors"; }
    std::string comment() const override
    {
        return "declared lower precision: oneDNN products may round their factors to bfloat16";
    }

    Match match(const TechniqueContext& context) const override
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
        m.gain = 1.01;
        m.finding = "Products and convolutions take " + share(context, ns) + ", in full float32.";
        m.design =
            "Processors with bfloat16 instructions multiply two factors for the price of one and still add in float32. "
            "This is a change of precision: it is declared here, and on a processor without them nothing changes.";
        return m;
    }

    void wrap(Source& source, const TechniqueContext&) const override
    {
        source.settings.push_back("if USE_BF16_PRODUCTS:\n    torch.backends.mkldnn.matmul.fp32_precision = 'bf16'\n   "
                                  " torch.backends.mkldnn.conv.fp32_precision = 'bf16'");
    }
};

class IeeeRecurrence : public Technique {
public:
    std::string id() const override { return "ieee_recurrence"; }
    std::string title() const override { return "Recurrence without TF32"; }
    std::string comment() const override
    {
        return "higher precision: recurrent layers in float32, for which cuDNN has another kernel";
    }

    Match match(const TechniqueContext& context) const override
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
        m.design = "Its products are small and its steps follow one another, so tensor cores hardly help; with TF32 "
                   "off cuDNN chooses other kernels, which may be faster, at higher precision.";
        return m;
    }

    void wrap(Source& source, const TechniqueContext&) const override
    {
        source.settings.push_back("if USE_IEEE_RECURRENCE:\n    torch.backends.cudnn.allow_tf32 = False");
    }
};

class CudnnBenchmark : public Technique {
public:
    std::string id() const override { return "cudnn_benchmark"; }
    std::string title() const override { return "cuDNN search"; }
    std::string comment() const override
    {
        return "let cuDNN measure its algorithms on the first call instead of guessing";
    }

    Match match(const TechniqueContext& context) const override
    {
        if (!context.cuda())
            return Match::no("cuDNN is for GPUs; the device is a CPU.");
        if (!has(context, isConvolution))
            return Match::no("The graph has no convolution.");
        Match m;
        m.applies = true;
        m.gain = 1.15;
        m.finding = "Convolutions take " + share(context, timeOf(context, isConvolution)) + ".";
        m.design = "cuDNN's heuristics choose an algorithm by shape; measuring each one once finds a better one for "
                   "shapes that they misjudge.";
        return m;
    }

    void wrap(Source& source, const TechniqueContext&) const override
    {
        source.settings.push_back("if USE_CUDNN_BENCHMARK:\n    torch.backends.cudnn.benchmark = True");
    }
};

} // namespace

std::unique_ptr<Technique> makeTf32()
{
    return std::make_unique<Tf32>();
}
std::unique_ptr<Technique> makeBf16Products()
{
    return std::make_unique<Bf16Products>();
}
std::unique_ptr<Technique> makeIeeeRecurrence()
{
    return std::make_unique<IeeeRecurrence>();
}
std::unique_ptr<Technique> makeCudnnBenchmark()
{
    return std::make_unique<CudnnBenchmark>();
}

} // namespace cudal1::policy
