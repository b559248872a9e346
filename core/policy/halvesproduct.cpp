// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels that make halves of a factor and join what the library multiplied, and the nodes that call them.
#include "core/policy/halvesproduct.h"

#include "core/policy/convolutionpieces.h"
#include "core/policy/kernelpieces.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

constexpr std::int64_t unit = 8;         // halves that a thread stores at once
constexpr std::int64_t longestSum = 512; // numbers that tensor cores add without a cut
constexpr int threadsOfABlock = 256;

std::int64_t roundedUp(std::int64_t number, std::int64_t to)
{
    return blocksOf(number, to) * to;
}

/// How many rows or columns the halves of a factor have, of which the last ones may be zeros: a multiple of eight where
/// they are neighbours in memory, and always for the right factor, since the result has as many columns.
std::int64_t storedCount(const HalvesFactor& factor, bool left)
{
    return left && factor.innerLast ? factor.count : roundedUp(factor.count, unit);
}

Shape halvesShape(const HalvesProduct& p, bool left)
{
    const HalvesFactor& factor = left ? p.left : p.right;
    const std::int64_t chunks = p.batch * p.chunks(), stored = storedCount(factor, left), inner = 3 * p.chunk();
    return factor.innerLast ? Shape{chunks, stored, inner} : Shape{chunks, inner, stored};
}

/// Set where a value is [batch, rows, columns] in order, or its transpose is: whether columns are neighbours.
std::optional<bool> columnsLast(const Graph& graph, int value)
{
    if (isInOrder(graph, value))
        return true;
    const GraphValue& one = graph.value(value);
    const std::size_t rank = one.shape.size();
    if (rank < 2 || rank > 3 || one.stride.size() != rank)
        return {};
    const std::int64_t rows = one.shape[rank - 2], columns = one.shape[rank - 1];
    const bool transposed = one.stride[rank - 2] == 1 && one.stride[rank - 1] == rows &&
                            (rank == 2 || one.shape[0] == 1 || one.stride[0] == rows * columns);
    return transposed ? std::optional(false) : std::nullopt;
}

/// In nanoseconds on a GPU like an H200.
double timeWithHalves(const HalvesProduct& p, double rateOfMemory)
{
    constexpr double rate = 500e3;        // operations of tensor cores in a nanosecond, in halves
    constexpr double bytesOfAFactor = 14; // a number is read twice and stored three times
    constexpr double bytesOfAResult = 4, tile = 128;
    const auto count = [](std::int64_t n) { return static_cast<double>(n); };
    const auto tiles = [&](std::int64_t n) { return count(roundedUp(n, static_cast<std::int64_t>(tile))); };
    const double flop = 6 * count(p.batch) * tiles(p.left.count) * tiles(p.right.count) * count(p.chunks() * p.chunk());
    double bytes = count(p.batch) * count(p.left.count) * count(p.right.count) * bytesOfAResult *
                   (2 * count(p.chunks()) + 1);
    double launches = 2;
    for (const HalvesFactor* factor : {&p.left, &p.right}) {
        if (factor->kept)
            continue;
        launches += 3;
        bytes += count(p.batch) * count(factor->count) * count(p.inner) * bytesOfAFactor;
    }
    return flop / rate + bytes / rateOfMemory + launches * kernelLaunch_ns;
}

/// What the library takes for a product in float32, where nobody has measured it.
double float32Time(const HalvesProduct& p)
{
    constexpr double rate = 45e3;
    return 2 * static_cast<double>(p.batch) * static_cast<double>(p.left.count) * static_cast<double>(p.right.count) *
           static_cast<double>(p.inner) / rate;
}

const std::string liftPiece = R"cuda(
// Exponent of the power of two that brings a number, given by its bits without the sign, to between 2^14 and 2^15.
static __device__ __forceinline__ int lift_of(unsigned peak)
{
    const int exponent = (int)(peak >> 23);
    return 141 - (exponent < 15 ? 15 : exponent);
}
)cuda";

