// SPDX-License-Identifier: GPL-3.0-or-later
// Painting and pointing in the histogram.
#include "ui/charts/histogramview.h"

#include "ui/shell/theme.h"
#include "ui/variants/texts.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>

namespace cudal1::ui {

namespace {

QString groupName(int group)
{
    return group == 0 ? HistogramView::tr("files") : HistogramView::tr("level %1").arg(group);
}

QString tickText(double speedup)
{
    return QString::number(speedup, 'g', 3) + QChar(0x00D7);
}

} // namespace

HistogramView::HistogramView(QWidget* parent) : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Histogram of the best speed-ups"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&Theme::instance(), &Theme::changed, this, &HistogramView::arrange);
}

QSize HistogramView::sizeHint() const
{
    return {Theme::instance().unit(140), Theme::instance().unit(70)};
}

QSize HistogramView::minimumSizeHint() const
{
    return {Theme::instance().unit(60), Theme::instance().unit(36)};
}

void HistogramView::setSamples(std::vector<report::Sample> samples, std::array<double, 3> quartiles)
{
    m_samples = std::move(samples);
    m_quartiles = quartiles;
    const double low = m_histogram.low(), high = m_histogram.high();
    const std::size_t bins = m_histogram.bins.size();
    arrange();
    // The numbers in a bin may grow; a choice means its range.
    if (m_chosen >= 0 && (low != m_histogram.low() || high != m_histogram.high() || bins != m_histogram.bins.size()))
        choose(-1);
    m_hovered = -1;
}

void HistogramView::arrange()
{
    const Theme& theme = Theme::instance();
    const QFontMetrics metrics(theme.smallFont());
    const double left = metrics.horizontalAdvance(QStringLiteral("000")) + theme.unit(3), bottom = metrics.height() + theme.unit(3);
    const QRectF plot(left, metrics.height() * 2 + theme.unit(4), std::max(1.0, width() - left - theme.unit(4)),
                      std::max(1.0, height() - bottom - metrics.height() * 2 - theme.unit(4)));
    m_histogram = report::histogram(m_samples, groups, std::clamp(int(plot.width() / theme.unit(6)), 6, 40));
    m_layout = HistogramLayout(m_histogram, plot, theme.unit(1) / 2.0);
    update();
}

void HistogramView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const std::size_t bins = m_histogram.bins.size();
    arrange();
    if (bins != m_histogram.bins.size() && m_chosen >= 0)
        choose(-1);
}

void HistogramView::choose(int bin)
{
    if (bin >= int(m_histogram.bins.size()) || (bin >= 0 && m_histogram.bins[bin].total() == 0))
        bin = -1;
    if (bin == m_chosen)
        return;
    m_chosen = bin;
    update();
    emit chosenChanged(bin);
}

QString HistogramView::describe(int bin) const
{
    const report::Bin& range = m_histogram.bins[bin];
    QStringList parts;
    for (int group = 0; group < groups; ++group)
        if (range.counts[group] > 0)
            parts << tr("%1: %2").arg(groupName(group)).arg(range.counts[group]);
    const QString head = tr("%1 to %2: %3").arg(speedupText(range.low), speedupText(range.high), counted(range.total(), tr("task"), tr("tasks")));
    return parts.isEmpty() ? head : head + QStringLiteral(" (%1)").arg(parts.join(QStringLiteral(", ")));
}

void HistogramView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_histogram.bins.empty()) {
        painter.setPen(Theme::instance().color(Role::Muted));
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, tr("No task has a correct variant that was timed yet"));
        return;
    }
    paintAxes(painter);
    paintBars(painter);
    paintMarks(painter);
}

void HistogramView::paintAxes(QPainter& painter) const
{
    const Theme& theme = Theme::instance();
    const QRectF& plot = m_layout.plot();
    const QFontMetrics metrics(theme.smallFont());
    painter.setFont(theme.smallFont());
    const int top = m_layout.top(), wanted = top <= 5 ? 1 : top / (top % 4 == 0 ? 4 : 5);
    // Where there is no room for a label at each step, only the top has one.
    const int step = plot.height() * wanted / top >= metrics.height() * 1.2 ? wanted : top;
    for (int count = 0; count <= top; count += std::max(1, step)) {
        const double y = std::round(m_layout.yOf(count)) + 0.5;
        painter.setPen(QPen(theme.color(Role::Border), 1));
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        painter.setPen(theme.color(Role::Muted));
        painter.drawText(QRectF(0, y - metrics.height() / 2.0, plot.left() - theme.unit(2), metrics.height()),
                         Qt::AlignRight | Qt::AlignVCenter, QString::number(count));
    }
    for (const double tick : report::axisTicks(m_histogram.low(), m_histogram.high())) {
        const double x = m_layout.xOf(m_histogram, tick);
        painter.setPen(QPen(theme.color(Role::Muted), 1));
        painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + theme.unit(1)));
        painter.drawText(QRectF(x - 60, plot.bottom() + theme.unit(1), 120, metrics.height() + theme.unit(1)), Qt::AlignHCenter | Qt::AlignTop,
                         tickText(tick));
    }
}

