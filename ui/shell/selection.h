// SPDX-License-Identifier: GPL-3.0-or-later
// What is being looked at: the one owner of the task, the two compared variants and the page, with back and forward.
#pragma once

#include "core/base/ids.h"

#include <QObject>
#include <QString>

#include <vector>

namespace cudal1::ui {

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
    /// Task, comparison and page as one step of the history.
    void select(const base::TaskId& task, base::VariantId left, base::VariantId right, const QString& page);

    bool canGoBack() const { return m_position > 0; }
    bool canGoForward() const { return m_position + 1 < int(m_history.size()); }
    void goBack();
    void goForward();
    /// Another project: nothing selected, no history. The page stays.
    void clear();

signals:
    void taskChanged(const cudal1::base::TaskId& task);
    /// Also after taskChanged, since the variants of another task are others.
    void variantsChanged(cudal1::base::VariantId left, cudal1::base::VariantId right);
    void pageChanged(const QString& page);
    void historyChanged();

private:
    struct Step {
        base::TaskId task;
        base::VariantId left, right;
        QString page;
        bool operator==(const Step&) const = default;
    };
    void move(const Step& step);
    void push(const Step& step);

    Step m_now;
    std::vector<Step> m_history;
    int m_position = -1;
};

} // namespace cudal1::ui
