// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a task of a user's module: a form on the left, the file as it will be written on the right.
#pragma once

#include "core/base/result.h"
#include "core/protocol/messages.h"
#include "core/tasks/newtask.h"

#include <QDialog>

#include <memory>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QTimer;
class QToolButton;
class QVBoxLayout;

namespace cudal1::ui {

class CodeView;

/// The module is run by whoever is connected to checkRequested; the answer comes to checkEnded. Enter makes the task,
/// Esc stops a check that is going on, else closes.
class NewTaskDialog : public QDialog {
    Q_OBJECT
public:
    using Graph = std::shared_ptr<const protocol::OperatorGraph>;

    explicit NewTaskDialog(QWidget* parent = nullptr);

    /// What the file chooser does.
    void setFile(const QString& path);
    void checkEnded(const base::Result<Graph>& graph);
    void checkProgress(const QString& text);

    void reject() override;

signals:
    void checkRequested(const QString& name, const QString& text);
    void checkStopped();
    /// The file is there; `shapes` says what goes in and comes out, and is empty when that was not checked.
    void taskMade(const QString& path, const QString& shapes);

private:
    struct Row {
        QWidget* widget;
        QLineEdit* spec;
        QToolButton* remove;
    };
    QWidget* makeForm();
    QWidget* makePreview();
    void addInput();
    void removeInput(const QWidget* row);
    void renumber();
    void readFile();
    void chooseFile();
    void chooseOutput();
    void preview();
    void make();
    void save(const QString& shapes);
    void setChecking(bool checking);
    void showProblem(const QString& text);
    tasks::NewTask request() const;
    static QWidget* withButton(QLineEdit* field, QPushButton* button);

    QLineEdit* m_file;
    QComboBox* m_class;
    QVBoxLayout* m_inputs = nullptr;
    std::vector<Row> m_rows;
    QPushButton* m_add;
    QLineEdit* m_arguments;
    QLineEdit* m_output;
    QCheckBox* m_check;
    CodeView* m_preview;
    QLabel* m_problem;
    QLabel* m_mark; ///< beside the problem
    QProgressBar* m_busy;
    QLabel* m_state;
    QPushButton* m_make;
    QPushButton* m_cancel;
    QWidget* m_form = nullptr;
    QTimer* m_later;            ///< gathers edits into one preview
    std::string m_source;       ///< of the file; empty when there is none or it cannot be read
    QString m_fileProblem;      ///< why it cannot
    QString m_confirmed;        ///< the output that a person agreed to replace
    bool m_outputGiven = false; ///< typed or chosen: a new class does not change it
    bool m_checking = false;
    bool m_stopping = false;   ///< the answer of the check is still to come
    tasks::NewTaskText m_made; ///< what will be written; its text is empty while something is wrong
};

} // namespace cudal1::ui
