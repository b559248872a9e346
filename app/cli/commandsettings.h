// SPDX-License-Identifier: GPL-3.0-or-later
// The options that every verb knows.
#pragma once

#include "app/cli/terminal.h"
#include "core/protocol/messages.h"

#include <filesystem>
#include <string>

namespace cudal1::cli {

struct CommandSettings {
    std::filesystem::path project; ///< empty: the default project
    std::filesystem::path suite;   ///< empty: the bundled one
    std::string device;            ///< empty: the first GPU of the evaluator's machine, or its CPU
    protocol::Precision precision = protocol::Precision::Kernelbench;
    protocol::Preset preset = protocol::Preset::Standard;
    std::uint64_t seed = 0; ///< 0: drawn
    bool json = false;
    bool quiet = false; ///< no progress
    Color color = Color::Auto;
};

} // namespace cudal1::cli
