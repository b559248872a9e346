// SPDX-License-Identifier: GPL-3.0-or-later
// The project at a glance: four numbers, the charts, the percentiles by level, the ranked list of tasks; or, before a
// variant was judged, its baselines.
#pragma once

#include "core/store/project.h"
#include "ui/kit/page.h"

#include <vector>

class QComboBox;
class QLabel;
class QSplitter;
class QStackedWidget;
class QTableView;

namespace cudal1::ui {

class BaselinesView;
class ChartsView;
class ClaimsView;
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
    ViewTools* table() const override;
    ChartsView* charts() const { return m_charts; }
    QTableView* list() const { return m_list; }
    QTableView* percentiles() const { return m_table; }
    BaselinesView* baselines() const { return m_baselines; }
    ClaimsView* claims() const { return m_claims; }

signals:
    /// The one action of the page without gains: optimise the selected task, or the first.
    void optimizeRequested(const cudal1::base::TaskId& task);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makePercentiles();
    QWidget* makeList();
    void refresh();
    void showNumbers();
    void showState();
    void showLists();
    void chooseLevel(const QModelIndex& index);
    void chooseGains(const QString& key);
    void showFilters();
    void openTask(const QModelIndex& index);

    ProjectModel& m_project;
    Selection& m_selection;
    NumberCard* m_gains;
    NumberCard* m_mean;
    NumberCard* m_median;
    NumberCard* m_correct;
    ChartsView* m_charts;
    RankedModel* m_model;
    RankedFilter* m_filter;
    QTableView* m_list;
    PercentilesModel* m_percentiles;
    QTableView* m_table;
    QComboBox* m_failures;
    QLabel* m_leftOut;       ///< what belongs to another version, in words
    QStackedWidget* m_faces; ///< the gains, or the baselines
    BaselinesView* m_baselines;
    ClaimsView* m_claims;
    QSplitter* m_body;                     ///< charts and list
    bool m_sized = false;                  ///< whether the user has moved what is between them
    QStackedWidget* m_lists;               ///< the tasks, or beside a chart of claims these
    std::vector<store::TaskRow> m_counted; ///< tasks of the one version
    ViewTools* m_tools = nullptr;
};

} // namespace cudal1::ui
