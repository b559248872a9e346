// SPDX-License-Identifier: GPL-3.0-or-later
// The search field that opens in the corner of a code view: all matches marked, Enter and F3 walk them.
#pragma once

#include <QFrame>

#include <vector>

class QLabel;
class QLineEdit;

namespace cudal1::ui {

class CodeView;

class CodeFindBar : public QFrame {
    Q_OBJECT
public:
    explicit CodeFindBar(CodeView& view);

    void open(const QString& text);
    void dismiss();
    /// Into the view's corner; the view calls it when its size changes.
    void place();
    int matchCount() const { return int(m_matches.size()); }
    int current() const { return m_current; }

public slots:
    void next();
    void previous();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void search();
    void go(int match);
    void clearMarks();
    int topLine() const; ///< of the document

    CodeView& m_view;
    QLineEdit* m_field;
    QLabel* m_count;
    std::vector<std::pair<int, int>> m_matches; ///< byte positions, from and to
    int m_current = -1;
    int m_from = 0;  ///< the line at the top from which the pattern is searched as it is typed
    int m_left = -1; ///< the line at the top that the last match left; another one now was scrolled to
};

} // namespace cudal1::ui
