// SPDX-License-Identifier: GPL-3.0-or-later
// A read-only view of Python source with highlighting, line numbers, folding, search and copy.
#pragma once

#include <Qsci/qsciscintilla.h>

#include <string_view>
#include <vector>

class QsciLexerPython;

namespace cudal1::ui {

class CodeFindBar;

/// One row of a view that is aligned with another: a line of the source, or filler.
struct CodeRow {
    enum class Mark { None, Removed, Added, Filler };
    struct Bytes {
        int first = 0, count = 0;
    };

    std::string_view text;   ///< of the line, without its end; only read during setRows
    int number = 0;          ///< 1-based, as shown in the margin; 0 for filler
    Mark mark = Mark::None;
    std::vector<Bytes> words; ///< highlighted within the line, in bytes of `text`
};

class CodeView : public QsciScintilla {
    Q_OBJECT
public:
    explicit CodeView(QWidget* parent = nullptr);

    /// Shows a source with folding and plain line numbers. The place is kept when the text is the one shown already.
    void setCode(std::string_view utf8);
    /// Shows rows, filler among them: no folding, numbers as given.
    void setRows(const std::vector<CodeRow>& rows);

    /// The selected text without filler rows.
    QString selectedCode() const;
    /// The whole source without filler rows.
    QString code() const;
    void copySelected();
    /// Opens the find bar with the selected word.
    void find();
    CodeFindBar* findBar() const { return m_find; }

    /// Scrolls so that `row` is a third from the top, where it is not well in view already.
    void reveal(int row, int count = 1);
    /// Marks rows in the margin as the current difference; a count of 0 clears.
    void setCurrentRows(int first, int count);
    bool isFiller(int row) const { return row >= 0 && row < int(m_filler.size()) && m_filler[row]; }
    /// What a width of `characters` takes.
    int widthOf(int characters) const;

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void applyTheme();
    void setDocument(const QByteArray& utf8);
    void sizeMargins();
    QString withoutFiller(int first, int last) const;

    QsciLexerPython* m_lexer;
    CodeFindBar* m_find;
    QByteArray m_shown;
    std::vector<bool> m_filler; ///< by row; empty where setCode was used
    int m_numbers = 0;          ///< greatest line number shown
    int m_changeBars = 0;       ///< width of the margin with signs
};

} // namespace cudal1::ui
