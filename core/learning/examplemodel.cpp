// SPDX-License-Identifier: GPL-3.0-or-later
// A model from a seed: tokenizer, configuration, weights.
#include "core/learning/examplemodel.h"

#include "core/language/draws.h"

#include <nlohmann/json.hpp>

#include <QSaveFile>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <map>
#include <numbers>
#include <utility>

namespace cudal1::learning {

using base::Error;
using base::ErrorCode;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr int hidden = 128, inner = 256, layers = 2, heads = 4, context = 2048;
constexpr double deviation = 0.05; ///< of all matrices
constexpr std::size_t mostMerges = 700;
constexpr const char* chatTemplate =
    "{%- for message in messages -%}\n{{ '<|start|>' + message.role + '\\n' + message.content | trim + '<|end|>' + "
    "'\\n' }}\n{%- endfor -%}\n{%- if add_generation_prompt -%}{{ '<|start|>assistant\\n' }}{%- endif -%}";

using Word = std::vector<std::string>;

/// The character that stands for a byte in byte-level tokenizers: printable ones stand for themselves, the others are
/// numbered from U+0100 on.
std::string letterOf(unsigned char byte)
{
    const auto printable = [](unsigned value) {
        return (value >= 33 && value <= 126) || (value >= 161 && value <= 172) || value >= 174;
    };
    unsigned code = byte;
    if (!printable(code)) {
        code = 256;
        for (unsigned before = 0; before < byte; ++before)
            code += !printable(before);
    }
    if (code < 0x80)
        return {char(code)};
    return {char(0xC0 | (code >> 6)), char(0x80 | (code & 0x3F))};
}

/// As GPT-2 cuts them: letters, digits or signs with at most one space before; other white space by itself.
std::vector<std::string> wordsOf(const std::string& text)
{
    const auto kind = [](char letter) {
        const auto byte = static_cast<unsigned char>(letter);
        return std::isspace(byte) ? 0 : std::isalpha(byte) || byte >= 128 ? 1 : std::isdigit(byte) ? 2 : 3;
    };
    std::vector<std::string> out;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        if (kind(text[at]) == 0) {
            while (end < text.size() && kind(text[end]) == 0)
                ++end;
            if (end < text.size() && end - at > 1)
                --end; // the last one belongs to what follows
            else if (end < text.size() && text[at] == ' ' && end - at == 1)
                end = at; // it does already
        }
        if (end == at) {
            end = at + (text[at] == ' ');
            for (const int own = kind(text[end]); end < text.size() && kind(text[end]) == own; ++end) {}
        }
        out.push_back(text.substr(at, end - at));
        at = end;
    }
    return out;
}

void merge(Word& word, const std::pair<std::string, std::string>& pair)
{
    Word out;
    for (std::size_t i = 0; i < word.size(); ++i)
        if (i + 1 < word.size() && word[i] == pair.first && word[i + 1] == pair.second) {
            out.push_back(word[i] + word[i + 1]);
            ++i;
        } else
            out.push_back(word[i]);
    word = std::move(out);
}

