// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/jsoninstances.h"

template class nlohmann::basic_json<>;
template class nlohmann::detail::serializer<nlohmann::json>;
template class std::vector<nlohmann::json>;
template class std::map<std::string, nlohmann::json, std::less<>>;

namespace cudal1::protocol {

nlohmann::json emptyList()
{
    return nlohmann::json::array();
}

nlohmann::json emptyObject()
{
    return nlohmann::json::object();
}

} // namespace cudal1::protocol
