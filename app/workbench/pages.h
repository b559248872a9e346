// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the pages and the list of tasks into the window and connects what they ask for.
#pragma once

namespace cudal1::ui {
class MainWindow;
}

namespace cudal1::workbench {

void addPages(ui::MainWindow& window);

} // namespace cudal1::workbench
