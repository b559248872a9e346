// SPDX-License-Identifier: GPL-3.0-or-later
// What the paper's protocol made of a candidate, as lines of text.
#pragma once

#include "app/cli/terminal.h"
#include "core/protocol/paper.h"

#include <string>
#include <vector>

namespace cudal1::cli {

/// The paper's number by its clock and by wall, how it came about, and each rule that did not hold with the reason.
std::vector<std::string> paperLines(const Terminal& terminal, const protocol::PaperResult& result);

} // namespace cudal1::cli
