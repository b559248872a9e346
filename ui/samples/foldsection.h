// SPDX-License-Identifier: GPL-3.0-or-later
// A text under a title that folds it.
#pragma once

#include <QWidget>

class QPlainTextEdit;
class QToolButton;

namespace cudal1::ui {

/// In a vertical layout it takes a share of the room while it is open, and a line while it is folded.
class FoldSection : public QWidget {
    Q_OBJECT
public:
    /// `name` is the object name of the text.
    FoldSection(const QString& name, const QString& title, bool open, QWidget* parent = nullptr);

    /// `note` follows the title: "1,200 tokens". The place is kept where the text is the one shown before.
    void setText(const QString& text, const QString& note);
    void setOpen(bool open);
    bool isOpen() const;
    /// Marks every place that has the words and shows the first; none clears the marks. False where there is none.
    bool mark(const QString& words);
    QPlainTextEdit* view() const { return m_view; }

private:
    QString m_title;
    QToolButton* m_button;
    QPlainTextEdit* m_view;
};

} // namespace cudal1::ui
