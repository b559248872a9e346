// SPDX-License-Identifier: GPL-3.0-or-later
// Painting, pointing and export of the strip chart of pairs.
#include "ui/compare/pairschart.h"

#include "ui/kit/theme.h"
#include "ui/variants/texts.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QHelpEvent>
#include <QImage>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QToolTip>

namespace cudal1::ui {

namespace {

constexpr QSize pictureSize{800, 320};

QString tickText(double ratio, double step)
{
    return QString::number(ratio, 'f', step >= 1 ? 0 : step >= 0.1 ? 1 : step >= 0.01 ? 2 : 3) + QChar(0x00D7);
}

QPolygonF diamond(const QPointF& at, double radius)
{
    return {{at + QPointF(0, -radius), at + QPointF(radius, 0), at + QPointF(0, radius), at + QPointF(-radius, 0)}};
}

void paintCross(QPainter& painter, const QPointF& at, double radius)
{
    painter.drawLine(at + QPointF(-radius, -radius), at + QPointF(radius, radius));
    painter.drawLine(at + QPointF(-radius, radius), at + QPointF(radius, -radius));
}

} // namespace

PairsChart::PairsChart(QWidget* parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("pairs"));
    setAccessibleName(tr("Pairs of rounds"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&Theme::instance(), &Theme::changed, this, QOverload<>::of(&QWidget::update));
}

void PairsChart::setEvaluation(const QString& name, const protocol::Evaluation& evaluation)
{
    m_name = name;
    m_points = protocol::pairPoints(evaluation);
    m_wall = evaluation.speedup.wall.speedup;
    m_event = evaluation.speedup.event.speedup;
    m_events = m_events && m_event.valid();
    m_current = -1;
    setAccessibleDescription(summary());
    update();
}

void PairsChart::clear()
{
    m_points.clear();
    m_wall = m_event = {};
    m_current = -1;
    setAccessibleDescription(summary());
    update();
}

void PairsChart::setEvents(bool events)
{
    m_events = events && m_event.valid();
    setAccessibleDescription(summary());
    update();
}

QString PairsChart::summary() const
{
    if (m_points.empty())
        return tr("No pairs were measured");
    const int dropped = int(
        std::count_if(m_points.begin(), m_points.end(), [](const auto& point) { return point.dropped; }));
    return tr("%1 by %2: %3, %4 thrown away")
        .arg(speedupSentence(interval()), m_events ? tr("events") : tr("wall"),
             counted(int(m_points.size()), tr("pair"), tr("pairs")))
        .arg(dropped);
}

QString PairsChart::describe(int number) const
{
    const protocol::PairPoint& point = m_points[std::size_t(number)];
    const double ratio = m_events ? point.event() : point.wall();
    QString text = tr("Pair %1, process %2, %3 first: %4 → %5, %6")
                       .arg(point.number)
                       .arg(point.instance + 1)
                       .arg(point.referenceFirst ? tr("reference") : tr("candidate"),
                            timeText(m_events ? point.referenceEvent_ns : point.reference_ns),
                            timeText(m_events ? point.candidateEvent_ns : point.candidate_ns),
                            QString::number(ratio, 'f', 3) + QChar(0x00D7));
    if (point.dropped)
        text += tr("\nThrown away: %1").arg(QString::fromStdString(point.why));
    return text;
}

QSize PairsChart::sizeHint() const
{
    return {Theme::instance().unit(80), Theme::instance().unit(46)};
}

QSize PairsChart::minimumSizeHint() const
{
    return {Theme::instance().unit(50), Theme::instance().unit(32)};
}

PairsLayout PairsChart::layoutIn(const QRectF& area) const
{
    const Theme& theme = Theme::instance();
    const QFontMetrics metrics(theme.smallFont());
    const double left = metrics.horizontalAdvance(QStringLiteral("00.000×")) + theme.unit(3);
    const double bottom = 2 * metrics.height() + theme.unit(3); // numbers of processes, and the legend
    return PairsLayout(m_points, m_events, interval(),
                       QRectF(area.left() + left, area.top() + theme.unit(2),
                              std::max(1.0, area.width() - left - theme.unit(3)),
                              std::max(1.0, area.height() - bottom - theme.unit(2))));
}

void PairsChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintChart(painter, rect());
    if (hasFocus()) {
        const Theme& theme = Theme::instance();
        painter.setPen(QPen(theme.color(Role::Accent), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme.unit(1), theme.unit(1));
    }
}

void PairsChart::paintChart(QPainter& painter, const QRectF& area) const
{
    const Theme& theme = Theme::instance();
    const PairsLayout layout = layoutIn(area);
    painter.setFont(theme.smallFont());
    if (layout.empty()) {
        painter.setPen(theme.color(Role::Muted));
        painter.drawText(area, Qt::AlignCenter | Qt::TextWordWrap, tr("It was not timed: there are no pairs"));
        return;
    }
    const QRectF& plot = layout.plot();
    const QFontMetrics metrics(theme.smallFont());
    if (interval().valid()) {
        // A hatch, so that the band is one without colour too.
        const QRectF band(QPointF(plot.left(), layout.yOf(interval().high)),
                          QPointF(plot.right(), layout.yOf(interval().low)));
        QColor fill = theme.color(Role::Variant);
        fill.setAlphaF(0.16f);
        painter.fillRect(band, fill);
        fill.setAlphaF(0.45f);
        painter.fillRect(band, QBrush(fill, Qt::BDiagPattern));
        painter.setPen(QPen(theme.color(Role::Variant), 1.5));
        painter.drawLine(QPointF(plot.left(), layout.yOf(interval().estimate)),
                         QPointF(plot.right(), layout.yOf(interval().estimate)));
    }
    const std::vector<double> ticks = layout.ticks(std::max(2, int(plot.height() / (metrics.height() * 1.6))));
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 0.001;
    for (const double tick : ticks) {
        const double y = std::round(layout.yOf(tick)) + 0.5;
        painter.setPen(QPen(theme.color(Role::Border), 1));
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        painter.setPen(theme.color(Role::Muted));
        painter.drawText(QRectF(area.left(), y - metrics.height() / 2.0, plot.left() - area.left() - theme.unit(1),
                                metrics.height()),
                         Qt::AlignRight | Qt::AlignVCenter, tickText(tick, step));
    }
    if (layout.inside(1)) {
        painter.setPen(QPen(theme.color(Role::Text), 1, Qt::DashLine));
        painter.drawLine(QPointF(plot.left(), layout.yOf(1)), QPointF(plot.right(), layout.yOf(1)));
    }
    double begin = plot.left();
    std::vector<double> borders = layout.borders();
    borders.push_back(plot.right());
    for (std::size_t i = 0; i < borders.size(); ++i) {
        painter.setPen(QPen(theme.color(Role::Border), 1));
        if (i + 1 < borders.size())
            painter.drawLine(QPointF(borders[i], plot.top()), QPointF(borders[i], plot.bottom() + theme.unit(1)));
        const QString name = borders.size() <= 3 ? tr("process %1").arg(i + 1) : QString::number(i + 1);
        painter.setPen(theme.color(Role::Muted));
        if (borders[i] - begin >= metrics.horizontalAdvance(name))
            painter.drawText(QRectF(begin, plot.bottom() + theme.unit(1), borders[i] - begin, metrics.height()),
                             Qt::AlignCenter, name);
        begin = borders[i];
    }
    for (int i = 0; i < int(m_points.size()); ++i)
        if (layout.has(i))
            paintPoint(painter, layout, i);
    paintLegend(painter, area);
}

void PairsChart::paintPoint(QPainter& painter, const PairsLayout& layout, int number) const
{
    const Theme& theme = Theme::instance();
    const protocol::PairPoint& point = m_points[std::size_t(number)];
    const double radius = theme.unit(1) * (number == m_current ? 1.3 : 0.85);
    const QPointF at = layout.at(number);
    const double ratio = m_events ? point.event() : point.wall();
    painter.setPen(QPen(theme.color(point.dropped ? Role::Warning : Role::Variant), 1.6));
    painter.setBrush(number == m_current ? theme.color(Role::Text) : theme.color(Role::Variant));
    if (point.dropped)
        paintCross(painter, at, radius);
    else if (point.referenceFirst)
        painter.drawEllipse(at, radius, radius);
    else
        painter.drawPolygon(diamond(at, radius * 1.25));
    if (!layout.inside(ratio)) {
        // It lies beyond the axis: an arrow says which way.
        const double away = ratio > layout.high() ? -1 : 1;
        const QPointF tip = at - QPointF(0, away * -radius * 2.2);
        painter.drawLine(at - QPointF(0, away * -radius * 4), tip);
    }
}

void PairsChart::paintLegend(QPainter& painter, const QRectF& area) const
{
    const Theme& theme = Theme::instance();
    const QFontMetrics metrics(theme.smallFont());
    const double y = area.bottom() - theme.unit(1) - metrics.height() / 2.0, radius = theme.unit(1) * 0.8;
    double x = area.left() + theme.unit(2);
    const auto entry = [&](const QString& text, auto paint) {
        const double wide = radius * 2 + theme.unit(1) + metrics.horizontalAdvance(text);
        if (x + wide > area.right())
            return;
        painter.setPen(QPen(theme.color(Role::Variant), 1.6));
        painter.setBrush(theme.color(Role::Variant));
        paint(QPointF(x + radius, y));
        painter.setPen(theme.color(Role::Muted));
        painter.drawText(QRectF(x + radius * 2 + theme.unit(1), y - metrics.height() / 2.0,
                                metrics.horizontalAdvance(text) + 2, metrics.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
        x += wide + theme.unit(3);
    };
    const auto has = [&](auto which) { return std::any_of(m_points.begin(), m_points.end(), which); };
    if (has([](const auto& point) { return !point.dropped && point.referenceFirst; }))
        entry(tr("reference first"), [&](const QPointF& at) { painter.drawEllipse(at, radius, radius); });
    if (has([](const auto& point) { return !point.dropped && !point.referenceFirst; }))
        entry(tr("candidate first"), [&](const QPointF& at) { painter.drawPolygon(diamond(at, radius * 1.25)); });
    if (has([](const auto& point) { return point.dropped; }))
        entry(tr("thrown away"), [&](const QPointF& at) {
            painter.setPen(QPen(theme.color(Role::Warning), 1.6));
            paintCross(painter, at, radius);
        });
}

bool PairsChart::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int point = arrangement().nearest(help->pos(), Theme::instance().unit(4));
        if (point >= 0)
            QToolTip::showText(help->globalPos(), describe(point), this);
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

void PairsChart::mouseMoveEvent(QMouseEvent* event)
{
    const PairsLayout layout = arrangement();
    const int point = layout.empty() ? -1 : layout.nearest(event->position(), Theme::instance().unit(4));
    if (point == m_current)
        return;
    m_current = point;
    if (point >= 0)
        QToolTip::showText(event->globalPosition().toPoint(), describe(point), this);
    update();
}

void PairsChart::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    m_current = -1;
    update();
}

void PairsChart::setCurrent(int point)
{
    if (point < 0 || point >= int(m_points.size()))
        return;
    m_current = point;
    setAccessibleDescription(describe(point));
    const PairsLayout layout = arrangement();
    if (layout.has(point))
        QToolTip::showText(mapToGlobal(layout.at(point).toPoint()), describe(point), this);
    update();
}

void PairsChart::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) {
        const int last = int(m_points.size()) - 1;
        if (event->key() == Qt::Key_Right)
            setCurrent(std::min(m_current + 1, last));
        else
            setCurrent(m_current < 0 ? last : std::max(m_current - 1, 0));
    } else {
        QWidget::keyPressEvent(event);
    }
}

