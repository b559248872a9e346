// SPDX-License-Identifier: GPL-3.0-or-later
// Lines by the layout of text, which breaks a word that is wider than the place.
#include "ui/samples/verdictlabel.h"

#include <QEvent>
#include <QTextLayout>

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

VerdictLabel::Cut VerdictLabel::cutTo(int width) const
{
    Cut out;
    QString last; // from the begin of the last line on
    const QString text = QString(m_full).replace(u'\t', QStringLiteral("    "));
    for (const QString& paragraph : text.split(u'\n')) {
        QTextLayout layout(paragraph, font(), this);
        QTextOption option;
        option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
        layout.setTextOption(option);
        layout.beginLayout();
        for (QTextLine line = layout.createLine(); line.isValid() && out.isWhole; line = layout.createLine()) {
            line.setLineWidth(width);
            out.isWhole = out.lines.size() < mostLines;
            if (!out.isWhole)
                break;
            last = paragraph.mid(line.textStart());
            const bool ends = line.textStart() + line.textLength() == paragraph.size();
            out.lines << (ends ? last : last.left(line.textLength()));
        }
        layout.endLayout();
        if (!out.isWhole)
            break;
    }
    if (!out.isWhole)
        out.lines.back() = fontMetrics().elidedText(last + u'…', Qt::ElideRight, width);
    return out;
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
    return heightOf(cutTo(width - margins.left() - margins.right()).lines);
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
    const Cut cut = cutTo(contentsRect().width());
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
