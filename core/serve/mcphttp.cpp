// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions and answers of streamable HTTP.
#include "core/serve/mcphttp.h"

#include "core/mcp/jsontext.h"

#include <algorithm>

namespace cudal1::serve {

using mcp::McpSession;
using mcp::readJson;
using nlohmann::json;

namespace {

constexpr const char* sessionHeader = "Mcp-Session-Id";

} // namespace

McpHttp::McpHttp(HttpServer& server, mcp::Toolbox& tools, mcp::Shelf& shelf, QObject* parent)
    : QObject(parent), m_server(server), m_tools(tools), m_shelf(shelf)
{
}

void McpHttp::refuse(std::uint64_t request, int status, const std::string& message)
{
    m_server.respond(request, jsonResponse(status, McpSession::error(nullptr, -32600, message)));
}

bool McpHttp::handle(const HttpRequest& request)
{
    if (request.path != "/mcp")
        return false;
    const std::string version = request.header("mcp-protocol-version");
    if (request.method == "POST") {
        post(request);
    } else if (request.method == "DELETE") {
        const auto it = std::find_if(m_sessions.begin(), m_sessions.end(), [&](const McpClient& one) {
            return one.id == request.header("mcp-session-id") && one.client == request.client;
        });
        if (it == m_sessions.end()) {
            refuse(request.id, 404, "There is no such session");
            return true;
        }
        m_sessions.erase(it);
        m_server.respond(request.id, {204, {}, {}, {}});
    } else { // a stream of messages that belong to no request is not offered
        HttpResponse response = jsonResponse(405, McpSession::error(nullptr, -32600, "Messages are sent by POST"));
        response.headers.emplace_back("Allow", "POST, DELETE");
        m_server.respond(request.id, std::move(response));
    }
    return true;
}

std::shared_ptr<McpSession> McpHttp::find(const HttpRequest& request)
{
    const std::string id = request.header("mcp-session-id");
    const auto it = std::find_if(m_sessions.begin(), m_sessions.end(),
                                 [&](const McpClient& one) { return one.id == id && one.client == request.client; });
    if (it == m_sessions.end())
        return nullptr;
    m_sessions.splice(m_sessions.begin(), m_sessions, it);
    return it->session;
}

void McpHttp::post(const HttpRequest& request)
{
    const json message = readJson(request.body);
    if (message.is_discarded())
        return m_server.respond(request.id, jsonResponse(400, McpSession::error(nullptr, -32700, "This is no JSON")));
    if (!message.is_object())
        return refuse(request.id, 400, "A body is one message");
    const std::string version = request.header("mcp-protocol-version");
    const bool begins = message.value("method", json()) == "initialize";
    if (!begins && !version.empty() && !McpSession::knowsVersion(version))
        return refuse(request.id, 400, "This version of the protocol is not spoken here: " + version.substr(0, 40));
    if (begins) {
        const std::string id = freshToken();
        m_sessions.push_front({id, request.client, std::make_shared<McpSession>(m_tools, &m_shelf, request.client)});
        if (m_sessions.size() > mostSessions)
            m_sessions.pop_back();
        return answer(request, m_sessions.front().session, message, id);
    }
    if (request.header("mcp-session-id").empty())
        return refuse(request.id, 400, "The header Mcp-Session-Id is missing; a session begins with initialize");
    const auto session = find(request);
    if (!session) // the client begins a new one then
        return refuse(request.id, 404, "There is no such session");
    answer(request, session, message, {});
}

void McpHttp::answer(const HttpRequest& request, const std::shared_ptr<McpSession>& session, const json& message,
                     const std::string& newId)
{
    const std::uint64_t to = request.id;
    if (!message.contains("method") || !message.contains("id")) {
        // A notification or an answer; what is wrong with it is told all the same.
        json problem;
        session->receive(message, [&](const json& said) { problem = said; });
        return m_server.respond(to, problem.is_null() ? HttpResponse{202, {}, {}, {}} : jsonResponse(400, problem));
    }
    const json params = message.value("params", json::object());
    const json meta = params.is_object() ? params.value("_meta", json::object()) : json();
    const bool streams = message["method"] == "tools/call" && meta.is_object() && meta.contains("progressToken") &&
                         request.header("accept").find("text/event-stream") != std::string::npos;
    if (streams)
        m_server.beginEvents(to, {});
    session->receive(message, [this, to, streams, newId](const json& said) {
        const bool last = !said.contains("method");
        if (streams) {
            if (!said.is_null())
                m_server.sendEvent(to, said.dump(-1, ' ', false, json::error_handler_t::replace));
            if (last)
                m_server.endEvents(to);
        } else if (said.is_null()) {
            m_server.respond(to, {204, {}, {}, {}});
        } else if (last) {
            HttpResponse response = jsonResponse(200, said);
            if (!newId.empty())
                response.headers.emplace_back(sessionHeader, newId);
            m_server.respond(to, std::move(response));
        }
    });
}

} // namespace cudal1::serve
