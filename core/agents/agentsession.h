// SPDX-License-Identifier: GPL-3.0-or-later
// One agent at work, from the start of its command to its end: what it has judged, its budget, its transcript.
#pragma once

#include "core/agents/agentprocess.h"
#include "core/agents/judgesocket.h"
#include "core/agents/runtools.h"
#include "core/agents/transcript.h"

#include <QElapsedTimer>
#include <QTimer>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::agents {

/// A submission waits until take() has handed it over and setPrompt() has brought what became of it. Lives on the
/// thread of the search.
class AgentSession : public QObject {
    Q_OBJECT
public:
    struct End {
        bool byItself = false; ///< with status 0
        std::string why;       ///< "It has ended with status 3"
    };
    /// How long an agent may write its closing words when its evaluations are used up.
    static constexpr int closing_ms = 60'000;

    /// Starts the agent. `evaluations` are those that are left, from 1. Unavailable where its folder or its way to the
    /// judge cannot be made.
    static base::Result<std::unique_ptr<AgentSession>> begin(const models::AgentSettings& settings,
                                                             std::vector<models::Secret> secrets,
                                                             const policy::Prompt& prompt, int evaluations,
                                                             policy::Bench* bench);
    ~AgentSession() override; ///< kills its processes and removes its folder

    int round() const { return m_prompt.round; }
    /// A later turn of the same round: submissions that were handed over are answered with what its answers tell.
    void setPrompt(const policy::Prompt& prompt);
    bool hasSubmissions() const { return !m_fresh.empty(); }
    const std::optional<End>& end() const { return m_end; }
    int judged() const { return m_used; } ///< submissions so far

    /// The submissions that were not handed over yet, each with the transcript up to it.
    std::vector<policy::Proposal> take();
    std::string takeTranscript(); ///< what came since, with how it ended
    const std::string& taskText() const { return m_workspace->taskText(); }
    const std::vector<base::VariantId>& shown() const { return m_workspace->shown(); }
    const std::string& client() const { return m_tools->client(); }

signals:
    void submitted();
    void ended();
    void said(const QString& text); ///< lines of its transcript

private:
    struct Waiting {
        int number = 0;
        Submission submission;
        mcp::Caller caller;
        std::string transcript;
        bool live = true; ///< its call was not cancelled
    };

    AgentSession(const models::AgentSettings& settings, std::vector<models::Secret> secrets,
                 const policy::Prompt& prompt, int evaluations);
    base::Status start(policy::Bench* bench);
    mcp::Cancel evaluate(Submission submission, const mcp::Caller& caller);
    void answer(Waiting& waiting);
    void finish(int status);
    void endBecause(const std::string& why);
    void runClock(); ///< it stands still while a submission waits
    void note(const std::string& text);
    void tellProgress();

    const models::AgentSettings m_settings;
    policy::Prompt m_prompt;
    const int m_limit;
    int m_used = 0;
    Transcript m_transcript;
    std::unique_ptr<Workspace> m_workspace;
    std::unique_ptr<RunTools> m_tools;
    std::unique_ptr<JudgeSocket> m_socket;   ///< ended before the tools
    std::unique_ptr<AgentProcess> m_process; ///< ended before the socket
    std::deque<Waiting> m_fresh, m_handedOver;
    std::optional<End> m_end;
    std::string m_why; ///< it was ended for
    double m_left_ms = 0;
    QElapsedTimer m_running, m_waitingSince;
    QTimer m_timeUp, m_closing, m_progress;
};

} // namespace cudal1::agents