json tokenizerOf(const std::vector<std::pair<std::string, std::string>>& merges, int& count)
{
    const auto special = [](int id, const char* content) {
        return json{{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
                    {"rstrip", false}, {"normalized", false}, {"special", true}};
    };
    json vocabulary{{"<|start|>", 0}, {"<|end|>", 1}}, rows = json::array();
    count = 2;
    for (int byte = 0; byte < 256; ++byte)
        vocabulary[letterOf(static_cast<unsigned char>(byte))] = count++;
    for (const auto& [first, second] : merges) {
        if (!vocabulary.contains(first + second))
            vocabulary[first + second] = count++;
        rows.push_back({first, second});
    }
    const json bytes{{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}};
    return {{"version", "1.0"},
            {"truncation", nullptr},
            {"padding", nullptr},
            {"added_tokens", {special(0, "<|start|>"), special(1, "<|end|>")}},
            {"normalizer", nullptr},
            {"pre_tokenizer", bytes},
            {"post_processor", nullptr},
            {"decoder", bytes},
            {"model",
             {{"type", "BPE"},
              {"dropout", nullptr},
              {"unk_token", nullptr},
              {"continuing_subword_prefix", nullptr},
              {"end_of_word_suffix", nullptr},
              {"fuse_unk", false},
              {"byte_fallback", false},
              {"ignore_merges", false},
              {"vocab", std::move(vocabulary)},
              {"merges", std::move(rows)}}}};
}

/// Tensors of float32, one behind the other.
std::string weightsOf(int vocabulary, std::uint64_t seed)
{
    std::vector<std::pair<std::string, std::vector<int>>> all{{"model.embed_tokens.weight", {vocabulary, hidden}}};
    for (int i = 0; i < layers; ++i) {
        const std::string layer = "model.layers." + std::to_string(i) + ".";
        for (const char* name : {"q_proj", "k_proj", "v_proj", "o_proj"})
            all.push_back({layer + "self_attn." + name + ".weight", {hidden, hidden}});
        all.push_back({layer + "mlp.gate_proj.weight", {inner, hidden}});
        all.push_back({layer + "mlp.up_proj.weight", {inner, hidden}});
        all.push_back({layer + "mlp.down_proj.weight", {hidden, inner}});
        all.push_back({layer + "input_layernorm.weight", {hidden}});
        all.push_back({layer + "post_attention_layernorm.weight", {hidden}});
    }
    all.push_back({"model.norm.weight", {hidden}});
    all.push_back({"lm_head.weight", {vocabulary, hidden}});
    json header = json::object();
    std::string data;
    language::Draws draws(seed);
    for (const auto& [name, shape] : all) {
        const std::size_t begin = data.size();
        const std::size_t count = std::size_t(shape[0]) * std::size_t(shape.size() > 1 ? shape[1] : 1);
        for (std::size_t i = 0; i < count; ++i) {
            float value = 1; // of a norm
            if (shape.size() > 1)
                value = float(deviation * std::sqrt(-2 * std::log(1 - draws.unit())) *
                              std::cos(2 * std::numbers::pi * draws.unit()));
            char bytes[sizeof value];
            std::memcpy(bytes, &value, sizeof value);
            data.append(bytes, sizeof value);
        }
        header[name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {begin, data.size()}}};
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    std::string length;
    for (int i = 0; i < 8; ++i)
        length += char((std::uint64_t(text.size()) >> (8 * i)) & 0xFF);
    return length + text + data;
}

base::Status write(const fs::path& path, const std::string& bytes)
{
    QSaveFile file(QString::fromStdString(path.string()));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes.data(), qint64(bytes.size())) != qint64(bytes.size()) ||
        !file.commit())
        return Error{ErrorCode::Unavailable, "The tiny model cannot be written", path.string(),
                     file.errorString().toStdString()};
    return {};
}

} // namespace

std::vector<std::pair<std::string, std::string>> mergesOf(const std::vector<std::string>& texts, std::size_t most)
{
    std::map<std::string, int> counts;
    for (const std::string& text : texts)
        for (const std::string& word : wordsOf(text))
            ++counts[word];
    std::vector<std::pair<Word, int>> words;
    for (const auto& [text, count] : counts) {
        Word& word = words.emplace_back(Word(), count).first;
        for (const char byte : text)
            word.push_back(letterOf(static_cast<unsigned char>(byte)));
    }
    std::vector<std::pair<std::string, std::string>> out;
    while (out.size() < most) {
        std::map<std::pair<std::string, std::string>, int> pairs; // ordered, so that equal counts have one winner
        for (const auto& [word, count] : words)
            for (std::size_t i = 0; i + 1 < word.size(); ++i)
                pairs[{word[i], word[i + 1]}] += count;
        const auto best = std::max_element(pairs.begin(), pairs.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        if (best == pairs.end() || best->second < 2)
            break;
        out.push_back(best->first);
        for (auto& [word, count] : words)
            merge(word, best->first);
    }
    return out;
}

base::Status makeExampleModel(const fs::path& folder, const std::vector<std::string>& texts, std::uint64_t seed)
{
    std::error_code failed;
    if (fs::exists(folder / "config.json", failed))
        return {};
    fs::create_directories(folder, failed);
    if (failed)
        return Error{ErrorCode::Unavailable, "The folder of the tiny model cannot be made", folder.string(),
                     failed.message()};
    int vocabulary = 0;
    const json tokenizer = tokenizerOf(mergesOf(texts, mostMerges), vocabulary);
    const json names{{"chat_template", chatTemplate}, {"bos_token", "<|start|>"}, {"eos_token", "<|end|>"}};
    const json config{{"architectures", {"LlamaForCausalLM"}},
                      {"model_type", "llama"},
                      {"attention_bias", false},
                      {"mlp_bias", false},
                      {"bos_token_id", 0},
                      {"eos_token_id", 1},
                      {"dtype", "float32"},
                      {"hidden_act", "silu"},
                      {"hidden_size", hidden},
                      {"intermediate_size", inner},
                      {"num_hidden_layers", layers},
                      {"num_attention_heads", heads},
                      {"num_key_value_heads", heads},
                      {"head_dim", hidden / heads},
                      {"max_position_embeddings", context},
                      {"rms_norm_eps", 1e-5},
                      {"rope_theta", 10000.0},
                      {"tie_word_embeddings", false},
                      {"vocab_size", vocabulary}};
    for (const auto& [name, bytes] :
         {std::pair{"tokenizer.json", tokenizer.dump()}, std::pair{"tokenizer_config.json", names.dump(1) + "\n"},
          std::pair{"model.safetensors", weightsOf(vocabulary, seed)}, std::pair{"config.json", config.dump(1) + "\n"}})
        if (const auto status = write(folder / name, bytes); !status)
            return status;
    return {};
}

} // namespace cudal1::learning
