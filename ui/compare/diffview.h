// SPDX-License-Identifier: GPL-3.0-or-later
// Two code views side by side: aligned rows, marked differences, linked scrolling.
#pragma once

#include "ui/compare/diff.h"

#include <QWidget>

#include <memory>

class QSplitter;

namespace cudal1::ui {

class CodeView;
class DiffOverview;

class DiffView : public QWidget {
    Q_OBJECT
public:
    explicit DiffView(QWidget* parent = nullptr);

    /// Shows two UTF-8 sources. Small ones at once; the rows of large ones are computed on a worker, and `shown` follows.
    void setTexts(const std::string& left, const std::string& right);

    const SideBySide& diff() const { return *m_diff; }
    int differenceCount() const { return int(m_diff->differences.size()); }
    int current() const { return m_current; } ///< -1 before the first step
    CodeView* left() const { return m_left; }
    CodeView* right() const { return m_right; }

public slots:
    void nextDifference();
    void previousDifference();
    void goTo(int difference);

signals:
    void shown();
    void currentChanged(int current);

private:
    void display(std::shared_ptr<const std::string> left, std::shared_ptr<const std::string> right,
                 std::shared_ptr<const SideBySide> diff);
    void link(CodeView* from, CodeView* to);

    CodeView* m_left;
    CodeView* m_right;
    DiffOverview* m_overview;
    QSplitter* m_splitter;
    std::shared_ptr<const SideBySide> m_diff = std::make_shared<SideBySide>();
    int m_current = -1;
    quint64 m_generation = 0;
};

} // namespace cudal1::ui
