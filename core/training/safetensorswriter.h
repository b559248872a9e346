// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a file in the format safetensors, tensor by tensor.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cudal1::training {

class SafetensorsWriter {
public:
    struct Entry {
        std::string name;
        std::string format; ///< "F32", "F64", "BF16"
        std::vector<std::size_t> shape;
    };

    /// Writes the header. What is there already is written over.
    static base::Result<SafetensorsWriter> open(const std::string& path, const std::vector<Entry>& entries);

    /// The numbers of the next entry, or a part of them.
    void add(std::span<const std::byte> bytes);
    /// The next entry's numbers in its format.
    void add(std::span<const float> values);
    /// Has it all on the disk. Unreadable where something could not be written, or was left out. Returns its bytes.
    base::Result<std::size_t> finish();

private:
    struct Closer {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::string m_path;
    std::vector<Entry> m_entries;
    std::unique_ptr<std::FILE, Closer> m_file;
    std::size_t m_next = 0;    ///< of m_entries
    std::size_t m_left = 0;    ///< bytes that are still to come
    std::size_t m_written = 0; ///< bytes, with the header
    bool m_failed = false;
};

} // namespace cudal1::training
