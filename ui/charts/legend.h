// SPDX-License-Identifier: GPL-3.0-or-later
// Which colour is which level.
#pragma once

#include <QWidget>

namespace cudal1::ui {

class Legend : public QWidget {
    Q_OBJECT
public:
    explicit Legend(QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace cudal1::ui
