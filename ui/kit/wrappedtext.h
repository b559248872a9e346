// SPDX-License-Identifier: GPL-3.0-or-later
// Text in a few lines.
#pragma once

#include <QStringList>

class QWidget;

namespace cudal1::ui {

struct WrappedText {
    QStringList lines;
    bool isWhole = true; ///< else the last line ends in an ellipsis
};

/// The text in at most `most` lines, as wide as `width` pixels in the font of the widget: broken between words, and
/// within a word that is wider than that. On the GUI thread.
WrappedText wrappedText(const QString& text, const QWidget& widget, int width, int most);

} // namespace cudal1::ui