void HistogramView::paintBars(QPainter& painter) const
{
    const Theme& theme = Theme::instance();
    painter.setPen(Qt::NoPen);
    for (int bin = 0; bin < int(m_histogram.bins.size()); ++bin) {
        if (bin == m_hovered || bin == m_chosen)
            painter.fillRect(m_layout.column(bin), theme.color(bin == m_chosen ? Role::Selected : Role::Hover));
        int below = 0;
        for (int group = 0; group < groups; ++group) {
            const int count = m_histogram.bins[bin].counts[group];
            if (count == 0)
                continue;
            QColor color = theme.levelColor(group);
            if (m_chosen >= 0 && bin != m_chosen)
                color.setAlphaF(0.45f);
            painter.fillRect(m_layout.bar(bin, below, count), color);
            below += count;
        }
    }
    if (hasFocus()) {
        painter.setPen(QPen(theme.color(Role::Accent), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme.unit(1), theme.unit(1));
    }
}

void HistogramView::paintMarks(QPainter& painter) const
{
    const Theme& theme = Theme::instance();
    const QRectF& plot = m_layout.plot();
    const QFontMetrics metrics(theme.smallFont());
    painter.setFont(theme.smallFont());
    const double one = m_layout.xOf(m_histogram, 1);
    painter.setPen(QPen(theme.color(Role::Text), 1.5));
    painter.drawLine(QPointF(one, plot.top()), QPointF(one, plot.bottom()));

    // The median's label stands in a row of its own; the outer two lean away from it, and from each other where the edge of
    // the picture pushes one back.
    const QString names[] = {tr("Q1"), tr("median"), tr("Q3")};
    const double gap = theme.unit(1);
    QString texts[3];
    double lefts[3] = {}, wide[3] = {};
    for (int i = 0; i < 3; ++i) {
        if (m_quartiles[i] < m_histogram.low() || m_quartiles[i] > m_histogram.high())
            continue;
        texts[i] = QStringLiteral("%1 %2").arg(names[i], speedupText(m_quartiles[i]));
        wide[i] = metrics.horizontalAdvance(texts[i]);
        const double x = m_layout.xOf(m_histogram, m_quartiles[i]);
        const double wanted = i == 0 ? x - wide[i] - gap : i == 1 ? x - wide[i] / 2 : x + gap;
        lefts[i] = std::clamp(wanted, 0.0, std::max(0.0, width() - wide[i]));
    }
    if (!texts[0].isEmpty() && !texts[2].isEmpty()) {
        lefts[0] = std::max(0.0, std::min(lefts[0], lefts[2] - wide[0] - 2 * gap));
        lefts[2] = std::max(lefts[2], lefts[0] + wide[0] + 2 * gap);
    }
    for (int i = 0; i < 3; ++i) {
        if (texts[i].isEmpty())
            continue;
        const double x = m_layout.xOf(m_histogram, m_quartiles[i]);
        const int row = i == 1 ? 2 : 1;
        painter.setPen(QPen(theme.color(Role::Text), 1, i == 1 ? Qt::DashLine : Qt::DotLine));
        painter.drawLine(QPointF(x, plot.top() - theme.unit(1) - (row - 1) * metrics.height()), QPointF(x, plot.bottom()));
        painter.setPen(theme.color(i == 1 ? Role::Text : Role::Muted));
        painter.drawText(QRectF(lefts[i], plot.top() - theme.unit(1) - row * metrics.height(), wide[i] + 1, metrics.height()), Qt::AlignLeft | Qt::AlignVCenter, texts[i]);
    }
    painter.setPen(theme.color(Role::Muted));
    painter.drawText(QRectF(0, plot.top() - theme.unit(1) - 2 * metrics.height(), plot.left() + theme.unit(12), metrics.height()), Qt::AlignLeft | Qt::AlignVCenter, tr("tasks"));
}

bool HistogramView::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int bin = m_layout.binAt(help->pos());
        if (bin >= 0)
            QToolTip::showText(help->globalPos(), describe(bin), this, m_layout.column(bin).toRect());
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

void HistogramView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const int bin = m_layout.binAt(event->position());
    choose(bin == m_chosen ? -1 : bin);
}

void HistogramView::mouseMoveEvent(QMouseEvent* event)
{
    const int bin = m_layout.binAt(event->position());
    if (bin == m_hovered)
        return;
    m_hovered = bin;
    setCursor(bin >= 0 && m_histogram.bins[bin].total() > 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void HistogramView::leaveEvent(QEvent*)
{
    m_hovered = -1;
    update();
}

void HistogramView::keyPressEvent(QKeyEvent* event)
{
    const int bins = int(m_histogram.bins.size());
    const int step = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    if (step != 0) {
        for (int bin = m_chosen < 0 ? (step > 0 ? 0 : bins - 1) : m_chosen + step; bin >= 0 && bin < bins; bin += step)
            if (m_histogram.bins[bin].total() > 0)
                return choose(bin);
    } else if (event->key() == Qt::Key_Escape && m_chosen >= 0) {
        choose(-1);
    } else {
        QWidget::keyPressEvent(event);
    }
}

} // namespace cudal1::ui