// `lines` of a matrix lie behind one another, of `width` numbers each.
const std::string measureRows = R"cuda({
    // A warp has a part of a row.
    constexpr unsigned part = 4096, parts = (width + part - 1) / part;
    const unsigned warp = blockIdx.x * 8u + threadIdx.x / 32u, lane = threadIdx.x % 32u, row = warp / parts;
    if (row >= batch * lines)
        return;
    const unsigned begin = warp % parts * part, end = begin + part < width ? begin + part : width;
    const float* const from = matrix + row * (long long)width;
    unsigned most = 0;
    #pragma unroll 4
    for (unsigned k = begin + lane * wide; k < end; k += 32 * wide) {
LOAD
        #pragma unroll
        for (unsigned i = 0; i < wide; ++i)
            most = larger(most, v[i]);
    }
    most = __reduce_max_sync(0xffffffffu, most);
    if (lane == 0)
        atomicMax(peaks + row, most);
}
)cuda";

const std::string measureColumns = R"cuda({
    // A thread has some neighbouring columns of a run of lines.
    constexpr unsigned runs = (lines + run - 1) / run, across = (width / wide + 255) / 256;
    const unsigned column = (blockIdx.x % across * 256u + threadIdx.x) * wide, of = blockIdx.x / across;
    if (column >= width)
        return;
    const unsigned begin = of % runs * run, end = begin + run < lines ? begin + run : lines;
    const float* const from = matrix + of / runs * (long long)lines * width + column;
    unsigned most[wide] = {};
    #pragma unroll 4
    for (unsigned line = begin; line < end; ++line) {
        const long long k = line * (long long)width;
LOAD
        #pragma unroll
        for (unsigned i = 0; i < wide; ++i)
            most[i] = larger(most[i], v[i]);
    }
    #pragma unroll
    for (unsigned i = 0; i < wide; ++i)
        atomicMax(peaks + of / runs * width + column + i, most[i]);
}
)cuda";

const std::string larger = R"cuda(
// Of the bits of numbers without their signs.
static __device__ __forceinline__ unsigned larger(unsigned most, float number)
{
    const unsigned bits = __float_as_uint(number) & 0x7fffffffu;
    return bits > most ? bits : most;
}
)cuda";

const std::string splitRows = R"cuda({
    // Eight neighbours of a row a thread, and zeros where it has no more.
    constexpr unsigned units = chunks * chunk / 8;
    const unsigned index = blockIdx.x * 256u + threadIdx.x, row = index / units % stored, of = index / units / stored;
    const unsigned place = index % units * 8;
    if (of >= batch)
        return;
READ
    const float lift = power_of_two(lift_of(row < lines ? peaks[of * lines + row] : 0));
    #pragma unroll
    for (unsigned i = 0; i < 8; ++i)
        v[i] *= lift;
    // A chunk of a row has its halves three times, in another order than the other factor.
    constexpr unsigned step = chunk / 8;
    uint4* const to = out + (((of * chunks + place / chunk) * (long long)stored + row) * 3 * chunk + place % chunk) / 8;
)cuda";

const std::string splitColumns = R"cuda({
    // The numbers of eight neighbouring columns a thread, and zeros where there are no more.
    constexpr unsigned units = stored / 8, all = chunks * chunk;
    const unsigned index = blockIdx.x * 256u + threadIdx.x, row = index / units % all, of = index / units / all;
    const unsigned place = index % units * 8;
    if (of >= batch)
        return;
READ
    #pragma unroll
    for (unsigned i = 0; i < 8; ++i)
        v[i] *= power_of_two(lift_of(place + i < width ? peaks[of * width + place + i] : 0));
    // A chunk of a column has its halves three times, in another order than the other factor.
    constexpr long long step = chunk * (long long)stored / 8;
    uint4* const to = out + (((of * chunks + row / chunk) * (3LL * chunk) + row % chunk) * stored + place) / 8;
)cuda";

