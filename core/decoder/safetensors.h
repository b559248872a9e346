// SPDX-License-Identifier: GPL-3.0-or-later
// Files in the format safetensors: a JSON header, then the numbers.
#pragma once

#include "core/base/result.h"
#include "core/modelfiles/mappedfile.h"
#include "core/modelfiles/tensorformat.h"

#include <map>
#include <memory>
#include <string>

namespace cudal1::decoder {

struct SafetensorsFile {
    std::shared_ptr<const modelfiles::MappedFile> file;
    std::map<std::string, modelfiles::StoredTensor> tensors;
};

/// Every offset and shape is checked against the file. Unreadable for what is damaged, cut off, or holds numbers in
/// another format than F32, F16 and BF16.
base::Result<SafetensorsFile> openSafetensors(const std::string& path);

} // namespace cudal1::decoder
