// SPDX-License-Identifier: GPL-3.0-or-later
// Base of the pages of the window: a name, an icon, a place for content and an empty state with one action.
//
// A page is made as X(ProjectModel&, Selection&, QWidget* parent), links cudal1::ui_shell and emits intents, which the
// window (target cudal1::ui_window) connects to the controller:
//   TaskBrowser, OverviewPage  optimizeRequested(base::TaskId)
//   TaskPage                   optimizeRequested(base::TaskId) stopRequested(base::TaskId) evaluateRequested(base::VariantId)
//   ComparePage                evaluateRequested(base::VariantId) judgeRequested(store::VariantRecord)
//   TimelinePage               recordRequested(base::TaskId, std::vector<base::VariantId>)
//   AblationPage               ablateRequested(ablation::Request) stopRequested(quint64 job)
// TaskPage is also given setJobs(JobsModel&) and setRunChoice(RunChoice&). Going to a task, a page or a comparison needs
// no intent: it is Selection::select().
#pragma once

#include <QIcon>
#include <QWidget>

#include <functional>

class QLabel;
class QPushButton;
class QStackedLayout;

namespace cudal1::ui {

class ViewTools;

/// Actions of a page are those added with addAction(): the window puts them in the palette while the page is shown.
/// Give each a text, a tool tip and, where it has one, a shortcut with Qt::WidgetWithChildrenShortcut.
class Page : public QWidget {
    Q_OBJECT
public:
    /// `name` is the object name, stable and lower case ("task"); `icon` a name for Theme::icon.
    Page(const QString& name, const QString& title, const QString& icon, QWidget* parent = nullptr);

    const QString& title() const { return m_title; }
    const QString& iconName() const { return m_icon; }

    /// The widget of the page when it has something to show; owned by the page from now on.
    void setContent(QWidget* content);
    QWidget* content() const { return m_content; }

    /// Shows `title` and `text` in place of the content, with one button when `actionText` is not empty.
    void showEmpty(const QString& title, const QString& text, const QString& actionText = {},
                   std::function<void()> action = {});
    void showContent();
    bool isEmpty() const;

    /// The table that Edit > Copy and the like act on while none has the focus; null when the page has none.
    virtual ViewTools* table() const { return nullptr; }

    /// Ctrl+F while the page is shown and nothing in it that has focus took it. Default: nothing.
    virtual void find();

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
