// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of the task tree's rows.
#include "ui/tasks/taskdelegate.h"

#include "core/charts/projectsummary.h"
#include "ui/kit/theme.h"
#include "ui/tasks/tasksfilter.h"
#include "ui/tasks/tasksmodel.h"
#include "ui/variants/barpainter.h"
#include "ui/variants/texts.h"

#include <QApplication>
#include <QPainter>
#include <QTreeView>

namespace cudal1::ui {

namespace {

/// Whether a row of this width has no room for a name and a number beside each other.
bool isNarrow(int width)
{
    return width < Theme::instance().unit(52);
}

/// Of a bar. It stands under all else and is as long in each row, so that bars can be compared.
int barHeight()
{
    return std::max(2, Theme::instance().unit(1) - 1);
}

/// A row whose best is marked has a second line, with badge and number, so that its name has the first one. In a narrow
/// dock so has each that has a best.
int secondLine(const TaskEntry* task, int width)
{
    return task && task->row.best.valid() && (!task->row.marks.empty() || isNarrow(width))
             ? QFontMetrics(Theme::instance().smallFont()).height() + Theme::instance().unit(1) + barHeight()
             : 0;
}

/// Of a whole row, without its edges.
QRect rowArea(const QRect& cell)
{
    return cell.adjusted(Theme::instance().unit(1), 0, -Theme::instance().unit(2), 0);
}

/// The size of a row's mark, and where all else begins behind it.
int markSize()
{
    return Theme::instance().unit(4);
}
int behindMark(const QRect& whole)
{
    return whole.left() + markSize() + Theme::instance().unit(1) * 3 / 2;
}

/// Under the name, to the end of the row.
QRect secondArea(const QRect& whole, int height)
{
    const int left = behindMark(whole), top = whole.bottom() - height - Theme::instance().unit(1) / 2;
    return {left, top, whole.right() - left, height - barHeight()};
}

/// Without the number at its end.
QRect restOfSecond(const QRect& line, const TaskEntry& task)
{
    QFont number = Theme::instance().monoFont();
    number.setWeight(QFont::DemiBold);
    const int width = QFontMetrics(number).horizontalAdvance(speedupPhrase(task.row.best));
    return line.adjusted(0, 0, -width - Theme::instance().unit(2), 0);
}

/// Of a task in a tree, for which no rectangle is known yet.
int rowWidth(const QStyleOptionViewItem& option)
{
    const auto* tree = qobject_cast<const QTreeView*>(option.widget);
    return tree ? tree->viewport()->width() - 2 * tree->indentation() : option.rect.width();
}

} // namespace

TaskDelegate::TaskDelegate(const TasksModel& model, const TasksFilter& filter, QObject* parent)
    : BadgedDelegate(parent), m_model(model), m_filter(filter)
{
}

void TaskDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Theme& theme = Theme::instance();
    QStyleOptionViewItem cell(option);
    initStyleOption(&cell, index);
    cell.text.clear();
    QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);

    const QModelIndex source = m_filter.mapToSource(index);
    const TaskEntry* task = m_model.entry(source);
    const QRect whole = rowArea(option.rect);
    const int second = secondLine(task, option.rect.width());
    const QRect area = whole.adjusted(0, 0, 0, -second);
    painter->save();
    if (!task) {
        paintLevel(*painter, area, source);
        painter->restore();
        return;
    }

    const store::TaskRow& row = task->row;
    const int mark = markSize();
    const StateStyle state = stateStyle(row);
    theme.icon(state.icon, state.role).paint(painter, QRect(area.left(), area.center().y() - mark / 2 + 1, mark, mark));
    int left = behindMark(whole);
    int right = area.right();
    // Above the bar, if it has no line of its own.
    const QRect textArea = area.adjusted(0, 0, 0, row.best.valid() && second == 0 ? -barHeight() - 1 : 0);

    const QFont mono = theme.monoFont();
    if (row.best.valid()) {
        QFont number = mono;
        number.setWeight(QFont::DemiBold);
        const QString phrase = speedupPhrase(row.best);
        const int numberWidth = QFontMetrics(number).horizontalAdvance(phrase);
        painter->setFont(number);
        painter->setPen(theme.color(meritRole(charts::meritOf(row))));
        const QRect line = second > 0 ? secondArea(whole, second) : textArea;
        painter->drawText(QRect(right - numberWidth, line.top(), numberWidth, line.height()),
                          Qt::AlignRight | Qt::AlignVCenter, phrase);
        if (second == 0)
            right -= numberWidth + theme.unit(2);
    } else if (row.state == store::TaskRow::State::Running || row.state == store::TaskRow::State::Failed) {
        painter->setFont(theme.smallFont());
        painter->setPen(theme.color(state.role));
        const QString& word = state.word;
        painter->drawText(QRect(left, area.top(), right - left, area.height()), Qt::AlignRight | Qt::AlignVCenter,
                          word);
        right -= QFontMetrics(theme.smallFont()).horizontalAdvance(word) + theme.unit(2);
    }

    if (task->number > 0) {
        const QString id = task->elsewhere ? QStringLiteral("%1/%2").arg(task->level).arg(task->number)
                                           : QString::number(task->number);
        const int idWidth = QFontMetrics(mono).horizontalAdvance(task->elsewhere ? QStringLiteral("0/000")
                                                                                 : QStringLiteral("000"));
        painter->setFont(mono);
        painter->setPen(theme.color(Role::Muted));
        painter->drawText(QRect(left, area.top(), idWidth, textArea.height()), Qt::AlignRight | Qt::AlignVCenter, id);
        left += idWidth + theme.unit(2);
    }
    painter->setFont(theme.textFont());
    painter->setPen(theme.color(row.state == store::TaskRow::State::NotTried ? Role::Muted : Role::Text));
    const QString name =
        QFontMetrics(theme.textFont()).elidedText(task->name, Qt::ElideMiddle, std::max(0, right - left));
    painter->drawText(QRect(left, area.top(), right - left, textArea.height()), Qt::AlignLeft | Qt::AlignVCenter, name);
    if (second > 0)
        paintBadge(*painter, restOfSecond(secondArea(whole, second), *task), marksBadge(row.marks),
                   meritRole(charts::meritOf(row)));
    if (row.best.valid())
        paintSpeedupBar(
            *painter,
            QRect(behindMark(whole), whole.bottom() - barHeight(), whole.right() - behindMark(whole), barHeight()),
            m_model.axis(), row.best, row.marks);
    painter->restore();
}

