// SPDX-License-Identifier: GPL-3.0-or-later
// Flags are painted last, so that nothing covers them.
#include "ui/timeline/timelinepins.h"

#include "ui/kit/theme.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QSettings>

#include <algorithm>
#include <cmath>
#include <utility>

namespace cudal1::ui {

namespace {

constexpr int longestName = 40; ///< characters that are typed
constexpr int widestFlag = 30;  ///< characters that a flag shows at most
constexpr int leastName = 3;    ///< characters that a flag shows at least, with a space and an ellipsis, or none

/// Is gone after the name was given, or not.
class PinName : public QLineEdit {
public:
    PinName(const QString& name, QWidget& viewport, std::function<void(const QString&)> named)
        : QLineEdit(name, &viewport), m_named(std::move(named))
    {
        setObjectName(QStringLiteral("pinName"));
        setMaxLength(longestName);
        selectAll();
        connect(this, &QLineEdit::editingFinished, this, [this] { end(true); });
    }

protected:
    void keyPressEvent(QKeyEvent* event) override
    {
        if (event->key() == Qt::Key_Escape)
            return end(false);
        QLineEdit::keyPressEvent(event);
        event->accept(); // nothing of it is for the timeline
    }

private:
    void end(bool take)
    {
        if (std::exchange(m_over, true))
            return;
        const bool focused = hasFocus();
        hide();
        deleteLater();
        if (focused && parentWidget()->parentWidget())
            parentWidget()->parentWidget()->setFocus();
        if (take)
            m_named(text().simplified());
    }

    std::function<void(const QString&)> m_named;
    bool m_over = false;
};

} // namespace

bool TimelinePins::toggle(double time_ns)
{
    const auto at = std::ranges::lower_bound(m_pins, time_ns, {}, &TimelinePin::time_ns);
    const bool there = at != m_pins.end() && at->time_ns == time_ns;
    there ? void(m_pins.erase(at)) : void(m_pins.insert(at, {time_ns, {}}));
    return !there;
}

void TimelinePins::rename(int pin, const QString& name)
{
    if (pin >= 0 && pin < int(m_pins.size()))
        m_pins[std::size_t(pin)].name = name;
}

int TimelinePins::next(double time_ns) const
{
    if (m_pins.empty())
        return -1;
    const auto found = std::ranges::find_if(m_pins, [&](const TimelinePin& pin) { return pin.time_ns > time_ns; });
    return found == m_pins.end() ? 0 : int(found - m_pins.begin());
}

int TimelinePins::nearest(double time_ns) const
{
    const auto found = std::ranges::min_element(
        m_pins, {}, [&](const TimelinePin& pin) { return std::abs(pin.time_ns - time_ns); });
    return found == m_pins.end() ? -1 : int(found - m_pins.begin());
}

QString TimelinePins::textOf(std::size_t pin) const
{
    const QString number = QString::number(pin + 1);
    return m_pins[pin].name.isEmpty() ? number : number + u' ' + m_pins[pin].name;
}

/// A name has room up to the next flag; the number is seen whole.
QRect TimelinePins::flagOf(std::size_t pin, const timeline::Scale& scale, const QRect& tracks,
                           const QFontMetrics& metrics) const
{
    const double x = scale.x(m_pins[pin].time_ns);
    if (x < 0 || x > tracks.width())
        return {};
    const int around = Theme::instance().unit(2);
    const int least = metrics.horizontalAdvance(QString::number(pin + 1)) + around;
    int wide = std::min(metrics.horizontalAdvance(textOf(pin)), widestFlag * metrics.averageCharWidth()) + around;
    wide = std::min(wide, tracks.width() - int(x));
    if (pin + 1 < m_pins.size())
        wide = std::min(wide, int(std::min(1e6, scale.x(m_pins[pin + 1].time_ns) - x)) - 1);
    return {tracks.left() + int(std::floor(x)), 1, std::max(least, wide), tracks.top() - around};
}

void TimelinePins::paint(QPainter& painter, const timeline::Scale& scale, const QRect& tracks) const
{
    const Theme& theme = Theme::instance();
    painter.setFont(theme.smallFont());
    const QFontMetrics metrics = painter.fontMetrics();
    for (std::size_t i = 0; i < m_pins.size(); ++i) {
        const QRect flag = flagOf(i, scale, tracks, metrics);
        if (flag.isEmpty())
            continue;
        painter.setPen(QPen(theme.color(Role::WarningText), 1, Qt::DashDotLine));
        painter.drawLine(flag.left(), tracks.top(), flag.left(), tracks.bottom());
        painter.fillRect(flag, theme.color(Role::WarningText));
        painter.setPen(theme.color(Role::Surface));
        const QString number = QString::number(i + 1), whole = textOf(i),
                      text = metrics.elidedText(whole, Qt::ElideRight, flag.width() - theme.unit(1));
        const bool named = text == whole || text.size() > number.size() + leastName;
        painter.drawText(flag, Qt::AlignCenter, named ? text : number);
    }
}

int TimelinePins::flagAt(const QPoint& position, const timeline::Scale& scale, const QRect& tracks) const
{
    const QFontMetrics metrics(Theme::instance().smallFont());
    for (std::size_t i = m_pins.size(); i-- > 0;)
        if (flagOf(i, scale, tracks, metrics).contains(position))
            return int(i);
    return -1;
}

void TimelinePins::edit(int pin, QWidget& viewport, const timeline::Scale& scale, const QRect& tracks,
                        const std::function<void(const QString&)>& named) const
{
    if (pin < 0 || pin >= int(m_pins.size()))
        return;
    const auto which = std::size_t(pin);
    auto* line = new PinName(m_pins[which].name, viewport, named);
    line->setAccessibleName(QObject::tr("Name of pin %1").arg(pin + 1));
    line->setPlaceholderText(line->accessibleName());
    const int wide = widestFlag * line->fontMetrics().averageCharWidth();
    const int left = tracks.left() + int(std::clamp(scale.x(m_pins[which].time_ns), 0.0, double(tracks.width())));
    line->resize(std::min(wide, tracks.width()), line->sizeHint().height());
    line->move(std::max(tracks.left(), std::min(left, tracks.right() - line->width())), 0);
    line->show();
    line->setFocus();
}

// Each is a text: the time, and behind a space the name.
std::vector<TimelinePin> keptPins(const QString& key)
{
    std::vector<TimelinePin> out;
    for (const QVariant& kept : QSettings().value(key).toList()) {
        const QString text = kept.toString();
        out.push_back({text.section(u' ', 0, 0).toDouble(), text.section(u' ', 1)});
    }
    return out;
}

void keepPins(const QString& key, const std::vector<TimelinePin>& pins)
{
    QVariantList kept;
    for (const TimelinePin& pin : pins)
        kept << QString(QString::number(pin.time_ns, 'g', 17) + (pin.name.isEmpty() ? QString() : u' ' + pin.name));
    pins.empty() ? QSettings().remove(key) : QSettings().setValue(key, kept);
}

} // namespace cudal1::ui
