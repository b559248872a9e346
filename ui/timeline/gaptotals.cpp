// SPDX-License-Identifier: GPL-3.0-or-later
// Shares a few lines among the sides.
#include "ui/timeline/gaptotals.h"

#include <QEvent>

#include <algorithm>

namespace cudal1::ui {

namespace {

constexpr int mostLines = 3;

} // namespace

GapTotals::GapTotals(QWidget* parent) : QLabel(parent)
{
    setTextFormat(Qt::PlainText);
    setWordWrap(true);
}

void GapTotals::setTotals(const QStringList& totals)
{
    m_totals = totals;
    setAccessibleName(totals.join(u'\n'));
    wrap();
}

void GapTotals::wrap()
{
    const int width = contentsRect().width();
    const auto linesOf = [&](const QString& text) {
        const QRect room(0, 0, width, QWIDGETSIZE_MAX);
        return (fontMetrics().boundingRect(room, Qt::TextWordWrap, text).height() + fontMetrics().leading()) /
               fontMetrics().lineSpacing();
    };
    int spare = std::max(0, mostLines - int(m_totals.size()));
    QStringList shown = m_totals;
    for (QString& text : shown) {
        const int lines = std::clamp(linesOf(text), 1, 1 + spare);
        spare -= lines - 1;
        const QString whole = text;
        for (qsizetype kept = whole.size() - 1; kept > 0 && linesOf(text) > lines; --kept)
            text = whole.left(kept) + u'…';
    }
    setText(shown.join(u'\n'));
    setToolTip(shown == m_totals ? QString() : m_totals.join(u'\n'));
}

void GapTotals::resizeEvent(QResizeEvent* event)
{
    QLabel::resizeEvent(event);
    wrap();
}

void GapTotals::changeEvent(QEvent* event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        wrap();
}

} // namespace cudal1::ui
