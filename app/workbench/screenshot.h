// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a picture of the window once its data is loaded, then ends the program.
#pragma once

#include <QString>

namespace cudal1::ui {
class MainWindow;
}

namespace cudal1::workbench {

/// Exit status 0 when the file is written; 1 when it cannot be, or nothing was loaded within half a minute.
void takeScreenshot(ui::MainWindow& window, const QString& file, int delay_ms);

} // namespace cudal1::workbench
