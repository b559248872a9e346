// SPDX-License-Identifier: GPL-3.0-or-later
// The life of an agent.
#include "core/agents/agentsession.h"

#include "core/agents/workspacetexts.h"
#include "core/base/timetext.h"
#include "core/policy/namedtechniques.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace cudal1::agents {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

constexpr int progressEvery_ms = 5000;

std::string counted(int count, const char* what)
{
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

} // namespace

base::Result<std::unique_ptr<AgentSession>> AgentSession::begin(const models::AgentSettings& settings,
                                                                std::vector<models::Secret> secrets,
                                                                const policy::Prompt& prompt, int evaluations,
                                                                policy::Bench* bench)
{
    std::unique_ptr<AgentSession> out(new AgentSession(settings, std::move(secrets), prompt, evaluations));
    if (const auto started = out->start(bench); !started)
        return started.error();
    return out;
}

AgentSession::AgentSession(const models::AgentSettings& settings, std::vector<models::Secret> secrets,
                           const policy::Prompt& prompt, int evaluations)
    : m_settings(settings), m_prompt(prompt), m_limit(evaluations), m_transcript(std::move(secrets)),
      m_left_ms(settings.minutes * 60'000)
{
    m_timeUp.setSingleShot(true);
    connect(&m_timeUp, &QTimer::timeout, this,
            [this] { endBecause("Its " + base::durationText(m_settings.minutes * 60) + " were used up"); });
    m_closing.setSingleShot(true);
    connect(&m_closing, &QTimer::timeout, this, [this] {
        endBecause("It went on although its " + counted(m_limit, "evaluation") + (m_limit == 1 ? " was" : " were") +
                   " used up");
    });
    m_progress.setInterval(progressEvery_ms);
    connect(&m_progress, &QTimer::timeout, this, [this] { tellProgress(); });
}

AgentSession::~AgentSession()
{
    m_process.reset();
    m_socket.reset();
    m_tools.reset();
}

base::Status AgentSession::start(policy::Bench* bench)
{
    if (const auto program = models::findProgram(m_settings); !program)
        return program.error();
    auto workspace = Workspace::make(m_prompt, m_settings, m_limit);
    if (!workspace)
        return workspace.error();
    m_workspace = std::move(*workspace);
    m_tools = std::make_unique<RunTools>(
        RunTools::Means{m_prompt, *m_workspace, bench, [this](Submission submission, const mcp::Caller& caller) {
                            return evaluate(std::move(submission), caller);
                        }});
    m_socket = std::make_unique<JudgeSocket>(*m_tools);
    if (const auto listening = m_socket->listen(m_workspace->socket()); !listening)
        return listening;
    m_process = std::make_unique<AgentProcess>();
    connect(m_process.get(), &AgentProcess::written, this, [this](const QByteArray& bytes) {
        const std::string lines = m_transcript.add({bytes.constData(), std::size_t(bytes.size())});
        if (!lines.empty())
            emit said(QString::fromStdString(lines));
    });
    connect(m_process.get(), &AgentProcess::ended, this, [this](int status) { finish(status); });
    if (m_settings.keepWorkspace)
        note("Its folder is kept: " + m_workspace->path().toStdString());
    m_process->start(Workspace::agentProgram(), models::commandWords(m_settings, m_workspace->placeholders()),
                     m_workspace->path(), m_settings.variables,
                     bench ? bench->privateFiles() : std::vector<std::string>());
    runClock();
    return {};
}

void AgentSession::note(const std::string& text)
{
    emit said(QString::fromStdString(m_transcript.note(text)));
}

/// Time that is spent in the judge's queue is not the agent's.
void AgentSession::runClock()
{
    const bool waits = !m_fresh.empty() || !m_handedOver.empty();
    if (waits == !m_timeUp.isActive())
        return;
    if (waits) {
        m_left_ms -= double(m_running.elapsed());
        m_timeUp.stop();
        m_waitingSince.start();
        m_progress.start();
    } else {
        m_running.start();
        m_timeUp.start(int(std::clamp(m_left_ms, 0.0, 2e9)));
        m_progress.stop();
    }
}

mcp::Cancel AgentSession::evaluate(Submission submission, const mcp::Caller& caller)
{
    if (m_used >= m_limit || m_end || !m_why.empty()) {
        caller.done(Error{ErrorCode::LimitReached,
                          "Nothing more is judged: the budget of " + counted(m_limit, "evaluation") + " is used up",
                          {},
                          "End your work with a short summary"});
        return {};
    }
    ++m_used;
    note("evaluation " + std::to_string(m_used) + " of " + std::to_string(m_limit) + ": " +
         (submission.name.empty() ? std::string("a source") : submission.name) + ", " +
         counted(int(submission.source.size()), "byte"));
    m_fresh.push_back({m_used, std::move(submission), caller, m_transcript.takePiece(), true});
    runClock();
    // Through the event loop, since whoever hears of it may end the session.
    QMetaObject::invokeMethod(
        this, [this] { emit submitted(); }, Qt::QueuedConnection);
    return [this, number = m_used] { // what is submitted is judged all the same
        for (auto* list : {&m_fresh, &m_handedOver})
            for (Waiting& one : *list)
                if (one.number == number)
                    one.live = false;
    };
}

/// The clients of the protocol wait longer for who reports progress, and each report must be above the one before.
void AgentSession::tellProgress()
{
    const double waited_s = double(m_waitingSince.elapsed()) / 1000;
    for (auto* list : {&m_fresh, &m_handedOver})
        for (const Waiting& one : *list)
            if (one.live && one.caller.progress)
                one.caller.progress(waited_s / (waited_s + 60), "being judged for " + base::durationText(waited_s));
}

std::vector<policy::Proposal> AgentSession::take()
{
    std::vector<policy::Proposal> out;
    for (Waiting& one : m_fresh) {
        policy::Proposal proposal;
        proposal.source = one.submission.source;
        proposal.performanceAnalysis = one.submission.analysis;
        proposal.techniques = policy::techniquesIn(proposal.source);
        proposal.reply = std::move(one.transcript);
        out.push_back(std::move(proposal));
        m_handedOver.push_back(std::move(one));
    }
    m_fresh.clear();
    return out;
}

std::string AgentSession::takeTranscript()
{
    return m_transcript.takePiece();
}

void AgentSession::setPrompt(const policy::Prompt& prompt)
{
    m_prompt = prompt;
    std::deque<Waiting> waiting = std::exchange(m_handedOver, {});
    for (Waiting& one : waiting)
        answer(one);
    runClock();
    if (m_used >= m_limit && m_fresh.empty() && !m_end && !m_closing.isActive())
        m_closing.start(closing_ms);
}

void AgentSession::answer(Waiting& waiting)
{
    const auto found = std::find_if(m_prompt.answers.rbegin(), m_prompt.answers.rend(), [&](const auto& one) {
        return one.source == waiting.submission.source && one.evaluation;
    });
    if (found == m_prompt.answers.rend()) {
        note("evaluation " + std::to_string(waiting.number) + " came to nothing");
        if (waiting.live)
            waiting.caller.done(Error{ErrorCode::Unavailable, "This program was not judged", {}, "Try another one"});
        return;
    }
    json out = evaluationForAgent(*found->evaluation, found->variant);
    out["evaluations_left"] = m_limit - m_used;
    note("evaluation " + std::to_string(waiting.number) + ": " + out["summary"].get<std::string>());
    if (waiting.live)
        waiting.caller.done(out);
}

void AgentSession::endBecause(const std::string& why)
{
    if (m_end || !m_why.empty())
        return;
    m_why = why;
    m_process->askToEnd();
}

void AgentSession::finish(int status)
{
    m_timeUp.stop();
    m_closing.stop();
    m_progress.stop();
    End end;
    end.byItself = m_why.empty() && status == 0;
    if (!m_why.empty())
        end.why = m_why;
    else if (status == 0)
        end.why = "It has ended by itself";
    else if (status < 0)
        end.why = "cudal1-agent could not be started, as " +
                  Workspace::agentProgram().join(QLatin1Char(' ')).toStdString();
    else if (status > 128)
        end.why = "It was killed by signal " + std::to_string(status - 128) + " (" + ::strsignal(status - 128) + ")";
    else
        end.why = "It has ended with status " + std::to_string(status);
    m_end = end;
    note(end.why + ", after " + counted(m_used, "evaluation"));
    emit ended();
}

} // namespace cudal1::agents
