// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the header of a safetensors file and checks it.
#include "core/decoder/safetensors.h"

#include "core/modelfiles/damaged.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace cudal1::decoder {

using modelfiles::Damaged;
using modelfiles::MappedFile;
using modelfiles::StoredTensor;
using modelfiles::TensorFormat;

namespace {

using nlohmann::json;

constexpr std::uint64_t maxHeader = 100u << 20; ///< bytes; the format's own limit

TensorFormat formatOfWord(const std::string& name, const std::string& word)
{
    if (word == "F32")
        return TensorFormat::F32;
    if (word == "F16")
        return TensorFormat::F16;
    if (word == "BF16")
        return TensorFormat::BF16;
    throw Damaged("tensor " + name + " holds " + word + ", and F32, F16 and BF16 are read");
}

StoredTensor tensorOf(const std::string& name, const json& entry, std::span<const std::byte> data)
{
    StoredTensor out;
    out.format = formatOfWord(name, entry.at("dtype").get<std::string>());
    std::size_t elements = 1;
    for (const json& size : entry.at("shape")) {
        if (!size.is_number_unsigned())
            throw Damaged("the shape of tensor " + name + " makes no sense");
        const auto count = size.get<std::size_t>();
        if (count != 0 && elements > std::numeric_limits<std::size_t>::max() / 8 / count)
            throw Damaged("the shape of tensor " + name + " makes no sense");
        out.shape.push_back(count);
        elements *= count;
    }
    const json& offsets = entry.at("data_offsets");
    if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
        !offsets[1].is_number_unsigned())
        throw Damaged("the place of tensor " + name + " makes no sense");
    const auto begin = offsets[0].get<std::uint64_t>(), end = offsets[1].get<std::uint64_t>();
    if (begin > end || end - begin != *bytesOf(out.format, elements))
        throw Damaged("the size of tensor " + name + " does not fit its shape");
    if (end > data.size())
        throw Damaged("tensor " + name + " lies beyond its end: the file was cut off");
    out.data = data.data() + begin;
    return out;
}

void read(SafetensorsFile& out)
{
    const auto bytes = out.file->bytes();
    std::uint64_t size = 0;
    if (bytes.size() < sizeof size)
        throw Damaged("it has " + std::to_string(bytes.size()) + " bytes");
    std::memcpy(&size, bytes.data(), sizeof size);
    if (size > maxHeader || size > bytes.size() - sizeof size)
        throw Damaged("its header claims to have " + std::to_string(size) + " bytes");
    const auto* text = reinterpret_cast<const char*>(bytes.data()) + sizeof size;
    const json header = json::parse(text, text + size, nullptr, false);
    if (!header.is_object())
        throw Damaged("its header is no JSON object");
    const auto data = bytes.subspan(sizeof size + static_cast<std::size_t>(size));
    for (const auto& [name, entry] : header.items())
        if (name != "__metadata__")
            out.tensors.emplace(name, tensorOf(name, entry, data));
}

} // namespace

base::Result<SafetensorsFile> openSafetensors(const std::string& path)
{
    auto file = MappedFile::open(path);
    if (!file)
        return file.error();
    SafetensorsFile out{*file, {}};
    std::string problem;
    try {
        read(out);
        return out;
    } catch (const Damaged& error) {
        problem = error.what();
    } catch (const json::exception& error) {
        problem = "its header lacks something: " + std::string(error.what());
    }
    return base::Error{base::ErrorCode::Unreadable, "This is no sound safetensors file: " + problem, path,
                       "Fetch it again and compare its size"};
}

} // namespace cudal1::decoder
