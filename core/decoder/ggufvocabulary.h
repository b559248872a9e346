// SPDX-License-Identifier: GPL-3.0-or-later
// The tokenizer of a Hugging Face folder as a GGUF file describes it.
#pragma once

#include "core/base/result.h"
#include "core/modelfiles/decoderconfig.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cudal1::decoder {

struct GgufVocabulary {
    std::string pre; ///< what llama.cpp calls the way in which a text is cut: "smollm", "gpt-2", "llama-bpe", "qwen2"
    std::vector<std::string> tokens;              ///< as many as the model has rows; unused ones are padding
    std::vector<std::int32_t> types;              ///< 1 normal, 3 control, 4 the user's, 5 unused
    std::vector<std::string> merges;              ///< "a b"
    std::map<std::string, std::uint32_t> special; ///< "bos", "eos", "eot", "unknown", "padding"
    bool addsBegin = false;                       ///< a text begins with the token "bos"
    std::string chatTemplate;                     ///< empty where there is none
};

/// InvalidArgument for what is no byte-level BPE and for a way of cutting texts that has no name in GGUF; Unreadable
/// for a damaged file.
base::Result<GgufVocabulary> vocabularyOf(const std::string& folder, const modelfiles::DecoderConfig& config);

} // namespace cudal1::decoder
