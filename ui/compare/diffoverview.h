// SPDX-License-Identifier: GPL-3.0-or-later
// The strip between the two sources that shows where all differences are; a click goes there.
#pragma once

#include "ui/compare/diff.h"

#include <QWidget>

#include <memory>

namespace cudal1::ui {

class DiffOverview : public QWidget {
    Q_OBJECT
public:
    explicit DiffOverview(QWidget* parent = nullptr);

    void setDiff(std::shared_ptr<const SideBySide> diff);
    void setCurrent(int difference);
    /// The rows in view.
    void setWindow(int firstRow, int rowCount);
    QSize sizeHint() const override;

signals:
    void rowRequested(int row);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    double yOf(int row) const;

    std::shared_ptr<const SideBySide> m_diff;
    int m_current = -1;
    int m_firstRow = 0, m_rowCount = 0;
};

} // namespace cudal1::ui
