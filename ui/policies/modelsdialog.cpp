// SPDX-License-Identifier: GPL-3.0-or-later
// A list of models and agents beside the fields of the chosen one.
#include "ui/policies/modelsdialog.h"

#include "ui/kit/theme.h"
#include "ui/policies/agentform.h"
#include "ui/policies/localform.h"
#include "ui/policies/modelform.h"
#include "ui/work/modellist.h"
#include "ui/work/modeltest.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
#include <QStackedWidget>
#include <QStyle>
#include <QVBoxLayout>

namespace cudal1::ui {

using models::NamedModel;

ModelsDialog::ModelsDialog(ModelList& models, QWidget* parent)
    : QDialog(parent), m_models(models), m_test(new ModelTest(this)), m_list(new QListWidget),
      m_noModels(new QLabel(
          tr("There are no models yet. Add one; the command cudal1 models fetch smollm2 fetches a small one."))),
      m_forms{new ModelForm, new LocalForm, new AgentForm}, m_fields(new QStackedWidget),
      m_remove(new QPushButton(tr("Remove"))), m_save(new QPushButton(tr("Save"))), m_tryIt(new QPushButton),
      m_note(new QLabel)
{
    setWindowTitle(tr("Language Models and Agents"));
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
    for (NamedForm* form : m_forms)
        connect(form, &NamedForm::edited, this, [this] {
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
    m_list->setAccessibleName(tr("Models and agents"));
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_noModels->setObjectName(QStringLiteral("noModels"));
    m_noModels->setWordWrap(true);
    m_noModels->setProperty("class", QStringLiteral("muted"));
    m_noModels->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    (new QVBoxLayout(m_list->viewport()))->addWidget(m_noModels);
    auto* add = new QPushButton(tr("Add  ▾"));
    add->setObjectName(QStringLiteral("newModel"));
    add->setToolTip(tr("Empty fields for another model or agent"));
    add->setAutoDefault(false);
    auto* kinds = new QMenu(add);
    const std::array<QString, Kinds> names{tr("Model Behind a Server"), tr("Model on This Machine"),
                                           tr("Coding Agent")};
    for (int kind = 0; kind < Kinds; ++kind) {
        QAction* action = kinds->addAction(names[std::size_t(kind)], this, [this, kind] { addNew(Kind(kind)); });
        action->setObjectName(QStringLiteral("newOfKind%1").arg(kind));
    }
    add->setMenu(kinds);
    m_remove->setObjectName(QStringLiteral("removeModel"));
    m_remove->setToolTip(tr("Remove the chosen one, and its key from the keyring. What it has answered stays."));
    m_remove->setAutoDefault(false);
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
    m_tryIt->setToolTip(tr(
        "Ask the model a small question, to see whether it answers and how fast. Of an agent: see whether it starts"));
    connect(m_save, &QPushButton::clicked, this, [this] { save(false); });
    connect(m_tryIt, &QPushButton::clicked, this, [this] {
        if (m_changed)
            save(true);
        else if (const auto model = m_models.named(chosen()))
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
    for (NamedForm* form : m_forms)
        m_fields->addWidget(form);
    layout->addWidget(m_fields);
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

void ModelsDialog::addToList(const NamedModel& model, const QString& note, const std::string& before)
{
    auto* item = new QListWidgetItem(QString::fromStdString(models::nameOf(model)), m_list);
    item->setToolTip(note);
    item->setIcon(Theme::instance().icon(std::holds_alternative<models::AgentSettings>(model) ? QStringLiteral("edit")
                                         : std::holds_alternative<models::LocalSettings>(model)
                                             ? QStringLiteral("device")
                                             : QStringLiteral("policy"),
                                         Role::Muted));
    if (models::nameOf(model) == before)
        m_list->setCurrentItem(item);
}

void ModelsDialog::fillList()
{
    const std::string before = m_wanted.empty() ? chosen() : m_wanted;
    m_filling = true;
    m_list->clear();
    for (const models::EndpointSettings& model : m_models.models())
        addToList(model, QString::fromStdString(model.model + "\n" + model.url), before);
    for (const models::LocalSettings& model : m_models.locals())
        addToList(model, tr("On this machine:\n%1").arg(QString::fromStdString(model.path)), before);
    for (const models::AgentSettings& agent : m_models.agents())
        addToList(agent, tr("Coding agent:\n%1").arg(QString::fromStdString(agent.command)), before);
    m_filling = false;
    m_noModels->setVisible(m_list->count() == 0 && !m_models.error());
    if (m_models.error())
        showNote(QString::fromStdString(m_models.error()->text()), false);
    if (m_changed)
        return updateButtons(); // what is being written stays
    const bool adding = form().isNew() && m_adding;
    if (!m_list->currentItem() && m_list->count() > 0 && !adding)
        m_list->setCurrentRow(0);
    else if (m_shown.empty() || m_shown != chosen())
        showChosen();
    else
        updateButtons(); // a test of what is shown goes on
}

void ModelsDialog::useForm(const NamedModel& model)
{
    m_kind = std::holds_alternative<models::AgentSettings>(model) ? Agent
           : std::holds_alternative<models::LocalSettings>(model) ? Local
                                                                  : Server;
    m_fields->setCurrentWidget(&form());
}

void ModelsDialog::showChosen()
{
    const auto model = m_models.named(chosen());
    if (m_wanted == chosen())
        m_wanted.clear();
    m_changed = false;
    m_adding = m_adding && !model;
    m_shown = model ? models::nameOf(*model) : std::string();
    if (model) {
        useForm(*model);
        form().show(*model, false);
    } else {
        m_fields->setCurrentWidget(&form());
        form().show(m_kind == Agent   ? NamedModel(models::AgentSettings())
                    : m_kind == Local ? NamedModel(models::LocalSettings())
                                      : NamedModel(models::EndpointSettings()),
                    true);
    }
    updateButtons();
}

void ModelsDialog::addNew(Kind kind)
{
    m_test->stop();
    showNote({}, std::nullopt);
    m_wanted.clear();
    m_filling = true;
    m_list->setCurrentItem(nullptr);
    m_list->clearSelection();
    m_filling = false;
    m_kind = kind;
    m_adding = true;
    showChosen();
    form().focusName();
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
    const auto settings = form().settings();
    if (!settings)
        return showNote(QString::fromStdString(settings.error().text()), false);
    if (const auto good = std::visit([](const auto& one) { return models::check(one); }, *settings); !good)
        return showNote(QString::fromStdString(good.error().text()), false);
    if (form().needsKey())
        return showNote(tr("Type the key first, or choose another place for it."), false);
    m_busy = true;
    updateButtons();
    m_models.save(*settings, form().takeKey(), !form().isNew(),
                  [this, here = QPointer<QObject>(this), settings = *settings, thenTest](const base::Status& status) {
                      if (!here)
                          return;
                      m_busy = false;
                      if (status)
                          return kept(settings, thenTest);
                      showNote(QString::fromStdString(status.error().text()), false);
                      updateButtons();
                  });
}

void ModelsDialog::kept(const NamedModel& settings, bool thenTest)
{
    m_changed = m_adding = false;
    m_wanted = m_shown = models::nameOf(settings);
    useForm(settings);
    form().show(settings, false);
    const auto* endpoint = std::get_if<models::EndpointSettings>(&settings);
    showNote(
        endpoint && models::sentInClear(*endpoint)
            ? tr("Kept. Prompts, and a key, go to this server without encryption; others on the network could read "
                 "them.")
            : tr("Kept."),
        true);
    updateButtons();
    emit saved((endpoint                                                  ? "endpoint:"
                : std::holds_alternative<models::LocalSettings>(settings) ? "local:"
                                                                          : "agent:") +
               m_shown);
    if (thenTest)
        test(settings);
}

void ModelsDialog::test(const NamedModel& settings)
{
    const QString name = QString::fromStdString(models::nameOf(settings));
    showNote(std::holds_alternative<models::AgentSettings>(settings) ? tr("Starting %1…").arg(name)
                                                                     : tr("Asking %1…").arg(name),
             std::nullopt);
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
