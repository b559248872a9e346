// SPDX-License-Identifier: GPL-3.0-or-later
// Which colour is which level.
#pragma once

#include <QWidget>

#include <set>
#include <vector>

namespace cudal1::ui {

class Legend : public QWidget {
    Q_OBJECT
public:
    explicit Legend(QWidget* parent = nullptr);
    /// Levels that have an entry; 0 for files.
    void setLevels(const std::set<int>& levels);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<std::pair<int, QString>> entries() const;

    std::set<int> m_levels;
};

} // namespace cudal1::ui
