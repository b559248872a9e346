// SPDX-License-Identifier: GPL-3.0-or-later
// Reads tokenizer.json and tokenizer_config.json.
#include "core/decoder/ggufvocabulary.h"

#include "core/decoder/jsonfile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

namespace cudal1::decoder {

using modelfiles::DecoderConfig;

namespace {

using base::Error;
using base::ErrorCode;
using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::int32_t normal = 1, control = 3, users = 4, unused = 5;

/// Thrown and caught here.
struct Refused {
    ErrorCode code;
    std::string message;
};

[[noreturn]] void refuse(const std::string& message)
{
    throw Refused{ErrorCode::InvalidArgument, message};
}

json neededJson(const fs::path& path)
{
    auto read = readJsonObject(path);
    if (!read)
        throw Refused{read.error().code, read.error().message};
    return std::move(*read);
}

/// Patterns by which the files of these families cut a text; each is a fact of their tokenizer.json.
const std::string before = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)";
const std::string behind = R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

bool isByteLevel(const json& step, bool cuts)
{
    return step.value("type", "") == "ByteLevel" && step.value("use_regex", true) == cuts &&
           !step.value("add_prefix_space", false);
}

std::string preOf(const json& tokenizer)
{
    const json pre = tokenizer.value("pre_tokenizer", json());
    if (pre.is_object()) {
        if (isByteLevel(pre, true))
            return "gpt-2";
        const json steps = pre.value("type", "") == "Sequence" ? pre.value("pretokenizers", json::array())
                                                               : json::array();
        if (steps.size() == 2 && steps[0].value("type", "") == "Digits" && steps[0].value("individual_digits", false) &&
            isByteLevel(steps[1], true))
            return "smollm";
        if (steps.size() == 2 && steps[0].value("type", "") == "Split" && isByteLevel(steps[1], false)) {
            const json by = steps[0].value("pattern", json::object());
            const std::string pattern = by.is_object() ? by.value("Regex", "") : "";
            if (pattern == before + R"(\p{N}{1,3})" + behind)
                return "llama-bpe";
            if (pattern == before + R"(\p{N})" + behind)
                return "qwen2";
        }
    }
    refuse("Its tokenizer cuts texts in a way that has no name in GGUF files; those of SmolLM2, GPT-2, Llama 3 and "
           "Qwen are known");
}

void readTokens(const json& tokenizer, const DecoderConfig& config, GgufVocabulary& out)
{
    const json& model = tokenizer.at("model");
    if (model.value("type", "BPE") != "BPE" || model.value("byte_fallback", false))
        refuse("Its tokenizer is no byte-level BPE, and no other kind is exported");
    out.tokens.assign(config.vocabulary, {});
    out.types.assign(config.vocabulary, unused);
    const auto put = [&](const json& id, const std::string& text, std::int32_t type) {
        const auto at = id.get<std::size_t>();
        if (at >= out.tokens.size())
            throw Refused{ErrorCode::Unreadable, "The tokenizer has a token " + std::to_string(at) +
                                                     ", and the model only " + std::to_string(out.tokens.size())};
        out.tokens[at] = text;
        out.types[at] = type;
    };
    for (const auto& [text, id] : model.at("vocab").items())
        put(id, text, normal);
    for (const json& one : tokenizer.value("added_tokens", json::array()))
        put(one.at("id"), one.at("content").get<std::string>(), one.value("special", false) ? control : users);
    for (std::size_t i = 0; i < out.tokens.size(); ++i)
        if (out.types[i] == unused)
            out.tokens[i] = "[PAD" + std::to_string(i) + "]";
    for (const json& merge : model.at("merges"))
        out.merges.push_back(merge.is_string() ? merge.get<std::string>()
                                               : merge.at(0).get<std::string>() + " " + merge.at(1).get<std::string>());
}

std::optional<std::uint32_t> idOf(const GgufVocabulary& vocabulary, const json& token)
{
    const std::string text = token.is_string() ? token.get<std::string>()
                           : token.is_object() ? token.value("content", "")
                                               : std::string();
    const auto found = std::find(vocabulary.tokens.begin(), vocabulary.tokens.end(), text);
    if (text.empty() || found == vocabulary.tokens.end())
        return {};
    return std::uint32_t(found - vocabulary.tokens.begin());
}

/// The token that the tokenizer puts before every text.
json firstTokenOf(const json& processor)
{
    if (!processor.is_object())
        return {};
    for (const json& part : processor.value("processors", json::array()))
        if (json found = firstTokenOf(part); !found.is_null())
            return found;
    const json single = processor.value("single", json());
    if (processor.value("type", "") != "TemplateProcessing" || !single.is_array() || single.empty() ||
        !single[0].contains("SpecialToken"))
        return {};
    return single[0]["SpecialToken"].value("id", json());
}

void readSpecial(const json& tokenizer, const json& settings, const DecoderConfig& config, GgufVocabulary& out)
{
    for (const auto& [name, key] :
         {std::pair{"bos", "bos_token"}, {"eos", "eos_token"}, {"unknown", "unk_token"}, {"padding", "pad_token"}})
        if (const auto id = idOf(out, settings.value(key, json())))
            out.special[name] = *id;
    if (const auto first = idOf(out, firstTokenOf(tokenizer.value("post_processor", json())))) {
        out.special["bos"] = *first;
        out.addsBegin = true;
    }
    std::vector<const char*> free{"eos", "eot", "eom"};
    for (const int end : config.endTokens) { // any of them ends a reply
        const auto known = std::find_if(out.special.begin(), out.special.end(), [&](const auto& one) {
            return std::find_if(free.begin(), free.end(), [&](const char* name) { return one.first == name; }) !=
                       free.end() &&
                   one.second == std::uint32_t(end);
        });
        if (known != out.special.end())
            continue;
        for (const char* name : free)
            if (out.special.try_emplace(name, std::uint32_t(end)).second)
                break;
    }
}

std::string templateOf(const fs::path& folder, const json& settings)
{
    if (std::ifstream file(folder / "chat_template.jinja"); file)
        return {std::istreambuf_iterator<char>(file), {}};
    const json own = settings.value("chat_template", json());
    if (own.is_string())
        return own.get<std::string>();
    if (own.is_array())
        for (const json& one : own)
            if (one.value("name", "") == "default")
                return one.value("template", "");
    return {};
}

} // namespace

base::Result<GgufVocabulary> vocabularyOf(const std::string& folder, const DecoderConfig& config)
{
    try {
        const json tokenizer = neededJson(fs::path(folder) / "tokenizer.json");
        const fs::path settingsFile = fs::path(folder) / "tokenizer_config.json";
        std::error_code absent;
        const json settings = fs::exists(settingsFile, absent) ? neededJson(settingsFile) : json::object();
        GgufVocabulary out;
        readTokens(tokenizer, config, out);
        out.pre = preOf(tokenizer);
        readSpecial(tokenizer, settings, config, out);
        out.chatTemplate = templateOf(folder, settings);
        return out;
    } catch (const Refused& refused) {
        return Error{refused.code, refused.message, folder, "Export a folder of the Llama, Qwen2 or Qwen3 family"};
    } catch (const json::exception& problem) {
        return Error{ErrorCode::Unreadable, std::string("tokenizer.json makes no sense: ") + problem.what(), folder,
                     "Fetch it again"};
    }
}

} // namespace cudal1::decoder
