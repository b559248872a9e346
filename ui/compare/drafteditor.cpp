// SPDX-License-Identifier: GPL-3.0-or-later
// The editable copy of a variant.
#include "ui/compare/drafteditor.h"

#include "ui/compare/diff.h"
#include "ui/editor/codeview.h"
#include "ui/shell/theme.h"
#include "ui/shell/uistate.h"
#include "ui/variants/texts.h"

#include <QAction>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>

namespace cudal1::ui {

DraftEditor::DraftEditor(QWidget* parent)
    : QWidget(parent), m_original(new CodeView), m_editor(new CodeView), m_title(new QLabel), m_changes(new QLabel),
      m_judge(new QPushButton(tr("Judge"))), m_typed(new QTimer(this))
{
    const Theme& theme = Theme::instance();
    m_original->setAccessibleName(tr("Source as it was"));
    m_editor->setAccessibleName(tr("Editable copy"));
    m_editor->setObjectName(QStringLiteral("draft"));
    m_editor->setEditable(true);
    m_changes->setProperty("class", QStringLiteral("muted"));
    m_changes->setObjectName(QStringLiteral("draftChanges"));

    auto* bar = new QFrame;
    bar->setProperty("class", QStringLiteral("bar"));
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(theme.unit(3), theme.unit(1), theme.unit(2), theme.unit(1));
    row->setSpacing(theme.unit(2));
    row->addWidget(m_title);
    row->addWidget(m_changes, 1);
    const auto add = [&](QPushButton* button, const char* style, const QString& name, const QString& tip, auto slot) {
        button->setProperty("class", QLatin1String(style));
        button->setObjectName(name);
        button->setToolTip(tip);
        connect(button, &QPushButton::clicked, this, slot);
        row->addWidget(button);
    };
    add(m_judge, "primary", QStringLiteral("judgeDraft"), tr("Make a new variant of it and judge that (Ctrl+Return)"), &DraftEditor::judge);
    add(new QPushButton(tr("&Discard")), "quiet", QStringLiteral("discardDraft"), tr("Forget what was changed (Alt+D)"), &DraftEditor::discard);
    add(new QPushButton(tr("Close")), "quiet", QStringLiteral("closeDraft"), tr("Back to the comparison; the copy is kept (Esc)"), &DraftEditor::leave);
    auto* judgeKey = new QAction(tr("Judge the draft"), this);
    judgeKey->setShortcut(Qt::CTRL | Qt::Key_Return);
    judgeKey->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(judgeKey);
    connect(judgeKey, &QAction::triggered, this, &DraftEditor::judge);

    auto* sides = new QSplitter(Qt::Horizontal);
    sides->addWidget(m_original);
    sides->addWidget(m_editor);
    sides->setChildrenCollapsible(true);
    sides->setHandleWidth(theme.unit(1));
    sides->setSizes({1000, 1000});
    UiState::instance().keep(sides, QStringLiteral("compareDraft"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(sides, 1);

    m_typed->setSingleShot(true);
    m_typed->setInterval(150);
    connect(m_editor, &QsciScintilla::textChanged, m_typed, QOverload<>::of(&QTimer::start));
    connect(m_typed, &QTimer::timeout, this, [this] {
        keep();
        showChanges();
    });
}

void DraftEditor::edit(base::VariantId variant, const std::string& source)
{
    keep();
    m_variant = variant;
    m_source = source;
    m_title->setText(tr("Editing a copy of %1").arg(variantName(variant)));
    m_original->setCode(source);
    const auto draft = m_drafts.find(variant);
    m_editor->setCode(draft == m_drafts.end() ? source : draft->second);
    showChanges();
    m_editor->setFocus();
}

bool DraftEditor::hasDraft(base::VariantId variant) const
{
    return m_drafts.contains(variant) || (variant && variant == m_variant && text() != m_source);
}

std::string DraftEditor::text() const
{
    return m_editor->text().toStdString();
}

void DraftEditor::keyPressEvent(QKeyEvent* event)
{
    // An editor takes the key for itself while its find bar is open, and leaves it to us otherwise.
    if (event->key() == Qt::Key_Escape)
        leave();
    else
        QWidget::keyPressEvent(event);
}

void DraftEditor::find()
{
    (m_original->hasFocus() ? m_original : m_editor)->find();
}

void DraftEditor::keep()
{
    if (!m_variant)
        return;
    std::string now = text();
    if (now == m_source)
        m_drafts.erase(m_variant);
    else
        m_drafts[m_variant] = std::move(now);
}

void DraftEditor::showChanges()
{
    const SideBySide diff = sideBySide(m_source, text());
    const bool changed = text() != m_source;
    m_changes->setText(changed ? tr("+%1 −%2 ~%3 lines").arg(diff.added).arg(diff.removed).arg(diff.changed) : tr("nothing changed yet"));
    m_judge->setEnabled(changed);
}

void DraftEditor::judge()
{
    m_typed->stop();
    keep();
    showChanges();
    if (m_variant && m_judge->isEnabled())
        emit judgeRequested(m_variant, text());
}

void DraftEditor::discard()
{
    m_typed->stop();
    m_drafts.erase(m_variant);
    m_variant = {};
    emit left();
}

void DraftEditor::leave()
{
    m_typed->stop();
    keep();
    m_variant = {};
    emit left();
}

} // namespace cudal1::ui
