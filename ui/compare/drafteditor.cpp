// SPDX-License-Identifier: GPL-3.0-or-later
// The editable copy of a variant.
#include "ui/compare/drafteditor.h"

#include "core/base/diff.h"
#include "core/store/project.h"
#include "ui/compare/diffview.h"
#include "ui/compare/linkedviews.h"
#include "ui/compare/sourceexport.h"
#include "ui/editor/codeview.h"
#include "ui/kit/theme.h"
#include "ui/kit/uistate.h"
#include "ui/variants/texts.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>

namespace cudal1::ui {

namespace {

/// A file's name says nothing to a person: a project that is another one at the same place, or a variant with another
/// source, has drafts of its own.
QString fileOf(const DraftOrigin& origin)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const QByteArray& part : {origin.project.toUtf8(), QByteArray::number(qint64(origin.variant.value)),
                                   QByteArray::fromStdString(origin.source)})
        hash.addData(part + '\0');
    return QString::fromStdString((store::Project::defaultPath().parent_path() / "drafts").string()) + u'/' +
           QString::fromLatin1(hash.result().toHex().left(32)) + QStringLiteral(".py");
}

} // namespace

DraftEditor::DraftEditor(QWidget* parent)
    : QWidget(parent), m_original(new CodeView), m_editor(new CodeView), m_title(new QLabel), m_changes(new QLabel),
      m_judge(new QPushButton(tr("Judge"))), m_discard(new QPushButton(tr("&Discard"))), m_typed(new QTimer(this)),
      m_links(new LinkedViews(*m_original, *m_editor, this))
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
    add(m_judge, "primary", QStringLiteral("judgeDraft"), tr("Make a new variant of it and judge that (Ctrl+Return)"),
        &DraftEditor::judge);
    add(m_discard, "quiet", QStringLiteral("discardDraft"),
        tr("Back to the source as it was; Ctrl+Z brings the changes back (Alt+D)"), &DraftEditor::discard);
    add(new QPushButton(tr("Close")), "quiet", QStringLiteral("closeDraft"),
        tr("Back to the comparison; the copy is kept (Esc)"), &DraftEditor::leave);
    for (QObject* one :
         std::initializer_list<QObject*>{m_original, m_editor, this}) // what has the focus passes the key on to us
        one->installEventFilter(this);

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

DraftEditor::~DraftEditor()
{
    blockSignals(true); // nobody is left to be told
    keep();
}

void DraftEditor::edit(DraftOrigin origin)
{
    keep();
    m_origin = std::move(origin);
    m_discarded = false;
    m_title->setText(tr("Editing a copy of %1").arg(variantName(m_origin.variant)));
    m_original->setCode(m_origin.source);
    QFile file(fileOf(m_origin));
    m_kept = file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : m_origin.source;
    m_editor->setCode(m_kept);
    showChanges();
    m_editor->setFocus();
}

bool DraftEditor::hasDraft(const DraftOrigin& origin) const
{
    return origin == m_origin ? text() != m_origin.source : QFile::exists(fileOf(origin));
}

std::string DraftEditor::text() const
{
    return m_editor->text().toStdString();
}

/// Ctrl+Return is the window's shortcut to optimise, but not while a draft is written.
bool DraftEditor::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if ((key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) &&
            key->modifiers().testFlag(Qt::ControlModifier)) {
            event->accept();
            if (event->type() == QEvent::KeyPress)
                judge();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void DraftEditor::keyPressEvent(QKeyEvent* event)
{
    // An editor takes the key for itself while its find bar is open, and leaves it to us otherwise.
    if (event->key() == Qt::Key_Escape)
        leave();
    else
        QWidget::keyPressEvent(event);
}

void DraftEditor::setWrapped(bool wrapped)
{
    m_original->setWrapped(wrapped);
    m_editor->setWrapped(wrapped);
    m_links->align();
}

void DraftEditor::setSpaceShown(bool shown)
{
    m_original->setSpaceShown(shown);
    m_editor->setSpaceShown(shown);
}

void DraftEditor::find()
{
    (m_original->hasFocus() ? m_original : m_editor)->find();
}

void DraftEditor::keep()
{
    if (!m_origin.variant)
        return;
    std::string now = text();
    if (now == m_kept)
        return;
    const QString name = fileOf(m_origin);
    if (now == m_origin.source) {
        QFile::remove(name);
    } else {
        QDir().mkpath(QFileInfo(name).path());
        if (const QString why = writeSource(name, now); !why.isEmpty()) {
            emit errorRaised({base::ErrorCode::Unreadable,
                              tr("The draft is not kept when this window closes: %1").arg(why).toStdString(),
                              name.toStdString(), tr("Copy it elsewhere, or free space").toStdString()});
            return;
        }
    }
    m_kept = std::move(now);
}

void DraftEditor::showChanges()
{
    const std::string now = text();
    const base::SideBySide diff = base::sideBySide(m_origin.source, now);
    std::vector<CodeRow> gone, came;
    std::vector<std::pair<int, int>> rows;
    for (const base::DiffRow& row : diff.rows) {
        rows.emplace_back(row.a, row.b);
        if (row.kind == base::RowKind::Same)
            continue;
        if (row.a >= 0)
            gone.push_back(markedRow(row.a, CodeRow::Mark::Removed, row.wordsA));
        if (row.b >= 0)
            came.push_back(markedRow(row.b, CodeRow::Mark::Added, row.wordsB));
    }
    m_original->setChanged(gone);
    m_editor->setChanged(came);
    m_links->setRows(std::move(rows));
    const bool changed = now != m_origin.source;
    m_discarded = m_discarded && !changed;
    m_changes->setText(changed       ? tr("+%1 −%2 ~%3 lines").arg(diff.added).arg(diff.removed).arg(diff.changed)
                       : m_discarded ? tr("as it was; Ctrl+Z brings the changes back")
                                     : tr("nothing changed yet"));
    m_judge->setEnabled(changed);
    m_discard->setEnabled(changed);
}

void DraftEditor::judge()
{
    m_typed->stop();
    keep();
    showChanges();
    if (m_origin.variant && m_judge->isEnabled())
        emit judgeRequested(m_origin.variant, text());
}

void DraftEditor::discard()
{
    m_discarded = true;
    m_editor->beginUndoAction();
    m_editor->selectAll();
    m_editor->replaceSelectedText(QString::fromStdString(m_origin.source));
    m_editor->endUndoAction();
    m_editor->setCursorPosition(0, 0);
    m_editor->setFocus();
    m_typed->stop();
    keep();
    showChanges();
}

void DraftEditor::forget()
{
    QFile::remove(fileOf(m_origin));
    m_kept = text();
    leave();
}

void DraftEditor::leave()
{
    m_typed->stop();
    keep();
    m_origin = {};
    m_kept.clear();
    emit left();
}

} // namespace cudal1::ui
