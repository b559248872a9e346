// SPDX-License-Identifier: GPL-3.0-or-later
// A Hugging Face folder written as a GGUF file, which llama.cpp and this program read.
#pragma once

#include "core/base/result.h"
#include "core/modelfiles/tensorformat.h"

#include <cstdint>
#include <string>

namespace cudal1::decoder {

struct GgufExport {
    std::string family, pre; ///< of the model, and of how texts are cut
    std::size_t tensors = 0, tokens = 0;
    std::uint64_t bytes = 0; ///< of the file
};

/// Matrices in `format` (F32, F16, BF16 or Q8_0; F16 instead of Q8_0 where a row is no whole number of blocks), vectors
/// in F32. The tokenizer and the template for conversations go along. The file is there whole or not at all; one of
/// this name is replaced. InvalidArgument for what GGUF cannot say: another kind of tokenizer, a dynamic rotation.
base::Result<GgufExport> exportGguf(const std::string& folder, const std::string& file,
                                    modelfiles::TensorFormat format);

} // namespace cudal1::decoder
