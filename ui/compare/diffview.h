// SPDX-License-Identifier: GPL-3.0-or-later
// Two code views side by side: aligned rows, marked differences, linked scrolling.
#pragma once

#include "core/base/diff.h"
#include "ui/kit/background.h"

#include <QWidget>

#include <map>
#include <memory>
#include <utility>
#include <vector>

class QSplitter;

namespace cudal1::ui {

class CodeView;
class DiffOverview;
class ElidedLabel;
enum class CodeLanguage;

/// Lines of a source, 1-based, both ends included.
struct LineRange {
    int first = 0, last = 0;

    bool operator==(const LineRange&) const = default;
};

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
    /// Marks lines of one side and scrolls to the first of them; none clears the marks of both.
    void showLines(bool left, const std::vector<LineRange>& lines);

    const base::SideBySide& diff() const { return *m_diff; }
    int differenceCount() const { return int(m_diff->differences.size()); }
    int current() const { return m_current; } ///< -1 before the first step
    CodeView* left() const { return m_left; }
    CodeView* right() const { return m_right; }

public slots:
    void nextDifference();
    void previousDifference();
    void goTo(int difference);
    void setFolded(bool folded);

signals:
    void shown();
    void currentChanged(int current);
    void foldedChanged(bool folded);

private:
    using Differences = base::SideBySide(std::string_view, std::string_view);
    void compare(const std::string& left, const std::string& right, Differences* differences);
    void display(const std::shared_ptr<const std::string>& left, const std::shared_ptr<const std::string>& right,
                 std::shared_ptr<const base::SideBySide> diff);
    void link(CodeView* from, CodeView* to);
    void follow(CodeView* from, CodeView* to);
    void hideEqual();
    void unfold(int first);

    QWidget* makeSide(const QString& letter, ElidedLabel* title, const std::vector<QWidget*>& below);

    CodeView* m_left;
    CodeView* m_right;
    ElidedLabel* m_leftTitle;
    ElidedLabel* m_rightTitle;
    DiffOverview* m_overview;
    QSplitter* m_splitter;
    std::shared_ptr<const base::SideBySide> m_diff = std::make_shared<base::SideBySide>();
    /// Where each side was last seen or put, as line and pixels.
    std::map<CodeView*, std::pair<int, int>> m_places;
    int m_current = -1;
    bool m_folded = false;
    std::vector<base::EqualRun> m_hidden; ///< in both views
    Asker m_asker{this};                  ///< for the rows of large texts
};

} // namespace cudal1::ui
