// SPDX-License-Identifier: GPL-3.0-or-later
// Text of kernels for all steps of a recurrence.
#include "core/policy/recurrencekernel.h"

#include "core/base/replaceall.h"
#include "core/policy/kernelpieces.h"
#include "core/policy/kernelwriter.h"
#include "core/policy/recurrencepieces.h"

#include <algorithm>
#include <cmath>

namespace cudal1::policy {

using base::replaceAll;

namespace {

constexpr std::int64_t mostSharedBytes = 96 * 1024;

/// Pieces of four numbers for each of so many threads.
std::int64_t vectorsOf(std::int64_t width, std::int64_t threads)
{
    return (width + 4 * threads - 1) / (4 * threads);
}

/// Fills in what the functions of both kinds have in common. `kernel` begins with the name of a CudaKernel's text and
/// ends with how it is launched.
std::string pythonOf(const Recurrence& r, const std::string& name, const std::string& kernel, std::string function)
{
    const std::string state = r.lstm ? "states" : "states[0]";
    replaceAll(function, "FALLBACK",
               std::string("torch.") + (r.lstm ? "lstm" : "gru") + "(x, " + state + ", weights, True, " +
                   number(r.layers) + ", 0.0, False, " + (r.bothDirections ? "True" : "False") + ", " +
                   (r.batchFirst ? "True" : "False") + ")");
    replaceAll(function, "GRID", number(r.grid()));
    replaceAll(function, "STEPS", number(r.steps));
    replaceAll(function, "BATCH", number(r.batch));
    replaceAll(function, "WIDTH", number(r.directions() * r.hidden));
    replaceAll(function, "LAYERS", number(r.layers));
    replaceAll(function, "INPUT", r.batchFirst && r.bothDirections ? "x.transpose(0, 1).contiguous()" : "x");
    replaceAll(function, "RESULT", r.batchFirst ? "out.transpose(0, 1)" : "out");
    replaceAll(function, "@", name);
    return name + "_kernel = CudaKernel(\"" + name + "_kernel\", r\"\"\"" + kernel + ")\n\n" + function;
}

namespace onedirection {

constexpr std::int64_t threads = 256; // that multiply together: half of a block
constexpr std::int64_t mostRowsOfWarp = 8, mostWeightsOfThread = 80;

std::int64_t widthBelow(const Recurrence& r)
{
    return std::max(r.layers > 1 ? r.hidden : 0, r.features);
}

std::int64_t rowsOfWarp(const Recurrence& r)
{
    return (r.gates() * r.units + 7) / 8;
}

std::int64_t sharedBytes(const Recurrence& r)
{
    return 4 * r.batch *
           (128 * (vectorsOf(widthBelow(r), 32) + vectorsOf(r.hidden, 32)) + 3 * 8 * rowsOfWarp(r) + r.units);
}

/// Whether the units of a block can be so chosen that all blocks find place on a GPU and the weights of a thread in its
/// registers, beside all else that it needs; chooses them.
bool chooseUnits(Recurrence& r)
{
    constexpr std::int64_t least = 4;
    for (r.units = std::min(least, r.hidden); r.grid() > processorsOfAnH100;)
        if (++r.units > r.hidden)
            return false;
    const std::int64_t weights = 4 * rowsOfWarp(r) * std::max(vectorsOf(widthBelow(r), 32), vectorsOf(r.hidden, 32));
    return rowsOfWarp(r) <= mostRowsOfWarp && weights <= mostWeightsOfThread && sharedBytes(r) <= mostSharedBytes;
}

std::string stepsText(const Recurrence& r, const std::string& name)
{
    std::string parameters, list;
    for (std::int64_t i = 0; i < 4 * r.layers; ++i) {
        parameters += ", const float* w" + number(i);
        list += (i ? ", w" : "w") + number(i);
    }
    return "\n// steps, sequences, features of the input, units of a layer and of a block\nconstexpr int layers = " +
           number(r.layers) + ", steps = " + number(r.steps) + ", batch = " + number(r.batch) +
           ", features = " + number(r.features) + ", hidden = " + number(r.hidden) + ", units = " + number(r.units) +
           ", blocks = " + number(r.blocksOfLayer()) + ";\nconstexpr int lstm = " + (r.lstm ? "1" : "0") +
           ", gates = " + number(r.gates()) + ", threads = " + number(threads) +
           ", rows_of_warp = " + number(rowsOfWarp(r)) + ", below_vectors = " + number(vectorsOf(widthBelow(r), 32)) +
           ", own_vectors = " + number(vectorsOf(r.hidden, 32)) +
           ";\n// numbers of the input between two steps, and between two sequences\nconstexpr int x_step = " +
           number(r.batchFirst ? r.features : r.batch * r.features) +
           ", x_sequence = " + number(r.batchFirst ? r.steps * r.features : r.features) + ";\n" +
           recurrencetext::oneDirection + "extern \"C\" __global__ void __launch_bounds__(" + number(2 * threads) +
           ", 1) " + name +
           "(const float* x, const float* h0, const float* c0, float* out, unsigned long long* results, "
           "float* last_h, float* last_c" +
           parameters + ")\n{\n    const float* const weights[] = {" + list + "};\n" +
           recurrencetext::stepsOfOneDirection;
}

const std::string function = R"py(
def @(x, states, weights):
    """All steps of all layers in one kernel, whose blocks wait for one another: all must find place on the GPU."""
    device = x.get_device()
    if torch.cuda.get_device_properties(device).multi_processor_count < GRID:
        return FALLBACK
    x, *states = (t.clone(memory_format=torch.contiguous_format) if t.data_ptr() % 16 else t.contiguous()
                  for t in (x, *states))
    weights = [w.contiguous() for w in weights]
    out = torch.empty(STEPS, BATCH, WIDTH, device=x.device)
    results = torch.zeros(LAYERS, STEPS, BATCH, WIDTH, dtype=torch.int64, device=x.device)
    last = [torch.empty_like(t) for t in states]
    tensors = (x, states[0], states[-1], out, results, last[0], last[-1], *weights)
    @_kernel(device, *(t.data_ptr() for t in tensors))
    return RESULT, *last
)py";

std::string python(const Recurrence& r, const std::string& name)
{
    return pythonOf(r, name,
                    stepsText(r, name + "_kernel") + "\"\"\", " + number(r.grid()) + ", " + number(2 * threads) + ", " +
                        number(7 + 4 * r.layers) + ", 0, " + number(sharedBytes(r)),
                    function);
}

} // namespace onedirection

namespace twodirections {

constexpr std::int64_t threadsOfUnit = 16;
constexpr std::int64_t blocksOfCluster = 8, sequencesOfCluster = 2;
constexpr std::int64_t mostVectors = 4; // of each gate: 64 registers

std::int64_t threads(const Recurrence& r)
{
    return (r.units * threadsOfUnit + 31) / 32 * 32;
}

/// As onedirection::chooseUnits().
bool chooseUnits(Recurrence& r)
{
    r.units = (r.hidden + blocksOfCluster - 1) / blocksOfCluster;
    return vectorsOf(r.hidden, threadsOfUnit) <= mostVectors;
}

std::string stepsText(const Recurrence& r, const std::string& name)
{
    return "\n// steps, sequences, units of a layer and of a block\nconstexpr int steps = " + number(r.steps) +
           ", batch = " + number(r.batch) + ", hidden = " + number(r.hidden) + ", units = " + number(r.units) +
           ";\nconstexpr int lstm = " + (r.lstm ? "1" : "0") + ", gates = " + number(r.gates()) +
           ", threads = " + number(threads(r)) + ", vectors = " + number(vectorsOf(r.hidden, threadsOfUnit)) + ";\n" +
           recurrencetext::twoDirections + "extern \"C\" __global__ void __cluster_dims__(" + number(blocksOfCluster) +
           ", 1, 1) __launch_bounds__(" + number(threads(r)) + ", 1) " + name +
           "(const float* below0, const float* below1, const float* w0, const float* w1, const float* bias0, "
           "const float* bias1, const float* h0, const float* c0, float* out, float* last_h, float* last_c)\n" +
           recurrencetext::stepsOfTwoDirections;
}

const std::string function = R"py(
def @(x, states, weights):
    """Layer by layer: products of what comes from below for all steps, then all steps in both directions."""
    device = x.get_device()
    if torch.cuda.get_device_properties(device).major < 9:  # has no clusters
        return FALLBACK
    states = [t.contiguous() for t in states]
    last = [torch.empty_like(t) for t in states]
    out = INPUT
    for layer in range(LAYERS):
        w0, own0, bias0, own_bias0, w1, own1, bias1, own_bias1 = (w.contiguous() for w in weights[8 * layer : 8 * layer + 8])
        below = [torch.nn.functional.linear(out, w, bias).contiguous() for w, bias in ((w0, bias0), (w1, bias1))]
        out = torch.empty(STEPS, BATCH, WIDTH, device=x.device)
        of_layer = [t[2 * layer] for t in (states[0], states[-1], last[0], last[-1])]
        tensors = (*below, own0, own1, own_bias0, own_bias1, *of_layer[:2], out, *of_layer[2:])
        @_kernel(device, *(t.data_ptr() for t in tensors))
    return RESULT, *last
)py";

std::string python(const Recurrence& r, const std::string& name)
{
    const std::int64_t sharedBytes = 2 * sequencesOfCluster * vectorsOf(r.hidden, threadsOfUnit) * 4 * threadsOfUnit *
                                         4 +
                                     16;
    return pythonOf(r, name,
                    stepsText(r, name + "_kernel") + "\"\"\", " + number(r.grid()) + ", " + number(threads(r)) +
                        ", 11, 0, " + number(sharedBytes),
                    function);
}

} // namespace twodirections

} // namespace

