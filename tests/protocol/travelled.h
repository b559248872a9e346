// SPDX-License-Identifier: GPL-3.0-or-later
// Messages sent through JSON, for tests.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace cudal1::protocol {

/// Through text and back, as over a pipe.
template<class T> T travelled(const T& in)
{
    return nlohmann::json::parse(nlohmann::json(in).dump()).template get<T>();
}

/// The first leaf of `j` that is the same in `defaults`, the JSON of a default-made message; empty when none is. Then
/// nothing was left unset, and a field that is not written or not read shows as a difference.
inline std::string firstDefault(const nlohmann::json& j, const nlohmann::json& defaults)
{
    const nlohmann::json flat = j.flatten(), flatDefaults = defaults.flatten();
    for (const auto& [path, value] : flat.items())
        if (const auto it = flatDefaults.find(path); it != flatDefaults.end() && *it == value)
            return path;
    return {};
}

} // namespace cudal1::protocol
