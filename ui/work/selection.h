// SPDX-License-Identifier: GPL-3.0-or-later
// What is being looked at: the one owner of the task, the two compared variants and the page, with back and forward,
// and of the filters that all views follow.
#pragma once

#include "core/store/project.h"

#include <QObject>
#include <QString>

#include <set>
#include <vector>

namespace cudal1::ui {

/// A filter of tasks and variants, made by a click in a chart or on a chip of the task list.
struct SelectionFilter {
    QString kind; ///< "range", "level", "technique", "state", "split", "search": a new filter takes the place of that
                  ///< of its kind
    QString key;  ///< which one of its kind: "range:1.25"
    QString text; ///< on its chip
    std::set<base::TaskId> tasks; ///< that stay
    // Of the variants that stay; empty: any.
    std::string technique, deviceModel;
    base::RunId run;
    base::VariantId variant;

    bool leaves(const store::VariantRow& row) const;
};

/// A variant id of 0 on either side of a comparison means the task's reference.
class Selection : public QObject {
    Q_OBJECT
public:
    explicit Selection(QObject* parent = nullptr);

    const base::TaskId& task() const { return m_now.task; }
    base::VariantId left() const { return m_now.left; }
    base::VariantId right() const { return m_now.right; }
    /// Object name of the page shown: "overview", "task", "compare".
    const QString& page() const { return m_now.page; }

    /// Selects a task and forgets the compared variants (reference on both sides until compare() is called).
    void selectTask(const base::TaskId& task);
    void compare(base::VariantId left, base::VariantId right);
    void selectPage(const QString& page);
    /// A task's page, as one step of the history. Of the task that is selected, what is compared stays.
    void open(const base::TaskId& task, const QString& page);
    /// Task, comparison and page as one step of the history.
    void select(const base::TaskId& task, base::VariantId left, base::VariantId right, const QString& page);

    bool canGoBack() const { return m_position > 0; }
    bool canGoForward() const { return m_position + 1 < int(m_history.size()); }
    void goBack();
    void goForward();

    const std::vector<SelectionFilter>& filters() const { return m_filters; }
    const SelectionFilter* filter(const QString& kind) const; ///< null when there is none
    /// In the place of that of its kind.
    void setFilter(const SelectionFilter& filter);
    /// Sets it, or takes it away when it is the one that there is.
    void toggleFilter(const SelectionFilter& filter);
    /// Updates the tasks of the filter with this kind and key, if there is one.
    void refreshFilter(const SelectionFilter& filter);
    /// Of a kind, or all for an empty one.
    void removeFilter(const QString& kind);
    /// Ignores filters of the kinds in `but`, so that a view does not hide its own choices.
    bool leaves(const base::TaskId& task, const std::set<QString>& but = {}) const;
    bool leaves(const store::VariantRow& row) const;

    /// Another project: nothing selected, no filters, no history. The page stays.
    void clear();

signals:
    void taskChanged(const cudal1::base::TaskId& task);
    /// Also after taskChanged, since the variants of another task are others.
    void variantsChanged(cudal1::base::VariantId left, cudal1::base::VariantId right);
    void pageChanged(const QString& page);
    void historyChanged();
    void filtersChanged();

private:
    struct Step {
        base::TaskId task;
        base::VariantId left, right;
        QString page;
        bool operator==(const Step&) const = default;
    };
    void move(const Step& step);
    void push(const Step& step);

    std::vector<SelectionFilter> m_filters;
    Step m_now;
    std::vector<Step> m_history;
    int m_position = -1;
};

} // namespace cudal1::ui
