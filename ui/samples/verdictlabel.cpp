// SPDX-License-Identifier: GPL-3.0-or-later
// As high as its lines.
#include "ui/samples/verdictlabel.h"

#include "ui/kit/wrappedtext.h"

#include <QEvent>

namespace cudal1::ui {

VerdictLabel::VerdictLabel(QWidget* parent) : QLabel(parent)
{
    setTextFormat(Qt::PlainText);
    setAlignment(Qt::AlignTop | Qt::AlignLeft);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void VerdictLabel::setText(const QString& text)
{
    m_full = text;
    setAccessibleName(text);
    wrap();
    updateGeometry();
}

/// As painted: a line of several may be a pixel higher than lineSpacing().
int VerdictLabel::heightOf(const QStringList& lines) const
{
    const QMargins margins = contentsMargins();
    return fontMetrics().size(0, lines.join(u'\n')).height() + margins.top() + margins.bottom();
}

int VerdictLabel::heightForWidth(int width) const
{
    const QMargins margins = contentsMargins();
    return heightOf(wrappedText(m_full, *this, width - margins.left() - margins.right(), mostLines).lines);
}

QSize VerdictLabel::sizeHint() const
{
    return {minimumSizeHint().width(), heightForWidth(width())};
}

QSize VerdictLabel::minimumSizeHint() const
{
    return {fontMetrics().horizontalAdvance(QStringLiteral("mmmm…")), heightOf({QStringLiteral("m")})};
}

void VerdictLabel::wrap()
{
    const WrappedText cut = wrappedText(m_full, *this, contentsRect().width(), mostLines);
    QLabel::setText(cut.lines.join(u'\n'));
    setToolTip(cut.isWhole ? QString() : m_full);
}

void VerdictLabel::resizeEvent(QResizeEvent* event)
{
    QLabel::resizeEvent(event);
    wrap();
}

void VerdictLabel::changeEvent(QEvent* event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        wrap();
        updateGeometry();
    }
}

} // namespace cudal1::ui
