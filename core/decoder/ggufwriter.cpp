// SPDX-License-Identifier: GPL-3.0-or-later
// Header and numbers of a GGUF file.
#include "core/decoder/ggufwriter.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace cudal1::decoder {

using modelfiles::TensorFormat;

namespace {

constexpr std::uint64_t alignment = 32;
constexpr std::uint32_t typeU32 = 4, typeI32 = 5, typeF32 = 6, typeBool = 7, typeString = 8, typeArray = 9;

template<class T> void appendValue(std::string& to, T value)
{
    std::array<char, sizeof value> bytes;
    std::memcpy(bytes.data(), &value, sizeof value);
    to.append(bytes.data(), bytes.size());
}

void appendText(std::string& to, const std::string& text)
{
    appendValue(to, std::uint64_t(text.size()));
    to += text;
}

std::uint32_t ggmlNumber(TensorFormat format)
{
    switch (format) {
    case TensorFormat::F16: return 1;
    case TensorFormat::Q8_0: return 8;
    case TensorFormat::BF16: return 30;
    default: return 0;
    }
}

std::uint64_t aligned(std::uint64_t size)
{
    return (size + alignment - 1) / alignment * alignment;
}

} // namespace

GgufWriter::GgufWriter(std::string path) : m_path(std::move(path)), m_partial(m_path + ".part") {}

GgufWriter::~GgufWriter()
{
    if (m_file && !m_finished)
        ::unlink(m_partial.c_str());
}

base::Error GgufWriter::failed(const std::string& what) const
{
    return {base::ErrorCode::Unreadable, what + ": " + std::strerror(errno), m_partial,
            "Free some room on this disk, or write elsewhere"};
}

void GgufWriter::key(const std::string& key, std::uint32_t type)
{
    appendText(m_metadata, key);
    appendValue(m_metadata, type);
    ++m_keys;
}

void GgufWriter::put(const std::string& name, std::uint32_t value)
{
    key(name, typeU32);
    appendValue(m_metadata, value);
}

void GgufWriter::put(const std::string& name, float value)
{
    key(name, typeF32);
    appendValue(m_metadata, value);
}

void GgufWriter::put(const std::string& name, bool value)
{
    key(name, typeBool);
    appendValue(m_metadata, std::uint8_t(value));
}

void GgufWriter::put(const std::string& name, const std::string& value)
{
    key(name, typeString);
    appendText(m_metadata, value);
}

void GgufWriter::put(const std::string& name, const std::vector<std::string>& values)
{
    key(name, typeArray);
    appendValue(m_metadata, typeString);
    appendValue(m_metadata, std::uint64_t(values.size()));
    for (const std::string& value : values)
        appendText(m_metadata, value);
}

void GgufWriter::put(const std::string& name, const std::vector<std::int32_t>& values)
{
    key(name, typeArray);
    appendValue(m_metadata, typeI32);
    appendValue(m_metadata, std::uint64_t(values.size()));
    for (const std::int32_t value : values)
        appendValue(m_metadata, value);
}

void GgufWriter::place(const std::string& name, TensorFormat format, const std::vector<std::size_t>& shape)
{
    std::size_t elements = 1;
    for (const std::size_t size : shape)
        elements *= size;
    const std::uint64_t bytes = bytesOf(format, elements).value_or(0);
    m_places.push_back({name, format, shape, m_size, bytes});
    m_size = aligned(m_size + bytes);
}

base::Status GgufWriter::write(const void* bytes, std::size_t size)
{
    return std::fwrite(bytes, 1, size, m_file.get()) == size ? base::Status() : failed("The file cannot be written");
}

base::Status GgufWriter::begin()
{
    m_file.reset(std::fopen(m_partial.c_str(), "wb"));
    if (!m_file)
        return failed("The file cannot be made");
    std::string head = "GGUF";
    appendValue(head, std::uint32_t(3));
    appendValue(head, std::uint64_t(m_places.size()));
    appendValue(head, m_keys);
    head += m_metadata;
    for (const Place& place : m_places) {
        appendText(head, place.name);
        appendValue(head, std::uint32_t(place.shape.size()));
        for (std::size_t i = place.shape.size(); i-- > 0;) // the contiguous one first
            appendValue(head, std::uint64_t(place.shape[i]));
        appendValue(head, ggmlNumber(place.format));
        appendValue(head, place.offset);
    }
    head.resize(aligned(head.size()));
    m_written = head.size();
    return write(head.data(), head.size());
}

base::Status GgufWriter::add(const std::vector<std::byte>& bytes)
{
    if (m_at == m_places.size() || bytes.size() > m_places[m_at].bytes - m_tensorBytes)
        return base::Error{base::ErrorCode::Internal, "A tensor is longer than its place", m_path, {}};
    if (const auto status = write(bytes.data(), bytes.size()); !status)
        return status;
    m_written += bytes.size();
    m_tensorBytes += bytes.size();
    if (m_tensorBytes < m_places[m_at].bytes)
        return {};
    const std::string gap(aligned(m_tensorBytes) - m_tensorBytes, '\0');
    m_written += gap.size();
    m_tensorBytes = 0;
    ++m_at;
    return write(gap.data(), gap.size());
}

base::Result<std::uint64_t> GgufWriter::finish()
{
    if (m_at != m_places.size())
        return base::Error{base::ErrorCode::Internal, "The tensors of the file are not complete", m_path, {}};
    if (std::fflush(m_file.get()) != 0 || ::fsync(::fileno(m_file.get())) != 0 ||
        std::rename(m_partial.c_str(), m_path.c_str()) != 0)
        return failed("The file cannot be written");
    m_finished = true;
    return m_written;
}

} // namespace cudal1::decoder
