// SPDX-License-Identifier: GPL-3.0-or-later
// What the command palette lists: actions of the window, or tasks of the project.
#pragma once

#include "core/base/ids.h"
#include "ui/shell/commandpalette.h"

class QStackedWidget;

namespace cudal1::ui {

class ProjectModel;

/// Each action of the window that can be run now, by its name once, those of the page shown first. `pages` is the
/// window's.
std::vector<PaletteItem> actionItems(const QWidget& window, const QStackedWidget& pages);

/// The tasks of the project, each with its best speed-up; running one calls `open`.
std::vector<PaletteItem> taskItems(const ProjectModel& project,
                                   const std::function<void(const base::TaskId& task)>& open);

} // namespace cudal1::ui
