// SPDX-License-Identifier: GPL-3.0-or-later
// The find bar of a table: a small overlay in its upper right corner.
#pragma once

#include <QFrame>

class QAbstractItemView;
class QLabel;
class QLineEdit;
class QToolButton;

namespace cudal1::ui {

class TableFindBar : public QFrame {
    Q_OBJECT
public:
    explicit TableFindBar(QAbstractItemView* view);

    /// Shows the bar with its field focused and its text selected.
    void open();
    void openToFilter();
    /// Hides the bar. A filter stays until it is removed: its chip says that rows are hidden.
    void dismiss();
    /// Moves the view's current row to the next (+1) or previous (-1) row with a match in any column; wraps.
    void step(int direction);
    void setPattern(const QString& pattern);

signals:
    /// The pattern that rows must match to stay; empty when filtering is off.
    void filterRequested(const QString& pattern);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void place();
    void patternEdited();

    QAbstractItemView* m_view;
    QLineEdit* m_edit;
    QToolButton* m_filter;
    QLabel* m_count;
};

} // namespace cudal1::ui
