// SPDX-License-Identifier: GPL-3.0-or-later
// The judge's tools for the agent of one run: its task, its variants, and nothing else of the project.
#pragma once

#include "core/agents/workspace.h"
#include "core/mcp/toolbox.h"

#include <QObject>

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace cudal1::agents {

/// A program that the agent wants judged.
struct Submission {
    std::string source;
    std::string analysis; ///< the agent's own words; may be empty
    std::string name;     ///< of its file; empty for a source that was sent
};

/// Lives on the session's thread. The prompt is that of the question on its way, or of the last one; all of them must
/// outlive this.
class RunTools : public QObject, public mcp::Toolbox {
    Q_OBJECT
public:
    struct Means {
        const policy::Prompt& prompt;
        const Workspace& workspace;
        policy::Bench* bench; ///< null: neither compare nor timeline
        /// Takes a submission and answers it when it is judged.
        std::function<mcp::Cancel(Submission submission, const mcp::Caller& caller)> evaluate;
    };
    explicit RunTools(Means means, QObject* parent = nullptr);

    const nlohmann::json& list() const override;
    std::string instructions() const override;
    mcp::Cancel call(const std::string& tool, const nlohmann::json& arguments, const mcp::Caller& caller) override;
    void greeted(const nlohmann::json& client) override;
    /// "claude-code 2.1": what the client says of itself; empty before it does.
    const std::string& client() const { return m_client; }

private:
    base::Result<std::string> sourceOf(const nlohmann::json& arguments, bool needed) const;
    nlohmann::json showTask() const;
    nlohmann::json variants(const nlohmann::json& arguments) const;
    mcp::Cancel timeline(const nlohmann::json& arguments, const mcp::Caller& caller);

    Means m_means;
    std::string m_client;
    std::map<int, std::unique_ptr<policy::Question>> m_recordings;
    int m_lastRecording = 0;
};

/// What an agent reads of an evaluation: verdict, reasons, reward, interval.
nlohmann::json evaluationForAgent(const protocol::Evaluation& evaluation, base::VariantId variant);

} // namespace cudal1::agents