void PairsChart::fillMenu(QMenu& menu)
{
    const bool some = !m_points.empty();
    menu.addAction(Theme::instance().icon(QStringLiteral("copy")), tr("Copy as picture"), this,
                   &PairsChart::copyPicture)
        ->setEnabled(some);
    const std::pair<const char*, QString> formats[] = {
        {"svg", tr("Export as SVG…")}, {"png", tr("Export as PNG…")}, {"csv", tr("Export pairs as CSV…")}};
    for (const auto& [suffix, text] : formats)
        menu.addAction(Theme::instance().icon(QStringLiteral("export")), text, this,
                       [this, suffix = QString::fromLatin1(suffix)] { askAndSave(suffix); })
            ->setEnabled(some);
}

void PairsChart::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    fillMenu(menu);
    menu.exec(event->globalPos());
}

void PairsChart::paintPicture(QPainter& painter) const
{
    const Theme& theme = Theme::instance();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(QRect(QPoint(), pictureSize), theme.color(Role::Surface));
    const QFontMetrics metrics(theme.textFont());
    painter.setFont(theme.textFont());
    painter.setPen(theme.color(Role::Text));
    painter.drawText(QRect(theme.unit(3), theme.unit(2), pictureSize.width() - theme.unit(6), metrics.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, m_name + QStringLiteral(", ") + summary());
    const int top = metrics.height() + theme.unit(3);
    paintChart(painter, QRectF(0, top, pictureSize.width(), pictureSize.height() - top));
}

void PairsChart::copyPicture()
{
    QImage image(pictureSize * 2, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(2);
    QPainter painter(&image);
    paintPicture(painter);
    painter.end();
    QApplication::clipboard()->setImage(image);
}

base::Status PairsChart::save(const QString& path) const
{
    QSaveFile file(path);
    bool written = file.open(QIODevice::WriteOnly);
    if (written && path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive)) {
        written = file.write(QByteArray::fromStdString(protocol::pairsCsv(m_points))) >= 0;
    } else if (written && path.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive)) {
        QSvgGenerator svg;
        svg.setOutputDevice(&file);
        svg.setSize(pictureSize);
        svg.setViewBox(QRect(QPoint(), pictureSize));
        svg.setTitle(m_name);
        svg.setDescription(summary());
        QPainter painter(&svg);
        paintPicture(painter);
    } else if (written) {
        QImage image(pictureSize * 2, QImage::Format_ARGB32_Premultiplied);
        image.setDevicePixelRatio(2);
        QPainter painter(&image);
        paintPicture(painter);
        painter.end();
        written = image.save(&file, "PNG");
    }
    if (!written || !file.commit())
        return base::Error{base::ErrorCode::Unreadable,
                           tr("The chart was not saved: %1").arg(file.errorString()).toStdString(), path.toStdString(),
                           tr("Choose another folder").toStdString()};
    return {};
}

void PairsChart::askAndSave(const QString& suffix)
{
    QString name = m_name;
    name.replace(QLatin1String(" #"), QLatin1String("_")).replace(u'/', u'_').replace(u'@', u'_');
    const QString path = QFileDialog::getSaveFileName(this, tr("Export the pairs"),
                                                      QStringLiteral("pairs_%1.%2").arg(name, suffix),
                                                      QStringLiteral("*.%1").arg(suffix));
    if (path.isEmpty())
        return;
    if (const base::Status saved = save(path.contains(u'.') ? path : path + u'.' + suffix); !saved)
        emit errorRaised(saved.error());
}

} // namespace cudal1::ui
