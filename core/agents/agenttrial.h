// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the program of a coding agent starts.
#pragma once

#include "core/agents/agentprocess.h"
#include "core/base/result.h"
#include "core/models/agentsettings.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

namespace cudal1::agents {

/// What the program of an agent answers to --version.
struct AgentAnswer {
    QString program;   ///< where it is
    int status = 0;    ///< that it ended with
    std::string words; ///< the first line that it wrote, without control characters; at most 200 bytes
    double seconds = 0;
};

/// Asks once. The line of a shell is not run, since it might begin to work: there only the shell is looked for.
class AgentTrial : public QObject {
    Q_OBJECT
public:
    explicit AgentTrial(QObject* parent = nullptr);

    /// `ended` follows, from the event loop.
    void start(const models::AgentSettings& settings, double limit_s);

signals:
    /// NotFound where there is no such program, Unavailable where it cannot be started, TimedOut.
    void ended(const cudal1::base::Result<cudal1::agents::AgentAnswer>& answer);

private:
    void end(base::Result<AgentAnswer> answer);
    void programEnded(int status);

    models::AgentSettings m_settings;
    AgentProcess m_process;
    AgentAnswer m_answer;
    QByteArray m_words;
    QElapsedTimer m_clock;
    QTimer m_limit;
    bool m_over = true;
};

} // namespace cudal1::agents
