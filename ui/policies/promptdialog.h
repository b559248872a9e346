// SPDX-License-Identifier: GPL-3.0-or-later
// What a model would be sent for the chosen task, with its size, and switches of its parts; to be edited and sent.
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
/// ask. It asks for what it needs to know by a signal and waits for nothing. A text that was edited stays until its
/// edits are undone, also while another task is looked at.
class PromptDialog : public QDialog {
    Q_OBJECT
public:
    PromptDialog(ProjectModel& project, Selection& selection, RunChoice& choice, QWidget* parent = nullptr);

    /// The answers to `basisWanted`; those of other tasks and devices are left alone.
    void takeBasis(std::shared_ptr<const PromptBasis> basis);
    void takeFailure(const base::TaskId& task, const QString& why);
    QString text() const; ///< that is shown, to the letter

signals:
    void basisWanted(const cudal1::base::TaskId& task);
    /// `text`: as policy::messagesText(), to be sent word for word in one round about the task.
    void askRequested(const cudal1::base::TaskId& task, const QString& text);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeParts();
    QWidget* makeButtons();
    void takeEdit();
    void fill(const QString& text);
    bool isEdited() const { return m_edits.contains(m_task); }
    void showState();
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
    QPushButton *m_copy, *m_undo, *m_send;
    QLabel* m_note;
    std::map<language::PromptPart, QCheckBox*> m_switches;
    std::map<language::PromptPart, QLabel*> m_sizes;
    std::shared_ptr<const PromptBasis> m_basis;
    std::shared_ptr<const PromptView> m_view; ///< what is built; null until it is
    base::TaskId m_task;                      ///< that is shown
    std::map<base::TaskId, QString> m_edits;  ///< texts that are not as built
    QString m_place;                          ///< where the basis was asked for
    Asker m_asker{this};
    bool m_filling = false;
};

} // namespace cudal1::ui