const std::string readVectors =
    R"cuda(    const float* const from = matrix + (of * (long long)lines + row) * width + place;
    float v[8] = {};
    #pragma unroll
    for (unsigned i = 0; i < 8; i += 4)
        if (row < lines && place + i < width) {
            const float4 four = *reinterpret_cast<const float4*>(from + i);
            v[i] = four.x, v[i + 1] = four.y, v[i + 2] = four.z, v[i + 3] = four.w;
        })cuda";

const std::string readNumbers =
    R"cuda(    const float* const from = matrix + (of * (long long)lines + row) * width + place;
    float v[8] = {};
    #pragma unroll
    for (unsigned i = 0; i < 8; ++i)
        if (row < lines && place + i < width)
            v[i] = from[i];)cuda";

const std::string storeHalves = R"cuda(    uint4 high, low;
    high.x = halves(v[0], v[1]), low.x = rest_of(high.x, v[0], v[1]);
    high.y = halves(v[2], v[3]), low.y = rest_of(high.y, v[2], v[3]);
    high.z = halves(v[4], v[5]), low.z = rest_of(high.z, v[4], v[5]);
    high.w = halves(v[6], v[7]), low.w = rest_of(high.w, v[6], v[7]);
    to[0] = FIRST;
    to[step] = SECOND;
    to[2 * step] = high;
}
)cuda";

const std::string joinBody = R"cuda({
    // Neighbours of a row a thread.
    constexpr unsigned wide = columns % 4 == 0 ? 4 : 1, units = columns / wide;
    const unsigned index = blockIdx.x * 256u + threadIdx.x, row = index / units, column = index % units * wide;
    if (row >= batch * rows)
        return;
    const unsigned of = row / rows;
    const float* from = parts + ((of * chunks) * (long long)stored_rows + row % rows) * stored_columns + column;
    float sum[wide] = {};
    #pragma unroll 4
    for (unsigned c = 0; c < chunks; ++c, from += (long long)stored_rows * stored_columns) {
        if constexpr (wide == 4) {
            const float4 v = *reinterpret_cast<const float4*>(from);
            sum[0] += v.x, sum[1] += v.y, sum[2] += v.z, sum[3] += v.w;
        } else {
            sum[0] += from[0];
        }
    }
    const int lift = lift_of(left_peaks[row]);
    #pragma unroll
    for (unsigned i = 0; i < wide; ++i) {
        // In two steps, of which neither leaves the range of the type.
        const int undo = -lift - lift_of(right_peaks[of * columns + column + i]), half = undo >> 1;
        sum[i] = sum[i] * power_of_two(half) * power_of_two(undo - half)BIAS;
    }
    float* const to = out + row * (long long)columns + column;
    if constexpr (wide == 4)
        *reinterpret_cast<float4*>(to) = make_float4(sum[0], sum[1], sum[2], sum[3]);
    else
        to[0] = sum[0];
}
)cuda";

using NamedNumbers = std::vector<std::pair<std::string, std::int64_t>>;
std::string constants(const NamedNumbers& values)
{
    std::string out = "constexpr unsigned ";
    for (std::size_t i = 0; i < values.size(); ++i)
        out += (i ? ", " : "") + values[i].first + " = " + number(values[i].second);
    return out + ";\n";
}

/// "NAME = CudaKernel(...)" with the text of a kernel of 256 threads a block.
std::string kernelOfBlocks(const std::string& name, const std::string& head, const std::string& parameters,
                           const std::string& body, std::int64_t grid, int pointers)
{
    return name + " = CudaKernel(\"" + name + "\", r\"\"\"" + head +
           "\nextern \"C\" __global__ void __launch_bounds__(" + number(threadsOfABlock) + ") " + name + "(" +
           parameters + ")\n" + body + "\"\"\", " + number(grid) + ", " + number(threadsOfABlock) + ", " +
           number(pointers) + ", 0)\n";
}

