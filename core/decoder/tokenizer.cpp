// SPDX-License-Identifier: GPL-3.0-or-later
// The model's tokenizer in the embedded interpreter.
#include "core/decoder/tokenizer.h"

#include "core/decoder/generated/tokenizer_py.h"

namespace cudal1::decoder {

using modelfiles::GgufFile;

namespace {

using nlohmann::json;

constexpr const char* module = "cudal1_tokenizer";

/// What a GGUF file says of its tokens.
base::Result<json> factsOf(const GgufFile& file)
{
    const auto* tokens = file.texts("tokenizer.ggml.tokens");
    if (!tokens)
        return base::Error{base::ErrorCode::InvalidArgument, "The file has no tokenizer", file.path(),
                           "Convert the model again together with its tokenizer"};
    json special = json::object();
    const auto add = [&](const char* name, const char* key) {
        if (const auto number = file.integer(key))
            special[name] = *number;
    };
    add("bos", "tokenizer.ggml.bos_token_id");
    add("eos", "tokenizer.ggml.eos_token_id");
    add("unk", "tokenizer.ggml.unknown_token_id");
    add("pad", "tokenizer.ggml.padding_token_id");
    const auto* types = file.integers("tokenizer.ggml.token_type");
    const auto* merges = file.texts("tokenizer.ggml.merges");
    const auto* scores = file.numbers("tokenizer.ggml.scores");
    const auto adds = file.flag("tokenizer.ggml.add_bos_token");
    const auto addsSpace = file.flag("tokenizer.ggml.add_space_prefix");
    json kinds = types ? json(*types) : json::array();
    if (types && types->size() != tokens->size())
        return base::Error{base::ErrorCode::Unreadable, "The file has tokens without a kind", file.path(),
                           "Fetch it again"};
    return json{{"model", file.text("tokenizer.ggml.model").value_or("")},
                {"pre", file.text("tokenizer.ggml.pre").value_or("default")},
                {"tokens", *tokens},
                {"types", std::move(kinds)},
                {"merges", merges ? json(*merges) : json::array()},
                {"scores", scores ? json(*scores) : json::array()},
                {"special", std::move(special)},
                {"add_bos", adds ? json(*adds) : json(nullptr)},
                {"add_space_prefix", addsSpace ? json(*addsSpace) : json(nullptr)},
                {"template", file.text("tokenizer.chat_template").value_or("")}};
}

/// Characters below 256 as the bytes they stand for.
std::string bytesOfText(const std::string& text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto first = static_cast<unsigned char>(text[i]);
        if (first < 0x80)
            out += text[i];
        else if (++i < text.size())
            out += static_cast<char>((first & 3u) << 6 | (static_cast<unsigned char>(text[i]) & 63u));
    }
    return out;
}

} // namespace

base::Result<Tokenizer> Tokenizer::load(Interpreter& python, const Checkpoint& checkpoint)
{
    if (const auto loaded = python.load(module, tokenizerSource); !loaded)
        return loaded.error();
    json facts = {{"folder", checkpoint.path()}};
    if (const GgufFile* file = checkpoint.gguf()) {
        auto own = factsOf(*file);
        if (!own)
            return own.error();
        facts = std::move(*own);
    }
    const auto answer = python.call(module, "load", facts);
    if (!answer) {
        base::Error error = answer.error();
        error.context = checkpoint.path();
        return error;
    }
    Tokenizer out;
    out.m_python = &python;
    out.m_chats = answer->at("chats").get<bool>();
    for (const json& entry : answer->at("bytes"))
        out.m_bytes.push_back(bytesOfText(entry.get_ref<const std::string&>()));
    if (out.m_bytes.size() > checkpoint.config().vocabulary)
        return base::Error{base::ErrorCode::Unreadable,
                           "The tokenizer has " + std::to_string(out.m_bytes.size()) + " tokens and the model " +
                               std::to_string(checkpoint.config().vocabulary),
                           checkpoint.path(), "Its files do not belong together; fetch them again"};
    return out;
}

base::Result<std::map<std::string, std::string>> Tokenizer::files() const
{
    const auto answer = m_python->call(module, "files", json::object());
    if (!answer)
        return answer.error();
    return answer->get<std::map<std::string, std::string>>();
}

base::Result<std::vector<int>> Tokenizer::tokensOf(const json& request) const
{
    const auto answer = m_python->call(module, "encode", request);
    if (!answer)
        return answer.error();
    return answer->get<std::vector<int>>();
}

base::Result<std::vector<int>> Tokenizer::encode(const std::string& text) const
{
    return tokensOf({{"text", text}});
}

base::Result<std::vector<int>> Tokenizer::encodeReply(const std::string& text) const
{
    return tokensOf({{"text", text}, {"plain", true}});
}

base::Result<std::vector<int>>
Tokenizer::encodeChat(const std::vector<std::pair<std::string, std::string>>& turns) const
{
    json messages = json::array();
    for (const auto& [role, content] : turns)
        messages.push_back({{"role", role}, {"content", content}});
    const auto text = m_python->call(module, "chat", {{"messages", std::move(messages)}});
    if (!text)
        return text.error();
    return tokensOf({{"text", *text}, {"plain", true}});
}

const std::string& Tokenizer::bytesOf(int token) const
{
    static const std::string none;
    const auto place = static_cast<std::size_t>(token);
    return place < m_bytes.size() ? m_bytes[place] : none;
}

} // namespace cudal1::decoder
