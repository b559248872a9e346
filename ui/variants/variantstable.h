// SPDX-License-Identifier: GPL-3.0-or-later
// The table of a task's variants with what can be done to them.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QMenu;
class QStackedLayout;
class QTableView;

namespace cudal1::ui {

class ElidedLabel;
class ProjectModel;
class Selection;
class VariantsFilter;
class VariantsModel;
class ViewTools;

class VariantsTable : public QWidget {
    Q_OBJECT
public:
    explicit VariantsTable(ProjectModel& project, QWidget* parent = nullptr);

    /// Follows the variants of `task` from now on.
    void setTask(const base::TaskId& task);
    /// Follows the filters of all views, and shows them as chips.
    void setSelection(Selection& selection);
    void find();
    ViewTools* tools() const { return m_tools; }
    /// Of the current row; 0 when there is none.
    base::VariantId current() const;
    QTableView* view() const { return m_view; }
    VariantsModel* model() const { return m_model; }

signals:
    /// The reference is 0.
    void compareRequested(cudal1::base::VariantId left, cudal1::base::VariantId right);
    void evaluateRequested(cudal1::base::VariantId variant);
    void reproducerRequested(cudal1::base::VariantId variant);
    /// The user has a candidate of their own.
    void evaluateFileRequested();
    void errorRaised(const cudal1::base::Error& error);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void setUpView();
    void reload(bool sameTask);
    std::vector<base::VariantId> selected() const;
    void showMenu(const QPoint& at);
    void copySource();
    void saveSource();
    void updateSummary();
    void showColumns();
    QString sameInAll(int column) const;

    ProjectModel& m_project;
    base::TaskId m_task;
    bool m_otherPrecisions = false; ///< some row has one of both sides that is not the usual one
    QString m_device, m_origin;     ///< what all rows say alike; it stands above the table then and not in each row
    VariantsModel* m_model;
    VariantsFilter* m_proxy;
    QTableView* m_view;
    ViewTools* m_tools;
    ElidedLabel* m_summary;
    QLabel* m_hint;
    QLabel* m_rival; ///< what may be faster than the first by speed-up
    QHBoxLayout* m_bar;
    QStackedLayout* m_stack;
};

} // namespace cudal1::ui
