// SPDX-License-Identifier: GPL-3.0-or-later
// A view of Python source with highlighting (of C++ in its strings too), line numbers, folding, search and copy.
#pragma once

#include <Qsci/qsciscintilla.h>

#include <map>
#include <optional>
#include <string_view>
#include <utility>
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

    std::string_view text; ///< of the line, without its end; only read during setRows
    int number = 0;        ///< 1-based, as shown in the margin; 0 for filler
    Mark mark = Mark::None;
    std::vector<Bytes> words; ///< highlighted within the line, in bytes of `text`
    /// Of two texts in one column: its number in the first of them, where `number` is that in the second; each 0 where
    /// the line is not in that text.
    std::optional<int> first = {};
};

/// Rows that are out of sight behind a note of how many they are.
struct HiddenRows {
    int first = 0, count = 0;

    bool operator==(const HiddenRows&) const = default;
};

/// Empty lines below a row that are no part of the text.
struct EmptyLines {
    int row = 0, count = 0;

    bool operator==(const EmptyLines&) const = default;
};

/// What the text is written in; sources are Python.
enum class CodeLanguage { Python, Assembly };

class CodeView : public QsciScintilla {
    Q_OBJECT
public:
    explicit CodeView(QWidget* parent = nullptr);

    /// Of what is shown from now on.
    void setLanguage(CodeLanguage language);
    /// Read-only at first. An editable view takes Tab and printable keys as text.
    void setEditable(bool editable);

    /// Shows a source with folding and plain line numbers. The place is kept when the text is the one shown already.
    void setCode(std::string_view utf8);
    /// Shows rows, filler among them: no folding, numbers as given.
    void setRows(const std::vector<CodeRow>& rows);

    /// Marks lines of what setCode showed as changed: of each row the number, the mark and the words count. Replaces
    /// the marks that were there.
    void setChanged(const std::vector<CodeRow>& rows);

    /// Long lines go on below themselves, in place of being reached by scrolling.
    void setWrapped(bool wrapped);
    /// Draws blanks and tabs.
    void setSpaceShown(bool shown);
    /// How many lines of the screen a row takes; 0 for a hidden one. After layOut().
    int heightOf(int row) const;
    /// Makes heightOf() say what holds for the present width.
    void layOut();
    /// In the order of their rows. Replaces those that were there.
    void setEmptyLines(std::vector<EmptyLines> lines);

    /// Hides runs of rows, in order and not touching; none begins at row 0. Replaces what was hidden; setRows and
    /// setCode clear it.
    void setHidden(std::vector<HiddenRows> runs);
    const std::vector<HiddenRows>& hidden() const { return m_hidden; }

    /// The selected text without filler rows.
    QString selectedCode() const;
    /// The whole source without filler rows.
    QString code() const;
    void copySelected();
    /// Opens the find bar with the selected word.
    void find();
    CodeFindBar* findBar() const { return m_find; }

    /// Scrolls so that `row` is a third from the top, where it is not well in view already. For a hidden one
    /// shownRequested comes first.
    void reveal(int row, int count = 1);
    /// Scrolls so that the first line that begins with `text`, after blanks, is near the top, where the lines below it
    /// would not be in view.
    void revealLine(const QString& text);
    /// Marks rows that something beside the code speaks of; a count of 0 clears.
    void setLinkedRows(const std::vector<HiddenRows>& rows);
    /// The first row in view and the number of rows that fit.
    std::pair<int, int> window() const;
    /// Marks rows in the margin as the current difference; a count of 0 clears.
    void setCurrentRows(int first, int count);
    bool isFiller(int row) const { return row >= 0 && row < int(m_filler.size()) && m_filler[row]; }
    /// What a width of `characters` takes.
    int widthOf(int characters) const;

signals:
    /// The hidden rows with this first row are wanted: their note was clicked, or a row of theirs is to be shown.
    void shownRequested(int first);

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void applyTheme();
    void setDocument(const QByteArray& utf8);
    void highlightEmbedded();
    void mark(int row, const CodeRow& code);
    void annotate();
    QString noteOf(int count) const;
    void sizeMargins();
    int digits() const; ///< of the greatest line number shown
    QString withoutFiller(int first, int last) const;

    QsciLexerPython* m_lexer;
    CodeFindBar* m_find;
    QByteArray m_shown;
    CodeLanguage m_language = CodeLanguage::Python;
    bool m_editable = false;
    std::vector<HiddenRows> m_hidden;
    std::vector<EmptyLines> m_empty;
    std::map<int, QByteArray> m_notes; ///< by row: what stands below it
    std::vector<bool> m_filler;        ///< by row; empty where setCode was used
    int m_numbers = 0;                 ///< greatest line number shown
    bool m_twoNumbers = false;         ///< CodeRow::first
    int m_changeBars = 0;              ///< width of the margin with signs
    bool m_signs = false;              ///< setChanged() has put some
};

} // namespace cudal1::ui
