// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a file as JSON.
#include "core/decoder/jsonfile.h"

#include <fstream>

namespace cudal1::decoder {

base::Result<nlohmann::json> readJsonObject(const std::filesystem::path& path)
{
    std::ifstream file(path);
    if (!file)
        return base::Error{base::ErrorCode::NotFound, "The folder has no " + path.filename().string(), path.string(),
                           "Give a folder with config.json, tokenizer.json and safetensors, or a .gguf file"};
    nlohmann::json out = nlohmann::json::parse(file, nullptr, false);
    if (!out.is_object())
        return base::Error{base::ErrorCode::Unreadable, path.filename().string() + " is no JSON object", path.string(),
                           "Fetch it again"};
    return out;
}

} // namespace cudal1::decoder
