// SPDX-License-Identifier: GPL-3.0-or-later
// Keys in memory.
#include "core/models/secret.h"

#include <string.h>
#include <sys/prctl.h>

#include <algorithm>
#include <utility>

namespace cudal1::models {

namespace {

/// Shorter parts of a key are found in ordinary words too. Servers that quote a key quote more or hide all but four.
constexpr std::size_t shortestPart = 8;

} // namespace

Secret::Secret(std::string text) : m_text(std::move(text))
{
    // A short text is still in its old place after it was moved from.
    ::explicit_bzero(text.data(), text.capacity());
    if (!m_text.empty())
        ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

Secret::Secret(Secret&& other) noexcept : m_text(std::move(other.m_text))
{
    other.wipe();
}

Secret& Secret::operator=(Secret&& other) noexcept
{
    if (this != &other) {
        wipe();
        m_text = std::move(other.m_text);
        other.wipe();
    }
    return *this;
}

Secret::~Secret()
{
    wipe();
}

void Secret::wipe()
{
    m_text.resize(m_text.capacity());
    ::explicit_bzero(m_text.data(), m_text.size());
    m_text.clear();
}

std::string Secret::scrubbed(std::string_view text) const
{
    if (m_text.empty())
        return std::string(text);
    const std::size_t part = std::min(shortestPart, m_text.size());
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        if (m_text.find(text.substr(at, part)) == std::string::npos || text.size() - at < part) {
            out += text[at++];
            continue;
        }
        std::size_t length = part;
        while (at + length < text.size() && m_text.find(text.substr(at, length + 1)) != std::string::npos)
            ++length;
        out += "[key]";
        at += length;
    }
    return out;
}

} // namespace cudal1::models
