// SPDX-License-Identifier: GPL-3.0-or-later
// The pane with the toggles of a variant, each with its effect as number and bar.
#pragma once

class QWidget;

namespace cudal1::ui {

class TogglesModel;

/// The model outlives the pane; whoever puts the pane into a layout owns it.
QWidget* makeTogglesPane(TogglesModel& model);

} // namespace cudal1::ui
