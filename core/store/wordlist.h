// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of words in one column, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace cudal1::store {

inline std::string listJson(const std::vector<std::string>& words)
{
    return nlohmann::json(words).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// What is no word is left out.
inline std::vector<std::string> listOf(const std::string& json)
{
    std::vector<std::string> words;
    for (const nlohmann::json& word : nlohmann::json::parse(json, nullptr, false))
        if (word.is_string())
            words.push_back(word.get<std::string>());
    return words;
}

} // namespace cudal1::store
