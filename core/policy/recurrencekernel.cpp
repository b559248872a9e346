// SPDX-License-Identifier: GPL-3.0-or-later
// Text of a kernel for all steps of a recurrence.
#include "core/policy/recurrencekernel.h"

#include "core/policy/kernelpieces.h"
#include "core/policy/kernelwriter.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

constexpr std::int64_t recurrenceThreads = 256;
constexpr std::int64_t mostRowsOfWarp = 8;
constexpr std::int64_t mostWeightsOfThread = 160; // registers
constexpr std::int64_t mostSharedBytes = 96 * 1024;

/// Vectors of four for each of the 32 threads of a warp.
std::int64_t vectorsOf(std::int64_t width)
{
    return (width + 127) / 128;
}

const std::string recurrenceHead = R"cuda(
constexpr int by_four = features % 4 == 0 && hidden % 4 == 0;
constexpr int padded_rows = rows_of_warp > 4 ? 8 : rows_of_warp > 2 ? 4 : rows_of_warp, at_once = 8 / padded_rows;
constexpr int result_width = directions * hidden, rows = gates * units, below_width = below_vectors * 128, own_width = own_vectors * 128;

// Waits until as many blocks have said that their results are there.
static __device__ __forceinline__ void wait_for(const unsigned* counter, unsigned least)
{
    if (threadIdx.x == 0) {
        while (*(const volatile unsigned*)counter < least)
            __nanosleep(20);
        __threadfence();
    }
    __syncthreads();
}

// What a thread has of the rows of a matrix, `from` its row 0; zeros behind its end.
template<int vectors>
static __device__ __forceinline__ void load(float4 (&own)[rows_of_warp][vectors], const float* from, int width, int first)
{
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    #pragma unroll
    for (int r = 0; r < rows_of_warp; ++r) {
        const int row = warp * rows_of_warp + r, unit = first + row % units;
        const float* const line = from + (size_t)(row / units * hidden + unit) * width;
        #pragma unroll
        for (int j = 0; j < vectors; ++j) {
            const int k = j * 128 + lane * 4;
            const int left = row < rows && unit < hidden ? width - k : 0;
            own[r][j] = make_float4(left > 0 ? line[k] : 0.0f, left > 1 ? line[k + 1] : 0.0f,
                                    left > 2 ? line[k + 2] : 0.0f, left > 3 ? line[k + 3] : 0.0f);
        }
    }
}

// Copies the values of all sequences at one step to shared memory. Others have just written them, so they are read from
// the memory that all processors share.
static __device__ __forceinline__ void stage(float* to, int padded, const float* from, int width, int between)
{
    if (by_four) {
        #pragma unroll 4
        for (int i = threadIdx.x; i < batch * padded / 4; i += threads) {
            const int b = i / (padded / 4), k = i % (padded / 4) * 4;
            reinterpret_cast<float4*>(to)[i] =
                k < width ? __ldcg(reinterpret_cast<const float4*>(from + (size_t)b * between + k))
                          : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
    } else {
        for (int i = threadIdx.x; i < batch * padded; i += threads) {
            const int b = i / padded, k = i % padded;
            to[i] = k < width ? __ldcg(from + (size_t)b * between + k) : 0.0f;
        }
    }
}

// Halves the rows that a thread has sums of, and doubles the threads that they are of.
template<int kept> static __device__ __forceinline__ void exchange(float (&s)[8], int mask)
{
    const bool upper = threadIdx.x & mask;
    #pragma unroll
    for (int i = 0; i < kept; ++i) {
        const float mine = upper ? s[i + kept] : s[i], other = upper ? s[i] : s[i + kept];
        s[i] = mine + __shfl_xor_sync(0xffffffffu, other, mask);
    }
}

// sums[row][sequence] of the products of a warp's rows with each sequence.
template<int vectors>
static __device__ __forceinline__ void multiply(const float4 (&own)[rows_of_warp][vectors], const float* staged, float* sums)
{
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    #pragma unroll 2
    for (int first = 0; first < batch; first += at_once) {
        float s[8] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
        #pragma unroll
        for (int q = 0; q < at_once; ++q) {
            const float* const values = staged + (size_t)min(first + q, batch - 1) * vectors * 128;
            #pragma unroll
            for (int j = 0; j < vectors; ++j) {
                const float4 v = reinterpret_cast<const float4*>(values)[j * 32 + lane];
                #pragma unroll
                for (int r = 0; r < rows_of_warp; ++r)
                    s[q * padded_rows + r] += own[r][j].x * v.x + own[r][j].y * v.y + own[r][j].z * v.z + own[r][j].w * v.w;
            }
        }
        exchange<4>(s, 16);
        exchange<2>(s, 8);
        exchange<1>(s, 4);
        s[0] += __shfl_xor_sync(0xffffffffu, s[0], 2);
        s[0] += __shfl_xor_sync(0xffffffffu, s[0], 1);
        const int r = (lane >> 2) % padded_rows, b = first + (lane >> 2) / padded_rows;
        if (lane % 4 == 0 && r < rows_of_warp && b < batch)
            sums[(warp * rows_of_warp + r) * batch + b] = s[0];
    }
}

static __device__ __forceinline__ float sigmoid(float v)
{
    return 1.0f / (1.0f + expf(-v));
}

)cuda";

