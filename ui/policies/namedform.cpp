// SPDX-License-Identifier: GPL-3.0-or-later
// What the forms of all kinds of models have in common.
#include "ui/policies/namedform.h"

#include "ui/kit/theme.h"

#include <QFormLayout>

namespace cudal1::ui {

NamedForm::NamedForm(const QString& name, const QString& example, QWidget* parent)
    : QWidget(parent),
      m_name(line(name, tr("Name"), example, tr("What you call it: letters, digits, '.', '_' and '-'")))
{
}

void NamedForm::show(const models::NamedModel& model, bool isNew)
{
    m_filling = true;
    m_isNew = isNew;
    m_name->setText(QString::fromStdString(models::nameOf(model)));
    m_name->setEnabled(isNew); // samples and runs name it
    fill(model);
    m_filling = false;
}

models::Secret NamedForm::takeKey()
{
    return {};
}

QFormLayout* NamedForm::makeLayout()
{
    const Theme& theme = Theme::instance();
    auto* layout = new QFormLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    layout->setHorizontalSpacing(theme.unit(4));
    layout->setVerticalSpacing(theme.unit(2));
    layout->addRow(tr("Name"), m_name);
    return layout;
}

void NamedForm::changed()
{
    if (!m_filling)
        emit edited();
}

QLineEdit* NamedForm::line(const QString& name, const QString& label, const QString& hint, const QString& tip)
{
    auto* made = new QLineEdit;
    made->setObjectName(name);
    made->setAccessibleName(label);
    made->setPlaceholderText(hint);
    made->setToolTip(tip);
    connect(made, &QLineEdit::textEdited, this, &NamedForm::edited);
    return made;
}

} // namespace cudal1::ui
