// SPDX-License-Identifier: GPL-3.0-or-later
// Quoting, and numbers as text.
#include "core/base/csv.h"

#include <charconv>

namespace cudal1::base {

std::string csvField(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"')
            out += '"';
        out += c;
    }
    return out + '"';
}

std::string csvField(double value)
{
    char out[32];
    return {out, std::to_chars(out, out + sizeof out, value).ptr};
}

} // namespace cudal1::base
