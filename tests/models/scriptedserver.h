// SPDX-License-Identifier: GPL-3.0-or-later
// A server of HTTP that does what a test tells it to, byte by byte.
#pragma once

#include <nlohmann/json.hpp>

#include <QHostAddress>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTimer>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cudal1::tests {

/// In the thread and event loop of the test. Each whole request goes to the script, which writes to the socket, now or
/// later, and closes it or not.
class ScriptedServer : public QObject {
public:
    struct Request {
        QByteArray head; ///< request line and headers
        nlohmann::json body;
        int number = 0; ///< from 0
        QByteArray header(const QByteArray& name) const
        {
            for (const QByteArray& line : head.split('\n'))
                if (line.toLower().startsWith(name.toLower() + ':'))
                    return line.mid(name.size() + 1).trimmed();
            return {};
        }
    };
    using Script = std::function<void(QTcpSocket& socket, const Request& request)>;

    explicit ScriptedServer(Script toDo) : script(std::move(toDo))
    {
        if (!m_server.listen(QHostAddress::LocalHost))
            qFatal("the scripted server cannot listen");
        connect(&m_server, &QTcpServer::newConnection, this, [this] {
            while (QTcpSocket* socket = m_server.nextPendingConnection())
                take(socket);
        });
    }

    std::string url() const { return "http://127.0.0.1:" + std::to_string(m_server.serverPort()) + "/v1"; }
    /// Counts a request as answered, for `most`.
    void answered() { --m_open; }

    Script script;
    std::vector<Request> requests;
    int most = 0;       ///< requests that were open at a time
    int clientGone = 0; ///< connections that the other side closed before they were answered

    // What scripts write.
    static QByteArray http(int status, const QByteArray& body, const QByteArray& headers = {})
    {
        return "HTTP/1.1 " + QByteArray::number(status) + " x\r\nContent-Length: " + QByteArray::number(body.size()) +
               "\r\n" + (headers.contains("Content-Type") ? "" : "Content-Type: application/json\r\n") + headers +
               "\r\n" + body;
    }
    static QByteArray object(const std::string& text, const std::string& reason = "stop", bool usage = true)
    {
        nlohmann::json out{
            {"model", "tiny-1"},
            {"choices",
             {{{"index", 0}, {"message", {{"role", "assistant"}, {"content", text}}}, {"finish_reason", reason}}}}};
        if (usage)
            out["usage"] = {{"prompt_tokens", 10}, {"completion_tokens", 4}};
        return QByteArray::fromStdString(out.dump());
    }
    static QByteArray streamHead()
    {
        return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    }
    static QByteArray chunk(const QByteArray& bytes)
    {
        return QByteArray::number(bytes.size(), 16) + "\r\n" + bytes + "\r\n";
    }
    static QByteArray event(const nlohmann::json& data)
    {
        return chunk("data: " + QByteArray::fromStdString(data.dump()) + "\n\n");
    }
    static QByteArray delta(const std::string& text)
    {
        return event({{"model", "tiny-1"}, {"choices", {{{"index", 0}, {"delta", {{"content", text}}}}}}});
    }
    static QByteArray streamEnd(const std::string& reason = "stop", bool usage = true)
    {
        QByteArray out = event(
            {{"choices", {{{"index", 0}, {"delta", nlohmann::json::object()}, {"finish_reason", reason}}}}});
        if (usage)
            out += event(
                {{"choices", nlohmann::json::array()}, {"usage", {{"prompt_tokens", 10}, {"completion_tokens", 4}}}});
        return out + chunk("data: [DONE]\n\n") + "0\r\n\r\n";
    }
    static QByteArray stream(const std::vector<std::string>& texts, const std::string& reason = "stop")
    {
        QByteArray out = streamHead();
        for (const std::string& text : texts)
            out += delta(text);
        return out + streamEnd(reason);
    }

private:
    void take(QTcpSocket* socket)
    {
        auto buffer = std::make_shared<QByteArray>();
        connect(socket, &QTcpSocket::readyRead, this, [this, socket, buffer] {
            *buffer += socket->readAll();
            // Qt sends the head and the body of a request apart, and the body when the head is acknowledged.
            const int atOnce = 1;
            ::setsockopt(int(socket->socketDescriptor()), IPPROTO_TCP, TCP_QUICKACK, &atOnce, sizeof atOnce);
            for (;;) {
                const qsizetype end = buffer->indexOf("\r\n\r\n");
                if (end < 0)
                    return;
                Request request;
                request.head = buffer->left(end).replace("\r", "");
                const qsizetype length = request.header("Content-Length").toLongLong();
                if (buffer->size() < end + 4 + length)
                    return;
                const QByteArray body = buffer->mid(end + 4, length);
                request.body = nlohmann::json::parse(body.begin(), body.end(), nullptr, false);
                request.number = int(requests.size());
                buffer->remove(0, end + 4 + length);
                requests.push_back(request);
                most = std::max(most, ++m_open);
                script(*socket, request);
            }
        });
        connect(socket, &QTcpSocket::disconnected, this, [this, socket] {
            ++clientGone;
            socket->deleteLater();
        });
    }

    QTcpServer m_server;
    int m_open = 0;
};

} // namespace cudal1::tests
