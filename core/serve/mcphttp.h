// SPDX-License-Identifier: GPL-3.0-or-later
// The Model Context Protocol over streamable HTTP, at /mcp.
#pragma once

#include "core/mcp/mcpsession.h"
#include "core/serve/httpserver.h"

#include <QObject>

#include <list>
#include <memory>
#include <string>

namespace cudal1::serve {

/// Each client that says initialize gets a session, named by a header. An answer is one JSON message, or a stream of
/// events where the client asked for progress. Lives on the thread of server and tools.
class McpHttp : public QObject {
    Q_OBJECT
public:
    McpHttp(HttpServer& server, mcp::Toolbox& tools, mcp::Shelf& shelf, QObject* parent = nullptr);

    bool handle(const HttpRequest& request); ///< false for a path of somebody else

    static constexpr std::size_t mostSessions = 256; ///< the one longest unused goes first

private:
    struct McpClient {
        std::string id, client;
        std::shared_ptr<mcp::McpSession> session;
    };

    void post(const HttpRequest& request);
    std::shared_ptr<mcp::McpSession> find(const HttpRequest& request);
    void answer(const HttpRequest& request, const std::shared_ptr<mcp::McpSession>& session,
                const nlohmann::json& message, const std::string& newId);
    void refuse(std::uint64_t request, int status, const std::string& message);

    HttpServer& m_server;
    mcp::Toolbox& m_tools;
    mcp::Shelf& m_shelf;
    std::list<McpClient> m_sessions; ///< used last comes first
};

} // namespace cudal1::serve
