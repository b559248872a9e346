// SPDX-License-Identifier: GPL-3.0-or-later
// Two texts compared: side by side with aligned rows and linked scrolling, or in one column with what is gone above
// what came in its place. Differences are marked.
#pragma once

#include "core/base/diff.h"
#include "ui/editor/codeview.h"
#include "ui/kit/background.h"

#include <QWidget>

#include <memory>
#include <vector>

class QSplitter;

namespace cudal1::ui {

class DiffOverview;
class ElidedLabel;
class LinkedViews;

/// Lines of a source, 1-based, both ends included.
struct LineRange {
    int first = 0, last = 0;

    bool operator==(const LineRange&) const = default;
};

/// A line, 0-based, with its mark and the words that differ, for an editor; without its text.
CodeRow markedRow(int line, CodeRow::Mark mark, const std::vector<base::ByteSpan>& words);

class DiffView : public QWidget {
    Q_OBJECT
public:
    explicit DiffView(QWidget* parent = nullptr);

    /// Shows two UTF-8 texts. Small ones at once; the rows of large ones are computed on a worker, and `shown` follows.
    void setTexts(const std::string& left, const std::string& right);
    /// The same for programs of a task, without the differences between every candidate and its task.
    void setPrograms(const std::string& left, const std::string& right);
    /// Shows two UTF-8 texts beside each other of which one stands in for something missing: no difference is looked
    /// for.
    void setUnrelated(const std::string& left, const std::string& right);
    /// What stands above the sides, after "A" and "B".
    void setTitles(const QString& left, const QString& right);
    /// Of the texts that follow.
    void setLanguage(CodeLanguage language);
    /// Whether equal parts are out of sight, but for a few lines around each difference.
    bool isFolded() const { return m_folded; }
    /// The left view alone is shown, and has all rows. Texts that are unrelated stand side by side all the same.
    bool isInline() const { return m_inline && m_differences; }
    /// The view from which the others follow: the left one in one column, else the right one.
    CodeView* main() const { return isInline() ? m_left : m_right; }
    /// Marks lines of one side and scrolls to the first of them; none clears the marks of both.
    void showLines(bool left, const std::vector<LineRange>& lines);

    /// The rows as they are shown.
    const base::SideBySide& diff() const { return *m_diff; }
    int differenceCount() const { return int(m_diff->differences.size()); }
    int current() const { return m_current; } ///< -1 before the first step
    CodeView* left() const { return m_left; }
    CodeView* right() const { return m_right; }
    /// There is no room for 40 letters on each side.
    bool isNarrow() const { return m_isNarrow; }

public slots:
    void nextDifference();
    void previousDifference();
    void goTo(int difference);
    void setFolded(bool folded);
    void setInline(bool one);
    void setWrapped(bool wrapped);
    void setSpaceShown(bool shown);
    /// Whether lines that differ in blanks alone are equal.
    void setSpaceIgnored(bool ignored);

signals:
    void shown();
    void currentChanged(int current);
    void foldedChanged(bool folded);
    void narrowChanged(bool narrow);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    using Differences = base::SideBySide(std::string_view, std::string_view, base::WhiteSpace);
    void compare(const std::string& left, const std::string& right, Differences* differences);
    void compareAgain();
    void display(std::shared_ptr<const base::SideBySide> diff);
    void displayRows();
    void showTitles();
    void showScrollBars();
    void goToRow(int row);
    void hideEqual();
    void unfold(int first);

    QWidget* makeSide(const QString& letter, ElidedLabel* title, const std::vector<QWidget*>& below);

    CodeView* m_left;
    CodeView* m_right;
    ElidedLabel* m_leftTitle;
    ElidedLabel* m_rightTitle;
    DiffOverview* m_overview;
    QSplitter* m_splitter;
    LinkedViews* m_links;
    QString m_titleA, m_titleB;
    std::shared_ptr<const std::string> m_textA = std::make_shared<std::string>(), m_textB = m_textA;
    Differences* m_differences = nullptr; ///< by which the texts were compared; null for unrelated ones
    std::shared_ptr<const base::SideBySide> m_sides = std::make_shared<base::SideBySide>(); ///< what was found
    std::shared_ptr<const base::SideBySide> m_diff = m_sides;                               ///< the rows shown
    int m_current = -1;
    bool m_folded = false;
    bool m_inline = false, m_isNarrow = false;
    base::WhiteSpace m_space = base::WhiteSpace::Counts;
    std::vector<base::EqualRun> m_hidden; ///< in both views
    Asker m_asker{this};                  ///< for the rows of large texts
};

} // namespace cudal1::ui
