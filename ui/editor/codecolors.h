// SPDX-License-Identifier: GPL-3.0-or-later
// Gives a QScintilla editor and its Python lexer the colours and fonts of the theme.
#pragma once

class QsciLexerPython;
class QsciScintilla;

namespace cudal1::ui {

/// Marker and indicator numbers of a CodeView; a smaller marker is painted first.
enum CodeMarker { FillerMarker = 0, RemovedMarker, AddedMarker, CurrentSign };
enum CodeIndicator { RemovedWordIndicator = 8, AddedWordIndicator, MatchIndicator, CurrentMatchIndicator };

void applyCodeColors(QsciScintilla& editor, QsciLexerPython& lexer);

} // namespace cudal1::ui
