// SPDX-License-Identifier: GPL-3.0-or-later
// Gives a page the docks' place: on request, with what it has beside its main area too, which each page remembers; and
// by itself where the window is narrow, until it is wider again.
#pragma once

#include <QObject>

#include <map>
#include <vector>

class QAction;
class QDockWidget;
class QMainWindow;
class QStackedWidget;
class QToolBar;
class QWidget;

namespace cudal1::ui {

class Page;

/// Window, pages, docks and the stack outlive it.
class PageRoom : public QObject {
    Q_OBJECT
public:
    /// `toggle` follows the page shown in `stack`, and gives it room or takes it back.
    PageRoom(QAction& toggle, QStackedWidget& stack, QMainWindow& window, const std::vector<QDockWidget*>& docks);

    void addPage(Page& page);
    /// Shows the docks again, so that the window can be kept as it is without extra room. Nothing is folded after it.
    void leave();

signals:
    void unfolded(); ///< a dock has its first place in the window

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Dock {
        QDockWidget* widget;
        QAction* wanted;     ///< checked: the user has opened it in a narrow window, where it stays
        bool folded = false; ///< as it should be now
        bool gone = false;   ///< hidden by this
        bool seen = false;   ///< it has had a place in the window
    };
    void addDock(QDockWidget* dock);
    void dockChosen(Dock& dock, bool shown);
    void afresh();
    void apply();

    QAction& m_toggle;
    QStackedWidget& m_stack;
    QMainWindow& m_window;
    std::vector<Dock> m_docks;
    QToolBar* m_strip;                 ///< opens docks in a narrow window
    std::map<Page*, QAction*> m_pages; ///< checked: that page has room
    bool m_narrow = false, m_left = false;
    bool m_shown = false, m_arranged = false; ///< the window: from its first show on, and when that is over
};

/// Makes a window smaller where it is larger than its screen has room for.
void fitScreen(QWidget& window);

} // namespace cudal1::ui
