// SPDX-License-Identifier: GPL-3.0-or-later
// Lines are as high as what is highest in them.
#include "ui/kit/flowlayout.h"

#include "ui/kit/theme.h"

#include <algorithm>

namespace cudal1::ui {

FlowLayout::FlowLayout(QWidget* parent) : QLayout(parent)
{
    setContentsMargins(0, 0, 0, 0);
    setSpacing(Theme::instance().unit(1));
}

FlowLayout::~FlowLayout()
{
    qDeleteAll(m_items);
}

QLayoutItem* FlowLayout::takeAt(int index)
{
    return index >= 0 && index < count() ? m_items.takeAt(index) : nullptr;
}

void FlowLayout::setGeometry(const QRect& area)
{
    QLayout::setGeometry(area);
    arrange(area, true);
}

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const QLayoutItem* item : m_items)
        if (!item->isEmpty())
            size = size.expandedTo(item->minimumSize());
    return size;
}

int FlowLayout::arrange(const QRect& area, bool move) const
{
    int x = 0, y = 0, line = 0;
    for (QLayoutItem* item : m_items) {
        if (item->isEmpty())
            continue;
        const QSize hint = item->sizeHint(), size(std::min(hint.width(), std::max(area.width(), 1)), hint.height());
        if (x > 0 && x + size.width() > area.width()) {
            x = 0;
            y += line + spacing();
            line = 0;
        }
        if (move)
            item->setGeometry({area.topLeft() + QPoint(x, y), size});
        x += size.width() + spacing();
        line = std::max(line, size.height());
    }
    return y + line;
}

} // namespace cudal1::ui
