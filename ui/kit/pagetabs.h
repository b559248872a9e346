// SPDX-License-Identifier: GPL-3.0-or-later
// The row of pages: flat tabs, the current one underlined in the accent's colour.
#pragma once

#include <QIcon>
#include <QTabBar>

#include <vector>

namespace cudal1::ui {

/// Where not all of them fit, the tabs go without their icons, and then closer together.
class PageTabs : public QTabBar {
    Q_OBJECT
public:
    explicit PageTabs(QWidget* parent = nullptr);

    /// Without a mark no page is shown as current: the welcome page has no tab.
    void setMarked(bool marked);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void fit();
    void setTight(bool tight);

    std::vector<QIcon> m_icons; ///< of the tabs, while they do not show them
    int m_wide = 0;             ///< so much the tabs take with their icons
    int m_loose = 0;            ///< and without them, before they are close together
    bool m_tight = false;
    bool m_marked = false;
};

} // namespace cudal1::ui
