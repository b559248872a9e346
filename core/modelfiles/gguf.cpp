// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the header of a GGUF file and checks every number in it before it is used.
#include "core/modelfiles/gguf.h"

#include "core/modelfiles/damaged.h"

#include <cstring>
#include <limits>
#include <stdexcept>

namespace cudal1::modelfiles {

namespace {

enum ValueType : std::uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, String, Array, U64, I64, F64 };

std::optional<TensorFormat> formatOf(std::uint32_t number)
{
    switch (number) {
    case 0: return TensorFormat::F32;
    case 1: return TensorFormat::F16;
    case 2: return TensorFormat::Q4_0;
    case 3: return TensorFormat::Q4_1;
    case 8: return TensorFormat::Q8_0;
    case 12: return TensorFormat::Q4_K;
    case 13: return TensorFormat::Q5_K;
    case 14: return TensorFormat::Q6_K;
    case 30: return TensorFormat::BF16;
    default: return {};
    }
}

constexpr std::uint64_t maxEntries = 1u << 20; ///< of metadata or tensors; a larger count is damage
constexpr std::size_t maxDimensions = 4;

} // namespace

/// Goes through the file once. Throws Damaged.
class GgufReader {
public:
    explicit GgufReader(std::shared_ptr<const MappedFile> file) : m_bytes(file->bytes())
    {
        m_out.m_file = std::move(file);
    }

    GgufFile read(std::uint32_t& version)
    {
        char magic[4];
        std::memcpy(magic, take(4), 4);
        if (std::memcmp(magic, "GGUF", 4) != 0)
            throw Damaged("it does not begin with GGUF");
        version = number<std::uint32_t>();
        if (version < 2 || version > 3)
            return std::move(m_out);
        const auto tensorCount = number<std::uint64_t>();
        const auto entryCount = number<std::uint64_t>();
        if (tensorCount > maxEntries || entryCount > maxEntries)
            throw Damaged("it claims to hold " + std::to_string(std::max(tensorCount, entryCount)) + " entries");
        for (std::uint64_t i = 0; i < entryCount; ++i)
            readEntry();
        readTensors(tensorCount);
        return std::move(m_out);
    }

private:
    struct Placed {
        std::string name;
        std::optional<TensorFormat> format;
        std::vector<std::size_t> shape;
        std::uint64_t offset;
    };

    const std::byte* take(std::uint64_t size)
    {
        if (size > m_bytes.size() - m_at)
            throw Damaged("it ends within its header, after " + std::to_string(m_bytes.size()) + " bytes");
        const std::byte* const start = m_bytes.data() + m_at;
        m_at += static_cast<std::size_t>(size);
        return start;
    }
    template<class T> T number()
    {
        T value;
        std::memcpy(&value, take(sizeof value), sizeof value);
        return value;
    }
    std::string string()
    {
        const auto size = number<std::uint64_t>();
        const std::byte* data = take(size);
        return {reinterpret_cast<const char*>(data), static_cast<std::size_t>(size)};
    }
    std::int64_t integer(std::uint32_t type)
    {
        switch (type) {
        case U8: return number<std::uint8_t>();
        case I8: return number<std::int8_t>();
        case U16: return number<std::uint16_t>();
        case I16: return number<std::int16_t>();
        case U32: return number<std::uint32_t>();
        case I32: return number<std::int32_t>();
        case U64: return static_cast<std::int64_t>(number<std::uint64_t>());
        case I64: return number<std::int64_t>();
        case Bool: return number<std::uint8_t>() != 0;
        default: throw Damaged("a value of its metadata has the unknown type " + std::to_string(type));
        }
    }
    void readEntry()
    {
        const std::string key = string();
        const auto type = number<std::uint32_t>();
        if (type == Array) {
            readList(key);
            return;
        }
        GgufValue value;
        if (type == String)
            value = string();
        else if (type == F32)
            value = static_cast<double>(number<float>());
        else if (type == F64)
            value = number<double>();
        else if (type == Bool)
            value = integer(type) != 0;
        else
            value = integer(type);
        m_out.m_metadata[key] = std::move(value);
    }
    void readList(const std::string& key)
    {
        const auto type = number<std::uint32_t>();
        const auto count = number<std::uint64_t>();
        if (count > m_bytes.size() - m_at) // each item has a byte at least
            throw Damaged("the list " + key + " claims to hold " + std::to_string(count) + " items");
        if (type == Array)
            throw Damaged("the list " + key + " holds lists, which no model of these families has");
        if (type == String) {
            std::vector<std::string> items;
            for (std::uint64_t i = 0; i < count; ++i)
                items.push_back(string());
            m_out.m_metadata[key] = std::move(items);
        } else if (type == F32 || type == F64) {
            std::vector<double> items;
            for (std::uint64_t i = 0; i < count; ++i)
                items.push_back(type == F32 ? static_cast<double>(number<float>()) : number<double>());
            m_out.m_metadata[key] = std::move(items);
        } else {
            std::vector<std::int64_t> items;
            for (std::uint64_t i = 0; i < count; ++i)
                items.push_back(integer(type));
            m_out.m_metadata[key] = std::move(items);
        }
    }
    Placed readPlace()
    {
        Placed placed;
        placed.name = string();
        const auto dimensions = number<std::uint32_t>();
        if (dimensions == 0 || dimensions > maxDimensions)
            throw Damaged("tensor " + placed.name + " has " + std::to_string(dimensions) + " dimensions");
        placed.shape.resize(dimensions);
        for (std::size_t i = dimensions; i-- > 0;) // GGUF names the contiguous one first
            placed.shape[i] = static_cast<std::size_t>(number<std::uint64_t>());
        const auto format = number<std::uint32_t>();
        placed.format = formatOf(format);
        if (!placed.format)
            m_out.m_foreign[placed.name] = format;
        placed.offset = number<std::uint64_t>();
        return placed;
    }
    void readTensors(std::uint64_t count)
    {
        std::vector<Placed> placed;
        for (std::uint64_t i = 0; i < count; ++i)
            placed.push_back(readPlace());
        const auto alignment = static_cast<std::uint64_t>(m_out.integer("general.alignment").value_or(32));
        if (alignment == 0 || alignment > (1u << 20) || (alignment & (alignment - 1)) != 0)
            throw Damaged("its alignment is " + std::to_string(alignment));
        const std::uint64_t data = (m_at + alignment - 1) / alignment * alignment;
        for (const Placed& tensor : placed) {
            if (!tensor.format)
                continue;
            std::size_t elements = 1;
            for (const std::size_t size : tensor.shape) {
                if (size == 0 || elements > std::numeric_limits<std::size_t>::max() / 8 / size)
                    throw Damaged("the shape of tensor " + tensor.name + " makes no sense");
                elements *= size;
            }
            const auto bytes = bytesOf(*tensor.format, elements);
            if (!bytes || tensor.shape.back() % blockElements(*tensor.format) != 0)
                throw Damaged("the rows of tensor " + tensor.name + " are no whole blocks of " +
                              std::string(nameOf(*tensor.format)));
            if (tensor.offset % alignment != 0)
                throw Damaged("tensor " + tensor.name + " begins at a wrong place");
            if (data > m_bytes.size() || tensor.offset > m_bytes.size() - data ||
                *bytes > m_bytes.size() - data - tensor.offset)
                throw Damaged("tensor " + tensor.name + " lies beyond its end: the file has " +
                              std::to_string(m_bytes.size()) + " bytes and was cut off");
            if (!m_out.m_tensors
                     .emplace(tensor.name,
                              StoredTensor{*tensor.format, tensor.shape, m_bytes.data() + data + tensor.offset})
                     .second)
                throw Damaged("tensor " + tensor.name + " is there twice");
        }
    }

