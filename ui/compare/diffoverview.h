// SPDX-License-Identifier: GPL-3.0-or-later
// The strip between the two sources that shows where all differences are; a click goes there.
#pragma once

#include "core/base/diff.h"

#include <QWidget>

#include <functional>
#include <memory>
#include <utility>

namespace cudal1::ui {

class DiffOverview : public QWidget {
    Q_OBJECT
public:
    explicit DiffOverview(QWidget* parent = nullptr);

    void setDiff(std::shared_ptr<const base::SideBySide> diff);
    void setCurrent(int difference);
    /// Asked for the first row in view and the number of rows that fit, whenever this is painted.
    void setWindowOf(std::function<std::pair<int, int>()> window) { m_window = std::move(window); }
    QSize sizeHint() const override;

signals:
    void rowRequested(int row);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    /// A short text fills only its own height, as in the editors.
    int rowsInAll() const;
    double yOf(int row) const;

    std::shared_ptr<const base::SideBySide> m_diff;
    int m_current = -1;
    std::function<std::pair<int, int>()> m_window = [] { return std::pair(0, 0); };
};

} // namespace cudal1::ui