std::int64_t Recurrence::grid() const
{
    using namespace twodirections;
    return bothDirections ? 2 * ((batch + sequencesOfCluster - 1) / sequencesOfCluster) * blocksOfCluster
                          : layers * blocksOfLayer();
}

std::optional<Recurrence> recurrenceOf(const Graph& graph, const GraphNode& node)
{
    Recurrence r;
    r.lstm = node.op == "cudal1.lstm";
    if (!r.lstm && node.op != "cudal1.gru")
        return {};
    const auto x = Graph::tensor(node.args[0]), h0 = Graph::tensor(r.lstm ? node.args[1][0] : node.args[1]);
    if (!x || !h0 || graph.shape(*x).size() != 3 || graph.shape(*h0).size() != 3 ||
        graph.value(*x).dtype != "float32" || graph.value(*h0).dtype != "float32")
        return {};
    r.batchFirst = node.args[8] == true;
    const Shape& shape = graph.shape(*x);
    r.batch = shape[r.batchFirst ? 0 : 1];
    r.steps = shape[r.batchFirst ? 1 : 0];
    r.features = shape[2];
    r.bothDirections = node.args[7] == true;
    r.layers = graph.shape(*h0)[0] / r.directions();
    r.hidden = graph.shape(*h0)[2];
    const bool fits = r.bothDirections ? twodirections::chooseUnits(r) : onedirection::chooseUnits(r);
    return r.steps >= 2 && fits ? std::optional(r) : std::nullopt;
}

