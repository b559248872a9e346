// SPDX-License-Identifier: GPL-3.0-or-later
// The theme's roles on Scintilla's styles, markers and indicators.
#include "ui/editor/codecolors.h"

#include "ui/editor/embeddedcode.h"
#include "ui/kit/theme.h"

#include <Qsci/qscilexerpython.h>
#include <Qsci/qsciscintilla.h>

namespace cudal1::ui {

namespace {

void colorLexer(QsciLexerPython& lexer, const Theme& theme)
{
    const QFont font = theme.monoFont();
    const QColor paper = theme.color(Role::CodeBackground);
    lexer.setDefaultFont(font);
    lexer.setDefaultPaper(paper);
    lexer.setDefaultColor(theme.color(Role::CodeText));
    lexer.setFont(font, -1);
    lexer.setPaper(paper, -1);
    lexer.setColor(theme.color(Role::CodeText), -1);
    const std::pair<int, Role> colors[] = {
        {QsciLexerPython::Comment, Role::CodeComment},
        {QsciLexerPython::CommentBlock, Role::CodeComment},
        {QsciLexerPython::Number, Role::CodeNumber},
        {QsciLexerPython::Keyword, Role::CodeKeyword},
        {QsciLexerPython::HighlightedIdentifier, Role::CodeClass},
        {QsciLexerPython::ClassName, Role::CodeClass},
        {QsciLexerPython::FunctionMethodName, Role::CodeFunction},
        {QsciLexerPython::Operator, Role::CodeOperator},
        {QsciLexerPython::Decorator, Role::CodeDecorator},
        {QsciLexerPython::DoubleQuotedString, Role::CodeString},
        {QsciLexerPython::SingleQuotedString, Role::CodeString},
        {QsciLexerPython::TripleSingleQuotedString, Role::CodeString},
        {QsciLexerPython::TripleDoubleQuotedString, Role::CodeString},
        {QsciLexerPython::UnclosedString, Role::CodeString},
        {QsciLexerPython::DoubleQuotedFString, Role::CodeString},
        {QsciLexerPython::SingleQuotedFString, Role::CodeString},
        {QsciLexerPython::TripleSingleQuotedFString, Role::CodeString},
        {QsciLexerPython::TripleDoubleQuotedFString, Role::CodeString},
    };
    for (const auto& [style, role] : colors)
        lexer.setColor(theme.color(role), style);
    QFont bold = font;
    bold.setWeight(QFont::DemiBold);
    lexer.setFont(bold, QsciLexerPython::ClassName);
    lexer.setFont(bold, QsciLexerPython::FunctionMethodName);
}

void indicator(QsciScintilla& editor, int number, const QColor& color, int alpha, int outline)
{
    editor.indicatorDefine(QsciScintilla::StraightBoxIndicator, number);
    editor.setIndicatorForegroundColor(color, number);
    editor.setIndicatorDrawUnder(true, number);
    editor.SendScintilla(QsciScintilla::SCI_INDICSETALPHA, number, long(alpha));
    editor.SendScintilla(QsciScintilla::SCI_INDICSETOUTLINEALPHA, number, long(outline));
}

} // namespace

void applyCodeColors(QsciScintilla& editor, QsciLexerPython& lexer)
{
    const Theme& theme = Theme::instance();
    colorLexer(lexer, theme);
    editor.setPaper(theme.color(Role::CodeBackground));
    editor.setColor(theme.color(Role::CodeText));
    editor.setCaretForegroundColor(theme.color(Role::CodeText));
    editor.setCaretLineBackgroundColor(theme.color(Role::CodeCurrentLine));
    editor.setSelectionBackgroundColor(theme.color(Role::Selected));
    editor.resetSelectionForegroundColor();
    editor.setMarginsBackgroundColor(theme.color(Role::CodeBackground));
    editor.setMarginsForegroundColor(theme.color(Role::CodeMargin));
    editor.setMarginsFont(theme.monoFont());
    editor.setFoldMarginColors(theme.color(Role::CodeBackground), theme.color(Role::CodeBackground));
    editor.setEdgeColor(theme.color(Role::Border));
    editor.setIndentationGuidesBackgroundColor(theme.color(Role::CodeBackground));
    editor.setIndentationGuidesForegroundColor(theme.color(Role::Border));
    editor.setMatchedBraceBackgroundColor(theme.color(Role::Selected));
    editor.setMatchedBraceForegroundColor(theme.color(Role::CodeText));
    editor.setUnmatchedBraceBackgroundColor(theme.color(Role::CodeBackground));
    editor.setUnmatchedBraceForegroundColor(theme.color(Role::CodeText));
    for (int marker = int(QsciScintilla::SC_MARKNUM_FOLDEREND); marker <= int(QsciScintilla::SC_MARKNUM_FOLDEROPEN);
         ++marker) {
        // QsciScintilla's own setters leave the fold markers alone.
        editor.SendScintilla(QsciScintilla::SCI_MARKERSETFORE, marker, theme.color(Role::CodeBackground));
        editor.SendScintilla(QsciScintilla::SCI_MARKERSETBACK, marker, theme.color(Role::CodeMargin));
    }

    const std::pair<CodeMarker, Role> lines[] = {{FillerMarker, Role::Filler},
                                                 {RemovedMarker, Role::RemovedLine},
                                                 {AddedMarker, Role::AddedLine},
                                                 {LinkedMarker, Role::Selected}};
    for (const auto& [marker, role] : lines) {
        editor.markerDefine(QsciScintilla::Background, marker);
        editor.setMarkerBackgroundColor(theme.color(role), marker);
    }
    editor.markerDefine(QsciScintilla::LeftRectangle, CurrentSign);
    editor.setMarkerBackgroundColor(theme.color(Role::Accent), CurrentSign);
    editor.setMarkerForegroundColor(theme.color(Role::Accent), CurrentSign);
    for (const auto& [marker, letter] : {std::pair(RemovedSign, '-'), std::pair(AddedSign, '+')}) {
        editor.markerDefine(letter, marker);
        editor.setMarkerBackgroundColor(theme.color(Role::CodeBackground), marker);
        editor.setMarkerForegroundColor(theme.color(Role::CodeMargin), marker);
    }
    editor.setWhitespaceForegroundColor(theme.color(Role::CodeMargin));

    indicator(editor, RemovedWordIndicator, theme.color(Role::RemovedWord), 255, 255);
    indicator(editor, AddedWordIndicator, theme.color(Role::AddedWord), 255, 255);
    indicator(editor, MatchIndicator, theme.color(Role::Warning), 60, 120);
    indicator(editor, CurrentMatchIndicator, theme.color(Role::Warning), 150, 255);

    const std::pair<CodeToken::Kind, Role> tokens[] = {{CodeToken::Kind::Plain, Role::CodeText},
                                                       {CodeToken::Kind::Keyword, Role::CodeKeyword},
                                                       {CodeToken::Kind::Type, Role::CodeClass},
                                                       {CodeToken::Kind::Builtin, Role::CodeDecorator},
                                                       {CodeToken::Kind::Function, Role::CodeFunction},
                                                       {CodeToken::Kind::Number, Role::CodeNumber},
                                                       {CodeToken::Kind::String, Role::CodeString},
                                                       {CodeToken::Kind::Comment, Role::CodeComment},
                                                       {CodeToken::Kind::Preprocessor, Role::CodeDecorator}};
    for (const auto& [kind, role] : tokens) {
        const int number = FirstTokenIndicator + int(kind);
        editor.indicatorDefine(QsciScintilla::TextColorIndicator, number);
        editor.setIndicatorForegroundColor(theme.color(role), number);
    }
}

} // namespace cudal1::ui
