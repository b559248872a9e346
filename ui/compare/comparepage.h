// SPDX-License-Identifier: GPL-3.0-or-later
// Two sources of one task side by side, with what was measured and why the verdict is what it is.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/store/project.h"
#include "ui/shell/page.h"

class QLabel;
class QToolButton;

namespace cudal1::ui {

class DiffView;
class ElidedLabel;
class InfoView;
class ProjectModel;
class Selection;
class VariantStrip;

/// Shows selection.left() and selection.right(); the reference stands for a variant id of 0.
class ComparePage : public Page {
    Q_OBJECT
public:
    ComparePage(ProjectModel& project, Selection& selection, QWidget* parent = nullptr);

    void find() override;
    DiffView* diffView() const { return m_diff; }
    VariantStrip* strip() const { return m_strip; }
    InfoView* analysis() const { return m_analysis; }
    /// "2 of 5 differences", as the counter shows it.
    QString counterText() const;

signals:
    void optimizeRequested(const cudal1::base::TaskId& task);
    void evaluateRequested(cudal1::base::VariantId variant);
    void errorRaised(const cudal1::base::Error& error);

private:
    QWidget* makeBar();
    void loadRows();
    void showSelection();
    void showSources();
    void showAnalysis();
    void showCounter();
    void choose(base::VariantId left, base::VariantId right);
    base::Result<std::string> sourceOf(base::VariantId id) const;
    QString label(base::VariantId id) const;

    ProjectModel& m_project;
    Selection& m_selection;
    VariantStrip* m_strip;
    DiffView* m_diff;
    InfoView* m_analysis;
    ElidedLabel* m_names;
    QLabel* m_counter;
    QToolButton* m_evaluate;
    base::TaskId m_shownTask;
    base::VariantId m_shownLeft, m_shownRight;
    base::VariantId m_analysed; ///< whose analysis is shown
};

} // namespace cudal1::ui
