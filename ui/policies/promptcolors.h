// SPDX-License-Identifier: GPL-3.0-or-later
// Marks where a prompt's messages, sections and code begin, so that a long text can be read at a glance.
#pragma once

#include <QSyntaxHighlighter>

namespace cudal1::ui {

/// Colours of lines: `<|user|>` and fences muted, headings bold, code in its own colour. Follows the theme.
class PromptColors : public QSyntaxHighlighter {
public:
    explicit PromptColors(QTextDocument* document);

protected:
    void highlightBlock(const QString& text) override;
};

} // namespace cudal1::ui
