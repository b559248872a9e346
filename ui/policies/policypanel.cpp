// SPDX-License-Identifier: GPL-3.0-or-later
// Check boxes for policies, fields for the method.
#include "ui/policies/policypanel.h"

#include "ui/kit/theme.h"
#include "ui/work/modellist.h"
#include "ui/work/modeltest.h"
#include "ui/work/runchoice.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace cudal1::ui {

namespace {

QLabel* heading(const QString& text)
{
    auto* made = new QLabel(text);
    made->setFont(Theme::instance().titleFont(2));
    return made;
}

QLabel* muted(const QString& text = {})
{
    auto* made = new QLabel(text);
    made->setProperty("class", QStringLiteral("muted"));
    made->setFont(Theme::instance().smallFont());
    made->setWordWrap(true);
    return made;
}

QString placeOf(const models::EndpointSettings& model)
{
    const QUrl url(QString::fromStdString(model.url));
    return PolicyPanel::tr("%1 at %2").arg(QString::fromStdString(model.model), url.authority());
}

} // namespace

PolicyPanel::PolicyPanel(RunChoice& choice, ModelList& models, QWidget* parent)
    : QWidget(parent), m_choice(choice), m_models(models), m_test(new ModelTest(this)), m_list(new QVBoxLayout),
      m_method(new QComboBox), m_about(muted()), m_samples(new QSpinBox), m_turns(new QSpinBox),
      m_repair(new QCheckBox(tr("Repair rejected replies")))
{
    const Theme& theme = Theme::instance();
    setFixedWidth(theme.unit(100));
    m_list->setSpacing(theme.unit(1));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(theme.unit(4), theme.unit(3), theme.unit(4), theme.unit(3));
    layout->setSpacing(theme.unit(2));
    layout->addWidget(heading(tr("Who proposes variants")));
    layout->addLayout(m_list);
    layout->addWidget(makeButtons());
    layout->addWidget(makeMethod());

    connect(&m_choice, &RunChoice::changed, this, &PolicyPanel::showChoice);
    connect(&m_models, &ModelList::changed, this, &PolicyPanel::fillRows);
    connect(m_test, &ModelTest::ended, this, &PolicyPanel::showTest);
    fillRows();
}

QWidget* PolicyPanel::makeButtons()
{
    const Theme& theme = Theme::instance();
    auto* box = new QWidget;
    auto* line = new QHBoxLayout(box);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(theme.unit(2));
    const auto button = [&](const QString& text, const char* name, const QString& tip, void (PolicyPanel::*wanted)()) {
        auto* made = new QPushButton(text);
        made->setObjectName(QLatin1String(name));
        made->setToolTip(tip);
        made->setAutoDefault(false);
        connect(made, &QPushButton::clicked, this, wanted);
        line->addWidget(made);
    };
    button(tr("Add a Model…"), "addModel", tr("Name a language model behind an OpenAI-compatible server"),
           &PolicyPanel::addModelRequested);
    button(tr("Models…"), "manageModels", tr("Change, test and remove the models that you have named"),
           &PolicyPanel::modelsRequested);
    line->addStretch();
    return box;
}

QWidget* PolicyPanel::makeMethod()
{
    const Theme& theme = Theme::instance();
    m_methodBox = new QWidget;
    for (const std::string_view word : language::methodWords())
        m_method->addItem(QString::fromUtf8(word));
    m_method->setObjectName(QStringLiteral("method"));
    m_method->setAccessibleName(tr("Method"));
    m_samples->setObjectName(QStringLiteral("samples"));
    m_samples->setRange(1, 1024);
    m_samples->setAccessibleName(tr("Replies a question"));
    m_samples->setToolTip(tr("Replies of each model to a question; of multi-turn, conversations side by side"));
    m_turns->setObjectName(QStringLiteral("turns"));
    m_turns->setRange(1, 64);
    m_turns->setAccessibleName(tr("Turns"));
    m_turns->setToolTip(tr("Replies of a conversation; of the method multi-turn alone"));
    m_repair->setObjectName(QStringLiteral("repair"));
    m_repair->setToolTip(tr("A rejected reply gets one turn more, with the judge's reasons. The method multi-turn has "
                            "its own turns for that"));
    auto* prompt = new QPushButton(tr("Show Prompt…"));
    prompt->setObjectName(QStringLiteral("showPrompt"));
    prompt->setToolTip(tr("What a model would be sent for the chosen task, without sending it"));
    prompt->setAutoDefault(false);

    auto* form = new QFormLayout;
    form->setHorizontalSpacing(theme.unit(4));
    form->setVerticalSpacing(theme.unit(2));
    form->addRow(tr("Method"), m_method);
    form->addRow(QString(), m_about);
    form->addRow(tr("Replies a question"), m_samples);
    form->addRow(tr("Turns"), m_turns);
    form->addRow(QString(), m_repair);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_about->setMinimumHeight(2 * m_about->fontMetrics().lineSpacing());
    m_about->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* layout = new QVBoxLayout(m_methodBox);
    layout->setContentsMargins(0, theme.unit(2), 0, 0);
    layout->setSpacing(theme.unit(2));
    layout->addWidget(heading(tr("How models are asked")));
    layout->addLayout(form);
    layout->addWidget(prompt, 0, Qt::AlignLeft);

    const auto change = [this](auto what) {
        if (m_filling)
            return;
        language::AskMethod method = m_choice.policies().method();
        what(method);
        m_choice.setMethod(method);
    };
    connect(m_method, &QComboBox::currentIndexChanged, this, [change](int at) {
        change([at](language::AskMethod& method) { method.kind = language::AskMethod::Kind(at); });
    });
    connect(m_samples, &QSpinBox::valueChanged, this,
            [change](int value) { change([value](language::AskMethod& method) { method.samples = value; }); });
    connect(m_turns, &QSpinBox::valueChanged, this,
            [change](int value) { change([value](language::AskMethod& method) { method.turns = value; }); });
    connect(m_repair, &QCheckBox::toggled, this,
            [change](bool on) { change([on](language::AskMethod& method) { method.repair = on; }); });
    connect(prompt, &QPushButton::clicked, this, &PolicyPanel::promptRequested);
    return m_methodBox;
}

void PolicyPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_models.read(); // the command line may have changed them
}

const PolicyPanel::Row* PolicyPanel::row(const std::string& policy) const
{
    const auto found = std::find_if(m_rows.begin(), m_rows.end(), [&](const Row& one) { return one.policy == policy; });
    return found == m_rows.end() ? nullptr : &*found;
}

void PolicyPanel::addRow(const std::string& policy, const QString& text, const QString& note, bool testable)
{
    const Theme& theme = Theme::instance();
    Row row;
    row.policy = policy;
    row.box = new QCheckBox(text);
    row.box->setObjectName(QString::fromStdString(policy));
    row.note = muted(note);
    row.note->setContentsMargins(theme.unit(6), 0, 0, 0);
    auto* line = new QHBoxLayout;
    line->setSpacing(theme.unit(2));
    line->addWidget(row.box, 1);
    if (testable) {
        row.test = new QPushButton(tr("Test"));
        row.test->setProperty("class", QStringLiteral("quiet"));
        row.test->setAccessibleName(tr("Test %1").arg(text));
        row.test->setToolTip(policy.starts_with("agent:")
                                 ? tr("See whether the program of this agent starts")
                                 : tr("Ask this model a small question, to see whether it answers and how fast"));
        row.test->setAutoDefault(false);
        line->addWidget(row.test);
        connect(row.test, &QPushButton::clicked, this, [this, policy] { test(policy); });
    }
    auto* box = new QWidget;
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(line);
    layout->addWidget(row.note);
    m_list->addWidget(box);
    connect(row.box, &QCheckBox::toggled, this, &PolicyPanel::takeRows);
    m_rows.push_back(row);
}

void PolicyPanel::fillRows()
{
    m_filling = true;
    m_rows.clear();
    while (QLayoutItem* item = m_list->takeAt(0)) {
        if (QWidget* old = item->widget()) {
            old->hide();
            old->deleteLater();
        }
        delete item;
    }
    addRow("library", tr("Technique library"), tr("Rules of this program; it needs no model"), false);
    for (const models::EndpointSettings& model : m_models.models())
        addRow("endpoint:" + model.name, QString::fromStdString(model.name), placeOf(model), true);
    for (const models::LocalSettings& model : m_models.locals())
        addRow("local:" + model.name, QString::fromStdString(model.name),
               tr("%1 on this machine's %2")
                   .arg(QFileInfo(QString::fromStdString(model.path)).fileName(), QString::fromStdString(model.device)),
               true);
    for (const models::AgentSettings& agent : m_models.agents())
        addRow("agent:" + agent.name, QString::fromStdString(agent.name),
               tr("Coding agent, at most %1 evaluations a round: %2")
                   .arg(agent.evaluations)
                   .arg(models::commandWords(agent, {}).value(0)),
               true);
    for (const std::string& name : m_choice.policies().names())
        if (!row(name))
            addRow(name, QString::fromStdString(name.substr(name.find(':') + 1)),
                   m_models.error() ? QString::fromStdString(m_models.error()->message)
                                    : tr("There is no such model any more. Add it, or take it off."),
                   false);
    m_filling = false;
    showChoice();
    emit resized();
}

void PolicyPanel::showChoice()
{
    m_filling = true;
    const language::PolicyChoice& policies = m_choice.policies();
    const language::AskMethod& method = policies.method();
    for (const Row& row : m_rows)
        row.box->setChecked(std::find(policies.names().begin(), policies.names().end(), row.policy) !=
                            policies.names().end());
    m_method->setCurrentIndex(int(method.kind));
    m_about->setText(RunChoice::describe(method.kind));
    m_samples->setValue(method.samples);
    m_turns->setValue(method.turns);
    m_repair->setChecked(method.repair);
    const bool turns = method.kind == language::AskMethod::Kind::MultiTurn;
    m_turns->setEnabled(turns);
    m_repair->setEnabled(!turns);
    m_filling = false;
}

void PolicyPanel::takeRows()
{
    if (m_filling)
        return;
    std::vector<std::string> names;
    for (const Row& row : m_rows)
        if (row.box->isChecked())
            names.push_back(row.policy);
    if (names.empty())
        return showChoice(); // somebody has to propose
    m_choice.setPolicyNames(names);
}

void PolicyPanel::test(const std::string& policy)
{
    const Row* one = row(policy);
    const auto model = m_models.named(policy.substr(policy.find(':') + 1));
    if (!one || !model)
        return;
    if (const Row* before = row(m_tested); before && m_test->isRunning())
        before->note->setText(tr("The test was stopped."));
    m_tested = policy;
    one->note->setText(std::holds_alternative<models::AgentSettings>(*model) ? tr("Starting…") : tr("Asking…"));
    m_test->start(*model);
}

void PolicyPanel::showTest(bool good, const QString& text)
{
    const Row* one = row(m_tested);
    if (!one)
        return;
    one->note->setText((good ? QStringLiteral("✓ ") : QStringLiteral("✗ ")) + text);
    emit resized();
}

} // namespace cudal1::ui
