// SPDX-License-Identifier: GPL-3.0-or-later
// Episodes over HTTP (/reset, /step, /state, /schema, /metadata) and over the WebSocket /ws, in OpenEnv's messages.
#pragma once

#include "core/serve/episode.h"
#include "core/serve/httpserver.h"

#include <QObject>

#include <deque>
#include <list>
#include <map>
#include <memory>

namespace cudal1::serve {

/// Each WebSocket has an episode of its own, which ends with it. Over HTTP an episode is named by its id, and a client
/// that names none goes on with its newest. Lives on the thread of server and service.
class EnvironmentRoutes : public QObject {
    Q_OBJECT
public:
    EnvironmentRoutes(HttpServer& server, JudgeService& service, const TaskBook& book, QObject* parent = nullptr);

    bool handle(const HttpRequest& request); ///< false for a path of somebody else
    void drop(std::uint64_t request);        ///< its peer is gone: its step is not judged
    static bool isSocket(const std::string& path) { return path == "/ws"; }

    static constexpr std::size_t mostEpisodes = 4096; ///< over HTTP; the one longest unused goes first

private:
    struct OpenEpisode {
        std::shared_ptr<Episode> episode;
        std::deque<nlohmann::json> waiting; ///< messages behind a step that is under way
    };
    struct Kept {
        std::string client;
        std::shared_ptr<Episode> episode;
    };

    void reset(const HttpRequest& request);
    void step(const HttpRequest& request);
    void state(const HttpRequest& request);
    std::shared_ptr<Episode> find(const HttpRequest& request, const nlohmann::json& id);
    void refuse(std::uint64_t request, const base::Error& error);

    void read(quint64 socket, const QByteArray& text);
    void handle(quint64 socket, const nlohmann::json& message);
    void goOn(quint64 socket);
    void say(quint64 socket, const char* type, nlohmann::json data);
    void complain(quint64 socket, const char* code, const std::string& message);

    HttpServer& m_server;
    JudgeService& m_service;
    const TaskBook& m_book;
    std::map<quint64, OpenEpisode> m_sessions;
    std::list<Kept> m_kept;                                    ///< used last comes first
    std::map<std::uint64_t, std::shared_ptr<Episode>> m_steps; ///< by the request that waits
};

} // namespace cudal1::serve
