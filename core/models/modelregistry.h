// SPDX-License-Identifier: GPL-3.0-or-later
// The user's named models, in a file that a person can read and edit.
#pragma once

#include "core/models/agentsettings.h"
#include "core/models/endpointsettings.h"
#include "core/models/localsettings.h"

#include <filesystem>
#include <variant>
#include <vector>

namespace cudal1::models {

/// A model behind a server, one that this program runs, or a coding agent.
using NamedModel = std::variant<EndpointSettings, LocalSettings, AgentSettings>;
const std::string& nameOf(const NamedModel& model);

/// A file of JSON: {"version": 1, "models": [{"name": …, "url": …, "model": …, …}, {"name": …, "path": …, …},
/// {"name": …, "command": …, …}]}, see docs/models.md: what has a path is a local model, and what has a command an
/// agent. A name is given once, whatever it names. Each function reads the file anew, so that several programs may use
/// it; changes are made under a lock and written in one go. There are no keys in it. Errors: Unreadable for a file that
/// is no JSON or cannot be read or written, InvalidArgument for contents that make no sense, TooNew for that of a later
/// version; the file is left as it is.
class ModelRegistry {
public:
    explicit ModelRegistry(std::filesystem::path file = defaultFile());
    /// cudal1-workbench/models.json in the user's folder of settings; the same for command line and window.
    static std::filesystem::path defaultFile();

    const std::filesystem::path& file() const { return m_file; }
    /// In the order of the file; empty where there is none.
    base::Result<std::vector<NamedModel>> all() const;
    base::Result<std::vector<EndpointSettings>> models() const; ///< the endpoints among them
    base::Result<std::vector<LocalSettings>> locals() const;    ///< the local models among them
    base::Result<std::vector<AgentSettings>> agents() const;    ///< the coding agents among them
    /// NotFound, with the names that there are; InvalidArgument for the name of another kind.
    base::Result<EndpointSettings> model(const std::string& name) const;
    /// The same for the other kinds.
    base::Result<LocalSettings> local(const std::string& name) const;
    base::Result<AgentSettings> agent(const std::string& name) const;
    /// Of any kind. NotFound, with the names that there are.
    base::Result<NamedModel> named(const std::string& name) const;
    /// In place of the one with this name when `replace`; InvalidArgument otherwise.
    base::Status add(const NamedModel& settings, bool replace = false);
    /// NotFound, with the names that there are.
    base::Status remove(const std::string& name);

private:
    base::Status write(const std::vector<NamedModel>& models) const;

    std::filesystem::path m_file;
};

} // namespace cudal1::models
