// SPDX-License-Identifier: GPL-3.0-or-later
// The word that somebody has probably meant.
#pragma once

#include <QString>
#include <QStringList>

namespace cudal1::cli {

/// The one of `known` that differs from `word` in the fewest letters, of which one in three may differ, and at least
/// one. Two letters that changed places count as one. Empty when there is none.
QString nearest(const QString& word, const QStringList& known);

} // namespace cudal1::cli