double recurrence_ns(const Recurrence& r)
{
    if (r.bothDirections) {
        constexpr double step_ns = 1450, productsOfAll = 20'000; // of float32 in a nanosecond, by a library's product
        const auto width = static_cast<double>(r.features + (r.layers - 1) * 2 * r.hidden);
        const double products = 2 * width * static_cast<double>(r.steps * r.batch * r.gates() * r.hidden);
        const double turns = std::ceil(static_cast<double>(r.grid()) / processorsOfAnH100);
        return static_cast<double>(r.stepsInTurn()) * turns * step_ns + products / productsOfAll;
    }
    constexpr double meeting_ns = 1800, productsOfThread = 0.6; // of float32 in a nanosecond
    const auto products = static_cast<double>(r.batch * 4 * onedirection::rowsOfWarp(r) *
                                              (vectorsOf(r.hidden, 32) + vectorsOf(onedirection::widthBelow(r), 32)));
    return static_cast<double>(r.stepsInTurn()) * (meeting_ns + products / productsOfThread);
}

std::string addRecurrence(Source& source, const Recurrence& recurrence)
{
    addCudaHelper(source);
    return addFunction(source, "recurrence", [&](const std::string& name) {
        return recurrence.bothDirections ? twodirections::python(recurrence, name)
                                         : onedirection::python(recurrence, name);
    });
}

} // namespace cudal1::policy
