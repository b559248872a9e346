// SPDX-License-Identifier: GPL-3.0-or-later
// Painting, pointing and saving of the plot of effects.
#include "ui/ablation/effectsplot.h"

#include "core/ablation/text.h"
#include "core/base/csv.h"
#include "ui/shell/theme.h"
#include "ui/variants/texts.h"

#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QHelpEvent>
#include <QImage>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace cudal1::ui {

namespace {

constexpr double tightRow = 1.15, airyRow = 1.7, axisLines = 3.2; ///< heights in lines of text

const ablation::Effect* effectOf(const std::vector<ablation::Effect>& effects, std::uint32_t toggles)
{
    const auto found = std::find_if(effects.begin(), effects.end(), [&](const ablation::Effect& one) { return one.toggles == toggles; });
    return found == effects.end() ? nullptr : &*found;
}

std::vector<double> ticks(const SpeedupAxis& axis)
{
    // The coarsest of these that leaves at least two on the axis.
    static const std::vector<std::vector<double>> sets{{0.01, 0.1, 1, 10, 100, 1000},
                                                       {0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100},
                                                       {0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 2, 2.5, 3, 4},
                                                       {0.9, 0.95, 1, 1.05, 1.1, 1.2, 1.5, 2}};
    std::vector<double> out;
    for (const std::vector<double>& set : sets) {
        out.clear();
        for (const double tick : set)
            if (tick >= axis.low && tick <= axis.high)
                out.push_back(tick);
        if (out.size() >= 2)
            break;
    }
    return out;
}

QString kindWord(EffectsPlot::Kind kind)
{
    switch (kind) {
    case EffectsPlot::Kind::Main: return QStringLiteral("effect");
    case EffectsPlot::Kind::Interaction: return QStringLiteral("interaction");
    case EffectsPlot::Kind::Shapley: return QStringLiteral("shapley");
    case EffectsPlot::Kind::Title: break;
    }
    return {};
}

QPainterPath shape(EffectsPlot::Kind kind, const QPointF& at, double radius)
{
    QPainterPath path;
    if (kind == EffectsPlot::Kind::Main)
        path.addEllipse(at, radius, radius);
    else if (kind == EffectsPlot::Kind::Shapley)
        path.addRect(QRectF(at.x() - radius * 0.9, at.y() - radius * 0.9, radius * 1.8, radius * 1.8));
    else
        path.addPolygon(QPolygonF({at - QPointF(0, radius * 1.25), at + QPointF(radius * 1.25, 0), at + QPointF(0, radius * 1.25),
                                   at - QPointF(radius * 1.25, 0), at - QPointF(0, radius * 1.25)}));
    return path;
}

} // namespace

