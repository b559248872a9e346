// SPDX-License-Identifier: GPL-3.0-or-later
// Shares a few lines among the sides.
#include "ui/timeline/gaptotals.h"

#include "ui/kit/wrappedtext.h"

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
    int spare = std::max(0, mostLines - int(m_totals.size()));
    bool isWhole = true;
    QStringList shown;
    for (const QString& text : m_totals) {
        const WrappedText wrapped = wrappedText(text, *this, contentsRect().width(), 1 + spare);
        spare -= int(wrapped.lines.size()) - 1;
        isWhole = isWhole && wrapped.isWhole;
        shown << wrapped.lines.join(QString()); // a line ends with the blank behind its last word
    }
    setText(shown.join(u'\n'));
    setToolTip(isWhole ? QString() : m_totals.join(u'\n'));
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
