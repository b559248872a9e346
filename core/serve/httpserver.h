// SPDX-License-Identifier: GPL-3.0-or-later
// HTTP/1.1 and WebSockets on one port. Reading and writing happen on a thread of its own; everything that is for the
// program to answer arrives on the thread of this object, by queued calls, and is answered from there.
//
// Refused without asking anybody: what is no HTTP, bodies and headers that are too large (413, 431) or too slow (408),
// and clients that Access does not let in. A peer that keeps nothing but a connection is closed after a while.
#pragma once

#include "core/base/result.h"
#include "core/serve/access.h"
#include "core/serve/httpmessage.h"

#include <QObject>

#include <functional>
#include <memory>
#include <string>

namespace cudal1::serve {

struct HttpOptions {
    std::string host = "127.0.0.1"; ///< an address, or a name of this machine
    int port = 0;                   ///< 0: any that is free
    std::size_t mostConnections = 2048;
    std::size_t mostSockets = 512;
    double header_s = 30, body_s = 60; ///< within which they must be there
    double idle_s = 120;               ///< between two requests of a connection
    double write_s = 60;               ///< within which an answer must be taken
    std::size_t mostHeaderBytes = 32 << 10;
    std::size_t mostMessageBytes = 12u << 20; ///< of a message of a WebSocket
    /// Of the body of a request with this path; asked from the thread of the connections.
    std::function<std::size_t(const std::string& path)> mostBodyBytes;
    /// A path that may become a WebSocket; the same thread.
    std::function<bool(const std::string& path)> isSocket;
    Access access;
};

/// What connections did, since the start.
struct HttpCounts {
    std::uint64_t connections = 0, refusedConnections = 0;
    std::uint64_t open = 0;
    std::map<int, std::uint64_t> responses; ///< by status
};

class HttpServer : public QObject {
    Q_OBJECT
public:
    explicit HttpServer(QObject* parent = nullptr);
    ~HttpServer() override; ///< closes every connection

    /// Once. Unavailable where the port is taken or the host is not one of this machine. InvalidArgument for a host
    /// that others can reach while no token is needed.
    base::Status listen(const HttpOptions& options);
    int port() const;
    /// "http://127.0.0.1:8000"
    std::string url() const;
    HttpCounts counts() const;

    /// Each request once. Of one that is gone, nothing happens.
    void respond(std::uint64_t request, HttpResponse response);
    /// Instead of respond(): an answer of server-sent events, one for each text.
    void beginEvents(std::uint64_t request, std::vector<std::pair<std::string, std::string>> headers);
    void sendEvent(std::uint64_t request, std::string text);
    void endEvents(std::uint64_t request);

    void sendText(std::uint64_t socket, std::string text);
    void closeSocket(std::uint64_t socket);

    /// Takes no more connections, and closes those that are not being answered.
    void quiesce();

signals:
    void requested(const cudal1::serve::HttpRequest& request);
    /// The peer has closed its connection before its request was answered.
    void gone(quint64 request);
    void socketOpened(quint64 socket, const QString& client);
    void socketText(quint64 socket, const QByteArray& text);
    void socketClosed(quint64 socket);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace cudal1::serve
