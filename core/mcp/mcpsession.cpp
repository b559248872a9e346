// SPDX-License-Identifier: GPL-3.0-or-later
// Methods of the Model Context Protocol.
#include "core/mcp/mcpsession.h"

#include "core/mcp/jsontext.h"

#include <QPointer>

#include <algorithm>
#include <array>
#include <utility>

namespace cudal1::mcp {

using nlohmann::json;

namespace {

// JSON-RPC 2.0, and the protocol's own for what is not there.
constexpr int parseError = -32700, invalidRequest = -32600, methodNotFound = -32601, invalidParams = -32602,
              internalError = -32603, resourceNotFound = -32002;

/// Newest first.
constexpr std::array<const char*, 4> versions{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
constexpr std::array<const char*, 8> levels{"debug", "info",     "notice", "warning",
                                            "error", "critical", "alert",  "emergency"};

json answer(const json& id, json result)
{
    return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

std::string dumped(const json& value)
{
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json toolResult(const base::Result<json>& result)
{
    if (!result)
        return {{"content", {{{"type", "text"}, {"text", result.error().text()}}}}, {"isError", true}};
    return {{"content", {{{"type", "text"}, {"text", dumped(*result)}}}},
            {"structuredContent", *result},
            {"isError", false}};
}

} // namespace

McpSession::McpSession(Toolbox& tools, Shelf* shelf, std::string client, QObject* parent)
    : QObject(parent), m_tools(tools), m_shelf(shelf), m_client(std::move(client))
{
}

McpSession::~McpSession()
{
    for (const auto& [id, call] : std::exchange(m_calls, {})) {
        if (call.cancel)
            call.cancel();
        call.send(nullptr);
    }
}

bool McpSession::knowsVersion(const std::string& version)
{
    return std::find(versions.begin(), versions.end(), version) != versions.end();
}

json McpSession::error(const json& id, int code, const std::string& message)
{
    return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}};
}

void McpSession::receive(const std::string& text, Send send)
{
    const json message = readJson(text);
    if (message.is_discarded())
        return send(error(nullptr, parseError, "This is no JSON, or is nested too deeply"));
    receive(message, send);
}

void McpSession::receive(const json& message, const Send& send)
{
    if (message.is_array() && !message.empty()) { // a batch, which one version of the protocol has
        for (const json& one : message)
            if (one.is_array())
                send(error(nullptr, invalidRequest, "A batch has messages, no batches"));
            else
                receive(one, send);
        return;
    }
    if (!message.is_object())
        return send(error(nullptr, invalidRequest, "A message is a JSON object"));
    const bool hasId = message.contains("id");
    const json id = message.value("id", json());
    const bool goodId = id.is_string() || id.is_number_integer();
    if (message.value("jsonrpc", json()) != "2.0")
        return send(error(goodId ? id : json(), invalidRequest, "\"jsonrpc\" is \"2.0\""));
    if (!message.contains("method")) {
        if (message.contains("result") || message.contains("error"))
            return; // an answer to something that was not asked
        return send(error(goodId ? id : json(), invalidRequest, "There is no \"method\""));
    }
    if (!message["method"].is_string())
        return send(error(goodId ? id : json(), invalidRequest, "\"method\" is a text"));
    const std::string& method = message["method"].get_ref<const std::string&>();
    json params = message.value("params", json::object());
    if (!hasId)
        return params.is_object() ? notified(method, params) : void();
    if (!goodId)
        return send(error(nullptr, invalidRequest, "\"id\" is a text or a whole number"));
    if (m_calls.contains(dumped(id)))
        return send(error(id, invalidRequest, "A request with this \"id\" is under way"));
    if (!params.is_object())
        return send(error(id, invalidParams, "\"params\" is an object"));
    request(id, method, params, send);
}

void McpSession::notified(const std::string& method, const json& params)
{
    if (method != "notifications/cancelled")
        return; // initialized, roots/list_changed, progress: nothing to do
    const auto call = m_calls.find(dumped(params.value("requestId", json())));
    if (call == m_calls.end())
        return; // it is over
    const Call cancelled = std::move(call->second);
    m_calls.erase(call);
    if (cancelled.cancel)
        cancelled.cancel();
    cancelled.send(nullptr);
    if (m_calls.empty())
        emit idle();
}

json McpSession::initialize(const json& params)
{
    const std::string wanted = params["protocolVersion"].get<std::string>();
    m_initialized = true;
    if (const json client = params.value("clientInfo", json()); client.is_object())
        m_tools.greeted(client);
    json capabilities = {{"tools", {{"listChanged", false}}}, {"logging", json::object()}};
    if (m_shelf)
        capabilities["resources"] = {{"subscribe", false}, {"listChanged", false}};
    return {{"protocolVersion", knowsVersion(wanted) ? wanted : std::string(versions.front())},
            {"capabilities", std::move(capabilities)},
            {"serverInfo", {{"name", "cudal1"}, {"title", "CUDA-L1 Workbench"}, {"version", CUDAL1_VERSION}}},
            {"instructions", m_tools.instructions()}};
}

void McpSession::request(const json& id, const std::string& method, const json& params, const Send& send)
{
    if (method == "ping")
        return send(answer(id, json::object()));
    if (method == "initialize") {
        if (!params.value("protocolVersion", json()).is_string())
            return send(error(id, invalidParams, "\"protocolVersion\" is a text"));
        return send(answer(id, initialize(params)));
    }
    static constexpr std::array<const char*, 6> known{
        "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read", "logging/setLevel"};
    if (std::find(known.begin(), known.end(), method) == known.end() || (!m_shelf && method.starts_with("resources/")))
        return send(error(id, methodNotFound, "There is no method " + method.substr(0, 100)));
    if (!m_initialized)
        return send(error(id, invalidRequest, "The session begins with initialize"));
    if (method == "tools/list")
        return send(answer(id, {{"tools", m_tools.list()}}));
    if (method == "tools/call")
        return callTool(id, params, send);
    if (method == "resources/templates/list")
        return send(answer(id, m_shelf->templates()));
    if (method == "resources/read")
        return readResource(id, params, send);
    if (method == "resources/list") {
        const json cursor = params.value("cursor", json(""));
        const auto page = cursor.is_string()
                            ? m_shelf->list(cursor.get<std::string>())
                            : Result(base::Error{base::ErrorCode::InvalidArgument, "A cursor is a text", {}, {}});
        const bool mine = page || page.error().code == base::ErrorCode::InvalidArgument;
        return send(page ? answer(id, *page) : error(id, mine ? invalidParams : internalError, page.error().text()));
    }
    const json level = params.value("level", json());
    if (std::find(levels.begin(), levels.end(), level) == levels.end())
        return send(
            error(id, invalidParams, "\"level\" is debug, info, notice, warning, error, critical, alert or emergency"));
    send(answer(id, json::object())); // nothing is logged to clients, at any level
}

void McpSession::callTool(const json& id, const json& params, const Send& send)
{
    const json name = params.value("name", json());
    const json* tool = name.is_string() ? toolNamed(m_tools.list(), name.get<std::string>()) : nullptr;
    if (!tool)
        return send(error(id, invalidParams,
                          name.is_string() ? "Unknown tool: " + name.get<std::string>().substr(0, 100)
                                           : "\"name\" is the name of a tool"));
    const json arguments = params.contains("arguments") && !params["arguments"].is_null() ? params["arguments"]
                                                                                          : json::object();
    if (const auto status = checkArguments(*tool, arguments); !status)
        return send(answer(id, toolResult(status.error())));
    const std::string key = dumped(id);
    const json meta = params.value("_meta", json::object());
    const json token = meta.is_object() ? meta.value("progressToken", json()) : json();
    m_calls[key] = {{}, token, 0, send};
    Caller caller;
    caller.client = m_client;
    if (token.is_string() || token.is_number_integer())
        caller.progress = [this, key](double fraction, const std::string& text) { progressed(key, fraction, text); };
    caller.done = [this, key, id](const Result& result) { finish(key, answer(id, toolResult(result))); };
    Cancel cancel = m_tools.call(name.get<std::string>(), arguments, caller);
    if (const auto call = m_calls.find(key); call != m_calls.end())
        call->second.cancel = std::move(cancel);
}

void McpSession::readResource(const json& id, const json& params, const Send& send)
{
    const json uri = params.value("uri", json());
    if (!uri.is_string())
        return send(error(id, invalidParams, "\"uri\" is the address of a resource"));
    const std::string key = dumped(id);
    m_calls[key] = {{}, {}, 0, send};
    const QPointer<McpSession> self(this); // a report may be ready when the session is over
    m_shelf->read(uri.get<std::string>(), [self, key, id, uri](const Result& result) {
        if (!self)
            return;
        json out = result
                     ? answer(id, *result)
                     : error(id, result.error().code == base::ErrorCode::NotFound ? resourceNotFound : internalError,
                             result.error().text());
        if (!result)
            out["error"]["data"] = {{"uri", uri}};
        self->finish(key, out);
    });
}

void McpSession::finish(const std::string& key, const json& message)
{
    const auto call = m_calls.find(key);
    if (call == m_calls.end())
        return; // it was cancelled
    const Send send = std::move(call->second.send);
    m_calls.erase(call);
    send(message);
    if (m_calls.empty())
        emit idle();
}

/// The protocol wants every value larger than the one before.
void McpSession::progressed(const std::string& key, double fraction, const std::string& text)
{
    const auto call = m_calls.find(key);
    if (call == m_calls.end() || fraction <= call->second.progress)
        return;
    call->second.progress = fraction;
    call->second.send(
        {{"jsonrpc", "2.0"},
         {"method", "notifications/progress"},
         {"params",
          {{"progressToken", call->second.progressToken}, {"progress", fraction}, {"total", 1}, {"message", text}}}});
}

} // namespace cudal1::mcp
