// SPDX-License-Identifier: GPL-3.0-or-later
// Three bytes are four characters.
#include "core/base/base64.h"

#include <cstdint>

namespace cudal1::base {

namespace {

constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

} // namespace

std::string toBase64(std::string_view bytes)
{
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::size_t count = bytes.size() - at < 3 ? bytes.size() - at : 3;
        std::uint32_t word = 0;
        for (std::size_t i = 0; i < 3; ++i)
            word = word << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0u);
        for (std::size_t i = 0; i < 4; ++i)
            out += i <= count ? letters[word >> (18 - 6 * i) & 63] : '=';
    }
    return out;
}

std::optional<std::string> fromBase64(std::string_view text)
{
    if (text.size() % 4 != 0)
        return {};
    std::string out;
    out.reserve(text.size() / 4 * 3);
    for (std::size_t at = 0; at < text.size(); at += 4) {
        const std::string_view group = text.substr(at, 4);
        const std::size_t padding = at + 4 < text.size() ? 0 : group.ends_with("==") ? 2 : group.ends_with('=') ? 1 : 0;
        std::uint32_t word = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t value = i < 4 - padding ? letters.find(group[i]) : 0;
            if (value == std::string_view::npos)
                return {};
            word = word << 6 | static_cast<std::uint32_t>(value);
        }
        for (std::size_t i = 0; i < 3 - padding; ++i)
            out += static_cast<char>(word >> (16 - 8 * i) & 255);
    }
    return out;
}

} // namespace cudal1::base
