// SPDX-License-Identifier: GPL-3.0-or-later
// Operator graphs as text.
#include "core/optimize/graphcache.h"

namespace cudal1::optimize {

using GraphPointer = std::shared_ptr<const protocol::OperatorGraph>;

base::Result<GraphPointer> cachedGraph(const store::Project& project, const std::string& key)
{
    // A cache that cannot be read costs a trace, and the next write says what is wrong with the project.
    const auto text = project.cache(key);
    if (!text || !*text)
        return GraphPointer();
    try {
        return GraphPointer(
            std::make_shared<const protocol::OperatorGraph>(nlohmann::json::parse(**text).get<protocol::OperatorGraph>()));
    } catch (const nlohmann::json::exception& exception) {
        return base::Error{base::ErrorCode::Unreadable, "The cached operator graph cannot be read and is traced again",
                           exception.what(), {}};
    }
}

base::Status keepGraph(store::Project& project, const std::string& key, const protocol::OperatorGraph& graph)
{
    const nlohmann::json json = graph;
    return project.putCache(key, json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

} // namespace cudal1::optimize
