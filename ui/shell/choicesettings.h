// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of the tool bar is kept as settings.
#pragma once

namespace cudal1::ui {

class RunChoice;

/// Gives the choice what the settings say; from then on each follows the other, for as long as the choice lives.
void keepInSettings(RunChoice& choice);

} // namespace cudal1::ui