/// The text with what stands in the place of a word of it.
std::string with(std::string text, const std::string& word, const std::string& by)
{
    text.replace(text.find(word), word.size(), by);
    return text;
}

/// The function that makes halves of a factor and finds its peaks: NAME(matrix), which returns both.
std::string addSplit(Source& source, const Graph& graph, const HalvesProduct& p, bool left)
{
    const HalvesFactor& factor = left ? p.left : p.right;
    const bool rows = factor.innerLast;
    const std::int64_t stored = storedCount(factor, left), padded = p.chunks() * p.chunk();
    const std::int64_t lines = rows ? factor.count : p.inner, width = rows ? p.inner : factor.count;
    const bool vectors = width % 4 == 0;
    const std::string sizes = constants({{"batch", p.batch}, {"lines", lines}, {"width", width}});
    const std::string load = vectors ? "        const float4 four = *reinterpret_cast<const float4*>(from + k);\n"
                                       "        const float v[4] = {four.x, four.y, four.z, four.w};"
                                     : "        const float v[1] = {from[k]};";
    // A thread reads as many lines as leave two blocks for each processor.
    const std::int64_t across = blocksOf(width / (vectors ? 4 : 1), threadsOfABlock);
    const std::int64_t run = std::clamp<std::int64_t>(across * lines * p.batch / (2 * processorsOfAnH100), 8, 64);
    const std::int64_t measuring = rows ? blocksOf(p.batch * lines * blocksOf(width, 4096), 8)
                                        : across * blocksOf(lines, run) * p.batch;
    const std::string shape = tupleText(halvesShape(p, left));
    const std::string stride = tupleText(graph.value(factor.value).stride);
    return addFunction(source, left ? "left_halves" : "right_halves", [&](const std::string& name) {
        return kernelOfBlocks(name + "_measure",
                              sizes +
                                  constants(rows ? NamedNumbers{{"wide", vectors ? 4 : 1}}
                                                 : NamedNumbers{{"wide", vectors ? 4 : 1}, {"run", run}}) +
                                  larger,
                              "const float* __restrict__ matrix, unsigned* __restrict__ peaks",
                              with(rows ? measureRows : measureColumns, "LOAD", load), measuring, 2) +
               kernelOfBlocks(
                   name + "_split",
                   sizes + constants({{"stored", stored}, {"chunks", p.chunks()}, {"chunk", p.chunk()}}) + liftPiece +
                       convolutiontext::powerOfTwo + convolutiontext::halvesOfTwo,
                   "const float* __restrict__ matrix, const unsigned* __restrict__ peaks, uint4* __restrict__ "
                   "out",
                   with(rows ? splitRows : splitColumns, "READ", vectors ? readVectors : readNumbers) +
                       with(with(storeHalves, "FIRST", left ? "high" : "low"), "SECOND", left ? "low" : "high"),
                   blocksOf(p.batch * stored * padded / unit, threadsOfABlock), 3) +
               "\n\ndef " + name + "(matrix):\n    \"\"\"The " + (left ? "left" : "right") +
               " factor as halves that are scaled by powers of two, " + shape +
               ", and its largest numbers.\"\"\"\n    matrix = laid_out(matrix, " + stride +
               ")\n    peaks = torch.zeros(" + number(p.batch * factor.count) +
               ", dtype=torch.int32, device=matrix.device)\n    halves = torch.empty(" + shape +
               ", dtype=torch.float16, device=matrix.device)\n    " + name +
               "_measure(matrix.get_device(), matrix.data_ptr(), peaks.data_ptr())\n    " + name +
               "_split(matrix.get_device(), matrix.data_ptr(), peaks.data_ptr(), halves.data_ptr())\n    return "
               "halves, peaks\n";
    });
}

