// SPDX-License-Identifier: GPL-3.0-or-later
// The whole server: who answers which path, and its beginning and end.
#pragma once

#include "core/serve/environmentroutes.h"
#include "core/serve/evaluationroutes.h"
#include "core/serve/httpserver.h"
#include "core/serve/mcphttp.h"
#include "core/serve/mcpresources.h"
#include "core/serve/mcptools.h"
#include "core/serve/metrics.h"

#include <QObject>

namespace cudal1::serve {

/// Lives on one thread with an event loop, with everything that `means` names, which must outlive it.
class Front : public QObject {
    Q_OBJECT
public:
    explicit Front(const McpTools::Means& means, QObject* parent = nullptr);

    /// `options` without what the paths decide, which is filled in here.
    base::Status listen(HttpOptions options);
    std::string url() const { return m_server.url(); }
    /// Answers what is open, takes no more, and says `ended` when the answers are out.
    void end();

signals:
    void ended();

private:
    void handle(const HttpRequest& request);
    void health(std::uint64_t request);
    void index(std::uint64_t request);
    void tasks(const HttpRequest& request);

    McpTools::Means m_means;
    HttpServer m_server;
    EvaluationRoutes m_evaluations;
    EnvironmentRoutes m_environments;
    McpTools m_tools;
    McpResources m_resources;
    McpHttp m_mcp;
    Metrics m_metrics;
    bool m_ending = false;
};

} // namespace cudal1::serve
