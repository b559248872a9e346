// SPDX-License-Identifier: GPL-3.0-or-later
// Opens a model's files and checks that all weights are there.
#include "core/decoder/checkpoint.h"

#include "core/decoder/jsonfile.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

namespace cudal1::decoder {

using modelfiles::configOf;
using modelfiles::DecoderConfig;
using modelfiles::GgufFile;
using modelfiles::StoredTensor;

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::string shapeText(const std::vector<std::size_t>& shape)
{
    std::string out;
    for (const std::size_t size : shape) {
        out += out.empty() ? "" : "x";
        out += std::to_string(size);
    }
    return out;
}

std::size_t product(const std::vector<std::size_t>& shape)
{
    std::size_t out = 1;
    for (const std::size_t size : shape)
        out *= size;
    return out;
}

/// model.safetensors, or the files that model.safetensors.index.json names.
base::Result<std::vector<std::string>> shardsOf(const fs::path& folder)
{
    if (fs::exists(folder / "model.safetensors"))
        return std::vector<std::string>{(folder / "model.safetensors").string()};
    const fs::path index = folder / "model.safetensors.index.json";
    if (!fs::exists(index))
        return base::Error{base::ErrorCode::NotFound, "The folder has no model.safetensors and no index of its parts",
                           folder.string(), "Weights in pickled .bin files are not read; fetch the safetensors"};
    const auto content = readJsonObject(index);
    if (!content)
        return content.error();
    std::set<std::string> names;
    const auto map = content->find("weight_map");
    if (map != content->end() && map->is_object())
        for (const auto& [weight, file] : map->items()) {
            const std::string name = file.is_string() ? file.get<std::string>() : std::string();
            if (name.empty() || name.find('/') != std::string::npos || name == "..")
                return base::Error{base::ErrorCode::Unreadable, "The index names no file for " + weight, index.string(),
                                   "Fetch it again"};
            names.insert((folder / name).string());
        }
    if (names.empty())
        return base::Error{base::ErrorCode::Unreadable, "The index names no files", index.string(), "Fetch it again"};
    return std::vector<std::string>(names.begin(), names.end());
}

/// Hugging Face's name of a tensor of a GGUF file; empty for one that is no weight.
std::string nameOfGguf(const std::string& name)
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> whole{{
        {"token_embd", "model.embed_tokens"},
        {"output_norm", "model.norm"},
        {"output", "lm_head"},
    }};
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> parts{{
        {"attn_norm", "input_layernorm"},
        {"attn_q", "self_attn.q_proj"},
        {"attn_k", "self_attn.k_proj"},
        {"attn_v", "self_attn.v_proj"},
        {"attn_output", "self_attn.o_proj"},
        {"attn_q_norm", "self_attn.q_norm"},
        {"attn_k_norm", "self_attn.k_norm"},
        {"ffn_norm", "post_attention_layernorm"},
        {"ffn_gate", "mlp.gate_proj"},
        {"ffn_up", "mlp.up_proj"},
        {"ffn_down", "mlp.down_proj"},
    }};
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos)
        return {};
    const std::string stem = name.substr(0, dot), kind = name.substr(dot);
    for (const auto& [from, to] : whole)
        if (stem == from)
            return std::string(to) + kind;
    const std::size_t second = stem.find('.', 4);
    if (!stem.starts_with("blk.") || second == std::string::npos)
        return {};
    for (const auto& [from, to] : parts)
        if (stem.substr(second + 1) == from)
            return "model.layers." + stem.substr(4, second - 4) + "." + std::string(to) + kind;
    return {};
}

} // namespace

