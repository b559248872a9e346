// SPDX-License-Identifier: GPL-3.0-or-later
// Depth before parsing.
#include "core/mcp/jsontext.h"

namespace cudal1::mcp {

namespace {

constexpr int deepest = 64;

/// Brackets that are open at a time, outside of texts. Of what is no JSON any number will do.
bool isDeep(std::string_view text)
{
    int depth = 0;
    bool quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (quoted) {
            if (c == '\\')
                ++at;
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            if (++depth > deepest)
                return true;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return false;
}

} // namespace

nlohmann::json readJson(std::string_view text)
{
    if (isDeep(text))
        return nlohmann::json(nlohmann::json::value_t::discarded);
    return nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
}

} // namespace cudal1::mcp