const std::string recurrenceBody = R"cuda(    extern __shared__ float memory[];
    float* const below_staged = memory;
    float* const own_staged = below_staged + batch * below_width;
    float* const below_sums = own_staged + batch * own_width;
    float* const own_sums = below_sums + 8 * rows_of_warp * batch;
    float* const cell = own_sums + 8 * rows_of_warp * batch;
    // In one direction each block has one layer. In two, blocks have one direction each and do all layers in turn, since
    // the first step of a layer needs the last one of the layer below.
    const int direction = directions == 2 ? blockIdx.x / blocks : 0, first = blockIdx.x % blocks * units;
    const int layer_from = directions == 2 ? 0 : blockIdx.x / blocks, layer_to = directions == 2 ? layers : layer_from + 1;
    for (int layer = layer_from; layer < layer_to; ++layer) {
        const int which = layer * directions + direction, width = layer == 0 ? features : result_width;
        const float* const bias_below = weights[4 * which + 2];
        const float* const bias_own = weights[4 * which + 3];
        float4 below_rows[rows_of_warp][below_vectors], own_rows[rows_of_warp][own_vectors];
        load(below_rows, weights[4 * which], width, first);
        load(own_rows, weights[4 * which + 1], hidden, first);
        const size_t step = (size_t)batch * result_width; // numbers between the results of two steps
        float* const results = (layer == layers - 1 ? out : between + layer * steps * step) + direction * hidden;
        const float* const lower = layer == 0 ? x : between + (layer - 1) * steps * step;
        if (lstm)
            for (int i = threadIdx.x; i < units * batch; i += threads)
                if (first + i % units < hidden)
                    cell[i] = c0[(size_t)(which * batch + i / units) * hidden + first + i % units];

        for (int done = 0; done < steps; ++done) {
            const int t = direction ? steps - 1 - done : done, before = direction ? t + 1 : t - 1;
            if (layer == 0) {
                stage(below_staged, below_width, x + (size_t)t * x_step, width, x_sequence);
            } else {
                if (directions == 1)
                    wait_for(ready + layer - 1, blocks * (t + 1));
                else if (done == 0)
                    for (int d = 0; d < directions; ++d)
                        wait_for(ready + (layer - 1) * directions + d, blocks * steps);
                stage(below_staged, below_width, lower + t * step, width, result_width);
            }
            __syncthreads();
            multiply(below_rows, below_staged, below_sums);
            if (done == 0) {
                stage(own_staged, own_width, h0 + (size_t)which * batch * hidden, hidden, hidden);
            } else {
                wait_for(ready + which, blocks * done);
                stage(own_staged, own_width, results + before * step, hidden, result_width);
            }
            __syncthreads();
            multiply(own_rows, own_staged, own_sums);
            __syncthreads();
            for (int i = threadIdx.x; i < units * batch; i += threads) {
                const int b = i / units, u = i % units, unit = first + u;
                if (unit >= hidden)
                    continue;
                float below[gates], own[gates];
                #pragma unroll
                for (int g = 0; g < gates; ++g) {
                    below[g] = below_sums[(g * units + u) * batch + b] + bias_below[g * hidden + unit];
                    own[g] = own_sums[(g * units + u) * batch + b] + bias_own[g * hidden + unit];
                }
                float h;
                if (lstm) { // input, forget, cell and output gate
                    cell[i] = sigmoid(below[1] + own[1]) * cell[i] + sigmoid(below[0] + own[0]) * tanhf(below[2] + own[2]);
                    h = sigmoid(below[gates - 1] + own[gates - 1]) * tanhf(cell[i]);
                } else { // reset, update and new gate
                    const float z = sigmoid(below[1] + own[1]);
                    const float n = tanhf(below[2] + sigmoid(below[0] + own[0]) * own[2]);
                    h = (1.0f - z) * n + z * own_staged[b * own_width + unit];
                }
                results[t * step + (size_t)b * result_width + unit] = h;
                if (done == steps - 1) {
                    last_h[(size_t)(which * batch + b) * hidden + unit] = h;
                    if (lstm)
                        last_c[(size_t)(which * batch + b) * hidden + unit] = cell[i];
                }
            }
            __threadfence();
            __syncthreads();
            if (threadIdx.x == 0)
                atomicAdd(ready + which, 1u);
        }
    }
}
)cuda";

