// SPDX-License-Identifier: GPL-3.0-or-later
// Kinds of work from launch bound to bandwidth bound, each a chain of equal steps, so that a known share can be added.
//
// They are data (tests/judge/kinds), read by tests/judge/accuracy.py too.
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace cudal1::selftest {

struct WorkKind {
    std::string name;
    std::string cudaShape, cpuShape; ///< "64, 1024"
    std::string init;                ///< a constructor's line, or empty
    std::string step;                ///< an expression in x
    int steps = 100;                 ///< 1: too few for a slow-down of a known per cent

    bool divisible() const { return steps == 100; }
};

struct Kinds {
    std::vector<WorkKind> all;
    std::string pattern; ///< the module's text with @NAME@, @INIT@, @EXTRA@, @STEPS@, @STEP@, @SHAPE@

    /// A module `name` ("Model", "ModelNew") that makes `extra` steps more than it has to.
    std::string source(const WorkKind& kind, const std::string& name, int extra, bool cuda) const;
};

base::Result<Kinds> readKinds(const std::filesystem::path& folder);

/// What a chain that is `percent` steps in a hundred longer should come out as.
constexpr double ratioOfSlower(int percent)
{
    return 100.0 / (100 + percent);
}

} // namespace cudal1::selftest
