// SPDX-License-Identifier: GPL-3.0-or-later
// The embedded Python interpreter of a model's process.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <string>

namespace cudal1::decoder {

/// At most one a process. It is used by the thread that made it and runs until the process ends, since libraries that
/// it loads do not survive its end.
class Interpreter {
public:
    /// Of the environment that `executable` (".../bin/python") belongs to. Unavailable where it does not start.
    static base::Result<Interpreter*> start(const std::string& executable);

    /// Runs a text as a module, whose functions are then called by name.
    base::Result<void> load(const std::string& module, const std::string& source);
    /// Calls a function that takes and returns a text of JSON. Its exceptions become errors: InvalidArgument where it
    /// raised Refused, else Internal.
    base::Result<nlohmann::json> call(const std::string& module, const std::string& function,
                                      const nlohmann::json& argument);
    std::string version() const; ///< "3.11.2"
    /// Version of an installed package; empty where it is not there.
    std::string versionOf(const std::string& package);
    const std::string& executable() const { return m_executable; }

    /// Lets other threads use Python for as long as it lives: libtorch's backward pass asks for that, once Python has
    /// loaded torch. Made and destroyed on the interpreter's thread, which uses no Python meanwhile.
    class Released {
    public:
        Released();
        ~Released();
        Released(const Released&) = delete;
        Released& operator=(const Released&) = delete;

    private:
        void* m_state; ///< of the thread
    };

private:
    explicit Interpreter(std::string executable) : m_executable(std::move(executable)) {}

    std::string m_executable;
};

} // namespace cudal1::decoder
