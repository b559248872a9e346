// SPDX-License-Identifier: GPL-3.0-or-later
// Text of a kernel for all steps of a recurrence.
#include "core/policy/recurrencekernel.h"

#include "core/policy/kernelpieces.h"
#include "core/policy/kernelwriter.h"
#include "core/policy/recurrencepieces.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

constexpr std::int64_t recurrenceThreads = 256; // that multiply together
constexpr std::int64_t mostRowsOfWarp = 8;
constexpr std::int64_t mostSharedBytes = 96 * 1024;

/// Vectors of four for each of the 32 threads of a warp.
std::int64_t vectorsOf(std::int64_t width)
{
    return (width + 127) / 128;
}

/// In one direction half of a block waits for the layer below and the other half for its own.
bool inHalves(const Recurrence& r)
{
    return r.directions == 1;
}

std::int64_t threadsOfBlock(const Recurrence& r)
{
    return (inHalves(r) ? 2 : 1) * recurrenceThreads;
}

/// Whether the weights of a thread fit into its registers, beside all else that it needs.
bool weightsFit(const Recurrence& r)
{
    const std::int64_t below = 4 * r.rowsOfWarp() * vectorsOf(r.widthBelow()),
                       own = 4 * r.rowsOfWarp() * vectorsOf(r.hidden);
    return inHalves(r) ? std::max(below, own) <= 80 : below + own <= 160;
}

std::string recurrenceText(const Recurrence& r, const std::string& name)
{
    using namespace recurrencetext;
    std::string out = "\n// steps, sequences, features of the input, units of a layer and of a block\n"
                      "constexpr int layers = " +
                      number(r.layers) + ", directions = " + number(r.directions) + ", steps = " + number(r.steps) +
                      ", batch = " + number(r.batch) + ", features = " + number(r.features) +
                      ", hidden = " + number(r.hidden) + ", units = " + number(r.units) +
                      ", blocks = " + number(r.blocks()) + ";\n" + "constexpr int lstm = " + (r.lstm ? "1" : "0") +
                      ", gates = " + number(r.gates()) + ", threads = " + number(recurrenceThreads) +
                      ", rows_of_warp = " + number(r.rowsOfWarp()) +
                      ", below_vectors = " + number(vectorsOf(r.widthBelow())) +
                      ", own_vectors = " + number(vectorsOf(r.hidden)) +
                      ";\n// numbers of the input between two steps, and between two sequences\n" +
                      "constexpr int x_step = " + number(r.batchFirst ? r.features : r.batch * r.features) +
                      ", x_sequence = " + number(r.batchFirst ? r.steps * r.features : r.features) + ";\n";
    std::string parameters, list;
    for (std::int64_t i = 0; i < 4 * r.layers * r.directions; ++i) {
        parameters += ", const float* w" + number(i);
        list += (i ? ", w" : "w") + number(i);
    }
    return out + common + (inHalves(r) ? oneDirection : twoDirections) +
           "extern \"C\" __global__ void __launch_bounds__(" + number(threadsOfBlock(r)) + ", 1) " + name +
           "(const float* x, const float* h0, const float* c0, float* out, " +
           (inHalves(r) ? "unsigned long long* results, float* last_h, float* last_c"
                        : "float* between, float* last_h, float* last_c, unsigned* ready") +
           parameters + ")\n{\n    const float* const weights[] = {" + list + "};\n" +
           (inHalves(r) ? stepsOfOneDirection : stepsOfTwoDirections);
}

const std::string recurrenceFunction = R"py(
def @(x, states, weights):
    """All steps of all layers in one kernel, whose blocks wait for one another: all must find place on the GPU."""
    device = x.get_device()
    if torch.cuda.get_device_properties(device).multi_processor_count < GRID:
        return FALLBACK
    x, *states = (t.clone(memory_format=torch.contiguous_format) if t.data_ptr() % 16 else t.contiguous()
                  for t in (x, *states))
    weights = [w.contiguous() for w in weights]
    out = torch.empty(STEPS, BATCH, WIDTH, device=x.device)
    SCRATCH
    last = [torch.empty_like(t) for t in states]
    tensors = (x, states[0], states[-1], out, PASSED, *weights)
    @_kernel(device, *(t.data_ptr() for t in tensors))
    return OUT, *last
)py";

