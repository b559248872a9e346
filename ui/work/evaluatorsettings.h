// SPDX-License-Identifier: GPL-3.0-or-later
// The evaluators that the settings name.
#pragma once

#include "ui/work/runchoice.h"

#include <vector>

namespace cudal1::ui {

/// The usual one first.
std::vector<farm::Launcher> launchersOfSettings();
/// Those after the first, each with a name for where it is.
std::vector<RunChoice::Elsewhere> elsewhereOf(const std::vector<farm::Launcher>& all);

} // namespace cudal1::ui
