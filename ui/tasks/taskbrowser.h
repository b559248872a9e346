// SPDX-License-Identifier: GPL-3.0-or-later
// The dock with the tasks: tree by level, search, filter by state, best speed-up of each.
#pragma once

#include "core/base/ids.h"
#include "core/store/project.h"
#include "ui/work/selection.h"

#include <QStringList>
#include <QWidget>

#include <map>
#include <optional>

class QAction;
class QLabel;
class QLineEdit;
class QModelIndex;
class QToolButton;
class QTreeView;
class QVBoxLayout;

namespace cudal1::ui {

class FilterChips;
class FlowLayout;
enum class TaskGroup;
class ProjectModel;
class TasksFilter;
class TasksModel;
class ViewTools;

/// Making a row current selects its task; a double click or Enter also opens its page.
class TaskBrowser : public QWidget {
    Q_OBJECT
public:
    TaskBrowser(ProjectModel& project, Selection& selection, QWidget* parent = nullptr);

    /// Puts the cursor into the search field.
    void find();
    QSize sizeHint() const override;

signals:
    void optimizeRequested(const cudal1::base::TaskId& task);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void setUpSearch();
    void setUpTree();
    void addStateChips(QVBoxLayout* layout);
    void reload();
    void applyFilter();
    void chooseStates();
    void chooseHeldOut();
    std::optional<SelectionFilter> stateFilter() const; ///< of the chips that are checked
    SelectionFilter heldOutFilter() const;
    QStringList closedLevels() const;
    void closeLevels(const QStringList& closed);
    void showSelected();
    void keepInView();
    void updateCounts();
    void fitChips();
    void showSuite();
    void showChips();
    void removeFilter(const QString& id);
    void openPage(const QModelIndex& index);
    void showMenu(const QPoint& at);
    void filterAllViews();
    SelectionFilter searchFilter(const QString& text) const;
    base::TaskId taskAt(const QModelIndex& index) const;

    ProjectModel& m_project;
    Selection& m_selection;
    TasksModel* m_model;
    TasksFilter* m_filter;
    QLineEdit* m_search;
    QAction* m_forAll; ///< makes a filter of all views of what is searched for
    std::map<TaskGroup, QToolButton*> m_chips;
    FlowLayout* m_chipRows;
    QToolButton* m_heldOut; ///< leaves the tasks that the split holds out
    FilterChips* m_active;  ///< the filters in words, each removable
    QTreeView* m_tree;
    ViewTools* m_tools;
    QLabel* m_count;
    QLabel* m_suite;          ///< which suite, and which version of it
    bool m_narrowed = false;  ///< by a filter or the search
    QStringList m_closed;     ///< levels that a person had closed before that
    bool m_following = false; ///< the selection moves the tree, not the other way round
};

} // namespace cudal1::ui
