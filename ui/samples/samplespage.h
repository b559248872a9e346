// SPDX-License-Identifier: GPL-3.0-or-later
// What policies were asked, what they answered, what became of it, and what it took.
#pragma once

#include "core/base/result.h"
#include "ui/kit/background.h"
#include "ui/kit/page.h"
#include "ui/samples/samplesloader.h"

#include <memory>

class QComboBox;
class QLineEdit;
class QSplitter;
class QStackedWidget;
class QTimer;

namespace cudal1::ui {

class ElidedLabel;
class LedgerView;
class PageTabs;
class ProjectModel;
class SampleDetail;
class SamplesTree;
class Selection;

/// Reads only while it is shown; what was read before stays until its successor is there.
class SamplesPage : public Page {
    Q_OBJECT
public:
    SamplesPage(ProjectModel& project, Selection& selection, QWidget* parent = nullptr);

    ViewTools* table() const override;
    void find() override; ///< the search over texts
    SamplesTree* tree() const { return m_tree; }
    SampleDetail* detail() const { return m_detail; }
    bool isLoading() const { return m_asker.isWaiting(); }

signals:
    void optimizeRequested(const cudal1::base::TaskId& task);
    void errorRaised(const cudal1::base::Error& error);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeBar();
    QWidget* makeReplies();
    void changed();
    void load();
    void display(const std::shared_ptr<const SamplesView>& view);
    void showNothing(const SamplesView& view);
    void showSum();
    void search();
    void setAll(bool all);
    bool showsAll() const;

    ProjectModel& m_project;
    Selection& m_selection;
    PageTabs* m_tabs;
    QStackedWidget* m_stack;
    QComboBox* m_scope;
    QLineEdit* m_search;
    ElidedLabel* m_sum;
    SamplesTree* m_tree;
    SampleDetail* m_detail;
    LedgerView* m_ledger;
    QTimer *m_wait, *m_searchWait;
    std::shared_ptr<const SamplesView> m_view;
    SearchStop m_searchStop;
    Asker m_asker{this}, m_searcher{this};
    int m_found = -1; ///< replies that the search has found; -1 without one
    bool m_stale = true;
};

} // namespace cudal1::ui
