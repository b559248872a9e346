// SPDX-License-Identifier: GPL-3.0-or-later
// The row of pages: flat tabs, the current one underlined in the accent's colour.
#pragma once

#include <QTabBar>

namespace cudal1::ui {

class PageTabs : public QTabBar {
    Q_OBJECT
public:
    explicit PageTabs(QWidget* parent = nullptr);

    /// Without a mark no page is shown as current: the welcome page has no tab.
    void setMarked(bool marked);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    bool m_marked = false;
};

} // namespace cudal1::ui