/// NAME(left, left_peaks, right, right_peaks[, bias]).
std::string addJoin(Source& source, const HalvesProduct& p, const Shape& shape)
{
    const std::int64_t storedRows = storedCount(p.left, true), storedColumns = storedCount(p.right, false);
    const std::int64_t work = p.batch * p.left.count * (p.right.count % 4 == 0 ? p.right.count / 4 : p.right.count);
    const std::string left = std::string("left") + (p.left.innerLast ? "" : ".transpose(1, 2)"),
                      right = std::string("right") + (p.right.innerLast ? ".transpose(1, 2)" : "");
    return addFunction(source, "product_of_halves", [&](const std::string& name) {
        return kernelOfBlocks(name + "_join",
                              constants({{"batch", p.batch},
                                         {"rows", p.left.count},
                                         {"columns", p.right.count},
                                         {"chunks", p.chunks()},
                                         {"stored_rows", storedRows},
                                         {"stored_columns", storedColumns}}) +
                                  liftPiece + convolutiontext::powerOfTwo,
                              std::string("const float* __restrict__ parts, const unsigned* __restrict__ left_peaks, "
                                          "const unsigned* __restrict__ right_peaks, ") +
                                  (p.bias ? "const float* __restrict__ bias, " : "") + "float* __restrict__ out",
                              with(joinBody, "BIAS", p.bias ? " + bias[column + i]" : ""),
                              blocksOf(work, threadsOfABlock), p.bias ? 5 : 4) +
               "\n\ndef " + name + "(left, left_peaks, right, right_peaks" + (p.bias ? ", bias" : "") +
               "):\n    \"\"\"The product of " + p.text() + " from halves, in " + number(p.chunks()) +
               (p.chunks() == 1 ? " chunk" : " chunks") + " of the inner dimension.\"\"\"\n    parts = torch.bmm(" +
               left + ", " + right + ", out_dtype=torch.float32)\n    out = torch.empty(" + tupleText(shape) +
               ", dtype=torch.float32, device=parts.device)\n    " + name +
               "_join(parts.get_device(), parts.data_ptr(), left_peaks.data_ptr(), right_peaks.data_ptr(), " +
               (p.bias ? "bias.data_ptr(), " : "") + "out.data_ptr())\n    return out\n";
    });
}

/// The value of which this one is a view with the same numbers in the same order: each layer views its input anew.
int originOf(const Graph& graph, int value)
{
    const GraphNode* node = graph.producer(value);
    while (node && (shortName(node->op) == "view" || shortName(node->op) == "reshape" ||
                    shortName(node->op) == "_unsafe_view")) {
        const auto from = Graph::tensor(node->args[0]);
        if (!from || !isInOrder(graph, *from) || !isInOrder(graph, value))
            break;
        value = *from;
        node = graph.producer(value);
    }
    return value;
}

/// Adds the nodes that make halves of a factor, where nobody has done so yet; returns halves and peaks.
std::pair<int, int> halvesOf(Graph& graph, Source& source, const HalvesProduct& p, bool left, KnownHalves& known,
                             std::vector<GraphNode>& added)
{
    const HalvesFactor& factor = left ? p.left : p.right;
    const std::string function = addSplit(source, graph, p, left);
    const auto [it, isNew] = known.try_emplace(function + " " + number(originOf(graph, factor.value)));
    if (!isNew)
        return it->second;
    it->second = {graph.addValue(halvesShape(p, left), "float16"), graph.addValue({p.batch * factor.count}, "int32")};
    const std::vector<int> outputs{it->second.first, it->second.second};
    if (factor.kept) {
        Source::once(source.helpers, preparedHelper());
        const std::string method = addMethod(source, "halves_" + number(factor.value), "(self, weight)",
                                             "return " + function + "(weight)\n");
        added.push_back(preparedNode(graph, method, {factor.value}, outputs));
    } else {
        added.push_back(callNode(graph, function, {factor.value}, outputs, left ? "left_" : "right_"));
    }
    return it->second;
}

} // namespace

std::int64_t HalvesProduct::chunks() const
{
    return std::max<std::int64_t>(1, blocksOf(inner, longestSum));
}

