// SPDX-License-Identifier: GPL-3.0-or-later
// The base class of the window's pages: a name, an icon, a place for content, and an empty state with one action.
//
// All but WelcomePage are constructed as XPage(ProjectModel&, Selection&, …, QWidget* parent) and link cudal1::ui_work.
// A page reads the project through ProjectModel and follows Selection. It starts and stops no work itself: its header
// declares what the user asks for as signals (`optimizeRequested`, `stopRequested`, …), and app/workbench/pages.cpp
// (for WelcomePage, MainWindow) connects these to the controller or the window. To go to a task, a page or a
// comparison, a page calls Selection::select() and emits no signal.
#pragma once

#include <QIcon>
#include <QWidget>

#include <functional>

class QLabel;
class QPushButton;
class QStackedLayout;

namespace cudal1::ui {

class ViewTools;

/// Used from the GUI thread. A page offers its actions with addAction(); the window lists them in the command palette
/// while the page is shown. Give each action a text, a tool tip and, where it has a shortcut,
/// Qt::WidgetWithChildrenShortcut.
class Page : public QWidget {
    Q_OBJECT
public:
    /// `name` is the object name, by which the window finds the page: lower case and stable ("task"). `title` is what
    /// users read. `icon` is a name for Theme::icon.
    Page(const QString& name, const QString& title, const QString& icon, QWidget* parent = nullptr);

    const QString& title() const { return m_title; }
    const QString& iconName() const { return m_icon; }

    /// Sets the widget that the page shows when it is not empty, and shows it. The page owns it from now on.
    void setContent(QWidget* content);
    QWidget* content() const { return m_content; }

    /// Shows `title` and `text` in place of the content. When `actionText` is not empty there is a button that runs
    /// `action`.
    void showEmpty(const QString& title, const QString& text, const QString& actionText = {},
                   std::function<void()> action = {});
    void showContent();   ///< does nothing when no content was set
    bool isEmpty() const; ///< the empty state is shown, which it is from the start

    /// The table that Edit > Copy and similar commands act on while no table has the focus; null when the page has
    /// none.
    virtual ViewTools* table() const { return nullptr; }

    /// Called for Ctrl+F while the page is shown, unless the widget with the focus has handled the key. Does nothing by
    /// default.
    virtual void find();

    /// Shows the main area alone, or everything again. Does nothing by default.
    virtual void setRoomy(bool roomy);

private:
    QString m_title;
    QString m_icon;
    QStackedLayout* m_stack;
    QWidget* m_empty;
    QLabel* m_emptyIcon;
    QLabel* m_emptyTitle;
    QLabel* m_emptyText;
    QPushButton* m_emptyButton;
    QWidget* m_content = nullptr;
    std::function<void()> m_action;
};

} // namespace cudal1::ui
