// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a file in the format GGUF, version 3: metadata, places of tensors, numbers.
#pragma once

#include "core/base/result.h"
#include "core/modelfiles/tensorformat.h"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace cudal1::decoder {

/// First all metadata and places, then begin(), then the numbers of each tensor in the order of their places, then
/// finish(). The file has another name until finish() has flushed it, so that a file of the given name is whole.
class GgufWriter {
public:
    explicit GgufWriter(std::string path);
    ~GgufWriter(); ///< removes what was not finished
    GgufWriter(const GgufWriter&) = delete;
    GgufWriter& operator=(const GgufWriter&) = delete;

    void put(const std::string& key, std::uint32_t value);
    void put(const std::string& key, float value);
    void put(const std::string& key, bool value);
    void put(const std::string& key, const std::string& value);
    void put(const std::string& key, const char* value) { put(key, std::string(value)); }
    void put(const std::string& key, const std::vector<std::string>& values);
    void put(const std::string& key, const std::vector<std::int32_t>& values);
    /// `shape`: outermost first; rows are whole blocks. F32, F16, BF16 or Q8_0.
    void place(const std::string& name, modelfiles::TensorFormat format, const std::vector<std::size_t>& shape);

    base::Status begin();
    /// A part of the present tensor, or all that is left of it; the next one begins where it is full.
    base::Status add(const std::vector<std::byte>& bytes);
    base::Result<std::uint64_t> finish(); ///< bytes of the file

private:
    struct CloseFile {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    struct Place {
        std::string name;
        modelfiles::TensorFormat format;
        std::vector<std::size_t> shape;
        std::uint64_t offset = 0, bytes = 0;
    };

    void key(const std::string& key, std::uint32_t type);
    base::Status write(const void* bytes, std::size_t size);
    base::Error failed(const std::string& what) const;

    std::string m_path, m_partial;
    std::unique_ptr<std::FILE, CloseFile> m_file;
    std::string m_metadata;
    std::uint64_t m_keys = 0, m_size = 0, m_written = 0; ///< of numbers: placed, written
    std::vector<Place> m_places;
    std::size_t m_at = 0;            ///< the place that is written
    std::uint64_t m_tensorBytes = 0; ///< of it
    bool m_finished = false;
};

} // namespace cudal1::decoder
