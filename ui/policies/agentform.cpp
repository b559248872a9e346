// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of a coding agent as fields and back.
#include "ui/policies/agentform.h"

#include "ui/kit/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>

namespace cudal1::ui {

using models::AgentSettings;

AgentForm::AgentForm(QWidget* parent)
    : NamedForm(QStringLiteral("agentName"), tr("claude"), parent), m_template(new QComboBox), m_shell(new QCheckBox),
      m_keep(new QCheckBox), m_minutes(new QDoubleSpinBox), m_evaluations(new QSpinBox), m_program(new QLabel)
{
    const Theme& theme = Theme::instance();
    m_template->setObjectName(QStringLiteral("agentTemplate"));
    m_template->setAccessibleName(tr("Program"));
    m_template->addItem(tr("Another command"));
    for (const std::string& name : models::agentTemplateNames())
        m_template->addItem(QString::fromStdString(name));
    m_command = line(QStringLiteral("agentCommand"), tr("Command"), tr("my-agent --task {prompt}"),
                     tr("Its words, with {%1} where these belong").arg(models::placeholderNames().join("}, {")));
    m_variables = line(QStringLiteral("agentVariables"), tr("Variables"), tr("ANTHROPIC_API_KEY"),
                       tr("Variables of the environment that it gets besides the usual ones, with commas between"));
    m_shell->setObjectName(QStringLiteral("agentShell"));
    m_shell->setText(tr("The command is a line for the shell"));
    m_keep->setObjectName(QStringLiteral("agentKeep"));
    m_keep->setText(tr("Keep its folder after a session"));
    m_minutes->setObjectName(QStringLiteral("agentMinutes"));
    m_minutes->setAccessibleName(tr("Minutes of a session"));
    m_minutes->setToolTip(tr("That one session may take, without what it waits for the judge"));
    m_minutes->setRange(0.1, 1440);
    m_minutes->setDecimals(1);
    m_evaluations->setObjectName(QStringLiteral("agentEvaluations"));
    m_evaluations->setAccessibleName(tr("Evaluations of a session"));
    m_evaluations->setToolTip(tr("How many programs of one session are judged"));
    m_evaluations->setRange(1, 1000);
    m_program->setObjectName(QStringLiteral("agentProgram"));
    m_program->setProperty("class", QStringLiteral("muted"));
    m_program->setWordWrap(true);

    QFormLayout* form = makeLayout();
    form->addRow(tr("Program"), m_template);
    form->addRow(tr("Command"), m_command);
    form->addRow(QString(), m_shell);
    form->addRow(QString(), m_program);
    auto* session = new QHBoxLayout;
    session->setSpacing(theme.unit(2));
    session->addWidget(m_minutes, 1);
    session->addWidget(new QLabel(tr("minutes and")));
    session->addWidget(m_evaluations, 1);
    session->addWidget(new QLabel(tr("evaluations")));
    form->addRow(tr("A session has"), session);
    form->addRow(tr("Variables"), m_variables);
    form->addRow(QString(), m_keep);
    connect(m_template, &QComboBox::activated, this, &AgentForm::takeTemplate);
    connect(m_command, &QLineEdit::textChanged, this, &AgentForm::showProgram);
    for (QCheckBox* box : {m_shell, m_keep})
        connect(box, &QCheckBox::toggled, this, &NamedForm::changed);
    connect(m_shell, &QCheckBox::toggled, this, &AgentForm::showProgram);
    connect(m_minutes, &QDoubleSpinBox::valueChanged, this, &NamedForm::changed);
    connect(m_evaluations, &QSpinBox::valueChanged, this, &NamedForm::changed);
}

void AgentForm::takeTemplate(int row)
{
    if (row > 0)
        m_command->setText(QString::fromStdString(models::agentTemplate(m_template->itemText(row).toStdString())));
    changed();
}

/// Whether the program is there can be seen at once; whether it starts is for the test.
void AgentForm::showProgram()
{
    const QString command = m_command->text().trimmed();
    int ready = 0;
    for (int row = 1; row < m_template->count(); ++row)
        if (command == QString::fromStdString(models::agentTemplate(m_template->itemText(row).toStdString())))
            ready = row;
    m_template->setCurrentIndex(ready);
    const auto program = models::findProgram(read());
    m_program->setText(command.isEmpty() ? tr("The page \"Coding agents\" of the documentation explains the command.")
                       : program         ? tr("It runs %1.").arg(*program)
                                         : QString::fromStdString(program.error().text()));
}

AgentSettings AgentForm::read() const
{
    AgentSettings out = m_from;
    out.name = name();
    out.command = m_command->text().trimmed().toStdString();
    out.shell = m_shell->isChecked();
    out.keepWorkspace = m_keep->isChecked();
    out.minutes = m_minutes->value();
    out.evaluations = m_evaluations->value();
    out.variables.clear();
    for (const QString& variable : m_variables->text().split(QLatin1Char(','), Qt::SkipEmptyParts))
        out.variables.push_back(variable.trimmed().toStdString());
    return out;
}

base::Result<models::NamedModel> AgentForm::settings() const
{
    return models::NamedModel(read());
}

void AgentForm::fill(const models::NamedModel& model)
{
    m_from = std::get<AgentSettings>(model);
    QStringList variables;
    for (const std::string& variable : m_from.variables)
        variables.append(QString::fromStdString(variable));
    m_shell->setChecked(m_from.shell);
    m_keep->setChecked(m_from.keepWorkspace);
    m_minutes->setValue(m_from.minutes);
    m_evaluations->setValue(m_from.evaluations);
    m_variables->setText(variables.join(QStringLiteral(", ")));
    m_command->setText(QString::fromStdString(m_from.command));
    showProgram();
}

} // namespace cudal1::ui
