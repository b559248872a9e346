// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of a decoder by libtorch's operators.
#include "core/decoder/torchdecoder.h"

#include "core/decoder/cpukernels.h"
#include "core/decoder/decodermodel.h"
#include "core/decoder/loadedmodel.h"
#include "core/decoder/pagedattention.h"

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <map>

namespace cudal1::decoder {

using modelfiles::DecoderConfig;
using modelfiles::RotaryScaling;

namespace {

at::ScalarType typeOf(const std::string& numbers)
{
    return numbers == "bfloat16" ? at::kBFloat16 : at::kFloat;
}

constexpr auto tokensOfBlock = static_cast<std::int64_t>(blockTokens);

} // namespace

struct TorchDecoder::State {
    /// What a step of one row a text is computed from, on the device and of fixed shapes. The last block of the cache
    /// belongs to no text: rows that only fill up the shape are kept there.
    struct Inputs {
        at::Tensor tokens, positions; ///< [rows][1]
        at::Tensor slots;             ///< [rows]: where the row's own keys and values go
        at::Tensor tables;            ///< [rows][blocks], int32: of each text; where there is a kernel of attention
        at::Tensor gathered;          ///< [rows * length]: places of the text's tokens; where there is none
        at::Tensor mask;              ///< [rows][1][length]; where there is none
        at::Tensor cosine, sine;      ///< [rows][1][headSize]
    };
    struct Graph {
        Inputs inputs;
        at::Tensor logits;
        at::cuda::CUDAGraph graph;
        bool isCaptured = false;
    };

    State(const Checkpoint& checkpoint, const Options& given)
        : options(given), device(given.device), model(checkpoint, device, typeOf(given.numbers))
    {
        const DecoderConfig& config = model.config();
        const auto places = static_cast<std::int64_t>(options.blocks + 1) * tokensOfBlock;
        const auto shape = {places, static_cast<std::int64_t>(config.keyValueHeads),
                            static_cast<std::int64_t>(config.headSize)};
        for (std::size_t i = 0; i < config.layers; ++i) {
            keys.push_back(at::zeros(shape, at::TensorOptions(typeOf(options.numbers)).device(device)));
            values.push_back(at::zeros_like(keys.back()));
        }
        paged = PagedAttention::make(
            {static_cast<std::int64_t>(config.heads), static_cast<std::int64_t>(config.keyValueHeads),
             static_cast<std::int64_t>(config.headSize), typeOf(options.numbers), tokensOfBlock},
            device);
        const char* without = std::getenv("CUDAL1_NO_CUDA_GRAPH");
        usesGraphs = device.is_cuda() && !(without && *without && *without != '0');
    }

    Inputs inputsOf(std::span<const StepRow> rows, std::size_t rowCount, std::size_t blockCount) const;
    at::Tensor computeRows(const Inputs& inputs);
    at::Tensor computeText(std::span<const StepRow> rows);
    at::Tensor replay(std::span<const StepRow> rows);
    DecoderModel::Angles anglesOf(std::span<const StepRow> rows, std::size_t rowCount) const;
    static std::size_t blocksOf(std::span<const StepRow> rows);
    at::Tensor toDevice(const at::Tensor& tensor) const { return device.is_cpu() ? tensor : tensor.to(device); }