    std::span<const std::byte> m_bytes;
    std::size_t m_at = 0;
    GgufFile m_out;
};

base::Result<GgufFile> GgufFile::open(const std::string& path)
{
    auto file = MappedFile::open(path);
    if (!file)
        return file.error();
    try {
        std::uint32_t version = 0;
        GgufFile out = GgufReader(*file).read(version);
        if (version < 2 || version > 3)
            return base::Error{version > 3 && version < 1000 ? base::ErrorCode::TooNew : base::ErrorCode::Unreadable,
                               "The file is GGUF version " + std::to_string(version) +
                                   ", and versions 2 and 3 are read",
                               path, "Convert the model again with a current converter"};
        return out;
    } catch (const Damaged& error) {
        return base::Error{base::ErrorCode::Unreadable, "This is no sound GGUF file: " + std::string(error.what()),
                           path, "Fetch it again and compare its size"};
    }
}

namespace {

template<class T> const T* find(const std::map<std::string, GgufValue>& metadata, const std::string& key)
{
    const auto found = metadata.find(key);
    return found == metadata.end() ? nullptr : std::get_if<T>(&found->second);
}

template<class T> std::optional<T> copy(const T* value)
{
    return value ? std::optional<T>(*value) : std::nullopt;
}

} // namespace

std::optional<std::int64_t> GgufFile::integer(const std::string& key) const
{
    return copy(find<std::int64_t>(m_metadata, key));
}

std::optional<double> GgufFile::number(const std::string& key) const
{
    if (const auto* whole = find<std::int64_t>(m_metadata, key))
        return static_cast<double>(*whole);
    return copy(find<double>(m_metadata, key));
}

std::optional<std::string> GgufFile::text(const std::string& key) const
{
    return copy(find<std::string>(m_metadata, key));
}

std::optional<bool> GgufFile::flag(const std::string& key) const
{
    return copy(find<bool>(m_metadata, key));
}

const std::vector<std::string>* GgufFile::texts(const std::string& key) const
{
    return find<std::vector<std::string>>(m_metadata, key);
}

const std::vector<std::int64_t>* GgufFile::integers(const std::string& key) const
{
    return find<std::vector<std::int64_t>>(m_metadata, key);
}

const std::vector<double>* GgufFile::numbers(const std::string& key) const
{
    return find<std::vector<double>>(m_metadata, key);
}

} // namespace cudal1::modelfiles
