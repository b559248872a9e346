// SPDX-License-Identifier: GPL-3.0-or-later
// A timeline's numbers as tables of text.
#pragma once

#include "app/cli/terminal.h"
#include "core/protocol/timeline.h"
#include "core/store/project.h"
#include "core/timeline/timelinesummary.h"

#include <string>

namespace cudal1::cli {

/// Both sides beside each other: a call, how busy, gaps, what lies outside.
std::string callsTable(const timeline::TimelineSummary& reference, const timeline::TimelineSummary* candidate);
/// What took the time of one side, at most `most` rows a table; notes of the recording below.
std::string sideText(const Terminal& terminal, const std::string& title, const protocol::Timeline& timeline,
                     const timeline::TimelineSummary& summary, std::size_t most);

/// besideJudgeText() with what the project has of the variant on the recording's device; empty for a reference alone.
std::string besideJudge(const store::Project& project, base::VariantId variant, const protocol::TimelineAnswer& answer);

/// "16×4", without trailing ones.
std::string extentText(const std::array<std::int32_t, 3>& size);

} // namespace cudal1::cli
