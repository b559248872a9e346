// SPDX-License-Identifier: GPL-3.0-or-later
// The page of one task: its reference, what is known of it, the run in progress, its variants.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "ui/kit/background.h"
#include "ui/kit/page.h"

#include <QHash>

class QLabel;
class QStackedWidget;

namespace cudal1::ui {

class BaselinesPanel;
class CodeView;
class ElidedLabel;
class InfoView;
class JobsModel;
class OperatorsView;
class ProjectModel;
class RunChoice;
class RunPanel;
class Selection;
class VariantsTable;

/// Opening a comparison goes through Selection; everything that starts or stops work is a signal.
class TaskPage : public Page {
    Q_OBJECT
public:
    TaskPage(ProjectModel& project, Selection& selection, RunChoice& choice, JobsModel& jobs,
             QWidget* parent = nullptr);

    void find() override;
    /// The variants alone.
    void setRoomy(bool roomy) override;
    ViewTools* table() const override;
    OperatorsView* operators() const { return m_operators; }
    VariantsTable* variants() const { return m_variants; }
    /// A task was run on its shapes: its facts are known now, or `why` says why not.
    void shapesTraced(const QString& hash, const QString& why);

signals:
    void optimizeRequested(const cudal1::base::TaskId& task);
    void baselinesRequested(const cudal1::base::TaskId& task);
    void stopRequested(quint64 job);
    void promptRequested(); ///< of the selected task
    /// Nothing is known of the task but its text. Once for each text, while the page is seen.
    void shapesRequested(const cudal1::base::TaskId& task);
    /// Judge a variant of the selected task again.
    void evaluateRequested(cudal1::base::VariantId variant);
    /// Judge a file of the user's as a variant of the task; the window asks which.
    void evaluateFileRequested(const cudal1::base::TaskId& task);
    void errorRaised(const cudal1::base::Error& error);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeBody();
    QWidget* makeReferenceTabs();
    void foldFacts(bool folded);
    void showForward();
    QWidget* makeFactTabs();
    struct Shown;
    void showTask();
    void showBest();
    void showFacts();
    void showFacts(const Shown& shown);
    void askForShapes();

    ProjectModel& m_project;
    Selection& m_selection;
    ElidedLabel* m_title;
    QLabel* m_subtitle;
    QLabel* m_best; ///< the number that the page is about
    RunChoice& m_choice;
    CodeView* m_reference;
    OperatorsView* m_operators;
    InfoView* m_facts;
    BaselinesPanel* m_baselines;
    RunPanel* m_run;
    QWidget* m_upper = nullptr; ///< all but the variants
    QWidget* m_factColumn = nullptr;
    QStackedWidget* m_factPages = nullptr;
    bool m_forwardWanted = false; ///< its line is to come into view
    VariantsTable* m_variants;
    Asker m_asker{this};              ///< for facts
    std::string m_factsOf;            ///< hash of the task whose facts are shown; empty while none are
    QString m_operatorsOf;            ///< what the operators shown are of
    bool m_unknown = false;           ///< nothing is known of the task shown but its text
    QHash<QString, QString> m_traced; ///< by hash: asked for; why it could not be traced
};

} // namespace cudal1::ui
