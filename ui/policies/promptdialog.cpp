// SPDX-License-Identifier: GPL-3.0-or-later
// The text on the left, the parts on the right.
#include "ui/policies/promptdialog.h"

#include "core/optimize/options.h"
#include "core/policy/chattext.h"
#include "ui/kit/elidedlabel.h"
#include "ui/kit/theme.h"
#include "ui/work/projectmodel.h"
#include "ui/work/runchoice.h"
#include "ui/work/selection.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QLocale>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QVBoxLayout>

namespace cudal1::ui {

namespace {

QString number(std::size_t value)
{
    return QLocale(QLocale::English).toString(qulonglong(value));
}

QString fromView(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

} // namespace

PromptDialog::PromptDialog(ProjectModel& project, Selection& selection, RunChoice& choice, QWidget* parent)
    : QDialog(parent), m_project(project), m_selection(selection), m_choice(choice), m_title(new ElidedLabel),
      m_sum(new QLabel), m_text(new QPlainTextEdit), m_copy(new QPushButton(tr("Copy")))
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
    m_text->setReadOnly(true);
    m_text->setTabChangesFocus(true);
    const auto applyTheme = [this] { m_text->setFont(Theme::instance().monoFont()); };
    applyTheme();
    connect(&Theme::instance(), &Theme::changed, this, applyTheme);
    m_copy->setAutoDefault(false);
    m_copy->setToolTip(tr("Copy the whole prompt"));
    connect(m_copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(text()); });

    auto* columns = new QHBoxLayout;
    columns->setSpacing(theme.unit(4));
    columns->addWidget(m_text, 1);
    columns->addWidget(makeParts());
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    buttons->addButton(m_copy, QDialogButtonBox::ActionRole);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(theme.unit(4), theme.unit(4), theme.unit(4), theme.unit(4));
    layout->setSpacing(theme.unit(2));
    layout->addWidget(m_title);
    layout->addWidget(m_sum);
    layout->addLayout(columns, 1);
    layout->addWidget(buttons);
    resize(theme.unit(230), theme.unit(150));

    connect(&m_selection, &Selection::taskChanged, this, [this] { askForBasis(); });
    connect(&m_choice, &RunChoice::changed, this, [this] {
        showSwitches();
        const bool other = m_basis && (m_choice.place().name != m_place || m_basis->precision != m_choice.precision());
        other ? askForBasis() : build();
    });
    showSwitches();
}

QWidget* PromptDialog::makeParts()
{
    const Theme& theme = Theme::instance();
    auto* box = new QWidget;
    box->setFixedWidth(theme.unit(64));
    auto* title = new QLabel(tr("Parts, in tokens"));
    title->setFont(theme.titleFont(2));
    auto* note = new QLabel(tr("A part that is switched off is left out of the next runs too."));
    note->setWordWrap(true);
    note->setProperty("class", QStringLiteral("muted"));
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(theme.unit(2));
    grid->setVerticalSpacing(theme.unit(1));
    grid->setColumnStretch(0, 1);
    int row = 0;
    for (const language::PartInfo& info : language::parts()) {
        auto* one = new QCheckBox(fromView(info.id));
        one->setObjectName(QStringLiteral("part_") + fromView(info.id));
        one->setToolTip(fromView(info.what));
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
    layout->addWidget(note);
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
        one->setEnabled(!never.contains(part));
        one->setChecked(!never.contains(part) && !method.without.contains(part));
    }
    m_filling = false;
}

void PromptDialog::askForBasis()
{
    if (!isVisible())
        return;
    m_basis.reset();
    m_asker.forget();
    m_text->clear();
    m_copy->setEnabled(false);
    const base::TaskId& task = m_selection.task();
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
    const language::PromptPreview& preview = (*view)->preview;
    const QString shown = QString::fromStdString(policy::messagesText(preview.messages));
    if (shown != m_text->toPlainText()) {
        const int place = m_text->verticalScrollBar()->value();
        m_text->setPlainText(shown);
        m_text->verticalScrollBar()->setValue(place);
    }
    m_copy->setEnabled(true);
    for (const auto& [part, tokens] : preview.parts)
        m_sizes[part]->setText(tokens > 0 ? number(tokens) : QStringLiteral("–"));
    const language::AskMethod& method = m_choice.policies().method();
    QStringList sum{tr("About %1 tokens").arg(number(preview.tokens)),
                    tr("method %1").arg(fromView(language::wordOf(method.kind))),
                    preview.replies == 1 ? tr("1 reply asked for") : tr("%1 replies asked for").arg(preview.replies)};
    QStringList exemplars;
    for (const base::VariantId id : preview.shown)
        exemplars << QStringLiteral("#%1").arg(id.value);
    if (!exemplars.isEmpty())
        sum << tr("exemplars %1, which each run draws anew").arg(exemplars.join(QStringLiteral(", ")));
    if (!(*view)->ownTemplates.empty())
        sum << tr("%1 templates of your own").arg((*view)->ownTemplates.size());
    if (!m_choice.policies().asksModel())
        sum << tr("no model is chosen, so nothing would be sent");
    m_sum->setText(sum.join(QStringLiteral(" · ")));
}

QString PromptDialog::text() const
{
    return m_text->toPlainText();
}

} // namespace cudal1::ui
