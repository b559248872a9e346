// SPDX-License-Identifier: GPL-3.0-or-later
// Messages as text, and a rule of thumb for tokens.
#include "core/language/chattext.h"

#include <cctype>

namespace cudal1::language {

namespace {

/// Backslashes, then "<|": what a line of content must not begin with as it is.
bool looksLikeHead(std::string_view line)
{
    const std::size_t at = line.find_first_not_of('\\');
    return at != std::string_view::npos && line.substr(at).starts_with("<|");
}

/// The role of "<|user|>"; empty for other lines.
std::string_view roleOf(std::string_view line)
{
    if (!line.starts_with("<|") || !line.ends_with("|>") || line.size() < 5)
        return {};
    return line.substr(2, line.size() - 4);
}

/// Calls `each(line)` for every piece between newlines; a text that ends with one has an empty last piece.
template<class Each> void forLines(std::string_view text, Each&& each)
{
    for (std::size_t at = 0;;) {
        const std::size_t end = text.find('\n', at);
        each(text.substr(at, end == std::string_view::npos ? end : end - at));
        if (end == std::string_view::npos)
            return;
        at = end + 1;
    }
}

} // namespace

std::string chatText(const std::vector<policy::ChatMessage>& messages)
{
    std::string out;
    for (const policy::ChatMessage& message : messages) {
        out += "<|" + message.role + "|>\n";
        forLines(message.content, [&](std::string_view line) {
            out += looksLikeHead(line) ? "\\" : "";
            out += std::string(line) + "\n";
        });
    }
    return out;
}

std::optional<std::vector<policy::ChatMessage>> messagesOf(const std::string& text)
{
    std::vector<policy::ChatMessage> out;
    if (!text.ends_with('\n'))
        return {};
    bool good = true, isFirst = true; // line of its message
    forLines(std::string_view(text).substr(0, text.size() - 1), [&](std::string_view line) {
        if (const std::string_view role = roleOf(line); !role.empty()) {
            good = good && (out.empty() || !isFirst); // a message has a line at least
            out.push_back({std::string(role), {}});
            isFirst = true;
            return;
        }
        if (out.empty()) {
            good = false;
            return;
        }
        out.back().content += (isFirst ? "" : "\n") + std::string(looksLikeHead(line) ? line.substr(1) : line);
        isFirst = false;
    });
    if (!good || out.empty() || isFirst)
        return {};
    return out;
}

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