std::vector<WeightPlace> weightsOf(const DecoderConfig& config)
{
    std::vector<WeightPlace> out;
    const std::size_t hidden = config.hidden, query = config.querySize(), keyValue = config.keyValueSize();
    const auto linear = [&](const std::string& name, std::size_t to, std::size_t from, bool hasBias) {
        out.push_back({name + ".weight", {to, from}});
        if (hasBias)
            out.push_back({name + ".bias", {to}});
    };
    out.push_back({"model.embed_tokens.weight", {config.vocabulary, hidden}});
    for (std::size_t i = 0; i < config.layers; ++i) {
        const std::string layer = "model.layers." + std::to_string(i) + ".";
        out.push_back({layer + "input_layernorm.weight", {hidden}});
        linear(layer + "self_attn.q_proj", query, hidden, config.hasQkvBias);
        linear(layer + "self_attn.k_proj", keyValue, hidden, config.hasQkvBias);
        linear(layer + "self_attn.v_proj", keyValue, hidden, config.hasQkvBias);
        if (config.hasQkNorm) {
            out.push_back({layer + "self_attn.q_norm.weight", {config.headSize}});
            out.push_back({layer + "self_attn.k_norm.weight", {config.headSize}});
        }
        linear(layer + "self_attn.o_proj", hidden, query, config.hasOutputBias);
        out.push_back({layer + "post_attention_layernorm.weight", {hidden}});
        linear(layer + "mlp.gate_proj", config.intermediate, hidden, config.hasMlpBias);
        linear(layer + "mlp.up_proj", config.intermediate, hidden, config.hasMlpBias);
        linear(layer + "mlp.down_proj", hidden, config.intermediate, config.hasMlpBias);
    }
    out.push_back({"model.norm.weight", {hidden}});
    if (!config.tiesEmbeddings)
        out.push_back({"lm_head.weight", {config.vocabulary, hidden}});
    return out;
}

base::Result<Checkpoint> Checkpoint::open(const std::string& path)
{
    std::error_code error;
    if (fs::is_directory(path, error))
        return openFolder(path);
    if (!fs::exists(path, error))
        return base::Error{base::ErrorCode::NotFound, "There is no such model", path,
                           "Give a Hugging Face folder or a .gguf file; `cudal1-model fetch smollm2 FOLDER` fetches a "
                           "small model"};
    return openGguf(path);
}

base::Result<Checkpoint> Checkpoint::openFolder(const std::string& path)
{
    const auto description = readJsonObject(fs::path(path) / "config.json");
    if (!description)
        return description.error();
    json generation = json::object();
    if (fs::exists(fs::path(path) / "generation_config.json")) {
        const auto read = readJsonObject(fs::path(path) / "generation_config.json");
        if (!read)
            return read.error();
        generation = *read;
    }
    auto config = configOf(*description, generation);
    if (!config) {
        base::Error refused = config.error();
        refused.context = path + "/config.json";
        return refused;
    }
    Checkpoint out;
    out.m_path = path;
    out.m_config = *config;
    const auto names = shardsOf(path);
    if (!names)
        return names.error();
    std::map<std::string, StoredTensor> stored;
    for (const std::string& name : *names) {
        auto shard = openSafetensors(name);
        if (!shard)
            return shard.error();
        for (const auto& [weight, tensor] : shard->tensors)
            stored.insert_or_assign(weight, tensor);
        out.m_shards.push_back(std::move(*shard));
    }
    // A file may leave the tie to its description, or carry an output matrix of its own all the same.
    if (!out.m_config.tiesEmbeddings && !stored.contains("lm_head.weight"))
        return base::Error{base::ErrorCode::Unreadable, "The model lacks the weight lm_head.weight", path,
                           "Fetch it again"};
    if (auto problem = out.collect(stored))
        return *problem;
    return out;
}