    Options options;
    at::Device device;
    DecoderModel model;
    std::vector<at::Tensor> keys, values;  ///< of each layer, [place][keyValueHeads][headSize]
    std::unique_ptr<PagedAttention> paged; ///< null where the framework's operators compute attention
    bool usesGraphs = false;
    std::map<std::pair<std::size_t, std::size_t>, Graph> graphs; ///< by rows and blocks
    at::Tensor asked;                                            ///< logits of the last step, on the device
    at::Tensor answer;                                           ///< the same on the CPU; what logits() gave last
};

std::size_t TorchDecoder::State::blocksOf(std::span<const StepRow> rows)
{
    std::size_t out = 1;
    for (const StepRow& row : rows)
        out = std::max(out, static_cast<std::size_t>(row.position) / blockTokens + 1);
    return out;
}

/// Computed on the CPU, row by row where the scaling depends on the text's length.
DecoderModel::Angles TorchDecoder::State::anglesOf(std::span<const StepRow> rows, std::size_t rowCount) const
{
    const bool isDynamic = model.config().rotary.kind == RotaryScaling::Kind::Dynamic;
    std::vector<std::int64_t> positions(rowCount, 0);
    for (std::size_t i = 0; i < rows.size(); ++i)
        positions[i] = rows[i].position;
    const at::Tensor all = at::tensor(positions, at::TensorOptions(at::kLong)).unsqueeze(1);
    if (!isDynamic)
        return model.angles(all, 0);
    std::vector<at::Tensor> cosines, sines;
    for (std::size_t i = 0; i < rowCount; ++i) {
        const auto own = model.angles(all.slice(0, static_cast<std::int64_t>(i), static_cast<std::int64_t>(i + 1)),
                                      i < rows.size() ? static_cast<std::size_t>(rows[i].rotaryLength) : 1);
        cosines.push_back(own.cosine);
        sines.push_back(own.sine);
    }
    return {at::cat(cosines, 0), at::cat(sines, 0)};
}

TorchDecoder::State::Inputs TorchDecoder::State::inputsOf(std::span<const StepRow> rows, std::size_t rowCount,
                                                          std::size_t blockCount) const
{
    const std::size_t length = blockCount * blockTokens;
    const std::int64_t spare = static_cast<std::int64_t>(options.blocks) * tokensOfBlock;
    std::vector<std::int64_t> tokens(rowCount, 0), positions(rowCount, 0), slots(rowCount, spare);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto position = static_cast<std::size_t>(rows[i].position);
        tokens[i] = rows[i].token;
        positions[i] = rows[i].position;
        slots[i] = (*rows[i].table)[position / blockTokens] * tokensOfBlock +
                   static_cast<std::int64_t>(position % blockTokens);
    }
    const auto many = static_cast<std::int64_t>(rowCount);
    const auto angles = anglesOf(rows, rowCount);
    const at::TensorOptions whole(at::kLong), real(at::kFloat);
    Inputs out;
    out.tokens = toDevice(at::tensor(tokens, whole).view({many, 1}));
    out.positions = toDevice(at::tensor(positions, whole).view({many, 1}));
    out.slots = toDevice(at::tensor(slots, whole));
    out.cosine = toDevice(angles.cosine);
    out.sine = toDevice(angles.sine);
    if (paged) {
        std::vector<int> tables(rowCount * blockCount, options.blocks);
        for (std::size_t i = 0; i < rows.size(); ++i)
            std::copy_n(rows[i].table->begin(), std::min(rows[i].table->size(), blockCount),
                        tables.begin() + static_cast<std::ptrdiff_t>(i * blockCount));
        out.tables = toDevice(
            at::tensor(tables, at::TensorOptions(at::kInt)).view({many, static_cast<std::int64_t>(blockCount)}));
        return out;
    }
    std::vector<std::int64_t> gathered(rowCount * length, spare);
    std::vector<float> mask(rowCount * length, -std::numeric_limits<float>::infinity());
    for (std::size_t i = 0; i < rowCount; ++i) {
        mask[i * length] = 0; // a row that only fills up looks at one place, so that its shares are numbers
        for (std::size_t j = 0; i < rows.size() && j <= static_cast<std::size_t>(rows[i].position); ++j) {
            gathered[i * length + j] = (*rows[i].table)[j / blockTokens] * tokensOfBlock +
                                       static_cast<std::int64_t>(j % blockTokens);
            mask[i * length + j] = 0;
        }
    }
    out.gathered = toDevice(at::tensor(gathered, whole));
    out.mask = toDevice(at::tensor(mask, real).view({many, 1, static_cast<std::int64_t>(length)}));
    return out;
}

at::Tensor TorchDecoder::State::computeRows(const Inputs& inputs)
{
    const std::int64_t many = inputs.tokens.size(0);
    const auto attention = [&](std::size_t layer, const at::Tensor& query, const at::Tensor& key,
                               const at::Tensor& value) {
        keys[layer].index_copy_(0, inputs.slots, key.squeeze(1));
        values[layer].index_copy_(0, inputs.slots, value.squeeze(1));
        if (paged)
            return paged->attend(query, keys[layer], values[layer], inputs.tables, inputs.positions);
        const std::int64_t length = inputs.mask.size(2);
        const auto gather = [&](const at::Tensor& cache) {
            return cache.index_select(0, inputs.gathered).view({many, length, cache.size(1), cache.size(2)});
        };
        return attendTo(query, gather(keys[layer]), gather(values[layer]), inputs.mask);
    };
    const at::Tensor hidden = model.hidden(inputs.tokens, {inputs.cosine, inputs.sine}, attention);
    return model.logits(hidden.squeeze(1)).to(at::kFloat);
}

