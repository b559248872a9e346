// SPDX-License-Identifier: GPL-3.0-or-later
// A GGUF file's model as a Hugging Face folder, so that it can be trained and its checkpoints be loaded elsewhere.
#pragma once

#include "core/base/result.h"
#include "core/decoder/checkpoint.h"
#include "core/decoder/interpreter.h"

#include <nlohmann/json.hpp>

#include <string>

namespace cudal1::training {

/// config.json of a model of this shape, with the numbers' type "float32". InvalidArgument for what config.json has no
/// words for: a list of divisors for the rotary embedding, or biases of queries without one of the output (Llama).
base::Result<nlohmann::json> configJsonOf(const modelfiles::DecoderConfig& config);

/// Writes config.json, the tokenizer's files and model.safetensors into `folder`, unless it is there. Weights in blocks
/// are written as the numbers that they stand for, in float32. The folder is whole or not there. On the interpreter's
/// thread.
base::Status unpackModel(const decoder::Checkpoint& files, decoder::Interpreter& python, const std::string& folder);

} // namespace cudal1::training
