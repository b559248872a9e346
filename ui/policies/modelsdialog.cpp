// SPDX-License-Identifier: GPL-3.0-or-later
// A list of models beside the fields of the chosen one.
#include "ui/policies/modelsdialog.h"

#include "core/models/endpointsettings.h"
#include "ui/kit/theme.h"
#include "ui/policies/modelform.h"
#include "ui/work/modellist.h"
#include "ui/work/modeltest.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPointer>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

namespace cudal1::ui {

ModelsDialog::ModelsDialog(ModelList& models, QWidget* parent)
    : QDialog(parent), m_models(models), m_test(new ModelTest(this)), m_list(new QListWidget), m_form(new ModelForm),
      m_remove(new QPushButton(tr("Remove"))), m_save(new QPushButton(tr("Save"))), m_tryIt(new QPushButton),
      m_note(new QLabel)
{
    setWindowTitle(tr("Language Models"));
    setObjectName(QStringLiteral("models"));
    const Theme& theme = Theme::instance();
    auto* columns = new QHBoxLayout;
    columns->setSpacing(theme.unit(4));
    columns->addWidget(makeList());
    columns->addWidget(makeRight(), 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    for (QAbstractButton* button : buttons->buttons())
        static_cast<QPushButton*>(button)->setAutoDefault(false);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(theme.unit(4), theme.unit(4), theme.unit(4), theme.unit(4));
    layout->setSpacing(theme.unit(3));
    layout->addLayout(columns, 1);
    layout->addWidget(buttons);
    resize(theme.unit(190), theme.unit(132));

    connect(&m_models, &ModelList::changed, this, &ModelsDialog::fillList);
    connect(m_list, &QListWidget::currentRowChanged, this, [this] {
        if (m_filling)
            return;
        m_test->stop();
        showNote({}, std::nullopt);
        showChosen();
    });
    connect(m_form, &ModelForm::edited, this, [this] {
        m_changed = true;
        updateButtons();
    });
    connect(m_test, &ModelTest::ended, this, [this](bool good, const QString& text) {
        showNote(text, good);
        updateButtons();
    });
    fillList();
    m_models.read();
}

QWidget* ModelsDialog::makeList()
{
    const Theme& theme = Theme::instance();
    m_list->setObjectName(QStringLiteral("modelList"));
    m_list->setAccessibleName(tr("Models"));
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* add = new QPushButton(tr("Add"));
    add->setObjectName(QStringLiteral("newModel"));
    add->setToolTip(tr("Empty fields for another model"));
    add->setAutoDefault(false);
    m_remove->setObjectName(QStringLiteral("removeModel"));
    m_remove->setToolTip(tr("Remove the chosen model, and its key from the keyring. What it has answered stays."));
    m_remove->setAutoDefault(false);
    connect(add, &QPushButton::clicked, this, &ModelsDialog::addNew);
    connect(m_remove, &QPushButton::clicked, this, &ModelsDialog::remove);
    auto* line = new QHBoxLayout;
    line->setSpacing(theme.unit(2));
    line->addWidget(add);
    line->addWidget(m_remove);
    auto* box = new QWidget;
    box->setFixedWidth(theme.unit(50));
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(theme.unit(2));
    layout->addWidget(m_list, 1);
    layout->addLayout(line);
    return box;
}

QWidget* ModelsDialog::makeRight()
{
    const Theme& theme = Theme::instance();
    m_note->setObjectName(QStringLiteral("modelNote"));
    m_note->setWordWrap(true);
    m_note->setTextFormat(Qt::PlainText);
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_note->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_note->setMinimumHeight(3 * m_note->fontMetrics().lineSpacing());
    m_save->setObjectName(QStringLiteral("saveModel"));
    m_save->setToolTip(tr("Keep these settings"));
    m_save->setDefault(true);
    m_tryIt->setObjectName(QStringLiteral("testModel"));
    m_tryIt->setAutoDefault(false);
    m_tryIt->setToolTip(tr("Ask the model a small question, to see whether it answers and how fast"));
    connect(m_save, &QPushButton::clicked, this, [this] { save(false); });
    connect(m_tryIt, &QPushButton::clicked, this, [this] {
        if (m_changed)
            save(true);
        else if (const models::EndpointSettings* model = m_models.model(chosen()))
            test(*model);
    });
    auto* line = new QHBoxLayout;
    line->setSpacing(theme.unit(2));
    line->addWidget(m_save);
    line->addWidget(m_tryIt);
    line->addStretch();
    auto* box = new QWidget;
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(theme.unit(3));
    layout->addWidget(m_form);
    layout->addLayout(line);
    layout->addWidget(m_note);
    layout->addStretch(1);
    return box;
}

std::string ModelsDialog::chosen() const
{
    const QListWidgetItem* item = m_list->currentItem();
    return item ? item->text().toStdString() : std::string();
}

void ModelsDialog::fillList()
{
    const std::string before = m_wanted.empty() ? chosen() : m_wanted;
    m_filling = true;
    m_list->clear();
    for (const models::EndpointSettings& model : m_models.models()) {
        auto* item = new QListWidgetItem(QString::fromStdString(model.name), m_list);
        item->setToolTip(QString::fromStdString(model.model + "\n" + model.url));
        if (model.name == before)
            m_list->setCurrentItem(item);
    }
    m_filling = false;
    if (m_models.error())
        showNote(QString::fromStdString(m_models.error()->text()), false);
    if (m_changed)
        return updateButtons(); // what is being written stays
    if (!m_list->currentItem() && m_list->count() > 0 && !m_form->isNew())
        m_list->setCurrentRow(0);
    else if (m_shown.empty() || m_shown != chosen())
        showChosen();
    else
        updateButtons(); // a test of what is shown goes on
}

void ModelsDialog::showChosen()
{
    const models::EndpointSettings* model = m_models.model(chosen());
    if (m_wanted == chosen())
        m_wanted.clear();
    m_changed = false;
    m_shown = model ? model->name : std::string();
    m_form->show(model ? *model : models::EndpointSettings(), !model);
    updateButtons();
}

void ModelsDialog::addNew()
{
    m_test->stop();
    showNote({}, std::nullopt);
    m_wanted.clear();
    m_filling = true;
    m_list->setCurrentItem(nullptr);
    m_list->clearSelection();
    m_filling = false;
    showChosen();
    m_form->focusName();
}

void ModelsDialog::select(const std::string& name)
{
    m_wanted = name;
    fillList();
}

/// Without a sign while nothing is known yet.
void ModelsDialog::showNote(const QString& text, std::optional<bool> good)
{
    QPalette colours = m_note->palette();
    colours.setColor(QPalette::WindowText, Theme::instance().color(good.value_or(true) ? Role::Text : Role::LossText));
    m_note->setPalette(colours);
    m_note->setText(!good ? text : (*good ? QStringLiteral("✓ ") : QStringLiteral("✗ ")) + text);
}

void ModelsDialog::updateButtons()
{
    m_remove->setEnabled(!chosen().empty() && !m_busy);
    m_save->setEnabled(m_changed && !m_busy);
    m_tryIt->setText(m_changed ? tr("Save and Test") : tr("Test"));
    m_tryIt->setEnabled((m_changed || !chosen().empty()) && !m_busy && !m_test->isRunning());
}

void ModelsDialog::save(bool thenTest)
{
    const auto settings = m_form->settings();
    if (!settings)
        return showNote(QString::fromStdString(settings.error().text()), false);
    if (const auto good = models::check(*settings); !good)
        return showNote(QString::fromStdString(good.error().text()), false);
    if (m_form->needsKey())
        return showNote(tr("Type the key first, or choose another place for it."), false);
    m_busy = true;
    updateButtons();
    m_models.save(*settings, m_form->takeKey(), !m_form->isNew(),
                  [this, here = QPointer<QObject>(this), settings = *settings, thenTest](const base::Status& status) {
                      if (!here)
                          return;
                      m_busy = false;
                      if (!status) {
                          showNote(QString::fromStdString(status.error().text()), false);
                          return updateButtons();
                      }
                      m_changed = false;
                      m_wanted = settings.name;
                      m_shown = settings.name;
                      m_form->show(settings, false);
                      showNote(models::sentInClear(settings)
                                   ? tr("Kept. Prompts, and a key, go to this server without encryption; others on the "
                                        "network could read them.")
                                   : tr("Kept."),
                               true);
                      updateButtons();
                      emit saved(settings.name);
                      if (thenTest)
                          test(settings);
                  });
}

void ModelsDialog::test(const models::EndpointSettings& settings)
{
    showNote(tr("Asking %1…").arg(QString::fromStdString(settings.name)), std::nullopt);
    m_test->start(settings);
    updateButtons();
}

void ModelsDialog::remove()
{
    const std::string name = chosen();
    m_busy = true;
    updateButtons();
    m_models.remove(name, [this, here = QPointer<QObject>(this), name](const base::Status& status) {
        if (!here)
            return;
        m_busy = false;
        m_changed = false;
        showNote(status ? tr("%1 was removed.").arg(QString::fromStdString(name))
                        : QString::fromStdString(status.error().text()),
                 status.ok());
        updateButtons();
    });
}

} // namespace cudal1::ui