/// Rows of one text, in order: their own keys and values are looked up together with those before them.
at::Tensor TorchDecoder::State::computeText(std::span<const StepRow> rows)
{
    const auto many = static_cast<std::int64_t>(rows.size());
    const std::int64_t first = rows.front().position, length = rows.back().position + 1;
    std::vector<std::int64_t> tokens, places, wanted;
    for (std::int64_t j = 0; j < length; ++j)
        places.push_back((*rows.front().table)[static_cast<std::size_t>(j) / blockTokens] * tokensOfBlock +
                         j % tokensOfBlock);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        tokens.push_back(rows[i].token);
        if (rows[i].wantsLogits)
            wanted.push_back(static_cast<std::int64_t>(i));
    }
    const at::TensorOptions whole(at::kLong);
    const at::Tensor gathered = toDevice(at::tensor(places, whole));
    const at::Tensor slots = gathered.slice(0, first, length);
    const at::Tensor mask = toDevice(at::full({many, length}, -std::numeric_limits<float>::infinity()).triu(first + 1));
    const auto angles = anglesOf(rows, rows.size());
    const auto attention = [&](std::size_t layer, const at::Tensor& query, const at::Tensor& key,
                               const at::Tensor& value) {
        keys[layer].index_copy_(0, slots, key.squeeze(0));
        values[layer].index_copy_(0, slots, value.squeeze(0));
        return attendTo(query, keys[layer].index_select(0, gathered).unsqueeze(0),
                        values[layer].index_select(0, gathered).unsqueeze(0), mask.unsqueeze(0));
    };
    const at::Tensor hidden = model.hidden(
        toDevice(at::tensor(tokens, whole)).unsqueeze(0),
        {toDevice(angles.cosine.transpose(0, 1)), toDevice(angles.sine.transpose(0, 1))}, attention);
    return model.logits(hidden.squeeze(0).index_select(0, toDevice(at::tensor(wanted, whole)))).to(at::kFloat);
}

at::Tensor TorchDecoder::State::replay(std::span<const StepRow> rows)
{
    const std::size_t rowCount = std::bit_ceil(rows.size()),
                      blockCount = std::bit_ceil(std::max<std::size_t>(16, blocksOf(rows)));
    const Inputs fresh = inputsOf(rows, rowCount, blockCount);
    Graph& graph = graphs[{rowCount, blockCount}];
    if (!graph.isCaptured) {
        graph.inputs = fresh;
        const c10::cuda::CUDAStream side = c10::cuda::getStreamFromPool(false, device.index());
        c10::cuda::getCurrentCUDAStream(device.index()).synchronize();
        const c10::cuda::CUDAStreamGuard guard(side);
        computeRows(graph.inputs); // libraries make their handles and workspaces outside of the capture
        side.synchronize();
        graph.graph.capture_begin();
        graph.logits = computeRows(graph.inputs);
        graph.graph.capture_end();
        side.synchronize();
        graph.isCaptured = true;
    } else {
        Inputs& own = graph.inputs;
        const auto copy = [](at::Tensor& to, const at::Tensor& from) {
            if (to.defined())
                to.copy_(from, true);
        };
        copy(own.tokens, fresh.tokens);
        copy(own.positions, fresh.positions);
        copy(own.slots, fresh.slots);
        copy(own.tables, fresh.tables);
        copy(own.gathered, fresh.gathered);
        copy(own.mask, fresh.mask);
        copy(own.cosine, fresh.cosine);
        copy(own.sine, fresh.sine);
    }
    graph.graph.replay();
    return graph.logits.slice(0, 0, static_cast<std::int64_t>(rows.size()));
}

