// SPDX-License-Identifier: GPL-3.0-or-later
// The functions of a JSON value, its lists, its objects and its writer are compiled once, in jsoninstances.cpp, and not
// anew in each of the files that use them: that takes a tenth of the time off most of them.
#pragma once

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

extern template class nlohmann::basic_json<>;
extern template class nlohmann::detail::serializer<nlohmann::json>;
extern template class std::vector<nlohmann::json>;
extern template class std::map<std::string, nlohmann::json, std::less<>>;

namespace cudal1::protocol {

/// Default values of members and arguments: json::array() and json::object(), which each file that includes such a
/// default would compile anew, used or not, in a fifth of a second.
nlohmann::json emptyList();
nlohmann::json emptyObject();

} // namespace cudal1::protocol
