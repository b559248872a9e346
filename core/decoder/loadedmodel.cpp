// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a model ready.
#include "core/decoder/loadedmodel.h"

#include "core/base/bytestext.h"
#include "core/decoder/cpudecoder.h"
#include "core/decoder/torchdecoder.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>

namespace cudal1::decoder {

using modelfiles::DecoderConfig;

namespace {

using nlohmann::json;

int usableCores()
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    return ::sched_getaffinity(0, sizeof cores, &cores) == 0 ? std::max(1, CPU_COUNT(&cores)) : 1;
}

/// generation_config.json's temperature and cuts, where it says that tokens are to be drawn.
TokenSampling recommended(const std::string& path)
{
    TokenSampling out;
    std::ifstream file(std::filesystem::path(path) / "generation_config.json");
    const json settings = file ? json::parse(file, nullptr, false) : json();
    if (!settings.is_object())
        return out;
    const auto number = [&](const char* key, double otherwise) {
        const auto found = settings.find(key);
        return found != settings.end() && found->is_number() ? found->get<double>() : otherwise;
    };
    const auto draws = settings.find("do_sample");
    if (draws == settings.end() || !draws->is_boolean() || !draws->get<bool>())
        return out;
    out.temperature = std::clamp(number("temperature", 1), 0.0, 100.0);
    const double topP = number("top_p", 1), topK = number("top_k", 0);
    out.topP = topP > 0 && topP <= 1 ? topP : 1;
    out.topK = topK >= 1 && topK < 1e6 ? static_cast<std::size_t>(topK) : 0;
    out.minP = std::clamp(number("min_p", 0), 0.0, 1.0);
    return out;
}

base::Result<const CpuKernels*> kernelsFor(const std::string& numbers)
{
    for (const CpuKernels* kernels : cpuKernels())
        if (numbers.empty() || kernels->isBf16 == (numbers == "bfloat16"))
            return kernels;
    return base::Error{base::ErrorCode::Unavailable, "This processor has no instructions for bfloat16", "",
                       "Leave out --numbers, or use float32"};
}

/// How many blocks the cache gets, and how long a text may be.
base::Result<int> planCache(LoadedModel& model, std::size_t blockBytes, std::size_t freeBytes)
{
    const std::size_t own = model.checkpoint->config().context;
    model.context = model.options.context ? std::min(model.options.context, own) : own;
    const auto blocksFor = [](std::size_t tokens) { return (tokens + blockTokens - 1) / blockTokens + 1; };
    std::size_t blocks = model.options.maxReplies * blocksFor(model.context);
    const std::size_t limit = model.options.cacheBytes ? model.options.cacheBytes : freeBytes / 4;
    if (limit > 0)
        blocks = std::min(blocks, limit / blockBytes);
    blocks = std::min<std::size_t>(blocks, 1u << 24);
    const std::size_t fits = blocks > 1 ? (blocks - 1) * blockTokens : 0;
    constexpr std::size_t least = 64;
    if (fits < std::min(model.context, least))
        return base::Error{base::ErrorCode::Unavailable,
                           "The memory for keys and values holds " + std::to_string(fits) + " tokens",
                           model.options.path, "Give more by --cache-mib, or use a smaller model"};
    model.context = std::min(model.context, fits);
    return static_cast<int>(blocks);
}

base::Result<void> useCpu(LoadedModel& model)
{
    const auto kernels = kernelsFor(model.options.numbers);
    if (!kernels)
        return kernels.error();
    model.numbers = (*kernels)->isBf16 ? "bfloat16" : "float32";
    const DecoderConfig& config = model.checkpoint->config();
    const std::size_t needed = model.checkpoint->parameters() * ((*kernels)->isBf16 ? 2 : 4), free = availableMemory();
    if (free > 0 && needed > free)
        return base::Error{base::ErrorCode::Unavailable,
                           "The model needs " + base::bytesText(double(needed)) + " for its weights, and " +
                               base::bytesText(double(free)) + " are free",
                           model.options.path, "Use a smaller model, or a machine with more memory"};
    const auto blocks = planCache(model, CpuDecoder::bytesOfBlock(config, (*kernels)->isBf16),
                                  free > needed ? free - needed : 0);
    if (!blocks)
        return blocks.error();
    const std::size_t rows = std::max<std::size_t>(512, model.options.maxReplies + 256);
    model.runner = std::make_unique<CpuDecoder>(
        *model.checkpoint, CpuDecoder::Options{.kernels = *kernels, .blocks = *blocks, .maxRows = rows}, *model.team);
    return {};
}

base::Result<void> useTorch(LoadedModel& model)
{
    TorchDecoder::Options options;
    options.device = model.options.device;
    options.numbers = model.options.numbers;
    options.maxRows = std::max<std::size_t>(512, model.options.maxReplies + 256);
    const auto free = TorchDecoder::prepare(options);
    if (!free)
        return free.error();
    model.numbers = options.numbers;
    const std::size_t needed = model.checkpoint->parameters() * (options.numbers == "bfloat16" ? 2 : 4);
    if (*free > 0 && needed > *free)
        return base::Error{base::ErrorCode::Unavailable,
                           "The model needs " + base::bytesText(double(needed)) + " for its weights, and " +
                               base::bytesText(double(*free)) + " are free on " + options.device,
                           model.options.path, "Use a smaller model, or another device"};
    const auto blocks = planCache(model, TorchDecoder::bytesOfBlock(model.checkpoint->config(), options.numbers),
                                  *free > needed ? *free - needed : 0);
    if (!blocks)
        return blocks.error();
    options.blocks = *blocks;
    options.context = model.context;
    auto runner = TorchDecoder::make(*model.checkpoint, options);
    if (!runner)
        return runner.error();
    model.runner = std::move(*runner);
    return {};
}

} // namespace

std::size_t availableMemory()
{
    std::ifstream file("/proc/meminfo");
    for (std::string word; file >> word;)
        if (std::size_t kib = 0; word == "MemAvailable:" && file >> kib)
            return kib * 1024;
    return 0;
}

base::Result<std::unique_ptr<LoadedModel>> loadModel(const ModelOptions& options)
{
    const auto begun = std::chrono::steady_clock::now();
    if (!options.numbers.empty() && options.numbers != "float32" && options.numbers != "bfloat16")
        return base::Error{base::ErrorCode::InvalidArgument,
                           "Numbers of the kind '" + options.numbers + "' are not known", "",
                           "float32 and bfloat16 are"};
    auto checkpoint = Checkpoint::open(options.path);
    if (!checkpoint)
        return checkpoint.error();
    auto model = std::make_unique<LoadedModel>();
    model->options = options;
    model->checkpoint = std::make_unique<Checkpoint>(std::move(*checkpoint));
    model->team = std::make_unique<Team>(options.threads > 0 ? options.threads : usableCores());
    model->samplingKernels = cpuKernels().front();
    model->defaults = recommended(options.path);
    try {
        const auto ready = options.device == "cpu" && options.engine != "torch" ? useCpu(*model) : useTorch(*model);
        if (!ready)
            return ready.error();
    } catch (const std::bad_alloc&) {
        return base::Error{base::ErrorCode::Unavailable, "The memory is not enough for this model", options.path,
                           "Use a smaller model, or give it less by --context and --cache-mib"};
    }
    model->loadSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return model;
}

} // namespace cudal1::decoder
