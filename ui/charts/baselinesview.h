// SPDX-License-Identifier: GPL-3.0-or-later
// The overview of a project that has baselines and no judged variant yet: what was measured, and the first run.
#pragma once

#include "ui/work/projectmodel.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace cudal1::ui {

class BaselinesModel;
class ViewTools;

class BaselinesView : public QWidget {
    Q_OBJECT
public:
    explicit BaselinesView(ProjectModel& project, QWidget* parent = nullptr);

    void setRows(const TaskList& tasks, const std::vector<store::VariantRow>& rows);
    /// The task that the button optimises; the first of the table for none.
    void setNext(const base::TaskId& task);
    bool isEmpty() const;

    QTableView* table() const { return m_table; }
    ViewTools* tools() const { return m_tools; }
    void find();

signals:
    void optimizeRequested(const cudal1::base::TaskId& task);
    void taskRequested(const cudal1::base::TaskId& task);

private:
    QWidget* makeTable();

    BaselinesModel* m_model;
    QSortFilterProxyModel* m_proxy;
    QTableView* m_table;
    ViewTools* m_tools = nullptr;
    QLabel* m_title;
    QLabel* m_text;
    QPushButton* m_optimize;
    base::TaskId m_next;
};

} // namespace cudal1::ui
