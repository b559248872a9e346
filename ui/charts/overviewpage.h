// SPDX-License-Identifier: GPL-3.0-or-later
// The project at a glance: four numbers, the histogram of the best speed-ups, the ranked list of tasks.
#pragma once

#include "core/base/ids.h"
#include "ui/shell/page.h"

#include <optional>

class QLabel;
class QTableView;

namespace cudal1::ui {

class ElidedLabel;
class FilterChips;
class HistogramView;
class Legend;
class NumberCard;
class PercentilesModel;
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
    ViewTools* table() const override { return m_tools; }
    HistogramView* histogram() const { return m_histogram; }
    QTableView* list() const { return m_list; }
    QTableView* percentiles() const { return m_table; }

signals:
    /// The one action of the empty page: optimise the selected task, or the first.
    void optimizeRequested(const cudal1::base::TaskId& task);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeChart();
    QWidget* makePercentiles();
    QWidget* makeList();
    void refresh();
    void applyRange();
    void chooseLevel(const QModelIndex& index);
    void showChips();
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
    PercentilesModel* m_percentiles;
    QTableView* m_table;
    FilterChips* m_chips; ///< what filters the list
    ElidedLabel* m_population; ///< of how many tasks the chart speaks
    QLabel* m_leftOut;         ///< what belongs to another version, in words
    Legend* m_legend;
    std::optional<int> m_level;
    ViewTools* m_tools = nullptr;
};

} // namespace cudal1::ui
