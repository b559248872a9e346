// SPDX-License-Identifier: GPL-3.0-or-later
// A planted program as its head describes it: a cheat, an honest look-alike or a canary.
//
// The head is the contract in tests/judge/README.md, which tests/judge/corpus.py reads too.
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace cudal1::selftest {

struct PlantedProgram {
    std::filesystem::path path;
    std::string source;
    std::string device;          ///< "cpu", "cuda" or "any"
    std::string task;            ///< a file of tasks/, without its suffix
    std::string about;           ///< how it cheats, or why it is legitimate
    std::string kind;            ///< class of the exploit; empty for look-alikes and canaries
    std::string expect;          ///< "reject", "no_gain", "label:WORD"; canaries: "incorrect", "slower", "faster"
    std::string honest = "none"; ///< "reference", a file of honest/, or "none"
    std::vector<std::string> ends, labels, needs;
    std::string threads = "one"; ///< "all": on a CPU with as many threads as there are cores

    std::string folder() const { return path.parent_path().filename().string(); }
    std::string name() const { return folder() + "/" + path.stem().string(); } ///< "c01/1_pointer_memo"
    bool fits(const std::string& deviceName) const { return device == "any" || deviceName.starts_with(device); }
    bool hasHonestFile() const { return honest != "none" && honest != "reference"; }
};

/// Corrupt, with the file as context, when the head is not as the contract says.
base::Result<PlantedProgram> parseProgram(const std::filesystem::path& path, const std::string& source);

} // namespace cudal1::selftest
