// SPDX-License-Identifier: GPL-3.0-or-later
// Gives a page the whole window on request: docks go, and what the page has beside its main area. Each page remembers
// it.
#pragma once

#include <QObject>
#include <QPointer>

#include <map>
#include <vector>

class QAction;
class QDockWidget;
class QStackedWidget;

namespace cudal1::ui {

class Page;

/// Pages, docks and the stack outlive it.
class PageRoom : public QObject {
    Q_OBJECT
public:
    /// `toggle` follows the page shown in `stack`, and gives it room or takes it back.
    PageRoom(QAction& toggle, QStackedWidget& stack, std::vector<QDockWidget*> docks, QObject* parent);

    void addPage(Page& page);
    /// Shows the docks again, so that the window can be kept as it is without extra room.
    void leave();

private:
    void apply();

    QAction& m_toggle;
    QStackedWidget& m_stack;
    std::vector<QDockWidget*> m_docks;
    std::map<Page*, QAction*> m_pages;         ///< checked: that page has room
    std::vector<QPointer<QDockWidget>> m_gone; ///< hidden by this
    bool m_applied = false;
};

} // namespace cudal1::ui
