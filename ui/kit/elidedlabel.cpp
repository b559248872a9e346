// SPDX-License-Identifier: GPL-3.0-or-later
// Elision of a label's text to its width.
#include "ui/kit/elidedlabel.h"

#include <QEvent>

namespace cudal1::ui {

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent)
{
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void ElidedLabel::setText(const QString& text)
{
    const bool sameHeight = text.count(u'\n') == m_full.count(u'\n');
    m_full = text;
    setAccessibleName(text);
    elide();
    if (!sameHeight)
        updateGeometry();
}

QSize ElidedLabel::sizeFor(const QString& widest) const
{
    const int lines = 1 + int(m_full.count(u'\n'));
    const QMargins margins = contentsMargins();
    return QSize(fontMetrics().size(0, widest).width(),
                 fontMetrics().height() + (lines - 1) * fontMetrics().lineSpacing())
        .grownBy({margins.left(), margins.top(), margins.right(), margins.bottom()});
}

QSize ElidedLabel::sizeHint() const
{
    return sizeFor(m_full);
}

QSize ElidedLabel::minimumSizeHint() const
{
    return sizeFor(QStringLiteral("mmmm…"));
}

void ElidedLabel::elide()
{
    QStringList lines = m_full.split(u'\n');
    for (QString& line : lines)
        line = fontMetrics().elidedText(line, Qt::ElideRight, contentsRect().width());
    const QString shown = lines.join(u'\n');
    QLabel::setText(shown);
    setToolTip(shown == m_full ? QString() : m_full);
}

void ElidedLabel::resizeEvent(QResizeEvent* event)
{
    QLabel::resizeEvent(event);
    elide();
}

void ElidedLabel::changeEvent(QEvent* event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        elide();
}

} // namespace cudal1::ui