std::string recurrenceText(const Recurrence& r, const std::string& name)
{
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
    return out + recurrenceHead + "extern \"C\" __global__ void __launch_bounds__(256, 1) " + name +
           "(const float* x, const float* h0, const float* c0, float* out, float* between, float* last_h, "
           "float* last_c, unsigned* ready" +
           parameters + ")\n{\n    const float* const weights[] = {" + list + "};\n" + recurrenceBody;
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
    between = torch.empty(BETWEEN, STEPS, BATCH, WIDTH, device=x.device)
    last = [torch.empty_like(t) for t in states]
    ready = torch.zeros(len(weights) // 4, dtype=torch.int32, device=x.device)
    tensors = (x, states[0], states[-1], out, between, last[0], last[-1], ready, *weights)
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
    replaceAll(out, "FALLBACK", called);
    replaceAll(out, "GRID", number(r.groups() * r.blocks()));
    replaceAll(out, "STEPS", number(r.steps));
    replaceAll(out, "BATCH", number(r.batch));
    replaceAll(out, "WIDTH", number(r.directions * r.hidden));
    replaceAll(out, "BETWEEN", number(r.layers - 1));
    replaceAll(out, "OUT", r.batchFirst ? "out.transpose(0, 1)" : "out");
    replaceAll(out, "@", name);
    return name + "_kernel = CudaKernel(\"" + name + "_kernel\", r\"\"\"" + recurrenceText(r, name + "_kernel") +
           "\"\"\", " + number(r.groups() * r.blocks()) + ", " + number(recurrenceThreads) + ", " +
           number(8 + 4 * r.layers * r.directions) + ", 0, " + number(r.sharedBytes()) + ")\n\n" + out;
}

} // namespace

std::int64_t Recurrence::sharedBytes() const
{
    return 4 * batch * (128 * (vectorsOf(widthBelow()) + vectorsOf(hidden)) + 16 * rowsOfWarp() + units);
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
    const std::int64_t weights = 4 * r.rowsOfWarp() * (vectorsOf(r.widthBelow()) + vectorsOf(r.hidden));
    if (r.steps < 2 || r.rowsOfWarp() > mostRowsOfWarp || weights > mostWeightsOfThread ||
        r.sharedBytes() > mostSharedBytes)
        return {};
    return r;
}

double recurrence_ns(const Recurrence& r)
{
    constexpr double meeting_ns = 2500, productsOfThread = 0.6; // of float32 in a nanosecond
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
