// SPDX-License-Identifier: GPL-3.0-or-later
// The application's style sheet, written from the theme's colours and spacing.
#pragma once

#include <QString>

namespace cudal1::ui {

class Theme;

/// Widgets ask for a variant of a look by a property: class="primary" | "quiet" | "chip" | "card" | "title" | "muted".
QString styleSheet(const Theme& theme);

} // namespace cudal1::ui
