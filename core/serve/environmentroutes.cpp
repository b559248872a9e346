// SPDX-License-Identifier: GPL-3.0-or-later
// OpenEnv's requests and messages.
#include "core/serve/environmentroutes.h"

#include "core/mcp/jsontext.h"

#include <algorithm>

namespace cudal1::serve {

using base::Error;
using base::ErrorCode;
using base::wrong;
using nlohmann::json;

namespace {

constexpr std::size_t mostWaiting = 16; ///< messages behind a step

base::Result<json> objectOrNothingIn(const std::string& body)
{
    if (body.find_first_not_of(" \t\r\n") == std::string::npos)
        return json::object();
    json out = mcp::readJson(body);
    if (!out.is_object())
        return wrong("The body is no JSON object");
    return out;
}

} // namespace

EnvironmentRoutes::EnvironmentRoutes(HttpServer& server, JudgeService& service, const TaskBook& book, QObject* parent)
    : QObject(parent), m_server(server), m_service(service), m_book(book)
{
    connect(&server, &HttpServer::socketOpened, this, [this](quint64 socket, const QString& client) {
        m_sessions[socket].episode = std::make_shared<Episode>(m_service, m_book, client.toStdString());
    });
    connect(&server, &HttpServer::socketText, this,
            [this](quint64 socket, const QByteArray& text) { read(socket, text); });
    connect(&server, &HttpServer::socketClosed, this, [this](quint64 socket) { m_sessions.erase(socket); });
}

void EnvironmentRoutes::refuse(std::uint64_t request, const Error& error)
{
    HttpResponse response = errorResponse(error.code == ErrorCode::InvalidArgument ? 422 : statusOf(error), error);
    if (response.status == 429 || response.status == 503)
        response.headers.emplace_back("Retry-After", std::to_string(m_service.retryAfter_s()));
    m_server.respond(request, std::move(response));
}

bool EnvironmentRoutes::handle(const HttpRequest& request)
{
    const bool post = request.path == "/reset" || request.path == "/step";
    if (!post && request.path != "/state" && request.path != "/schema" && request.path != "/metadata" &&
        !isSocket(request.path))
        return false;
    if (isSocket(request.path)) {
        HttpResponse response = errorResponse(426, wrong("A WebSocket is spoken at /ws"));
        response.headers.emplace_back("Upgrade", "websocket");
        m_server.respond(request.id, std::move(response));
    } else if (request.method != (post ? "POST" : "GET")) {
        HttpResponse response = errorResponse(405, wrong(request.path + " is asked by " + (post ? "POST" : "GET")));
        response.headers.emplace_back("Allow", post ? "POST" : "GET");
        m_server.respond(request.id, std::move(response));
    } else if (request.path == "/reset") {
        reset(request);
    } else if (request.path == "/step") {
        step(request);
    } else if (request.path == "/state") {
        state(request);
    } else {
        m_server.respond(request.id,
                         jsonResponse(200, request.path == "/schema" ? Episode::schema() : Episode::metadata()));
    }
    return true;
}

/// The episode that is named, or the client's newest; null when there is none.
std::shared_ptr<Episode> EnvironmentRoutes::find(const HttpRequest& request, const json& id)
{
    const auto it = std::find_if(m_kept.begin(), m_kept.end(), [&](const Kept& one) {
        return one.client == request.client && (id.is_null() || id == one.episode->id());
    });
    if (it == m_kept.end())
        return nullptr;
    m_kept.splice(m_kept.begin(), m_kept, it);
    return it->episode;
}

void EnvironmentRoutes::reset(const HttpRequest& request)
{
    const auto fields = objectOrNothingIn(request.body);
    if (!fields)
        return refuse(request.id, fields.error());
    const json id = fields->value("episode_id", json(nullptr));
    const auto known = id.is_null() ? nullptr : find(request, id);
    const auto episode = known ? known : std::make_shared<Episode>(m_service, m_book, request.client);
    const auto begun = episode->reset(*fields);
    if (!begun)
        return refuse(request.id, begun.error());
    std::erase_if(m_steps, [&](const auto& step) { // whoever waits for a step that was taken back
        if (step.second == episode)
            m_server.respond(step.first, errorResponse(409, wrong("The episode was reset meanwhile")));
        return step.second == episode;
    });
    if (!known)
        m_kept.push_front({request.client, episode});
    if (m_kept.size() > mostEpisodes)
        m_kept.pop_back();
    m_server.respond(request.id, jsonResponse(200, *begun));
}

void EnvironmentRoutes::step(const HttpRequest& request)
{
    const auto fields = objectOrNothingIn(request.body);
    if (!fields)
        return refuse(request.id, fields.error());
    const auto episode = find(request, fields->value("episode_id", json(nullptr)));
    if (!episode)
        return refuse(request.id, wrong("There is no such episode", "POST /reset first, and name its \"episode_id\""));
    // Before step(), which may answer at once.
    m_steps[request.id] = episode;
    episode->step(fields->value("action", json()), [this, id = request.id](const base::Result<json>& result) {
        if (m_steps.erase(id) == 0)
            return;
        if (result)
            m_server.respond(id, jsonResponse(200, *result));
        else
            refuse(id, result.error());
    });
}

void EnvironmentRoutes::state(const HttpRequest& request)
{
    const auto named = request.query.find("episode_id");
    const auto episode = find(request, named == request.query.end() ? json(nullptr) : json(named->second));
    if (!episode && named != request.query.end())
        return refuse(request.id, {ErrorCode::NotFound, "There is no such episode", {}, {}});
    m_server.respond(
        request.id, jsonResponse(200, episode ? episode->state() : Episode(m_service, m_book, request.client).state()));
}

void EnvironmentRoutes::drop(std::uint64_t request)
{
    const auto it = m_steps.find(request);
    if (it == m_steps.end())
        return;
    const auto episode = it->second;
    m_steps.erase(it);
    episode->takeBack();
}

// ---- the WebSocket -------------------------------------------------------------------------------------------------

void EnvironmentRoutes::say(quint64 socket, const char* type, json data)
{
    m_server.sendText(
        socket, json{{"type", type}, {"data", std::move(data)}}.dump(-1, ' ', false, json::error_handler_t::replace));
}

void EnvironmentRoutes::complain(quint64 socket, const char* code, const std::string& message)
{
    say(socket, "error", {{"message", message}, {"code", code}});
}

void EnvironmentRoutes::read(quint64 socket, const QByteArray& text)
{
    const auto session = m_sessions.find(socket);
    if (session == m_sessions.end())
        return;
    json message = mcp::readJson({text.constData(), std::size_t(text.size())});
    if (!message.is_object())
        return complain(socket, "INVALID_JSON", "A message is a JSON object");
    if (!session->second.episode->isBusy())
        return handle(socket, message);
    if (session->second.waiting.size() >= mostWaiting)
        return complain(socket, "CAPACITY_REACHED", "Too many messages wait for a step");
    session->second.waiting.push_back(std::move(message));
}

void EnvironmentRoutes::handle(quint64 socket, const json& message)
{
    const auto episode = m_sessions.at(socket).episode;
    const json type = message.value("type", json());
    const json data = message.value("data", json::object());
    if (type == "reset") {
        const auto begun = episode->reset(data.is_null() ? json::object() : data);
        return begun ? say(socket, "observation", *begun) : complain(socket, "VALIDATION_ERROR", begun.error().text());
    }
    if (type == "state")
        return say(socket, "state", episode->state());
    if (type == "close")
        return m_server.closeSocket(socket);
    if (type != "step")
        return complain(socket, "UNKNOWN_TYPE", "A message's \"type\" is reset, step, state or close");
    episode->step(data, [this, socket](const base::Result<json>& result) {
        if (!m_sessions.contains(socket))
            return;
        if (result)
            say(socket, "observation", *result);
        else
            complain(socket,
                     result.error().code == ErrorCode::InvalidArgument ? "VALIDATION_ERROR"
                     : result.error().code == ErrorCode::LimitReached  ? "CAPACITY_REACHED"
                                                                       : "EXECUTION_ERROR",
                     result.error().text());
        QMetaObject::invokeMethod(
            this, [this, socket] { goOn(socket); }, Qt::QueuedConnection);
    });
}

void EnvironmentRoutes::goOn(quint64 socket)
{
    for (;;) {
        const auto session = m_sessions.find(socket);
        if (session == m_sessions.end() || session->second.waiting.empty() || session->second.episode->isBusy())
            return;
        const json message = std::move(session->second.waiting.front());
        session->second.waiting.pop_front();
        handle(socket, message);
    }
}

} // namespace cudal1::serve
