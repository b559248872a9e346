// SPDX-License-Identifier: GPL-3.0-or-later
// Widths of the columns, and names in the characters that a width has room for.
#include "ui/timeline/namedelegate.h"

#include "ui/kit/theme.h"
#include "ui/timeline/distinctnames.h"

#include <QEvent>
#include <QFontMetrics>
#include <QHeaderView>
#include <QStyle>
#include <QTableView>

#include <algorithm>

namespace cudal1::ui {

NameDelegate::NameDelegate(QTableView& table, int column, int last)
    : QStyledItemDelegate(&table), m_table(table), m_column(column), m_last(last)
{
    QHeaderView* header = table.horizontalHeader();
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setSectionResizeMode(column, QHeaderView::Fixed);
    table.setItemDelegateForColumn(column, this);
    table.viewport()->installEventFilter(this);
    const auto forget = [this] { m_shown.clear(); };
    connect(table.model(), &QAbstractItemModel::modelReset, this, forget);
    connect(table.model(), &QAbstractItemModel::rowsInserted, this, forget);
    connect(table.model(), &QAbstractItemModel::rowsRemoved, this, forget);
    connect(table.model(), &QAbstractItemModel::dataChanged, this, forget);
    // Later, since the header is amid its widths.
    connect(
        header, &QHeaderView::sectionResized, this,
        [this](int resized) {
            if (resized != m_column)
                fit();
        },
        Qt::QueuedConnection);
    fit();
}

bool NameDelegate::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_table.viewport())
        return QStyledItemDelegate::eventFilter(watched, event);
    if (event->type() == QEvent::Resize)
        fit();
    return false;
}

void NameDelegate::fit()
{
    QHeaderView* header = m_table.horizontalHeader();
    int all = 0, first = 0;
    for (int column = 0; column < header->count(); ++column)
        if (column != m_column) {
            all += header->sectionSize(column);
            first += column <= m_last ? header->sectionSize(column) : 0;
        }
    const Theme& theme = Theme::instance();
    const int room = m_table.viewport()->width();
    header->resizeSection(m_column, std::max({room - all, std::min(room - first, theme.unit(90)), theme.unit(40)}));
}

void NameDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    const QStyle* style = m_table.style();
    const int room = style->subElementRect(QStyle::SE_ItemViewItemText, option, &m_table).width() -
                     2 * (style->pixelMetric(QStyle::PM_FocusFrameHMargin, option, &m_table) + 1);
    if (room <= 0)
        return;
    if (m_shown.isEmpty() || m_room != room || m_font != option->font)
        shorten(room, option->font);
    option->text = m_shown.value(option->text, option->text);
}

void NameDelegate::shorten(int room, const QFont& font) const
{
    m_shown.clear();
    m_room = room;
    m_font = font;
    const QFontMetrics metrics(font);
    const QAbstractItemModel& model = *m_table.model();
    QStringList names; // that have no room
    double widest = 1; // average of a name's characters
    for (int row = 0; row < model.rowCount(); ++row) {
        const QString name = model.index(row, m_column).data().toString();
        if (m_shown.contains(name))
            continue;
        m_shown.insert(name, name);
        if (const int width = metrics.horizontalAdvance(name); width > room) {
            names << name;
            widest = std::max(widest, double(width) / double(name.size()));
        }
    }
    // Parts of a name can be wider than all of it.
    const auto isTooWide = [&](const QString& name) { return metrics.horizontalAdvance(name) > room; };
    QStringList texts;
    for (int width = int(room / widest); width >= 8; --width) {
        texts = distinctNames(names, width);
        if (std::none_of(texts.begin(), texts.end(), isTooWide))
            break;
    }
    for (qsizetype at = 0; at < texts.size(); ++at)
        m_shown[names[at]] = texts[at];
}

} // namespace cudal1::ui
