// SPDX-License-Identifier: GPL-3.0-or-later
// The model, a Hugging Face folder or a GGUF file, that a word of the command line stands for.
#pragma once

#include "core/base/result.h"

#include <string>

namespace cudal1::cli {

/// A folder or a GGUF file, by its path or as a named model of this machine; absolute. Nothing for no word. NotFound
/// for a path that is not there and for a name that is none.
base::Result<std::string> modelPath(const std::string& word);

} // namespace cudal1::cli
