// SPDX-License-Identifier: GPL-3.0-or-later
// A combo box as the style draws it, with its text elided first.
#include "ui/kit/elidedcombobox.h"

#include <QStyleOptionComboBox>
#include <QStylePainter>

#include <algorithm>

namespace cudal1::ui {

QSize ElidedComboBox::minimumSizeHint() const
{
    constexpr int least = 6;
    QSize size = QComboBox::minimumSizeHint();
    size.rwidth() -= std::max(0, minimumContentsLength() - least) * fontMetrics().horizontalAdvance(QLatin1Char('X'));
    return size;
}

void ElidedComboBox::paintEvent(QPaintEvent*)
{
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    const QRect field = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
    const int icon = option.currentIcon.isNull()
                       ? 0
                       : option.iconSize.width() + style()->pixelMetric(QStyle::PM_ButtonMargin, &option, this);
    option.currentText = option.fontMetrics.elidedText(option.currentText, Qt::ElideRight, field.width() - icon);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

} // namespace cudal1::ui
