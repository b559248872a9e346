// SPDX-License-Identifier: GPL-3.0-or-later
// What verbs share: the settings, the project, the suite, output and exit statuses.
#pragma once

#include "app/cli/client.h"
#include "app/cli/commandsettings.h"
#include "app/cli/terminal.h"
#include "core/base/result.h"
#include "core/store/project.h"
#include "core/tasks/split.h"
#include "core/tasks/suite.h"

#include <QTimer>

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace cudal1::cli {

class Context {
public:
    explicit Context(CommandSettings settings);

    const CommandSettings& settings() const { return m_settings; }
    Terminal& terminal() { return m_terminal; }

    std::filesystem::path projectPath() const;
    /// Opened, or created, at the first call.
    base::Result<store::Project*> project();
    /// The same for what only reads: NotFound where there is no file of it, rather than a new one.
    base::Result<store::Project*> storedProject();
    /// For lists and charts: says at which precision results count, where the project has several, or another one than
    /// the settings name.
    void tellWhatCounts(const store::Project& project);
    /// The project when there is a file of it and it opens; null otherwise.
    store::Project* existingProject();
    base::Result<tasks::Suite> suite() const;
    /// "3/41" of the suite, a file, or the id of a task that only the project has ("3/41@1a2b3c4d"). Its id is the one
    /// under which the project keeps this very text; a note is printed when that is not the plain one.
    base::Result<tasks::Task> task(const QString& text);
    /// All tasks of a suite as the project keeps them, each under its id there.
    base::Result<std::vector<store::TaskRecord>> recordsOf(const tasks::Suite& suite);
    /// The named tasks, or all of the suite where there are no names; in their order, each once. `level` 0: of all
    /// levels.
    base::Result<std::vector<store::TaskRecord>> tasks(const QStringList& names, int level,
                                                       std::optional<tasks::Split> split = {});
    /// Starts the evaluator, with a live line while it takes its time, and asks what its machine has. `ahead` stands
    /// before that line: what is known of the time that the work will take.
    base::Result<protocol::Machine> describe(Client& client, const std::string& ahead = {});
    /// The device of the settings on this machine: Unavailable when it has none such.
    base::Result<protocol::DeviceInfo> device(const protocol::Machine& machine) const;
    /// Both at once.
    base::Result<protocol::DeviceInfo> device(Client& client, const std::string& ahead = {});
    /// The devices that the settings name ("cuda:0,cuda:1"), in that order; else the one that they mean.
    base::Result<std::vector<protocol::DeviceInfo>> devices(const protocol::Machine& machine) const;
    /// The same; InvalidArgument where they are of several models, whose times do not compare.
    base::Result<std::vector<protocol::DeviceInfo>> devicesOfOneModel(const protocol::Machine& machine) const;

    /// Prints cause and next step to the standard error (and, with --json, {"error": …}); returns the exit status for
    /// it.
    int fail(const base::Error& error);
    /// The same for a command that waited for something: one that was interrupted says what was not done ("nothing was
    /// stored") and ends with 128 plus the signal.
    int fail(const base::Error& error, const Interrupt& interrupt, const std::string& notDone);
    /// Shows what a request is at in the live line, with a bar and the time left once they can be told.
    Client::OnProgress showing();
    /// WrongUse for what the caller can put right, CannotDoIt for the rest.
    static int statusOf(const base::Error& error);
    /// Prints the one object of --json.
    void printJson(const nlohmann::json& object) const;

private:
    base::Result<tasks::Task> taskOfSuite(const std::string& text) const;

    CommandSettings m_settings;
    Terminal m_terminal;
    std::unique_ptr<store::Project> m_project;
    QTimer m_reminder; ///< of what a verb waits for, where there is no terminal
};

/// "cuda:0, NVIDIA H200, precision kernelbench, preset quick": where and how a run judges.
std::string conditionsText(const protocol::DeviceInfo& device, protocol::Precision precision, protocol::Preset preset);
std::string conditionsText(const std::vector<protocol::DeviceInfo>& devices, protocol::Precision precision,
                           protocol::Preset preset); ///< devices of one model

store::TaskRecord recordOf(const tasks::Task& task);
/// For numbers over several tasks: the versions that they are of, in words; a sentence that says so when there are
/// several.
std::string versionsText(const std::vector<store::TaskRecord>& tasks);
nlohmann::json toJson(const base::Error& error);

} // namespace cudal1::cli
