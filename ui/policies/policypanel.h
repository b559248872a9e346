// SPDX-License-Identifier: GPL-3.0-or-later
// Who proposes in the next run, and how models are asked.
#pragma once

#include <QWidget>

#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace cudal1::ui {

class ModelList;
class ModelTest;
class RunChoice;

/// The panel follows RunChoice and the list of models and changes the former at once. One policy at least stays
/// checked.
class PolicyPanel : public QWidget {
    Q_OBJECT
public:
    PolicyPanel(RunChoice& choice, ModelList& models, QWidget* parent = nullptr);

signals:
    void addModelRequested();
    void modelsRequested(); ///< the list of models, to change it
    void promptRequested();
    void resized(); ///< it needs another size than before

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Row {
        std::string policy; ///< "endpoint:qwen3"
        QCheckBox* box = nullptr;
        QPushButton* test = nullptr; ///< null where there is nothing to test
        QLabel* note = nullptr;
    };
    QWidget* makeMethod();
    QWidget* makeButtons();
    void fillRows();
    void addRow(const std::string& policy, const QString& text, const QString& note, bool testable);
    void showChoice();
    void takeRows();
    void test(const std::string& policy);
    void showTest(bool good, const QString& text);
    const Row* row(const std::string& policy) const;

    RunChoice& m_choice;
    ModelList& m_models;
    ModelTest* m_test;
    std::string m_tested; ///< of the test that goes on, or the last one
    QVBoxLayout* m_list;
    std::vector<Row> m_rows;
    QWidget* m_methodBox = nullptr;
    QComboBox* m_method;
    QLabel* m_about;
    QSpinBox* m_samples;
    QSpinBox* m_turns;
    QCheckBox* m_repair;
    bool m_filling = false;
};

} // namespace cudal1::ui
