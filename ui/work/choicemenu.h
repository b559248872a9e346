// SPDX-License-Identifier: GPL-3.0-or-later
// Entries for the choice of the next run, for any menu: the checked one follows RunChoice, picking one changes it.
#pragma once

class QMenu;
class QString;

namespace cudal1::ui {

class RunChoice;

/// A line that names the entries below it.
void addHeading(QMenu* menu, const QString& text);
/// Where no GPU is among the devices it is said why, and how to use another machine's.
/// Devices may become known later: call it when the menu is about to show. Adds to the end of the menu.
void addDevices(QMenu* menu, RunChoice& choice);
void addPrecisions(QMenu* menu, RunChoice& choice);
void addPresets(QMenu* menu, RunChoice& choice);
void addRounds(QMenu* menu, RunChoice& choice);

} // namespace cudal1::ui
