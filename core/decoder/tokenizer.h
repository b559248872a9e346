// SPDX-License-Identifier: GPL-3.0-or-later
// Texts to tokens by the library that the model was made with, and tokens to bytes by a table.
#pragma once

#include "core/base/result.h"
#include "core/decoder/checkpoint.h"
#include "core/decoder/interpreter.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cudal1::decoder {

/// encode() and chat() go through Python, on the interpreter's thread; bytesOf() may be called by any.
class Tokenizer {
public:
    /// From tokenizer.json of a folder, or from the metadata of a GGUF file. InvalidArgument for a kind that is not
    /// known, Unavailable where Python lacks the library.
    static base::Result<Tokenizer> load(Interpreter& python, const Checkpoint& checkpoint);

    /// Tokens of a text to go on with.
    base::Result<std::vector<int>> encode(const std::string& text) const;
    /// Tokens of what comes behind a text, without any that the tokenizer would put before or behind it.
    base::Result<std::vector<int>> encodeReply(const std::string& text) const;
    /// Tokens of a conversation, given as pairs of role and content, up to where the model's next message begins.
    base::Result<std::vector<int>> encodeChat(const std::vector<std::pair<std::string, std::string>>& turns) const;
    /// tokenizer.json and tokenizer_config.json of a folder with this tokenizer, by name. Not while another tokenizer
    /// has been loaded since.
    base::Result<std::map<std::string, std::string>> files() const;
    bool chats() const { return m_chats; } ///< has a template for conversations
    /// What a token adds to a text; nothing for control tokens.
    const std::string& bytesOf(int token) const;

private:
    base::Result<std::vector<int>> tokensOf(const nlohmann::json& request) const;

    Interpreter* m_python = nullptr;
    std::vector<std::string> m_bytes;
    bool m_chats = false;
};

} // namespace cudal1::decoder
