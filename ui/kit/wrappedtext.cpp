// SPDX-License-Identifier: GPL-3.0-or-later
// Lines by the layout of text, which breaks a word that is wider than the place.
#include "ui/kit/wrappedtext.h"

#include <QTextLayout>
#include <QWidget>

namespace cudal1::ui {

WrappedText wrappedText(const QString& text, const QWidget& widget, int width, int most)
{
    WrappedText out;
    QString last; // from the begin of the last line on
    const QString plain = QString(text).replace(u'\t', QStringLiteral("    "));
    for (const QString& paragraph : plain.split(u'\n')) {
        QTextLayout layout(paragraph, widget.font(), &widget);
        QTextOption option;
        option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
        layout.setTextOption(option);
        layout.beginLayout();
        for (QTextLine line = layout.createLine(); line.isValid() && out.isWhole; line = layout.createLine()) {
            line.setLineWidth(width);
            out.isWhole = out.lines.size() < most;
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
        out.lines.back() = widget.fontMetrics().elidedText(last + u'…', Qt::ElideRight, width);
    return out;
}

} // namespace cudal1::ui
