// SPDX-License-Identifier: GPL-3.0-or-later
// Gives a QScintilla editor and its Python lexer the colours and fonts of the theme.
#pragma once

class QsciLexerPython;
class QsciScintilla;

namespace cudal1::ui {

/// Marker and indicator numbers of a CodeView; a smaller marker is painted first.
enum CodeMarker { FillerMarker = 0, RemovedMarker, AddedMarker, LinkedMarker, CurrentSign, RemovedSign, AddedSign };
enum CodeIndicator {
    RemovedWordIndicator = 8,
    AddedWordIndicator,
    MatchIndicator,
    CurrentMatchIndicator,
    FirstTokenIndicator, ///< one for each CodeToken::Kind from here on: the text's colour within embedded C++
};

void applyCodeColors(QsciScintilla& editor, QsciLexerPython& lexer);

} // namespace cudal1::ui
