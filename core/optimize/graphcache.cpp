// SPDX-License-Identifier: GPL-3.0-or-later
// Operator graphs as text.
#include "core/optimize/graphcache.h"

#include "core/store/graphkey.h"

namespace cudal1::optimize {

using GraphPointer = std::shared_ptr<const protocol::OperatorGraph>;

base::Result<GraphPointer> cachedGraph(const store::Project& project, const std::string& key)
{
    // A cache that cannot be read costs a trace, and the next write says what is wrong with the project.
    const auto text = project.cache(key);
    if (!text || !*text)
        return GraphPointer();
    try {
        return GraphPointer(std::make_shared<const protocol::OperatorGraph>(
            nlohmann::json::parse(**text).get<protocol::OperatorGraph>()));
    } catch (const nlohmann::json::exception& exception) {
        return base::Error{base::ErrorCode::Unreadable,
                           "The cached operator graph cannot be read and is traced again",
                           exception.what(),
                           {}};
    }
}

base::Status keepGraph(store::Project& project, const GraphPlace& place, const protocol::OperatorGraph& graph)
{
    const auto text = [](const nlohmann::json& json) {
        return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    };
    if (const auto status = project.putCache(place.key, text(graph)); !status)
        return status;
    return project.putCache(
        store::newestGraphKey(place.taskHash),
        text({{"key", place.key}, {"device", place.deviceModel}, {"precision", protocol::toString(place.precision)}}));
}

} // namespace cudal1::optimize
