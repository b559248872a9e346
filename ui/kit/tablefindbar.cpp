// SPDX-License-Identifier: GPL-3.0-or-later
// Find and filter over the rows of any item view.
#include "ui/kit/tablefindbar.h"

#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"

#include <QAbstractItemView>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSortFilterProxyModel>
#include <QToolButton>

namespace cudal1::ui {

namespace {

bool rowMatches(const QAbstractItemModel& model, int row, const QModelIndex& parent, const QRegularExpression& pattern)
{
    for (int column = 0; column < model.columnCount(parent); ++column) {
        const QModelIndex index = model.index(row, column, parent);
        QString text = index.data(CopyRole).toString();
        if (text.isEmpty())
            text = index.data(Qt::DisplayRole).toString();
        if (pattern.match(text).hasMatch())
            return true;
    }
    return false;
}

/// Top-level rows and, below each, its children: the trees of this window have two levels.
QModelIndexList matches(const QAbstractItemModel& model, const QRegularExpression& pattern,
                        const QModelIndex& parent = {})
{
    QModelIndexList found;
    for (int row = 0; row < model.rowCount(parent); ++row) {
        if (rowMatches(model, row, parent, pattern))
            found.append(model.index(row, 0, parent));
        if (const QModelIndex child = model.index(row, 0, parent); model.hasChildren(child))
            found.append(matches(model, pattern, child));
    }
    return found;
}

QToolButton* button(TableFindBar* bar, const QString& icon, const QString& tip)
{
    auto* button = new QToolButton(bar);
    button->setIcon(Theme::instance().icon(icon, Role::Muted));
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setFocusPolicy(Qt::NoFocus);
    return button;
}

} // namespace

TableFindBar::TableFindBar(QAbstractItemView* view)
    : QFrame(view), m_view(view), m_edit(new QLineEdit(this)),
      m_filter(button(this, QStringLiteral("filter"), tr("Show only rows that match"))), m_count(new QLabel(this))
{
    setProperty("class", QStringLiteral("popup"));
    setObjectName(QStringLiteral("findBar"));
    setAutoFillBackground(true);
    const Theme& theme = Theme::instance();
    m_edit->setPlaceholderText(tr("Find (regular expression)"));
    m_edit->setAccessibleName(tr("Find in table"));
    m_edit->setClearButtonEnabled(true);
    m_edit->setMinimumWidth(theme.unit(44));
    m_filter->setCheckable(true);
    m_filter->setEnabled(qobject_cast<QSortFilterProxyModel*>(view->model()) != nullptr);
    m_count->setProperty("class", QStringLiteral("muted"));
    auto* previous = button(this, QStringLiteral("up"), tr("Previous match (Shift+F3)"));
    auto* next = button(this, QStringLiteral("down"), tr("Next match (F3)"));
    auto* close = button(this, QStringLiteral("close"), tr("Close (Esc)"));

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(theme.unit(1), theme.unit(1), theme.unit(1), theme.unit(1));
    layout->setSpacing(theme.unit(1));
    for (QWidget* widget : std::initializer_list<QWidget*>{m_edit, m_count, m_filter, previous, next, close})
        layout->addWidget(widget);

    connect(m_edit, &QLineEdit::textChanged, this, &TableFindBar::patternEdited);
    connect(m_filter, &QToolButton::toggled, this, &TableFindBar::patternEdited);
    connect(previous, &QToolButton::clicked, this, [this] { step(-1); });
    connect(next, &QToolButton::clicked, this, [this] { step(1); });
    connect(close, &QToolButton::clicked, this, &TableFindBar::dismiss);
    view->installEventFilter(this);
    hide();
}

void TableFindBar::open()
{
    place();
    show();
    raise();
    m_edit->setFocus(Qt::ShortcutFocusReason);
    m_edit->selectAll();
}

void TableFindBar::openToFilter()
{
    open();
    m_filter->setChecked(true);
}

void TableFindBar::dismiss()
{
    hide();
    m_view->setFocus();
}

void TableFindBar::setPattern(const QString& pattern)
{
    const QSignalBlocker blocker(m_edit); // one change, told once by the switch or below
    m_edit->setText(pattern);
    m_filter->setChecked(!pattern.isEmpty());
    patternEdited();
}

void TableFindBar::patternEdited()
{
    const QRegularExpression pattern(m_edit->text(), QRegularExpression::CaseInsensitiveOption);
    const bool usable = pattern.isValid();
    m_count->setText(usable ? QString() : tr("not an expression"));
    if (!usable)
        return place();
    emit filterRequested(m_filter->isChecked() ? m_edit->text() : QString());
    if (!m_edit->text().isEmpty() && !m_filter->isChecked())
        step(0);
    else if (m_filter->isChecked())
        m_count->setText(tr("%n row(s)", nullptr, m_view->model()->rowCount()));
    place();
}

void TableFindBar::step(int direction)
{
    const QRegularExpression pattern(m_edit->text(), QRegularExpression::CaseInsensitiveOption);
    if (m_edit->text().isEmpty() || !pattern.isValid())
        return;
    const QModelIndexList found = matches(*m_view->model(), pattern);
    if (found.isEmpty()) {
        m_count->setText(tr("no match"));
        place();
        return;
    }
    const QModelIndex current = m_view->currentIndex().siblingAtColumn(0);
    const int at = int(found.indexOf(current));
    const int size = int(found.size());
    const int target = at < 0 ? (direction < 0 ? size - 1 : 0) : (at + direction + size) % size;
    m_view->setCurrentIndex(found.at(target));
    m_view->scrollTo(found.at(target));
    m_count->setText(tr("%1 of %2").arg(target + 1).arg(size));
    place();
}

void TableFindBar::place()
{
    adjustSize();
    const QWidget* port = m_view->viewport();
    const int gap = Theme::instance().unit(1);
    QRect place(std::max(0, port->x() + port->width() - width() - gap), port->y() + gap, width(), height());
    // Never over the row that was found.
    const QRect row = m_view->visualRect(m_view->currentIndex()).translated(port->pos());
    if (m_view->currentIndex().isValid() && row.top() <= place.bottom() && row.bottom() >= place.top())
        place.moveBottom(port->y() + port->height() - gap);
    move(place.topLeft());
}

bool TableFindBar::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_view && event->type() == QEvent::Resize && isVisible())
        place();
    return QFrame::eventFilter(watched, event);
}

void TableFindBar::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Escape: dismiss(); return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_F3: step(event->modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1); return;
    default: QFrame::keyPressEvent(event);
    }
}

} // namespace cudal1::ui
