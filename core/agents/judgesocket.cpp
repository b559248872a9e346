// SPDX-License-Identifier: GPL-3.0-or-later
// Connections of an agent.
#include "core/agents/judgesocket.h"

#include <QLocalSocket>
#include <QPointer>

namespace cudal1::agents {

namespace {

constexpr qsizetype mostLineBytes = 8 << 20;

} // namespace

JudgeSocket::JudgeSocket(mcp::Toolbox& tools, QObject* parent) : QObject(parent), m_tools(tools), m_server(this)
{
    m_server.setSocketOptions(QLocalServer::UserAccessOption);
    connect(&m_server, &QLocalServer::newConnection, this, [this] { take(); });
}

base::Status JudgeSocket::listen(const QString& path)
{
    if (m_server.listen(path))
        return {};
    return base::Error{base::ErrorCode::Unavailable,
                       "The agent cannot be given a way to the judge: " + m_server.errorString().toStdString(),
                       path.toStdString(), "Set TMPDIR to a folder with a short path"};
}

void JudgeSocket::take()
{
    while (QLocalSocket* socket = m_server.nextPendingConnection()) {
        auto* session = new mcp::McpSession(m_tools, nullptr, "agent", socket);
        connect(socket, &QLocalSocket::readyRead, session, [socket, session] {
            const QPointer<QLocalSocket> self(socket);
            while (self && socket->canReadLine()) {
                const QByteArray line = socket->readLine().trimmed();
                if (!line.isEmpty())
                    session->receive(line.toStdString(), [self](const nlohmann::json& message) {
                        if (self && !message.is_null())
                            self->write(QByteArray::fromStdString(
                                message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"));
                    });
            }
            if (self && socket->bytesAvailable() > mostLineBytes)
                socket->abort();
        });
        connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
    }
}

} // namespace cudal1::agents
