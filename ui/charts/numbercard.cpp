// SPDX-License-Identifier: GPL-3.0-or-later
// A card of the overview.
#include "ui/charts/numbercard.h"

#include "ui/shell/theme.h"

#include <QLabel>
#include <QVBoxLayout>

namespace cudal1::ui {

NumberCard::NumberCard(const QString& caption, const QString& toolTip, QWidget* parent)
    : QFrame(parent), m_caption(caption), m_number(new QLabel), m_text(new QLabel)
{
    const Theme& theme = Theme::instance();
    setProperty("class", QStringLiteral("card"));
    setToolTip(toolTip);
    m_number->setFont(theme.titleFont(0));
    m_text->setProperty("class", QStringLiteral("muted"));
    m_text->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(theme.unit(4), theme.unit(3), theme.unit(4), theme.unit(3));
    layout->setSpacing(theme.unit(1));
    layout->addWidget(m_number);
    layout->addWidget(m_text);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void NumberCard::setNumber(const QString& number, const QString& detail)
{
    m_number->setText(number);
    m_text->setText(detail.isEmpty() ? m_caption : m_caption + QStringLiteral(" · ") + detail);
    setAccessibleName(QStringLiteral("%1: %2").arg(m_caption, number));
}

QString NumberCard::number() const
{
    return m_number->text();
}

} // namespace cudal1::ui