EffectsPlot::EffectsPlot(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Plot of effects and interactions"));
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void EffectsPlot::setView(std::shared_ptr<const AblationView> view)
{
    m_rows.clear();
    m_axis = {0.95, 1.05};
    m_events = false;
    const auto add = [&](Kind kind, const QString& title, const std::vector<ablation::Effect>& wall, const std::vector<ablation::Effect>& event, auto text) {
        if (!wall.empty())
            m_rows.push_back({Kind::Title, title, {}, {}, 0, {}});
        const std::vector<std::string> names = view->plan.names();
        for (const ablation::Effect& effect : wall) {
            QStringList parts;
            for (std::size_t i = 0; i < names.size(); ++i)
                if (effect.toggles >> i & 1U)
                    parts << QString::fromStdString(policy::techniqueOf(names[i]));
            const ablation::Effect* other = effectOf(event, effect.toggles);
            m_rows.push_back({kind, parts.join(QStringLiteral(" + ")), effect.factor, other ? other->factor : base::Interval(), effect.backgrounds,
                              QString::fromStdString(text(names, effect))});
        }
    };
    if (view && !view->error) {
        add(Kind::Main, tr("Effect of each"), view->wall.mains, view->event.mains, ablation::mainText);
        add(Kind::Interaction, tr("Two together, beyond the product of each"), view->wall.interactions, view->event.interactions,
            ablation::interactionText);
        add(Kind::Shapley, tr("Share in the whole (Shapley values)"), view->wall.shapley, view->event.shapley,
            [&](const auto& names, const ablation::Effect& effect) { return ablation::shapleyText(names, effect, view->wall.total); });
    }
    for (const Row& row : m_rows) {
        m_axis.include(row.wall);
        m_axis.include(row.event);
        m_events = m_events || row.event.valid();
    }
    const double margin = std::pow(m_axis.high / m_axis.low, 0.04);
    m_axis.low /= margin;
    m_axis.high *= margin;
    if (m_current >= int(m_rows.size()))
        choose(-1);
    updateGeometry();
    update();
}

/// Of all rows, axis and legend, where a row has `row` lines of text.
double EffectsPlot::heightOf(double row) const
{
    const double text = QFontMetricsF(Theme::instance().textFont()).height();
    return text * (row * double(std::max<std::size_t>(m_rows.size(), 4)) + axisLines);
}

double EffectsPlot::rowHeight(double height) const
{
    const double text = QFontMetricsF(Theme::instance().textFont()).height();
    const double rows = double(std::max<std::size_t>(m_rows.size(), 4));
    return std::clamp(height / rows - text * axisLines / rows, text * tightRow, text * airyRow);
}

QSize EffectsPlot::sizeHint() const
{
    return {Theme::instance().unit(90), int(std::ceil(heightOf(airyRow)))};
}

QSize EffectsPlot::minimumSizeHint() const
{
    return {Theme::instance().unit(60), int(std::ceil(heightOf(tightRow)))};
}

int EffectsPlot::rowAt(const QPointF& at) const
{
    const int row = int(std::floor(at.y() / rowHeight(height())));
    return row >= 0 && row < int(m_rows.size()) && m_rows[std::size_t(row)].kind != Kind::Title ? row : -1;
}

void EffectsPlot::choose(int row)
{
    if (row == m_current)
        return;
    m_current = row;
    setAccessibleDescription(row >= 0 ? m_rows[std::size_t(row)].sentence : QString());
    update();
    emit currentChanged(row);
}

void EffectsPlot::paint(QPainter& painter, const QRectF& area, bool dark, bool pointing) const
{
    const Theme& theme = Theme::instance();
    const auto color = [dark](Role role) { return Theme::color(role, dark); };
    painter.setRenderHint(QPainter::Antialiasing);
    const QFontMetricsF metrics(theme.textFont()), small(theme.smallFont());
    if (m_rows.empty()) {
        painter.setPen(color(Role::Muted));
        painter.setFont(theme.textFont());
        painter.drawText(area.adjusted(theme.unit(2), 0, -theme.unit(2), 0), Qt::AlignCenter | Qt::TextWordWrap,
                         tr("Effects stand here when two combinations that differ by one toggle are judged"));
        return;
    }
    double names = 0;
    for (const Row& row : m_rows)
        if (row.kind != Kind::Title)
            names = std::max(names, metrics.horizontalAdvance(row.name));
    const double pad = theme.unit(2), height = rowHeight(area.height());
    names = std::min(names, area.width() * 0.5);
    const double values = QFontMetricsF(theme.monoFont()).horizontalAdvance(QStringLiteral("00.00× ")) + pad;
    const QRectF plot(area.left() + pad + names + pad, area.top(), std::max(20.0, area.width() - names - values - 3 * pad), height * double(m_rows.size()));
    const auto x = [&](double factor) { return plot.left() + m_axis.at(factor) * plot.width(); };

    // 1 has its label first, others where there is room beside those that are there.
    std::vector<double> marks = ticks(m_axis), labelled;
    std::stable_partition(marks.begin(), marks.end(), [](double tick) { return tick == 1; });
    const double room = small.horizontalAdvance(QStringLiteral("0.75×"));
    for (const double tick : marks) {
        if (std::any_of(labelled.begin(), labelled.end(), [&](double other) { return std::abs(x(other) - x(tick)) < room; }))
            continue;
        labelled.push_back(tick);
        painter.setPen(QPen(color(tick == 1 ? Role::Muted : Role::Border), tick == 1 ? 1.5 : 1));
        painter.drawLine(QPointF(x(tick), plot.top() + height), QPointF(x(tick), plot.bottom() + pad / 2));
        painter.setPen(color(Role::Muted));
        painter.setFont(theme.smallFont());
        painter.drawText(QRectF(x(tick) - 60, plot.bottom() + pad / 2, 120, small.height()), Qt::AlignHCenter | Qt::AlignTop,
                         QString::number(tick, 'g', 3) + QChar(0x00D7));
    }
    for (int i = 0; i < int(m_rows.size()); ++i) {
        const Row& row = m_rows[std::size_t(i)];
        const QRectF line(area.left(), area.top() + i * height, area.width(), height);
        if (row.kind == Kind::Title) {
            painter.setFont(theme.smallFont());
            painter.setPen(color(Role::Muted));
            painter.drawText(line.adjusted(pad, 0, -pad, -2), Qt::AlignLeft | Qt::AlignBottom, row.name);
            continue;
        }
        if (pointing && i == m_current)
            painter.fillRect(line, color(Role::Selected));
        painter.setFont(theme.textFont());
        painter.setPen(color(Role::Text));
        painter.drawText(QRectF(line.left() + pad, line.top(), names, height), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(row.name, Qt::ElideMiddle, names));
        const auto mark = [&](const base::Interval& factor, double y, bool filled) {
            if (!factor.valid())
                return;
            const QColor ink = color(filled ? Role::Variant : Role::Muted);
            const QPointF at(x(factor.estimate), y);
            painter.setPen(QPen(ink, 1.5));
            painter.drawLine(QPointF(x(factor.low), y), QPointF(x(factor.high), y));
            painter.setBrush(filled ? ink : color(Role::Surface));
            painter.drawPath(shape(row.kind, at, height / 7));
            painter.setBrush(Qt::NoBrush);
        };
        const double middle = line.center().y(), apart = row.event.valid() ? height * 0.17 : 0;
        mark(row.event, middle + apart, false);
        mark(row.wall, middle - apart, true);
        painter.setFont(theme.monoFont());
        painter.setPen(color(speedupRole(row.wall)));
        painter.drawText(QRectF(plot.right() + pad, line.top(), values, height), Qt::AlignLeft | Qt::AlignVCenter, speedupText(row.wall.estimate));
    }
    // What is filled and what is hollow.
    const double y = plot.bottom() + pad / 2 + small.height() * 1.9;
    painter.setFont(theme.smallFont());
    double left = area.left() + pad;
    for (const bool filled : {true, false}) {
        if (!filled && !m_events)
            continue;
        const QColor ink = color(filled ? Role::Variant : Role::Muted);
        painter.setPen(QPen(ink, 1.5));
        painter.setBrush(filled ? ink : color(Role::Surface));
        painter.drawPath(shape(Kind::Main, {left + pad, y}, height / 7));
        painter.setBrush(Qt::NoBrush);
        painter.setPen(color(Role::Text));
        const QString text = filled ? tr("wall clock") : tr("events");
        painter.drawText(QPointF(left + 2.2 * pad, y + small.ascent() / 2 - 1), text);
        left += 4 * pad + small.horizontalAdvance(text);
    }
    painter.setPen(color(Role::Muted));
    painter.drawText(QPointF(left, y + small.ascent() / 2 - 1), small.elidedText(tr("factor of speed, 95 % intervals"), Qt::ElideRight, area.right() - left - pad));
}

void EffectsPlot::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paint(painter, rect(), Theme::instance().isDark(), true);
    if (hasFocus()) {
        painter.setPen(QPen(Theme::instance().color(Role::Accent), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }
}

bool EffectsPlot::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int row = rowAt(help->pos());
        QString text;
        if (row >= 0) {
            const Row& one = m_rows[std::size_t(row)];
            text = one.sentence;
            if (one.event.valid())
                text += QLatin1Char('\n') + tr("By events: %1").arg(speedupSentence(one.event));
        }
        QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    return QWidget::event(event);
}

void EffectsPlot::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        choose(rowAt(event->position()));
}

