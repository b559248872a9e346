// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of a local model as fields and back.
#include "ui/policies/localform.h"

#include "ui/kit/theme.h"
#include "ui/work/modelfile.h"

#include <QComboBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>
#include <QToolButton>

namespace cudal1::ui {

using models::LocalSettings;

LocalForm::LocalForm(QWidget* parent)
    : NamedForm(QStringLiteral("localName"), tr("smollm2"), parent), m_numbers(new QComboBox), m_parallel(new QSpinBox),
      m_note(new QLabel)
{
    const Theme& theme = Theme::instance();
    m_path = line(QStringLiteral("localPath"), tr("File or folder"), tr("/models/Qwen3-8B"),
                  tr("A .gguf file, or a folder of Hugging Face with config.json and safetensors"));
    m_device = line(QStringLiteral("localDevice"), tr("Device"), tr("cpu"), tr("cpu, or cuda:0"));
    m_numbers->setObjectName(QStringLiteral("localNumbers"));
    m_numbers->setAccessibleName(tr("It computes with"));
    m_numbers->addItems({tr("what the device is fast at"), QStringLiteral("float32"), QStringLiteral("bfloat16")});
    m_parallel->setObjectName(QStringLiteral("localParallel"));
    m_parallel->setAccessibleName(tr("Replies at a time"));
    m_parallel->setRange(0, 1024);
    m_parallel->setSpecialValueText(tr("as many as fit"));
    m_note->setObjectName(QStringLiteral("localNote"));
    m_note->setProperty("class", QStringLiteral("muted"));
    m_note->setWordWrap(true);

    QFormLayout* form = makeLayout();
    auto* browse = new QToolButton;
    browse->setObjectName(QStringLiteral("localBrowse"));
    browse->setText(tr("…"));
    browse->setToolTip(tr("Choose a .gguf file, or the config.json of a folder"));
    browse->setAccessibleName(tr("Choose a file"));
    auto* path = new QHBoxLayout;
    path->setSpacing(theme.unit(2));
    path->addWidget(m_path, 1);
    path->addWidget(browse);
    form->addRow(tr("File or folder"), path);
    form->addRow(QString(), m_note);
    form->addRow(tr("Device"), m_device);
    form->addRow(tr("It computes with"), m_numbers);
    m_sampling = std::make_unique<SamplingFields>(*this, *form, QStringLiteral("local"));
    form->addRow(tr("Replies at a time"), m_parallel);
    connect(browse, &QToolButton::clicked, this, &LocalForm::choosePath);
    connect(m_path, &QLineEdit::textChanged, this, &LocalForm::showPath);
    connect(m_numbers, &QComboBox::currentIndexChanged, this, &NamedForm::changed);
    connect(m_parallel, &QSpinBox::valueChanged, this, &NamedForm::changed);
}

void LocalForm::choosePath()
{
    const QString model = chooseModelFile(this, tr("Choose a Model"), m_path->text());
    if (model.isEmpty())
        return;
    m_path->setText(model);
    changed();
}

void LocalForm::showPath()
{
    const QString path = m_path->text().trimmed();
    m_note->setText(path.isEmpty()            ? tr("`cudal1 models fetch smollm2` gets a small one to try.")
                    : QFileInfo::exists(path) ? QString()
                                              : tr("There is no such file or folder on this machine."));
    m_note->setVisible(!m_note->text().isEmpty());
}

base::Result<models::NamedModel> LocalForm::settings() const
{
    LocalSettings out = m_from;
    out.name = name();
    out.path = m_path->text().trimmed().toStdString();
    out.device = m_device->text().trimmed().isEmpty() ? LocalSettings().device
                                                      : m_device->text().trimmed().toStdString();
    out.dtype = m_numbers->currentIndex() > 0 ? m_numbers->currentText().toStdString() : std::string();
    out.parallel = m_parallel->value();
    if (const auto status = m_sampling->read(out.sampling); !status)
        return status.error();
    return models::NamedModel(std::move(out));
}

void LocalForm::fill(const models::NamedModel& model)
{
    m_from = std::get<LocalSettings>(model);
    m_path->setText(QString::fromStdString(m_from.path));
    m_device->setText(QString::fromStdString(m_from.device));
    m_numbers->setCurrentIndex(std::max(m_numbers->findText(QString::fromStdString(m_from.dtype)), 0));
    m_sampling->show(m_from.sampling);
    m_parallel->setValue(m_from.parallel);
    showPath();
}

} // namespace cudal1::ui
