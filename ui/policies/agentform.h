// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of a coding agent.
#pragma once

#include "ui/policies/namedform.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QSpinBox;

namespace cudal1::ui {

class AgentForm : public NamedForm {
    Q_OBJECT
public:
    explicit AgentForm(QWidget* parent = nullptr);

    base::Result<models::NamedModel> settings() const override;

private:
    void fill(const models::NamedModel& model) override;
    void takeTemplate(int row);
    void showProgram();
    models::AgentSettings read() const;

    models::AgentSettings m_from;
    QComboBox* m_template;
    QLineEdit *m_command, *m_variables;
    QCheckBox *m_shell, *m_keep;
    QDoubleSpinBox* m_minutes;
    QSpinBox* m_evaluations;
    QLabel* m_program;
};

} // namespace cudal1::ui
