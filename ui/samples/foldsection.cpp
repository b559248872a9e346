// SPDX-License-Identifier: GPL-3.0-or-later
// Title, arrow and text.
#include "ui/samples/foldsection.h"

#include "ui/kit/theme.h"

#include <QPlainTextEdit>
#include <QTextDocument>
#include <QToolButton>
#include <QVBoxLayout>

namespace cudal1::ui {

namespace {
constexpr int mostMarks = 1000;
}

FoldSection::FoldSection(const QString& name, const QString& title, bool open, QWidget* parent)
    : QWidget(parent), m_title(title), m_button(new QToolButton), m_view(new QPlainTextEdit)
{
    const Theme& theme = Theme::instance();
    m_button->setObjectName(name + QStringLiteral("Fold"));
    m_button->setProperty("class", QStringLiteral("link"));
    m_button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_button->setCheckable(true);
    m_button->setFocusPolicy(Qt::StrongFocus);
    m_button->setText(title);
    m_button->setToolTip(tr("Show or hide %1").arg(title));
    m_view->setObjectName(name);
    m_view->setAccessibleName(title);
    m_view->setReadOnly(true);
    m_view->setTabChangesFocus(true);
    m_view->setProperty("class", QStringLiteral("flat"));
    m_view->setMinimumHeight(theme.unit(12));
    m_view->document()->setDocumentMargin(theme.unit(3)); // in line with its title
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(theme.unit(3), 0, theme.unit(3), 0);
    head->addWidget(m_button);
    head->addStretch();
    layout->addLayout(head);
    layout->addWidget(m_view, 1);
    connect(m_button, &QToolButton::toggled, this, [this](bool on) {
        m_view->setVisible(on);
        m_button->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
        setSizePolicy(QSizePolicy::Preferred, on ? QSizePolicy::Expanding : QSizePolicy::Fixed);
    });
    m_button->setChecked(!open);
    m_button->setChecked(open);
    const auto applyTheme = [this] { m_view->setFont(Theme::instance().monoFont()); };
    applyTheme();
    connect(&Theme::instance(), &Theme::changed, this, applyTheme);
}

void FoldSection::setText(const QString& text, const QString& note)
{
    m_button->setText(note.isEmpty() ? m_title : QStringLiteral("%1  ·  %2").arg(m_title, note));
    if (text == m_view->toPlainText())
        return;
    m_view->setPlainText(text);
}

void FoldSection::setOpen(bool open)
{
    m_button->setChecked(open);
}

bool FoldSection::isOpen() const
{
    return m_button->isChecked();
}

bool FoldSection::mark(const QString& words)
{
    QList<QTextEdit::ExtraSelection> marks;
    const Theme& theme = Theme::instance();
    if (!words.isEmpty())
        for (QTextCursor at = m_view->document()->find(words); !at.isNull() && marks.size() < mostMarks;
             at = m_view->document()->find(words, at)) {
            QTextEdit::ExtraSelection one;
            one.cursor = at;
            one.format.setBackground(theme.color(Role::Selected));
            one.format.setForeground(theme.color(Role::Text));
            one.format.setFontUnderline(true);
            marks << one;
        }
    m_view->setExtraSelections(marks);
    if (marks.isEmpty())
        return false;
    QTextCursor first = marks.front().cursor;
    first.setPosition(first.selectionStart());
    m_view->setTextCursor(first);
    m_view->centerCursor();
    return true;
}

} // namespace cudal1::ui
