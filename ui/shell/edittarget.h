// SPDX-License-Identifier: GPL-3.0-or-later
// What the Edit menu acts on: what had the focus before the menu took it, else the table of the page shown.
#pragma once

#include <QObject>
#include <QPointer>

class QStackedWidget;
class QWidget;

namespace cudal1::ui {

class ViewTools;

/// Of one window and the stack of its pages, which both outlive this. To be used on the thread of the window.
class EditTarget : public QObject {
    Q_OBJECT
public:
    EditTarget(const QWidget& window, const QStackedWidget& pages);

    /// The tools of the table that has the focus, else of the main one of the page; null where neither is.
    ViewTools* table() const;
    /// The selected rows or text of what has the focus, else of the main table.
    void copy();
    /// In the table that has the focus, else as the page finds.
    void find();

private:
    const QStackedWidget& m_pages;
    QPointer<QWidget> m_focused; ///< the last that had the focus and is no menu and no popup
};

} // namespace cudal1::ui