void EffectsPlot::keyPressEvent(QKeyEvent* event)
{
    const int step = event->key() == Qt::Key_Up ? -1 : event->key() == Qt::Key_Down ? 1 : 0;
    if (step == 0)
        return event->key() == Qt::Key_Escape && m_current >= 0 ? choose(-1) : QWidget::keyPressEvent(event);
    const int count = int(m_rows.size());
    for (int row = m_current < 0 ? (step > 0 ? 0 : count - 1) : m_current + step; row >= 0 && row < count; row += step)
        if (m_rows[std::size_t(row)].kind != Kind::Title)
            return choose(row);
}

QString EffectsPlot::csv() const
{
    QString out = QStringLiteral("kind,toggles,factor,low,high,event_factor,event_low,event_high,backgrounds\r\n");
    const auto numbers = [](const base::Interval& factor) {
        QStringList parts;
        for (const double value : {factor.estimate, factor.low, factor.high})
            parts << (factor.valid() ? QString::fromStdString(base::csvField(value)) : QString());
        return parts.join(QLatin1Char(','));
    };
    for (const Row& row : m_rows)
        if (row.kind != Kind::Title)
            out += QStringLiteral("%1,%2,%3,%4,%5\r\n")
                       .arg(kindWord(row.kind), row.name, numbers(row.wall), numbers(row.event), QString::number(row.backgrounds));
    return out;
}

