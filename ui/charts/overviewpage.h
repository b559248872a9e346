// SPDX-License-Identifier: GPL-3.0-or-later
// The project at a glance: four numbers, the histogram of the best speed-ups, the ranked list of tasks.
#pragma once

#include "core/base/ids.h"
#include "ui/shell/page.h"

class QTableView;
class QToolButton;

namespace cudal1::ui {

class HistogramView;
class NumberCard;
class ProjectModel;
class RankedFilter;
class RankedModel;
class Selection;
class ViewTools;

/// Activating a row of the list selects its task and the task page.
class OverviewPage : public Page {
    Q_OBJECT
public:
    OverviewPage(ProjectModel& project, Selection& selection, QWidget* parent = nullptr);

    void find() override;
    HistogramView* histogram() const { return m_histogram; }
    QTableView* list() const { return m_list; }

signals:
    /// The one action of the empty page: optimise the selected task, or the first.
    void optimizeRequested(const cudal1::base::TaskId& task);

private:
    QWidget* makeChart();
    QWidget* makeList();
    void refresh();
    void applyRange();
    void openTask(const QModelIndex& index);

    ProjectModel& m_project;
    Selection& m_selection;
    NumberCard* m_gains;
    NumberCard* m_mean;
    NumberCard* m_median;
    NumberCard* m_correct;
    HistogramView* m_histogram;
    RankedModel* m_model;
    RankedFilter* m_filter;
    QTableView* m_list;
    QToolButton* m_chip; ///< the range that filters the list; a click removes it
    ViewTools* m_tools = nullptr;
};

} // namespace cudal1::ui
