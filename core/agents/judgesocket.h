// SPDX-License-Identifier: GPL-3.0-or-later
// The way of an agent to its judge: a Unix socket with the Model Context Protocol on it, one message a line.
#pragma once

#include "core/mcp/mcpsession.h"

#include <QLocalServer>
#include <QObject>

namespace cudal1::agents {

/// Each connection is a session of the protocol with the same tools. Lives on the thread of the tools, which must
/// outlive it.
class JudgeSocket : public QObject {
    Q_OBJECT
public:
    explicit JudgeSocket(mcp::Toolbox& tools, QObject* parent = nullptr);

    /// For this user alone. Unavailable where the path cannot be listened at.
    base::Status listen(const QString& path);

private:
    void take();

    mcp::Toolbox& m_tools;
    QLocalServer m_server;
};

} // namespace cudal1::agents
