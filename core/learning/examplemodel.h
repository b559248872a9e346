// SPDX-License-Identifier: GPL-3.0-or-later
// A tiny random model with a tokenizer for a few texts: what the example trains.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace cudal1::learning {

/// Writes a Hugging Face folder of the Llama family: two layers, weights drawn from `seed`, and a byte-level BPE
/// tokenizer whose merges are counted in `texts`. The same arguments give the same bytes. A folder that has a
/// config.json is left as it is, since that is written last.
base::Status makeExampleModel(const std::filesystem::path& folder, const std::vector<std::string>& texts,
                              std::uint64_t seed);

/// Byte pairs in the order in which they are merged, each as its two parts in the alphabet of byte-level tokenizers.
/// Texts are cut in words by spaces and signs first, as the tokenizer of the folder cuts them.
std::vector<std::pair<std::string, std::string>> mergesOf(const std::vector<std::string>& texts, std::size_t most);

} // namespace cudal1::learning
