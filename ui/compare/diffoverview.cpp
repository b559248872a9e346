// SPDX-License-Identifier: GPL-3.0-or-later
// Differences as marks on a strip: left half the left side, right half the right side.
#include "ui/compare/diffoverview.h"

#include "ui/kit/theme.h"

#include <QMouseEvent>
#include <QPainter>

namespace cudal1::ui {

DiffOverview::DiffOverview(QWidget* parent) : QWidget(parent), m_diff(std::make_shared<base::SideBySide>())
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    setToolTip(tr("Where the differences are: click to go there"));
    setCursor(Qt::PointingHandCursor);
    connect(&Theme::instance(), &Theme::changed, this, QOverload<>::of(&QWidget::update));
}

void DiffOverview::setDiff(std::shared_ptr<const base::SideBySide> diff)
{
    m_diff = std::move(diff);
    m_current = -1;
    update();
}

void DiffOverview::setCurrent(int difference)
{
    m_current = difference;
    update();
}

QSize DiffOverview::sizeHint() const
{
    return {Theme::instance().unit(4), Theme::instance().unit(20)};
}

int DiffOverview::rowsInAll() const
{
    return std::max({int(m_diff->rows.size()), m_window().second, 1});
}

double DiffOverview::yOf(int row) const
{
    return double(height()) * row / rowsInAll();
}

void DiffOverview::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::instance();
    QPainter painter(this);
    painter.fillRect(rect(), theme.color(Role::Raised));
    const auto [firstRow, rowCount] = m_window();
    if (rowCount < int(m_diff->rows.size()))
        painter.fillRect(QRectF(0, yOf(firstRow), width(), yOf(firstRow + rowCount) - yOf(firstRow)),
                         theme.color(Role::Hover));
    const double half = width() / 2.0, gap = 1;
    for (int i = 0; i < int(m_diff->differences.size()); ++i) {
        const base::TextDifference& difference = m_diff->differences[i];
        for (int row = difference.firstRow; row < difference.firstRow + difference.rowCount; ++row) {
            const double y = yOf(row), tall = std::max(2.0, yOf(row + 1) - y);
            if (m_diff->rows[row].a >= 0)
                painter.fillRect(QRectF(gap, y, half - 1.5 * gap, tall), theme.color(Role::Loss));
            if (m_diff->rows[row].b >= 0)
                painter.fillRect(QRectF(half + gap / 2, y, half - 1.5 * gap, tall), theme.color(Role::Gain));
        }
        if (i == m_current) {
            const double y = yOf(difference.firstRow);
            painter.setPen(QPen(theme.color(Role::Text), 1));
            painter.drawRect(QRectF(0.5, y - 0.5, width() - 1.0,
                                    std::max(3.0, yOf(difference.firstRow + difference.rowCount) - y + 1)));
        }
    }
}

void DiffOverview::mousePressEvent(QMouseEvent* event)
{
    emit rowRequested(int(event->position().y() * rowsInAll() / std::max(1, height())));
}

void DiffOverview::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons() & Qt::LeftButton)
        mousePressEvent(event);
}

} // namespace cudal1::ui
