// SPDX-License-Identifier: GPL-3.0-or-later
// What a model would be sent for the chosen task, with its size, and switches of its parts.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "ui/kit/background.h"
#include "ui/policies/promptloader.h"

#include <QDialog>

#include <map>
#include <memory>

class QCheckBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QVBoxLayout;

namespace cudal1::ui {

class ElidedLabel;
class ProjectModel;
class RunChoice;
class Selection;

/// Follows the selected task and RunChoice, whose method the switches change, so that it shows what the next run would
/// ask. It asks for what it needs to know by a signal and waits for nothing.
class PromptDialog : public QDialog {
    Q_OBJECT
public:
    PromptDialog(ProjectModel& project, Selection& selection, RunChoice& choice, QWidget* parent = nullptr);

    /// The answers to `basisWanted`; those of other tasks and devices are left alone.
    void takeBasis(std::shared_ptr<const PromptBasis> basis);
    void takeFailure(const base::TaskId& task, const QString& why);
    QString text() const; ///< that is shown

signals:
    void basisWanted(const cudal1::base::TaskId& task);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeParts();
    void askForBasis();
    void build();
    void display(const base::Result<std::shared_ptr<const PromptView>>& view);
    void showSwitches();

    ProjectModel& m_project;
    Selection& m_selection;
    RunChoice& m_choice;
    ElidedLabel* m_title;
    QLabel* m_sum;
    QPlainTextEdit* m_text;
    QPushButton* m_copy;
    std::map<language::PromptPart, QCheckBox*> m_switches;
    std::map<language::PromptPart, QLabel*> m_sizes;
    std::shared_ptr<const PromptBasis> m_basis;
    QString m_place; ///< where the basis was asked for
    Asker m_asker{this};
    bool m_filling = false;
};

} // namespace cudal1::ui
