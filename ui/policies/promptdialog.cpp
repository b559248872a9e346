// SPDX-License-Identifier: GPL-3.0-or-later
// The text on the left, the parts on the right.
#include "ui/policies/promptdialog.h"

#include "core/base/counttext.h"
#include "core/language/tokenestimate.h"
#include "core/optimize/options.h"
#include "core/policy/chattext.h"
#include "ui/kit/elidedlabel.h"
#include "ui/kit/theme.h"
#include "ui/policies/promptcolors.h"
#include "ui/work/projectmodel.h"
#include "ui/work/runchoice.h"
#include "ui/work/selection.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QVBoxLayout>

namespace cudal1::ui {

namespace {

QString number(std::size_t value)
{
    return QString::fromStdString(base::countText(std::int64_t(value)));
}

} // namespace

PromptDialog::PromptDialog(ProjectModel& project, Selection& selection, RunChoice& choice, QWidget* parent)
    : QDialog(parent), m_project(project), m_selection(selection), m_choice(choice), m_title(new ElidedLabel),
      m_sum(new QLabel), m_text(new QPlainTextEdit), m_copy(new QPushButton(tr("Copy"))),
      m_undo(new QPushButton(tr("Undo Edits"))), m_send(new QPushButton(tr("Ask with This Text"))), m_note(new QLabel)
{
    setWindowTitle(tr("Prompt"));
    setObjectName(QStringLiteral("prompt"));
    const Theme& theme = Theme::instance();
    m_title->setFont(theme.titleFont(1));
    m_title->setObjectName(QStringLiteral("promptTitle"));
    m_sum->setObjectName(QStringLiteral("promptSum"));
    m_sum->setProperty("class", QStringLiteral("muted"));
    m_sum->setWordWrap(true);
    m_text->setObjectName(QStringLiteral("promptText"));
    m_text->setAccessibleName(tr("Text of the prompt"));
    m_text->setReadOnly(true); // until there is one
    m_text->setTabChangesFocus(true);
    new PromptColors(m_text->document());
    connect(m_text, &QPlainTextEdit::textChanged, this, &PromptDialog::takeEdit);
    const auto applyTheme = [this] {
        m_text->setFont(Theme::instance().monoFont());
        m_text->document()->setDocumentMargin(Theme::instance().unit(3));
    };
    applyTheme();
    connect(&Theme::instance(), &Theme::changed, this, applyTheme);
    auto* columns = new QHBoxLayout;
    columns->setSpacing(theme.unit(4));
    columns->addWidget(m_text, 1);
    columns->addWidget(makeParts());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(theme.unit(4), theme.unit(4), theme.unit(4), theme.unit(4));
    layout->setSpacing(theme.unit(2));
    layout->addWidget(m_title);
    layout->addWidget(m_sum);
    layout->addLayout(columns, 1);
    layout->addWidget(makeButtons());
    resize(theme.unit(230), theme.unit(150));

    connect(&m_selection, &Selection::taskChanged, this, [this] { askForBasis(); });
    connect(&m_choice, &RunChoice::changed, this, [this] {
        showSwitches();
        const bool other = m_basis && (m_choice.place().name != m_place || m_basis->precision != m_choice.precision());
        other ? askForBasis() : build();
    });
    showSwitches();
}

QWidget* PromptDialog::makeButtons()
{
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    const auto add = [&](QPushButton* button, const char* name, const QString& tip) {
        button->setObjectName(QLatin1String(name));
        button->setAutoDefault(false);
        button->setEnabled(false);
        button->setToolTip(tip);
        buttons->addButton(button, QDialogButtonBox::ActionRole);
    };
    add(m_copy, "promptCopy", tr("Copy the whole prompt"));
    add(m_undo, "promptUndo", tr("Show the prompt as it is built"));
    add(m_send, "promptSend", tr("Send this text word for word to the chosen models, in one round about this task"));
    connect(m_copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(text()); });
    connect(m_undo, &QPushButton::clicked, this, [this] {
        m_edits.erase(m_task);
        display(m_view);
    });
    connect(m_send, &QPushButton::clicked, this, [this] {
        emit askRequested(m_task, text() + (text().endsWith(QLatin1Char('\n')) ? QString() : QStringLiteral("\n")));
        close();
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    return buttons;
}

QWidget* PromptDialog::makeParts()
{
    const Theme& theme = Theme::instance();
    auto* box = new QWidget;
    box->setFixedWidth(theme.unit(64));
    auto* title = new QLabel(tr("Parts, in tokens"));
    title->setFont(theme.titleFont(2));
    m_note->setObjectName(QStringLiteral("promptNote"));
    m_note->setWordWrap(true);
    m_note->setProperty("class", QStringLiteral("muted"));
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(theme.unit(2));
    grid->setVerticalSpacing(theme.unit(1));
    grid->setColumnStretch(0, 1);
    int row = 0;
    for (const language::PartInfo& info : language::parts()) {
        auto* one = new QCheckBox(QString::fromUtf8(info.id));
        one->setObjectName(QStringLiteral("part_") + QString::fromUtf8(info.id));
        one->setToolTip(QString::fromUtf8(info.what));
        auto* size = new QLabel;
        size->setFont(theme.monoFont());
        size->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        grid->addWidget(one, row, 0);
        grid->addWidget(size, row++, 1);
        m_switches[info.part] = one;
        m_sizes[info.part] = size;
        connect(one, &QCheckBox::toggled, this, [this, part = info.part](bool on) {
            if (m_filling)
                return;
            language::AskMethod method = m_choice.policies().method();
            if (on)
                method.without.erase(part);
            else
                method.without.insert(part);
            m_choice.setMethod(method);
        });
    }
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(theme.unit(2));
    layout->addWidget(title);
    layout->addLayout(grid);
    layout->addWidget(m_note);
    layout->addStretch(1);
    return box;
}

void PromptDialog::showEvent(QShowEvent* event)
{
    QDialog::showEvent(event);
    askForBasis();
}

/// What a method leaves out by its nature cannot be switched on.
void PromptDialog::showSwitches()
{
    m_filling = true;
    const language::AskMethod& method = m_choice.policies().method();
    const std::set<language::PromptPart> never = method.leftOut();
    for (const auto& [part, one] : m_switches) {
        one->setEnabled(!never.contains(part) && !isEdited());
        one->setChecked(!never.contains(part) && !method.without.contains(part));
    }
    m_filling = false;
    if (isEdited())
        return m_note->setText(tr("The text was edited, so its parts cannot be switched. Undo the edits to do that."));
    QStringList left;
    for (const language::PromptPart part : never)
        left << m_switches.at(part)->text();
    m_note->setText(tr("A part that is switched off is left out of the next runs too. The text can be edited, and "
                       "sent once.") +
                    (left.isEmpty()
                         ? QString()
                         : QStringLiteral("\n\n") + tr("The method %1 does without %2.")
                                                        .arg(QString::fromUtf8(language::wordOf(method.kind)),
                                                             left.join(QStringLiteral(", ")))));
}

void PromptDialog::takeEdit()
{
    if (m_filling || !m_view)
        return;
    if (text().toStdString() == policy::messagesText(m_view->preview.messages))
        m_edits.erase(m_task);
    else
        m_edits[m_task] = text();
    showState();
}

void PromptDialog::fill(const QString& text)
{
    if (text == this->text())
        return;
    m_filling = true;
    const int place = m_text->verticalScrollBar()->value();
    m_text->setPlainText(text);
    m_text->verticalScrollBar()->setValue(place);
    m_filling = false;
}

void PromptDialog::askForBasis()
{
    if (!isVisible())
        return;
    m_basis.reset();
    m_view.reset();
    m_asker.forget();
    const base::TaskId& task = m_selection.task();
    m_task = task;
    fill({});
    m_text->setReadOnly(true);
    for (QPushButton* button : {m_copy, m_undo, m_send})
        button->setEnabled(false);
    showSwitches();
    const TaskEntry* entry = m_project.entry(task);
    m_title->setText(entry && entry->level > 0
                         ? QStringLiteral("%1  %2").arg(QString::fromStdString(task.value), entry->name)
                         : QString::fromStdString(task.value));
    for (const auto& [part, size] : m_sizes)
        size->clear();
    if (task.empty() || !m_project.isOpen()) {
        m_sum->setText(tr("Choose a task first."));
        return;
    }
    m_place = m_choice.place().name;
    m_sum->setText(tr("The operators of the task are looked up on %1; where they are not known yet, its evaluator runs "
                      "the reference first…")
                       .arg(m_place));
    emit basisWanted(task);
}

void PromptDialog::takeBasis(std::shared_ptr<const PromptBasis> basis)
{
    if (!isVisible() || basis->task.id != m_selection.task() || basis->precision != m_choice.precision() ||
        basis->device.name != optimize::deviceName(m_choice.place().device.toStdString()))
        return;
    m_basis = std::move(basis);
    build();
}

void PromptDialog::takeFailure(const base::TaskId& task, const QString& why)
{
    if (isVisible() && task == m_selection.task() && !m_basis)
        m_sum->setText(tr("There is no prompt yet. %1").arg(why));
}

void PromptDialog::build()
{
    if (!m_basis)
        return;
    const std::string model = m_choice.policies().firstModel();
    m_asker.ask([file = m_project.path(), basis = m_basis, method = m_choice.policies().method(),
                 who = language::storedName(model.empty() ? "endpoint:model"
                                                          : model)] { return loadPrompt(file, *basis, method, who); },
                [this](const base::Result<std::shared_ptr<const PromptView>>& view) { display(view); });
}

void PromptDialog::display(const base::Result<std::shared_ptr<const PromptView>>& view)
{
    if (!view) {
        m_sum->setText(QString::fromStdString(view.error().text()));
        return;
    }
    m_view = *view;
    fill(isEdited() ? m_edits[m_task] : QString::fromStdString(policy::messagesText(m_view->preview.messages)));
    m_text->setReadOnly(false);
    m_copy->setEnabled(true);
    showState();
}

/// What depends on whether the text is as it was built.
void PromptDialog::showState()
{
    showSwitches();
    const language::PromptPreview& preview = m_view->preview;
    const auto messages = policy::messagesOf(text().toStdString() + (text().endsWith(QLatin1Char('\n')) ? "" : "\n"));
    const bool asks = m_choice.policies().asksModel();
    m_undo->setEnabled(isEdited());
    m_send->setEnabled(messages && asks);
    for (const auto& [part, tokens] : preview.parts)
        m_sizes[part]->setText(isEdited() ? QString() : tokens > 0 ? number(tokens) : QStringLiteral("–"));
    if (!messages) {
        m_sum->setText(tr("The text is no prompt: each message stands below a line such as <|user|>, and the first "
                          "line is one."));
        return;
    }
    const language::AskMethod& method = m_choice.policies().method();
    QStringList sum{tr("About %1 tokens").arg(number(language::estimatedTokens(*messages))),
                    tr("method %1").arg(QString::fromUtf8(language::wordOf(method.kind))),
                    preview.replies == 1 ? tr("1 reply asked for") : tr("%1 replies asked for").arg(preview.replies)};
    QStringList exemplars;
    for (const base::VariantId id : preview.shown)
        exemplars << QStringLiteral("#%1").arg(id.value);
    if (isEdited())
        sum.prepend(tr("Edited"));
    else if (!exemplars.isEmpty())
        sum << tr("exemplars %1, which each run draws anew").arg(exemplars.join(QStringLiteral(", ")));
    if (!m_view->ownTemplates.empty())
        sum << tr("%1 templates of your own").arg(m_view->ownTemplates.size());
    if (!asks)
        sum << tr("no model is chosen, so nothing would be sent");
    m_sum->setText(sum.join(QStringLiteral(" · ")));
}

/// Not as QPlainTextEdit::toPlainText() has it, which turns spaces that do not break into others.
QString PromptDialog::text() const
{
    return m_text->document()->toRawText().replace(QChar::ParagraphSeparator, QLatin1Char('\n'));
}

} // namespace cudal1::ui