void replaceAll(std::string& text, const std::string& from, const std::string& to)
{
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

std::string recurrencePython(const Recurrence& r, const std::string& name)
{
    std::string out = recurrenceFunction;
    const std::string state = r.lstm ? "states" : "states[0]";
    const std::string called = std::string("torch.") + (r.lstm ? "lstm" : "gru") + "(x, " + state +
                               ", weights, True, " + number(r.layers) + ", 0.0, False, " +
                               (r.directions == 2 ? "True" : "False") + ", " + (r.batchFirst ? "True" : "False") + ")";
    replaceAll(out, "SCRATCH",
               inHalves(r) ? "results = torch.zeros(LAYERS, STEPS, BATCH, WIDTH, dtype=torch.int64, device=x.device)"
                           : "between = torch.empty(BETWEEN, STEPS, BATCH, WIDTH, device=x.device)\n"
                             "    ready = torch.zeros(len(weights) // 4, dtype=torch.int32, device=x.device)");
    replaceAll(out, "PASSED", inHalves(r) ? "results, last[0], last[-1]" : "between, last[0], last[-1], ready");
    replaceAll(out, "FALLBACK", called);
    replaceAll(out, "GRID", number(r.groups() * r.blocks()));
    replaceAll(out, "STEPS", number(r.steps));
    replaceAll(out, "BATCH", number(r.batch));
    replaceAll(out, "WIDTH", number(r.directions * r.hidden));
    replaceAll(out, "LAYERS", number(r.layers));
    replaceAll(out, "BETWEEN", number(r.layers - 1));
    replaceAll(out, "OUT", r.batchFirst ? "out.transpose(0, 1)" : "out");
    replaceAll(out, "@", name);
    return name + "_kernel = CudaKernel(\"" + name + "_kernel\", r\"\"\"" + recurrenceText(r, name + "_kernel") +
           "\"\"\", " + number(r.groups() * r.blocks()) + ", " + number(threadsOfBlock(r)) + ", " +
           number((inHalves(r) ? 7 : 8) + 4 * r.layers * r.directions) + ", 0, " + number(r.sharedBytes()) + ")\n\n" +
           out;
}

} // namespace

std::int64_t Recurrence::sharedBytes() const
{
    const std::int64_t sums = 8 * rowsOfWarp() * (inHalves(*this) ? 3 : 2); // of each sequence
    return 4 * batch * (128 * (vectorsOf(widthBelow()) + vectorsOf(hidden)) + sums + units);
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
    r.directions = node.args[7] == true ? 2 : 1;
    r.layers = graph.shape(*h0)[0] / r.directions;
    r.hidden = graph.shape(*h0)[2];
    constexpr std::int64_t least = 4;
    for (r.units = std::min(least, r.hidden); r.groups() * r.blocks() > processorsOfAnH100;)
        if (++r.units > r.hidden)
            return {};
    if (r.steps < 2 || r.rowsOfWarp() > mostRowsOfWarp || !weightsFit(r) || r.sharedBytes() > mostSharedBytes)
        return {};
    return r;
}

double recurrence_ns(const Recurrence& r)
{
    const double meeting_ns = inHalves(r) ? 1800 : 2500;
    constexpr double productsOfThread = 0.6; // of float32 in a nanosecond
    const auto products = static_cast<double>(r.batch * 4 * r.rowsOfWarp() *
                                              (vectorsOf(r.hidden) + vectorsOf(r.widthBelow())));
    return static_cast<double>(r.stepsInTurn()) * (meeting_ns + products / productsOfThread);
}

std::string addRecurrence(Source& source, const Recurrence& recurrence)
{
    addCudaHelper(source);
    return addFunction(source, "recurrence",
                       [&](const std::string& name) { return recurrencePython(recurrence, name); });
}

} // namespace cudal1::policy
