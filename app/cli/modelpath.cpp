// SPDX-License-Identifier: GPL-3.0-or-later
// Names of models and paths of their folders.
#include "app/cli/modelpath.h"

#include "core/models/modelregistry.h"

#include <filesystem>

namespace cudal1::cli {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

base::Result<std::string> modelPath(const std::string& word)
{
    std::error_code failed;
    if (word.empty() || fs::is_directory(word, failed) || fs::is_regular_file(word, failed))
        return word.empty() ? word : fs::absolute(word, failed).lexically_normal().string();
    if (word.find('/') != std::string::npos || word.ends_with(".gguf"))
        return Error{ErrorCode::NotFound, "There is no such model", word,
                     "Name a Hugging Face folder (config.json, safetensors, tokenizer.json) or a GGUF file"};
    const auto local = models::ModelRegistry().local(word);
    if (!local)
        return local.error();
    return fs::absolute(local->path, failed).lexically_normal().string();
}

} // namespace cudal1::cli
