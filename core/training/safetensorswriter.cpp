// SPDX-License-Identifier: GPL-3.0-or-later
// Header and numbers of a safetensors file.
#include "core/training/safetensorswriter.h"

#include "core/modelfiles/tensorformat.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace cudal1::training {

namespace {

std::size_t widthOf(const std::string& format)
{
    return format == "F64" ? 8 : format == "BF16" ? 2 : 4;
}

base::Error notWritten(const std::string& path)
{
    return {base::ErrorCode::Unreadable, std::string("The file cannot be written: ") + std::strerror(errno), path,
            "Free some room on this disk, or write elsewhere"};
}

} // namespace

base::Result<SafetensorsWriter> SafetensorsWriter::open(const std::string& path, const std::vector<Entry>& entries)
{
    SafetensorsWriter out;
    out.m_path = path;
    out.m_entries = entries;
    out.m_file.reset(std::fopen(path.c_str(), "wb"));
    if (!out.m_file)
        return notWritten(path);
    nlohmann::json header{{"__metadata__", {{"format", "pt"}}}};
    for (const Entry& entry : entries) {
        std::size_t bytes = widthOf(entry.format);
        for (const std::size_t size : entry.shape)
            bytes *= size;
        header[entry.name] = {
            {"dtype", entry.format}, {"shape", entry.shape}, {"data_offsets", {out.m_left, out.m_left + bytes}}};
        out.m_left += bytes;
    }
    std::string text = header.dump();
    text.append((8 - text.size() % 8) % 8, ' ');
    const std::uint64_t size = text.size();
    out.m_failed = std::fwrite(&size, sizeof size, 1, out.m_file.get()) != 1 ||
                   std::fwrite(text.data(), 1, text.size(), out.m_file.get()) != text.size();
    out.m_written = sizeof size + text.size();
    return out;
}

void SafetensorsWriter::add(std::span<const std::byte> bytes)
{
    m_failed = m_failed || bytes.size() > m_left ||
               std::fwrite(bytes.data(), 1, bytes.size(), m_file.get()) != bytes.size();
    m_left -= std::min(bytes.size(), m_left);
    m_written += bytes.size();
}

void SafetensorsWriter::add(std::span<const float> values)
{
    const std::string format = m_next < m_entries.size() ? m_entries[m_next++].format : "";
    if (format == "F32") {
        add(std::as_bytes(values));
    } else if (format == "BF16") {
        std::vector<std::uint16_t> narrow(values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            narrow[i] = modelfiles::toBfloat(values[i]);
        add(std::as_bytes(std::span<const std::uint16_t>(narrow)));
    } else {
        m_failed = true;
    }
}

base::Result<std::size_t> SafetensorsWriter::finish()
{
    std::FILE* file = m_file.release();
    const bool isThere = !m_failed && m_left == 0 && std::fflush(file) == 0 && ::fsync(::fileno(file)) == 0;
    const int problem = errno;
    if (std::fclose(file) != 0 || !isThere) {
        errno = problem;
        return notWritten(m_path);
    }
    return m_written;
}

} // namespace cudal1::training
