// SPDX-License-Identifier: GPL-3.0-or-later
// Searches the document with Scintilla's own target search; lower-case patterns ignore case.
#include "ui/editor/codefindbar.h"

#include "ui/editor/codecolors.h"
#include "ui/editor/codeview.h"
#include "ui/kit/theme.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include <algorithm>

namespace cudal1::ui {

namespace {

// So many are marked and counted; a pattern that matches more often says nothing.
constexpr std::size_t matchLimit = 10'000;

QToolButton* button(const QString& icon, const QString& tip, QWidget* parent)
{
    auto* made = new QToolButton(parent);
    made->setIcon(Theme::instance().icon(icon, Role::Muted));
    made->setToolTip(tip);
    made->setAccessibleName(tip);
    made->setAutoRaise(true);
    made->setFocusPolicy(Qt::TabFocus);
    return made;
}

} // namespace

CodeFindBar::CodeFindBar(CodeView& view)
    : QFrame(&view), m_view(view), m_field(new QLineEdit(this)), m_count(new QLabel(this))
{
    const Theme& theme = Theme::instance();
    setObjectName(QStringLiteral("codeFindBar"));
    setAutoFillBackground(true);
    setProperty("class", QStringLiteral("popup"));
    setCursor(Qt::ArrowCursor);
    m_field->setPlaceholderText(tr("Find in code"));
    m_field->setAccessibleName(tr("Find in code"));
    m_field->setClearButtonEnabled(true);
    m_field->setMinimumWidth(theme.unit(44));
    m_count->setMinimumWidth(QFontMetrics(m_count->font()).horizontalAdvance(QStringLiteral("000 of 000")));
    m_count->setProperty("class", QStringLiteral("muted"));
    auto* up = button(QStringLiteral("up"), tr("Previous match (Shift+Enter)"), this);
    auto* down = button(QStringLiteral("down"), tr("Next match (Enter)"), this);
    auto* close = button(QStringLiteral("close"), tr("Close (Esc)"), this);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(theme.unit(1), theme.unit(1), theme.unit(1), theme.unit(1));
    layout->setSpacing(theme.unit(1));
    for (QWidget* part : {static_cast<QWidget*>(m_field), static_cast<QWidget*>(m_count), static_cast<QWidget*>(up),
                          static_cast<QWidget*>(down), static_cast<QWidget*>(close)})
        layout->addWidget(part);
    connect(m_field, &QLineEdit::textChanged, this, &CodeFindBar::search);
    connect(up, &QToolButton::clicked, this, &CodeFindBar::previous);
    connect(down, &QToolButton::clicked, this, &CodeFindBar::next);
    connect(close, &QToolButton::clicked, this, &CodeFindBar::dismiss);
    hide();
}

void CodeFindBar::open(const QString& text)
{
    show();
    place();
    raise();
    if (!text.isEmpty())
        m_field->setText(text);
    m_field->selectAll();
    m_field->setFocus(Qt::ShortcutFocusReason);
    search();
}

void CodeFindBar::dismiss()
{
    if (isHidden())
        return;
    const bool hadFocus = isAncestorOf(focusWidget()) || m_field->hasFocus();
    hide();
    clearMarks();
    m_matches.clear();
    m_current = -1;
    m_left = -1;
    if (hadFocus)
        m_view.setFocus();
}

void CodeFindBar::place()
{
    adjustSize();
    const int gap = Theme::instance().unit(2);
    move(std::max(0, m_view.viewport()->geometry().right() - width() - gap), gap);
}

void CodeFindBar::clearMarks()
{
    for (int indicator : {MatchIndicator, CurrentMatchIndicator}) {
        m_view.SendScintilla(CodeView::SCI_SETINDICATORCURRENT, indicator);
        m_view.SendScintilla(CodeView::SCI_INDICATORCLEARRANGE, 0, m_view.SendScintilla(CodeView::SCI_GETLENGTH));
    }
}

int CodeFindBar::topLine() const
{
    return int(m_view.SendScintilla(CodeView::SCI_DOCLINEFROMVISIBLE, m_view.firstVisibleLine()));
}

void CodeFindBar::search()
{
    if (topLine() != m_left)
        m_from = topLine();
    clearMarks();
    m_matches.clear();
    m_current = -1;
    const QByteArray wanted = m_field->text().toUtf8();
    const long length = m_view.SendScintilla(CodeView::SCI_GETLENGTH);
    if (!wanted.isEmpty()) {
        const bool matchCase = m_field->text() != m_field->text().toLower();
        m_view.SendScintilla(CodeView::SCI_SETSEARCHFLAGS, matchCase ? CodeView::SCFIND_MATCHCASE : 0);
        for (long from = 0; from < length && m_matches.size() < matchLimit;) {
            m_view.SendScintilla(CodeView::SCI_SETTARGETSTART, from);
            m_view.SendScintilla(CodeView::SCI_SETTARGETEND, length);
            if (m_view.SendScintilla(CodeView::SCI_SEARCHINTARGET, static_cast<unsigned long>(wanted.size()),
                                     wanted.constData()) < 0)
                break;
            const int start = int(m_view.SendScintilla(CodeView::SCI_GETTARGETSTART));
            from = m_view.SendScintilla(CodeView::SCI_GETTARGETEND);
            m_matches.emplace_back(start, int(from));
        }
        m_view.SendScintilla(CodeView::SCI_SETINDICATORCURRENT, MatchIndicator);
        for (const auto& [from, to] : m_matches)
            m_view.SendScintilla(CodeView::SCI_INDICATORFILLRANGE, from, long(to - from));
    }
    if (m_matches.empty()) {
        m_count->setText(wanted.isEmpty() ? QString() : tr("no match"));
        // Where the first letters had a match: back to what was being read.
        if (topLine() != m_from)
            m_view.SendScintilla(CodeView::SCI_SETFIRSTVISIBLELINE,
                                 m_view.SendScintilla(CodeView::SCI_VISIBLEFROMDOCLINE, m_from));
        m_left = topLine();
        return;
    }
    // The first one at or below what is being read.
    const long top = m_view.SendScintilla(CodeView::SCI_POSITIONFROMLINE, m_from);
    const auto at = std::find_if(m_matches.begin(), m_matches.end(),
                                 [top](const auto& match) { return match.first >= top; });
    go(at == m_matches.end() ? 0 : int(at - m_matches.begin()));
}

void CodeFindBar::go(int match)
{
    m_current = match;
    const auto [from, to] = m_matches[match];
    m_count->setText(tr("%1 of %2").arg(match + 1).arg(m_matches.size()));
    m_view.SendScintilla(CodeView::SCI_SETINDICATORCURRENT, CurrentMatchIndicator);
    m_view.SendScintilla(CodeView::SCI_INDICATORCLEARRANGE, 0, m_view.SendScintilla(CodeView::SCI_GETLENGTH));
    m_view.SendScintilla(CodeView::SCI_INDICATORFILLRANGE, from, long(to - from));
    const int line = int(m_view.SendScintilla(CodeView::SCI_LINEFROMPOSITION, from));
    m_view.ensureLineVisible(line);
    m_view.reveal(line);
    m_left = topLine();
}

void CodeFindBar::next()
{
    if (m_matches.empty())
        return;
    go((m_current + 1) % int(m_matches.size()));
    m_from = m_left; // it was gone to
}

void CodeFindBar::previous()
{
    if (m_matches.empty())
        return;
    go((m_current + int(m_matches.size()) - 1) % int(m_matches.size()));
    m_from = m_left;
}

void CodeFindBar::keyPressEvent(QKeyEvent* event)
{
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_F3;
    if (enter)
        event->modifiers() & Qt::ShiftModifier ? previous() : next();
    else if (event->key() == Qt::Key_Escape)
        dismiss();
    else
        QFrame::keyPressEvent(event);
}

} // namespace cudal1::ui