QSizeF EffectsPlot::paperSize() const
{
    return {std::max<double>(width(), sizeHint().width()), double(sizeHint().height())};
}

void EffectsPlot::save(const QString& path)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    const QSizeF size = paperSize();
    if (path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive)) {
        buffer.write(csv().toUtf8());
    } else if (path.endsWith(QLatin1String(".png"), Qt::CaseInsensitive)) {
        constexpr int scale = 2;
        QImage image((size * scale).toSize(), QImage::Format_RGB32);
        image.fill(Theme::color(Role::Surface, false));
        QPainter painter(&image);
        painter.scale(scale, scale);
        paint(painter, QRectF({0, 0}, size), false, false);
        painter.end();
        image.save(&buffer, "PNG");
    } else {
        QSvgGenerator svg;
        svg.setOutputDevice(&buffer);
        svg.setSize(size.toSize());
        svg.setViewBox(QRectF({0, 0}, size));
        svg.setTitle(tr("Effects"));
        QPainter painter(&svg);
        painter.fillRect(QRectF({0, 0}, size), Theme::color(Role::Surface, false));
        paint(painter, QRectF({0, 0}, size), false, false);
    }
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        emit failed({base::ErrorCode::Unavailable, tr("The plot was not saved: %1").arg(file.errorString()).toStdString(), path.toStdString(),
                     tr("Choose another folder").toStdString()});
}

void EffectsPlot::copyPicture()
{
    QPixmap picture(size() * devicePixelRatioF());
    picture.setDevicePixelRatio(devicePixelRatioF());
    picture.fill(Theme::instance().color(Role::Surface));
    QPainter painter(&picture);
    paint(painter, rect(), Theme::instance().isDark(), false);
    painter.end();
    QApplication::clipboard()->setPixmap(picture);
}

} // namespace cudal1::ui
