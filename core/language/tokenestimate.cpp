// SPDX-License-Identifier: GPL-3.0-or-later
// A rule of thumb for tokens.
#include "core/language/tokenestimate.h"

#include <cctype>

namespace cudal1::language {

std::size_t estimatedTokens(const std::string& text)
{
    // Vocabularies of byte pairs have most English words up to some seven letters as one token together with the space
    // before them, digits by one to three, indentation as one, and signs of code by one or two.
    std::size_t tokens = 0;
    const auto kindOf = [](unsigned char c) {
        if (c >= 0x80)
            return 'u';
        if (std::isalpha(c))
            return 'a';
        if (std::isdigit(c))
            return 'd';
        return std::isspace(c) ? 's' : 'p';
    };
    for (std::size_t at = 0; at < text.size();) {
        const char kind = kindOf(static_cast<unsigned char>(text[at]));
        std::size_t end = at + 1;
        while (end < text.size() && kindOf(static_cast<unsigned char>(text[end])) == kind)
            ++end;
        const std::size_t length = end - at;
        switch (kind) {
        case 'a': tokens += 1 + (length - 1) / 7; break;
        case 'd': tokens += (length + 2) / 3; break;
        case 'u': tokens += (length + 1) / 2; break;
        case 's': tokens += length > 1 || text[at] != ' ' ? 1 : 0; break;
        default: tokens += (length + 1) / 2; break;
        }
        at = end;
    }
    return tokens;
}

std::size_t estimatedTokens(const std::vector<policy::ChatMessage>& messages)
{
    std::size_t tokens = 3; // what begins the reply
    for (const policy::ChatMessage& message : messages)
        tokens += 4 + estimatedTokens(message.content);
    return tokens;
}

} // namespace cudal1::language
