// SPDX-License-Identifier: GPL-3.0-or-later
// Paths and who answers them.
#include "core/serve/front.h"

#include "core/tasks/split.h"

#include <QTimer>

namespace cudal1::serve {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

constexpr int farewell_ms = 300; ///< for answers on their way when the server ends

constexpr std::size_t oneBody = 12u << 20;   ///< a source and a reference of 4 MB each, as JSON writes them
constexpr std::size_t manyBody = 128u << 20; ///< of a batch

} // namespace

Front::Front(const McpTools::Means& means, QObject* parent)
    : QObject(parent), m_means(means), m_evaluations(m_server, means.service, means.book),
      m_environments(m_server, means.service, means.book), m_tools(means), m_resources(means.project, means.book),
      m_mcp(m_server, m_tools, m_resources), m_metrics(means.service, m_server)
{
    connect(&m_server, &HttpServer::requested, this, [this](const HttpRequest& request) { handle(request); });
    connect(&m_server, &HttpServer::gone, this, [this](quint64 request) {
        m_evaluations.drop(request);
        m_environments.drop(request);
    });
}

base::Status Front::listen(HttpOptions options)
{
    options.mostBodyBytes = [](const std::string& path) {
        return EvaluationRoutes::isBatch(path) ? manyBody : oneBody;
    };
    options.isSocket = &EnvironmentRoutes::isSocket;
    options.mostMessageBytes = oneBody;
    return m_server.listen(options);
}

void Front::end()
{
    if (std::exchange(m_ending, true))
        return;
    m_means.service.stop(); // which answers everybody who waits
    m_server.quiesce();
    QTimer::singleShot(farewell_ms, this, &Front::ended);
}

void Front::handle(const HttpRequest& request)
{
    if (m_evaluations.handle(request) || m_environments.handle(request) || m_mcp.handle(request))
        return;
    const bool ours = request.path == "/" || request.path == "/health" || request.path == "/metrics" ||
                      request.path == "/tasks" || request.path.starts_with("/tasks/");
    if (!ours)
        return m_server.respond(request.id, errorResponse({ErrorCode::NotFound,
                                                           "There is nothing at " + request.path.substr(0, 100),
                                                           {},
                                                           "GET / lists what there is"}));
    if (request.method != "GET" && request.method != "HEAD") {
        HttpResponse response = errorResponse(
            405, {ErrorCode::InvalidArgument, request.path.substr(0, 100) + " is asked by GET", {}, {}});
        response.headers.emplace_back("Allow", "GET");
        return m_server.respond(request.id, std::move(response));
    }
    if (request.path == "/")
        return index(request.id);
    if (request.path == "/health")
        return health(request.id);
    if (request.path == "/metrics")
        return m_server.respond(request.id, {200, m_metrics.text(), "text/plain; version=0.0.4; charset=utf-8", {}});
    tasks(request);
}

/// "healthy" is the word that OpenEnv's clients wait for. Says nothing that a stranger should not know.
void Front::health(std::uint64_t request)
{
    m_server.respond(request, jsonResponse(m_ending ? 503 : 200, {{"status", m_ending ? "unhealthy" : "healthy"},
                                                                  {"version", CUDAL1_VERSION}}));
}

void Front::index(std::uint64_t request)
{
    const ServiceDefaults& served = m_means.service.served();
    json devices = json::array();
    for (const auto& one : served.devices)
        devices.push_back({{"name", one.name}, {"model", one.model}});
    m_server.respond(request,
                     jsonResponse(200, {{"name", "cudal1"},
                                        {"version", CUDAL1_VERSION},
                                        {"suite", m_means.book.suite().pin()},
                                        {"devices", std::move(devices)},
                                        {"device", served.device},
                                        {"precision", protocol::toString(served.precision)},
                                        {"preset", protocol::toString(served.preset)},
                                        {"paths",
                                         {"POST /evaluate", "POST /evaluate/batch", "POST /rewards",
                                          "GET /evaluations/ID", "DELETE /evaluations/ID", "GET /tasks",
                                          "GET /tasks/TASK", "POST /reset", "POST /step", "GET /state", "GET /schema",
                                          "GET /metadata", "GET /ws", "POST /mcp", "GET /health", "GET /metrics"}}}));
}

/// What a trainer makes its data set of.
void Front::tasks(const HttpRequest& request)
{
    const auto brief = [](const base::TaskId& id, const std::string& name, int level) {
        return json{{"task", id.value},
                    {"name", name},
                    {"level", level},
                    {"split", tasks::toString(tasks::splitOf(level, id))}};
    };
    if (request.path == "/tasks") {
        json list = json::array();
        for (const tasks::Task& task : m_means.book.suite().tasks)
            list.push_back(brief(task.id, task.name, task.level));
        return m_server.respond(request.id,
                                jsonResponse(200, {{"suite", m_means.book.suite().pin()}, {"tasks", std::move(list)}}));
    }
    const auto task = m_means.book.named(request.path.substr(std::string("/tasks/").size()));
    if (!task)
        return m_server.respond(request.id, errorResponse(task.error()));
    json out = brief(task->id, task->name, task->level);
    out["suite"] = task->suite;
    out["hash"] = task->hash;
    out["reference"] = task->source;
    m_server.respond(request.id, jsonResponse(200, out));
}

} // namespace cudal1::serve