std::int64_t HalvesProduct::chunk() const
{
    return roundedUp(blocksOf(inner, chunks()), 32);
}

std::int64_t HalvesProduct::bytes() const
{
    std::int64_t halves = 0;
    for (const bool isLeft : {true, false}) {
        const Shape shape = halvesShape(*this, isLeft);
        halves += shape[0] * shape[1] * shape[2];
    }
    return 2 * halves + 4 * batch * chunks() * storedCount(left, true) * storedCount(right, false);
}

std::string HalvesProduct::text() const
{
    const std::string many = batch > 1 ? number(batch) + " times " : "";
    return many + shapeText({left.count, inner}) + " by " + shapeText({inner, right.count});
}

std::optional<HalvesProduct> halvesProduct(const Graph& graph, const GraphNode& node, double rateOfMemory)
{
    const auto operands = operandsOfProduct(node);
    if (!operands)
        return {};
    const bool linear = node.op == "cudal1.linear", addmm = node.op == "aten.addmm.default";
    const int left = operands->left, right = operands->right;
    HalvesProduct p;
    p.result = node.outputs[0];
    p.bias = operands->bias;
    if ((addmm && !p.bias) || graph.numel(p.result) == 0 || graph.numel(left) == 0)
        return {};
    const auto ofLeft = columnsLast(graph, left), ofRight = columnsLast(graph, right);
    for (const int value : {left, right, p.result}) {
        if (!graph.isFloat32(value))
            return {};
    }
    if (!ofLeft || !ofRight || !isInOrder(graph, p.result))
        return {};
    const Shape &a = graph.shape(left), &b = graph.shape(right);
    if (a.size() < 2 || b.size() < 2 || (linear && ((a.size() > 2 && !*ofLeft) || b.size() != 2)) ||
        (!linear && a.size() != b.size()))
        return {};
    p.inner = a.back();
    p.left = {left, a[a.size() - 2], *ofLeft, lastsFromCallToCall(graph, left)};
    p.right = {right, linear ? b[0] : b.back(), linear ? *ofRight : !*ofRight, lastsFromCallToCall(graph, right)};
    if (linear)
        p.left.count = graph.numel(left) / p.inner;
    else if (a.size() == 3)
        p.batch = a[0];
    if (p.bias &&
        (graph.shape(*p.bias) != Shape{p.right.count} || !graph.isFloat32(*p.bias) || !isInOrder(graph, *p.bias)))
        return {};
    constexpr std::int64_t mostBytes = std::int64_t{12} << 30; // of what stands beside factors and result
    constexpr std::int64_t most = std::int64_t{1} << 31;       // threads, which are counted by 32 bits
    if (p.batch * p.left.count * p.right.count >= most * (p.right.count % 4 == 0 ? 4 : 1) ||
        p.batch * (p.left.count + p.right.count + 2 * unit) * p.chunks() * p.chunk() / unit >= most ||
        p.bytes() > mostBytes)
        return {};
    p.replaced_ns = node.time_ns > 0 ? node.time_ns : float32Time(p);
    p.expected_ns = timeWithHalves(p, rateOfMemory);
    return p;
}

void replaceByHalves(Graph& graph, Source& source, const HalvesProduct& product, KnownHalves& known)
{
    addCudaHelper(source);
    Source::once(source.helpers, laidOutHelper());
    std::vector<GraphNode> added;
    const auto left = halvesOf(graph, source, product, true, known, added),
               right = halvesOf(graph, source, product, false, known, added);
    std::vector<int> values{left.first, left.second, right.first, right.second};
    if (product.bias)
        values.push_back(*product.bias);
    const std::string name = addJoin(source, product, graph.shape(product.result));
    added.push_back(callNode(graph, name, values, {product.result}, "product_"));
    const GraphNode* node = graph.producer(product.result);
    added.back().time_ns = node->time_ns;
    graph.replace({node->id}, std::move(added));
}

} // namespace cudal1::policy