base::Result<std::size_t> TorchDecoder::prepare(Options& options)
{
    if (options.device == "cpu") {
        if (options.numbers.empty())
            options.numbers = "float32";
        return availableMemory();
    }
    std::size_t free = 0, total = 0;
    try {
        at::Device device(options.device);
        if (!device.is_cuda())
            return base::Error{base::ErrorCode::InvalidArgument, "The device '" + options.device + "' is not known", "",
                               "cpu and cuda:0 are examples"};
        if (!device.has_index())
            device.set_index(0);
        options.device = device.str();
        if (!at::cuda::is_available() || device.index() >= at::cuda::device_count())
            return base::Error{base::ErrorCode::Unavailable, "This machine has no " + options.device, "",
                               "Leave out --device to run on the CPU"};
        const c10::cuda::CUDAGuard guard(device);
        if (::cudaMemGetInfo(&free, &total) != ::cudaSuccess)
            return base::Error{base::ErrorCode::Unavailable, options.device + " does not answer", "",
                               "`cudal1 doctor` says more"};
        if (options.numbers.empty())
            options.numbers = at::cuda::getDeviceProperties(device.index())->major >= 8 ? "bfloat16" : "float32";
    } catch (const c10::Error& error) {
        return base::Error{base::ErrorCode::InvalidArgument, "The device '" + options.device + "' cannot be used", "",
                           error.what_without_backtrace()};
    }
    return free;
}

std::size_t TorchDecoder::bytesOfBlock(const DecoderConfig& config, const std::string& numbers)
{
    return 2 * config.layers * blockTokens * config.keyValueSize() * (numbers == "bfloat16" ? 2 : 4);
}

base::Result<std::unique_ptr<TorchDecoder>> TorchDecoder::make(const Checkpoint& checkpoint, const Options& options)
{
    try {
        const c10::InferenceMode inference;
        return std::unique_ptr<TorchDecoder>(new TorchDecoder(std::make_unique<State>(checkpoint, options)));
    } catch (const c10::Error& error) {
        return base::Error{base::ErrorCode::Unavailable, "The model does not fit on " + options.device,
                           error.what_without_backtrace(), "Use a smaller model, or less by --cache-mib"};
    }
}

TorchDecoder::TorchDecoder(std::unique_ptr<State> state) : m_state(std::move(state)) {}

TorchDecoder::~TorchDecoder() = default;

void TorchDecoder::take(const std::map<std::string, const at::Tensor*>& weights)
{
    const c10::InferenceMode inference;
    for (auto& [name, weight] : m_state->model.weights())
        weight.copy_(*weights.at(name));
    if (m_state->device.is_cuda()) // the engine's thread may use another stream
        at::cuda::getCurrentCUDAStream(m_state->device.index()).synchronize();
}

std::string TorchDecoder::name() const
{
    return m_state->options.device + ", libtorch" + (m_state->usesGraphs ? ", CUDA graphs" : "");
}

int TorchDecoder::blocks() const
{
    return m_state->options.blocks;
}

std::size_t TorchDecoder::vocabulary() const
{
    return m_state->model.config().vocabulary;
}

std::size_t TorchDecoder::maxRows() const
{
    return m_state->options.maxRows;
}

std::size_t TorchDecoder::cacheBytes() const
{
    std::size_t out = 0;
    for (const at::Tensor& layer : m_state->keys)
        out += 2 * layer.nbytes();
    return out;
}

std::size_t TorchDecoder::weightBytes() const
{
    std::size_t out = 0;
    for (const auto& [name, tensor] : m_state->model.weights())
        out += tensor.nbytes();
    return out;
}

