// SPDX-License-Identifier: GPL-3.0-or-later
// Starting the program of an agent with --version.
#include "core/agents/agenttrial.h"

#include "core/agents/workspace.h"
#include "core/base/timetext.h"

#include <QDir>

#include <algorithm>

namespace cudal1::agents {

using base::Error;
using base::ErrorCode;

namespace {

std::string firstLine(const QByteArray& words)
{
    std::string out;
    for (const char c : words.trimmed().split('\n').value(0).left(200))
        out += (unsigned(c) & 0xff) < 0x20 || c == 0x7f ? ' ' : c;
    return out;
}

} // namespace

AgentTrial::AgentTrial(QObject* parent) : QObject(parent)
{
    m_limit.setSingleShot(true);
    connect(&m_process, &AgentProcess::written, this, [this](const QByteArray& bytes) {
        if (m_words.size() < 4096)
            m_words += bytes;
    });
    connect(&m_process, &AgentProcess::ended, this, &AgentTrial::programEnded);
    connect(&m_limit, &QTimer::timeout, this, [this] {
        end(Error{ErrorCode::TimedOut,
                  "The program does not answer --version within " + base::durationText(m_limit.interval() / 1000.0),
                  m_settings.name, "Try it in a terminal"});
    });
}

void AgentTrial::start(const models::AgentSettings& settings, double limit_s)
{
    m_settings = settings;
    m_words.clear();
    m_answer = {};
    m_over = false;
    const auto program = models::findProgram(settings);
    if (!program)
        return end(program.error());
    m_answer.program = *program;
    if (settings.shell)
        return end(m_answer);
    m_limit.start(int(std::min(limit_s * 1000, 2e9)));
    m_clock.start();
    m_process.start(Workspace::agentProgram(), {models::commandWords(settings, {}).value(0), "--version"},
                    QDir::tempPath(), settings.variables, {});
}

void AgentTrial::programEnded(int status)
{
    m_answer.seconds = double(m_clock.elapsed()) / 1000;
    m_answer.status = status;
    m_answer.words = firstLine(m_words);
    if (status < 0)
        return end(Error{ErrorCode::Unavailable, "cudal1-agent could not be started",
                         Workspace::agentProgram().join(QLatin1Char(' ')).toStdString(), "Build or install it"});
    // 126 and 127: of the keeper and of shells, for what cannot be run.
    if (status == 126 || status == 127)
        return end(Error{ErrorCode::Unavailable, "The program cannot be started: " + m_answer.words,
                         m_answer.program.toStdString(), "Try it in a terminal"});
    end(m_answer);
}

void AgentTrial::end(base::Result<AgentAnswer> answer)
{
    if (m_over)
        return;
    m_over = true;
    m_limit.stop();
    QMetaObject::invokeMethod(
        this, [this, answer = std::move(answer)] { emit ended(answer); }, Qt::QueuedConnection);
}

} // namespace cudal1::agents