/// In a narrow dock the count loses its last word first.
void TaskDelegate::paintLevel(QPainter& painter, QRect area, const QModelIndex& level) const
{
    const Theme& theme = Theme::instance();
    const auto [improved, all] = m_model.gains(level);
    QFont bold = theme.textFont();
    bold.setWeight(QFont::DemiBold);
    const QFontMetrics names(bold), counts(theme.smallFont());
    const QString name = names.elidedText(level.data().toString(), Qt::ElideRight, area.width());
    const int room = std::max(0, area.width() - names.horizontalAdvance(name) - theme.unit(2));
    QString count = tr("%1 of %2 improved").arg(improved).arg(all);
    if (counts.horizontalAdvance(count) > room)
        count = tr("%1 of %2").arg(improved).arg(all);
    painter.setFont(bold);
    painter.setPen(theme.color(Role::Text));
    painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter, name);
    painter.setFont(theme.smallFont());
    painter.setPen(theme.color(Role::Muted));
    painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, counts.elidedText(count, Qt::ElideRight, room));
}

QSize TaskDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Theme& theme = Theme::instance();
    return {theme.unit(40), std::max(theme.unit(7), QFontMetrics(theme.textFont()).height() + theme.unit(2) + 1) +
                                secondLine(m_model.entry(m_filter.mapToSource(index)), rowWidth(option))};
}

QRect TaskDelegate::badgeRect(const QRect& cell, const QModelIndex& index) const
{
    const TaskEntry* task = m_model.entry(m_filter.mapToSource(index));
    const int second = secondLine(task, cell.width());
    if (second == 0 || task->row.marks.empty())
        return {};
    return badgeIn(restOfSecond(secondArea(rowArea(cell), second), *task), marksBadge(task->row.marks));
}

} // namespace cudal1::ui
