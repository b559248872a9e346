// SPDX-License-Identifier: GPL-3.0-or-later
// What the JSON of all messages needs: fields that may be missing, and words for enumerators. For this folder's .cpp files.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace cudal1::protocol {

template<class E, std::size_t N> using Words = std::array<std::pair<E, std::string_view>, N>;

template<class E, std::size_t N> std::string_view wordOf(const Words<E, N>& words, E value)
{
    const auto found = std::find_if(words.begin(), words.end(), [&](const auto& entry) { return entry.first == value; });
    return found == words.end() ? std::string_view() : found->second;
}

/// False, and `out` untouched, for an unknown word.
template<class E, std::size_t N> bool valueOf(const Words<E, N>& words, std::string_view word, E& out)
{
    const auto found = std::find_if(words.begin(), words.end(), [&](const auto& entry) { return entry.second == word; });
    if (found == words.end())
        return false;
    out = found->first;
    return true;
}

/// Reads a field that may be missing.
template<class T> void get(const nlohmann::json& j, const char* key, T& out)
{
    if (const auto it = j.find(key); it != j.end() && !it->is_null())
        it->get_to(out);
}

/// Reads a word that may be missing; throws json::exception for one that stands for nothing.
template<class E> void getKnown(const nlohmann::json& j, const char* key, E& out)
{
    if (const auto it = j.find(key); it != j.end() && !fromString(it->get_ref<const std::string&>(), out))
        throw nlohmann::json::other_error::create(501, "unknown " + std::string(key) + " " + it->get<std::string>(), &j);
}

} // namespace cudal1::protocol
