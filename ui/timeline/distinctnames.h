// SPDX-License-Identifier: GPL-3.0-or-later
// Short texts for long names that can still be told apart.
#pragma once

#include <QStringList>

namespace cudal1::ui {

/// Each name in at most `width` characters (8 at least). A longer one loses its middle; where different names would
/// look alike then, each keeps its begin and the word in which they first differ, and what they have in common goes.
QStringList distinctNames(const QStringList& names, int width);

} // namespace cudal1::ui