base::Result<Checkpoint> Checkpoint::openGguf(const std::string& path)
{
    auto file = GgufFile::open(path);
    if (!file)
        return file.error();
    auto config = configOf(*file);
    if (!config) {
        base::Error refused = config.error();
        refused.context = path;
        return refused;
    }
    Checkpoint out;
    out.m_path = path;
    out.m_config = *config;
    for (const auto& [name, number] : file->foreign())
        if (!nameOfGguf(name).empty())
            return base::Error{base::ErrorCode::InvalidArgument,
                               "The tensor " + name + " is stored in the format number " + std::to_string(number) +
                                   ", which is not read",
                               path, "F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q4_K, Q5_K and Q6_K are"};
    std::map<std::string, StoredTensor> stored;
    for (const auto& [name, tensor] : file->tensors()) {
        const std::string known = nameOfGguf(name);
        if (known.empty())
            continue;
        stored.insert_or_assign(known, tensor);
        // Converters store the rows of the Llama family's queries and keys for a rotation of neighbours (2i, 2i + 1);
        // here element i turns with i + half a head. Qwen's files are in this order already.
        if (out.m_config.family == "llama" && (known.find("self_attn.q_proj") != std::string::npos ||
                                               known.find("self_attn.k_proj") != std::string::npos))
            out.m_interleaved[known] = out.m_config.headSize;
    }
    out.m_gguf = std::move(*file);
    if (auto problem = out.collect(stored))
        return *problem;
    return out;
}

std::optional<base::Error> Checkpoint::collect(const std::map<std::string, StoredTensor>& stored)
{
    m_places = weightsOf(m_config);
    for (const WeightPlace& place : m_places) {
        const auto found = stored.find(place.name);
        if (found == stored.end())
            return base::Error{base::ErrorCode::Unreadable, "The model lacks the weight " + place.name, m_path,
                               "Its files do not belong together or were cut off; fetch them again"};
        if (found->second.shape != place.shape)
            return base::Error{base::ErrorCode::Unreadable,
                               "The weight " + place.name + " is " + shapeText(found->second.shape) +
                                   " and should be " + shapeText(place.shape),
                               m_path, "Its files do not belong together; fetch them again"};
        m_tensors.emplace(place.name, found->second);
    }
    return {};
}

std::size_t Checkpoint::parameters() const
{
    std::size_t out = 0;
    for (const WeightPlace& place : m_places)
        out += product(place.shape);
    return out;
}

std::size_t Checkpoint::bytes() const
{
    std::size_t out = 0;
    for (const auto& [name, tensor] : m_tensors)
        out += *bytesOf(tensor.format, product(tensor.shape));
    return out;
}

std::string Checkpoint::formats() const
{
    std::map<std::string, std::size_t> counts;
    for (const auto& [name, tensor] : m_tensors)
        counts[std::string(nameOf(tensor.format))] += product(tensor.shape);
    std::vector<std::pair<std::size_t, std::string>> order;
    order.reserve(counts.size());
    for (const auto& [name, count] : counts)
        order.emplace_back(count, name);
    std::sort(order.rbegin(), order.rend());
    std::string out;
    for (const auto& [count, name] : order)
        out += (out.empty() ? "" : ", ") + name;
    return out;
}

void Checkpoint::single(const StoredTensor& tensor, std::size_t row, float* to) const
{
    const std::size_t width = tensor.shape.back();
    toFloats(tensor.format, tensor.data + row * *bytesOf(tensor.format, width), width, to);
}

void Checkpoint::rows(const std::string& name, std::size_t first, std::size_t count, float* to) const
{
    const StoredTensor& tensor = m_tensors.at(name);
    const auto interleaved = m_interleaved.find(name);
    if (interleaved == m_interleaved.end()) {
        for (std::size_t i = 0; i < count; ++i)
            single(tensor, first + i, to + i * tensor.shape.back());
        return;
    }
    const std::size_t head = interleaved->second;
    const auto source = [&](std::size_t row) {
        const std::size_t within = row % head;
        return row - within + within % (head / 2) * 2 + within / (head / 2);
    };
    if (tensor.shape.size() == 1) { // a bias: its elements are what rows are to a matrix
        std::vector<float> all(tensor.shape[0]);
        single(tensor, 0, all.data());
        for (std::size_t i = 0; i < all.size(); ++i)
            to[i] = all[source(i)];
        return;
    }
    for (std::size_t i = 0; i < count; ++i)
        single(tensor, source(first + i), to + i * tensor.shape.back());
}

} // namespace cudal1::decoder