void TorchDecoder::compute(std::span<const StepRow> rows)
{
    const c10::InferenceMode inference;
    const c10::DeviceGuard guard(m_state->device);
    std::vector<at::Tensor> parts;
    // Texts with several rows come one after the other; single rows next to each other are one batch.
    for (std::size_t i = 0; i < rows.size();) {
        const auto isSameText = [&](std::size_t a, std::size_t b) { return rows[a].table == rows[b].table; };
        std::size_t end = i + 1;
        if (end < rows.size() && isSameText(i, end)) {
            while (end < rows.size() && isSameText(i, end))
                ++end;
            const at::Tensor part = m_state->computeText(rows.subspan(i, end - i));
            if (part.size(0) > 0)
                parts.push_back(part);
        } else {
            while (end < rows.size() && (end + 1 == rows.size() || !isSameText(end, end + 1)))
                ++end;
            const auto batch = rows.subspan(i, end - i);
            const at::Tensor logits = m_state->usesGraphs ? m_state->replay(batch)
                                                          : m_state->computeRows(m_state->inputsOf(
                                                                batch, batch.size(), State::blocksOf(batch)));
            const bool allWant = std::all_of(batch.begin(), batch.end(),
                                             [](const StepRow& row) { return row.wantsLogits; });
            if (allWant)
                parts.push_back(logits.slice(0, 0, static_cast<std::int64_t>(batch.size())));
            for (std::size_t row = 0; row < batch.size() && !allWant; ++row)
                if (batch[row].wantsLogits)
                    parts.push_back(
                        logits.slice(0, static_cast<std::int64_t>(row), static_cast<std::int64_t>(row + 1)));
            if (m_state->usesGraphs && end < rows.size() && !parts.empty())
                for (at::Tensor& part : parts)
                    part = part.clone(); // the next batch may overwrite the graph's own memory
        }
        i = end;
    }
    m_state->answer = at::Tensor();
    m_state->asked = parts.empty() ? at::empty({0}) : at::cat(parts, 0);
}

std::span<const float> TorchDecoder::logits()
{
    const c10::InferenceMode inference;
    const c10::DeviceGuard guard(m_state->device);
    if (!m_state->answer.defined())
        m_state->answer = m_state->asked.to(at::kCPU).contiguous();
    return {m_state->answer.const_data_ptr<float>(), static_cast<std::size_t>(m_state->answer.numel())};
}

/// On a GPU, where every row draws from all tokens: only what was drawn comes to the host then.
bool TorchDecoder::draw(std::span<const TokenWanted> wanted, std::span<Drawn> drawn)
{
    const auto isPlain = [](const TokenWanted& one) {
        const TokenSampling& how = one.drawing;
        return how.temperature > 0 && how.topK == 0 && how.topP >= 1 && how.minP <= 0;
    };
    if (!m_state->device.is_cuda() || !std::all_of(wanted.begin(), wanted.end(), isPlain))
        return false;
    const c10::InferenceMode inference;
    const c10::DeviceGuard guard(m_state->device);
    std::vector<double> numbers; // the reciprocal of the temperature, and what the token is drawn by
    for (const TokenWanted& one : wanted) {
        numbers.push_back(1 / one.drawing.temperature);
        numbers.push_back(uniform(one.drawing.seed, one.number));
    }
    const at::Tensor given = m_state->toDevice(at::tensor(numbers, at::TensorOptions(at::kDouble)).view({-1, 2}));
    const at::Tensor logarithms = (m_state->asked * given.select(1, 0).to(at::kFloat).unsqueeze(1)).log_softmax(-1);
    const at::Tensor sums = logarithms.exp().cumsum(-1, at::kDouble);
    const at::Tensor all = sums.slice(1, -1).contiguous();
    // The first token up to which the sum is larger; not behind the last one that has a share, where rounding says so.
    const at::Tensor tokens = at::minimum(at::searchsorted(sums, (given.slice(1, 1) * all).contiguous(), false, true),
                                          at::searchsorted(sums, all, false, false));
    const at::Tensor chosen =
        at::cat({tokens.to(at::kDouble), logarithms.gather(1, tokens).to(at::kDouble)}, 1).to(at::kCPU);
    const auto* const values = chosen.const_data_ptr<double>();
    for (std::size_t i = 0; i < wanted.size(); ++i)
        drawn[i] = {static_cast<int>(values[2 * i]), static_cast<float>(values[2 * i + 1])};
    return true;
}

void TorchDecoder::copyBlock(int from, int to)
{
    const c10::InferenceMode inference;
    for (auto* cache : {&m_state->keys, &m_state->values})
        for (at::Tensor& layer : *cache)
            layer.slice(0, to * tokensOfBlock, (to + 1) * tokensOfBlock)
                .copy_(layer.slice(0, from * tokensOfBlock, (from + 1) * tokensOfBlock));
}

} // namespace cudal1::decoder
