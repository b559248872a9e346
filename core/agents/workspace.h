// SPDX-License-Identifier: GPL-3.0-or-later
// The folder that an agent works in: the task, the reference, a page on the judge, the best variants, and how the judge
// is reached.
#pragma once

#include "core/base/result.h"
#include "core/models/agentsettings.h"
#include "core/policy/policy.h"

#include <QString>

#include <memory>
#include <string>
#include <vector>

namespace cudal1::agents {

/// For its owner alone (0700), in the system's temporary folder. Removed with this object, unless the settings keep it.
///
///   TASK.md         what is wanted, the task as the prompt of a policy has it, the budget
///   JUDGE.md        what the judge does and what it rejects
///   reference.py    the task
///   best/           the best variants so far, README.md with their speed-ups
///   judge           a script that calls a tool, for agents that know shells alone
///   .mcp.json, opencode.json, .gemini/settings.json, gptme.toml: the judge's tools, for programs that read them
class Workspace {
public:
    /// Unavailable where it cannot be written. `evaluations` are those that are left.
    static base::Result<std::unique_ptr<Workspace>> make(const policy::Prompt& prompt,
                                                         const models::AgentSettings& settings, int evaluations);
    ~Workspace();
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;

    const QString& path() const { return m_path; }
    QString socket() const { return m_path + QStringLiteral("/.cudal1/judge.sock"); } ///< that agents connect to
    /// What the agent is told, as it is stored with its samples.
    const std::string& taskText() const { return m_taskText; }
    /// Those of `best/`, in its order.
    const std::vector<base::VariantId>& shown() const { return m_shown; }
    /// For the command of the agent.
    std::vector<models::Placeholder> placeholders() const;
    /// A source of this folder, by a path in it. InvalidArgument for what lies outside, is no file or no text, or is
    /// too long.
    base::Result<std::string> read(const std::string& file) const;
    /// The words that start `cudal1-agent`: $CUDAL1_AGENT, or the one beside the running program.
    static QStringList agentProgram();

private:
    explicit Workspace(QString path, bool keep) : m_path(std::move(path)), m_keep(keep) {}
    base::Status write(const QString& name, const std::string& text, bool executable = false) const;
    base::Status fill(const policy::Prompt& prompt, const models::AgentSettings& settings, int evaluations);
    base::Status fillBest(const policy::Prompt& prompt);
    base::Status fillConfigurations() const;

    QString m_path;
    bool m_keep;
    std::string m_taskText;
    std::vector<base::VariantId> m_shown;
};

} // namespace cudal1::agents
