// SPDX-License-Identifier: GPL-3.0-or-later
// Two sources of one task side by side, with what was measured and why the verdict is what it is.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/store/project.h"
#include "ui/compare/kerneltext.h"
#include "ui/compare/varianthtml.h"
#include "ui/kit/page.h"

#include <functional>

class QStackedWidget;

namespace cudal1::ui {

class CompareBar;
class ComparedCode;
class CountersPanel;
class DiffView;
class DraftEditor;
class InfoView;
class ProjectModel;
class Selection;
class SidePanel;
class VariantChooser;
class VariantStrip;

/// Shows selection.left() and selection.right(); the reference stands for a variant id of 0.
class ComparePage : public Page {
    Q_OBJECT
public:
    ComparePage(ProjectModel& project, Selection& selection, QWidget* parent = nullptr);

    void find() override;
    void setRoomy(bool roomy) override;
    /// Where effects of toggles come from; without it none was measured.
    void setEffects(EffectsOf effects);

    DiffView* diffView() const { return m_diff; }
    VariantStrip* strip() const;
    SidePanel* side() const { return m_side; }
    /// The evidence.
    InfoView* analysis() const;
    DraftEditor* draft() const { return m_draft; }
    bool isEditing() const;
    CodeKind codeKind() const;
    CountersPanel* counters() const { return m_counters; }
    /// "2 of 5 differences", as the counter shows it.
    QString counterText() const;

public slots:
    /// An editable copy of the variant on the right, or else on the left.
    void edit();
    /// The draft has become a variant, which is being judged.
    void draftTaken(cudal1::base::VariantId variant);
    /// What the two sides show.
    void setCodeKind(cudal1::ui::CodeKind kind);
    /// New ones, or new counters, are in the project.
    void kernelsChanged();
    void copySource(bool left);
    void saveSource(bool left);
    /// Opens a copy in what the system has for such files.
    void openSource(bool left);

signals:
    void optimizeRequested(const cudal1::base::TaskId& task);
    void evaluateRequested(cudal1::base::VariantId variant);
    /// A source changed by hand is to be added, with its parent, and judged; draftTaken() is called with the new
    /// variant.
    void judgeRequested(const cudal1::store::VariantRecord& variant);
    void captureRequested(cudal1::base::VariantId variant, bool counters);
    void errorRaised(const cudal1::base::Error& error);

private:
    void connectBar();
    void loadRows();
    void showSelection();
    void showSources();
    void showAnalysis();
    void showCounter();
    void showTools();
    void showMiddle();
    void judgeDraft(base::VariantId parent, const std::string& source);
    void choose(base::VariantId left, base::VariantId right);
    base::Result<std::string> sourceOf(base::VariantId id) const;
    base::VariantId shown(bool left) const;
    /// The variant that the side panel is about: the right one, or else the left; 0 for none.
    base::VariantId subject() const;
    QString label(base::VariantId id, bool withTechniques = true) const;
    QString fileName(base::VariantId id) const;
    /// Does something with the source of a side, and says what went wrong.
    void withSource(bool left, const std::function<base::Status(const QString& name, const std::string& source)>& use);

    ProjectModel& m_project;
    Selection& m_selection;
    VariantChooser* m_chooser;
    QStackedWidget* m_middle; ///< the comparison, the counters, or the draft
    DiffView* m_diff;
    ComparedCode* m_code; ///< what m_diff shows
    CountersPanel* m_counters;
    DraftEditor* m_draft;
    SidePanel* m_side;
    CompareBar* m_bar;
    EffectsOf m_effects;
    base::TaskId m_openedTask;  ///< whose best variant was offered
    base::VariantId m_analysed; ///< whose analysis is shown
};

} // namespace cudal1::ui
