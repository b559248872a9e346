// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a line is within a block of code is the state of the line before.
#include "ui/policies/promptcolors.h"

#include "ui/kit/theme.h"

namespace cudal1::ui {

namespace {

enum LineState { Words = 0, Code = 1 };

} // namespace

PromptColors::PromptColors(QTextDocument* document) : QSyntaxHighlighter(document)
{
    connect(&Theme::instance(), &Theme::changed, this, &PromptColors::rehighlight);
}

void PromptColors::highlightBlock(const QString& text)
{
    const Theme& theme = Theme::instance();
    const bool isFence = text.startsWith(QLatin1String("```"));
    const bool inCode = previousBlockState() == Code;
    setCurrentBlockState(isFence != inCode ? Code : Words);
    QTextCharFormat format;
    if (isFence || (text.startsWith(QLatin1String("<|")) && text.endsWith(QLatin1String("|>")))) {
        format.setForeground(theme.color(Role::Muted));
    } else if (inCode) {
        format.setForeground(
            theme.color(text.trimmed().startsWith(QLatin1Char('#')) ? Role::CodeComment : Role::CodeText));
    } else if (text.startsWith(QLatin1Char('#'))) {
        format.setFontWeight(QFont::Bold);
    } else {
        return;
    }
    setFormat(0, int(text.size()), format);
}

} // namespace cudal1::ui
