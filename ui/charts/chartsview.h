// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of the project behind a row of tabs, each with its choices; a click in one filters all views.
#pragma once

#include "core/charts/chartof.h"
#include "ui/kit/background.h"

#include <QWidget>

#include <map>
#include <memory>

class QComboBox;
class QLabel;

namespace cudal1::ui {

class ChartPanel;
class ElidedLabel;
class PageTabs;
class ProjectModel;
class Selection;

class ChartsView : public QWidget {
    Q_OBJECT
public:
    ChartsView(ProjectModel& project, Selection& selection, QWidget* parent = nullptr);

    /// The tasks that count, and what is left out; what a chart needs besides is read on a worker.
    void setTasks(std::vector<store::TaskRow> tasks, const QString& leftOut);
    void setFailures(charts::Failures rule);
    charts::Failures failures() const { return m_choices.failures; }

    charts::ChartKind kind() const { return m_kind; }
    void setKind(charts::ChartKind kind);
    ChartPanel* panel() const { return m_panel; }
    PageTabs* tabs() const { return m_tabs; }
    QSize minimumSizeHint() const override;

    /// What the chart on the screen is of.
    const charts::Numbers& numbers() const { return m_numbers; }

signals:
    /// The chart on the screen is of the present numbers.
    void shown();

private:
    QComboBox* makeChoice(const QString& name, const QString& label);
    void reload();
    void showChart(const charts::Numbers& numbers);
    void offerChoices();
    void offer(QComboBox* combo, const std::vector<charts::Option>& options, const std::string& current);
    void choose();
    void chooseTab(int tab);
    void filterBy(const charts::Mark& mark);
    void goTo(const charts::Mark& mark);
    bool narrow(); ///< to the tasks that are left; whether they are others now
    void filter();
    void showFilters();

    ProjectModel& m_project;
    Selection& m_selection;
    PageTabs* m_tabs;
    ChartPanel* m_panel;
    QComboBox* m_what; ///< of the techniques: effect or frequency
    QComboBox* m_y;
    QLabel* m_against;
    ElidedLabel* m_own; ///< that what was chosen here narrows the other views
    QComboBox* m_x;
    QComboBox* m_device;
    QComboBox* m_run;
    charts::ChartKind m_kind = charts::ChartKind::Distribution;
    std::map<charts::ChartKind, bool> m_second; ///< of a tab with two charts: whether the second is shown
    charts::Choices m_choices;
    std::vector<store::TaskRow> m_all; ///< before filters
    charts::Numbers m_tasks;           ///< the tasks that the filters of other views leave, alone
    charts::Numbers m_numbers;         ///< with what the chart needs
    Asker m_asker{this};               ///< for numbers
};

} // namespace cudal1::ui
