// SPDX-License-Identifier: GPL-3.0-or-later
// Functions around the kernels of convolutions.
#include "core/policy/convolutionsource.h"

#include "core/policy/convolutionpieces.h"
#include "core/policy/kernelpieces.h"
#include "core/policy/kernelwriter.h"

#include <algorithm>
#include <utility>

namespace cudal1::policy {

namespace {

std::string convolutionFunction(const std::string& name, const ConvolutionSite& site,
                                const std::vector<std::string>& names, const Shape& shape, const std::string& about)
{
    const ConvolutionPlan& plan = site.plan;
    std::string out = name + "_kernel = CudaKernel(\"" + name + "_kernel\", r\"\"\"\n" +
                      convolutionText(plan, name + "_kernel", site.kernel) + "\"\"\", " + number(plan.blocks()) + ", " +
                      number(plan.threads()) + ", " + std::to_string(names.size() + 1) +
                      ", 0, shared=" + number(plan.sharedBytes()) + ")\n\n\n";
    std::string parameters, checks, pointers;
    for (const std::string& parameter : names) {
        parameters += (parameters.empty() ? "" : ", ") + parameter;
        pointers += parameter + ".data_ptr(), ";
        if (parameter == "x" && plan.ahead() && plan.copiedAtOnce() > 1)
            checks += "    if not x.is_contiguous() or x.data_ptr() % 16:\n"
                      "        x = x.clone(memory_format=torch.contiguous_format)\n";
        else if (parameter != "taps")
            checks += "    " + parameter + " = " + parameter + ".contiguous()\n";
    }
    const std::string what = site.kernel.stored == ConvolutionStore::Results ? "Computes "
                           : site.kernel.stored == ConvolutionStore::Sums
                               ? "Sums over runs of tiles of "
                               : "Count, mean and squares over runs of tiles of ";
    return out + "def " + name + "(" + parameters + "):\n    \"\"\"" + what + about + " in one kernel.\"\"\"\n" +
           checks + "    out = torch.empty(" + tupleText(shape) + ", device=x.device)\n    " + name +
           "_kernel(x.get_device(), " + pointers + "out.data_ptr())\n" + "    return out\n";
}

const std::string meansKernel = R"cuda(
    const unsigned at = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (at >= images * channels)
        return;
    const float* const from = parts + (size_t)(at % channels * images + at / channels) * runs * width;
    float sum = 0.0f;
    for (unsigned i = lane; i < runs; i += 32)
        sum += width == 1 ? from[i] : from[i * width] * from[i * width + 1]; // a sum, or count and mean
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (lane == 0)
        out[at] = sum / places;
}
)cuda";

std::string meansText(const std::string& name, const ConvolutionSite& site, const Shape& shape)
{
    const ConvolutionPlan& plan = site.plan;
    const std::int64_t channels = plan.groups * plan.results;
    double places = 1;
    for (const ConvolutionAxis& axis : plan.axes)
        places *= static_cast<double>(axis.out);
    std::string out = name + "_kernel = CudaKernel(\"" + name +
                      "_kernel\", r\"\"\"\nconstexpr unsigned images = " + number(plan.images) +
                      ", channels = " + number(channels) + ", runs = " + number(plan.runs()) +
                      ", width = " + std::to_string(partWidth(site.kernel.stored)) + ";\n";
    out += "constexpr float places = " + floatText(places) + "; // of a channel\n\n";
    out += "// A warp joins the runs of tiles of a channel of an image.\n";
    out += "extern \"C\" __global__ void __launch_bounds__(256) " + name +
           "_kernel(const float* __restrict__ parts, float* __restrict__ out)\n{" + meansKernel + "\"\"\", " +
           number((plan.images * channels + 7) / 8) + ", 256, 2, 0)\n\n\n";
    return out + "def " + name +
           "(parts):\n    \"\"\"The mean of each channel of each image, from those of runs of tiles.\"\"\"\n" +
           "    out = torch.empty(" + tupleText(shape) + ", device=parts.device)\n    " + name +
           "_kernel(parts.get_device(), parts.data_ptr(), out.data_ptr())\n    return out\n";
}

} // namespace

Shape partsShape(const ConvolutionSite& site)
{
    return {site.plan.groups * site.plan.results, site.plan.images, site.plan.runs(), partWidth(site.kernel.stored)};
}

GraphNode meansNode(Graph& graph, Source& source, const ConvolutionSite& site, int parts, int result)
{
    addCudaHelper(source);
    const std::string name = addFunction(source, "means_" + std::to_string(result), [&](const std::string& free) {
        return meansText(free, site, graph.shape(result));
    });
    return callNode(graph, name, {parts}, {result}, "mean_");
}

std::vector<GraphNode> convolutionNodes(Graph& graph, Source& source, const ConvolutionSite& site)
{
    const Convolution& c = site.convolution;
    const ConvolutionPlan& plan = site.plan;
    addCudaHelper(source);
    Source::once(source.helpers, packedTapsHelper());
    Source::once(source.helpers, preparedHelper());
    const Shape& windows = site.needs.window;
    const std::string window = windows.empty() ? "" : "window=" + tupleText(windows) + ", ";
    const std::string method = addMethod(
        source, "taps_" + std::to_string(c.result), "(self, weight)",
        "return (packed_taps(weight, " + number(c.groups) + ", " + (c.transposed ? "True" : "False") + ", " +
            tupleText(c.stride) + ", " + tupleText(c.padding) + ", " + tupleText(c.dilation) + ", " + window +
            "chunk=" + number(plan.chunk) + ", channels=" + number(plan.channelsOfBlock()) +
            ", exact=" + (plan.exact ? "True" : "False") + "),)\n");
    const int taps = graph.addValue({plan.packedWords()}, "float32");
    std::vector<GraphNode> nodes{preparedNode(graph, method, {c.weight}, {taps})};
    nodes.back().kwargs["stem"] = "taps_";

    std::vector<int> values{c.x, taps};
    std::vector<std::string> names{"x", "taps"};
    const auto add = [&](int value, const std::string& name) {
        values.push_back(value);
        names.push_back(name);
    };
    if (c.bias)
        add(*c.bias, "bias");
    for (const auto& [value, input] : site.kernel.inputs())
        add(value, input);
    const bool means = site.kernel.stored == ConvolutionStore::Sums;
    const int stored = means ? graph.addValue(partsShape(site), "float32") : site.result;
    const std::string about = site.description(graph);
    const std::string name = addFunction(
        source, "convolved_" + std::to_string(site.result),
        [&](const std::string& free) { return convolutionFunction(free, site, names, graph.shape(stored), about); });
    nodes.push_back(callNode(graph, name, values, {stored}, "convolution_"));
    if (means)
        nodes.push_back(meansNode(graph, source, site, stored, site.result));
    return nodes;
}

} // namespace cudal1::policy
