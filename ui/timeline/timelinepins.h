// SPDX-License-Identifier: GPL-3.0-or-later
// Pins of a timeline: lines over all tracks, with numbered flags on the ruler, which may have names.
#pragma once

#include "core/timeline/blocks.h"

#include <QRect>
#include <QString>

#include <functional>
#include <vector>

class QFontMetrics;
class QPainter;
class QWidget;

namespace cudal1::ui {

struct TimelinePin {
    double time_ns = 0;
    QString name; ///< as a person gave it; may be empty
    bool operator==(const TimelinePin&) const = default;
};

class TimelinePins {
public:
    const std::vector<TimelinePin>& all() const { return m_pins; } ///< in the order of their times
    void set(std::vector<TimelinePin> pins) { m_pins = std::move(pins); }
    /// Adds a pin, or takes away the one that is there; true where it was added.
    bool toggle(double time_ns);
    void rename(int pin, const QString& name);
    /// The first after this moment, else the first of all; -1 where there is none.
    int next(double time_ns) const;
    /// The one that is closest; -1 where there is none.
    int nearest(double time_ns) const;

    /// `tracks` is where events are drawn; the ruler is above it, from the top of the painter.
    void paint(QPainter& painter, const timeline::Scale& scale, const QRect& tracks) const;
    /// The flag at a position; -1 for none. Where flags meet, the later one lies above.
    int flagAt(const QPoint& position, const timeline::Scale& scale, const QRect& tracks) const;
    /// A line of text at its flag to write the name in. Return and a click elsewhere are `named`, Esc is not.
    void edit(int pin, QWidget& viewport, const timeline::Scale& scale, const QRect& tracks,
              const std::function<void(const QString& name)>& named) const;

private:
    QRect flagOf(std::size_t pin, const timeline::Scale& scale, const QRect& tracks, const QFontMetrics& metrics) const;
    QString textOf(std::size_t pin) const;

    std::vector<TimelinePin> m_pins;
};

/// What was kept of a recording's pins under this key, or none. (QSettings; what had no names yet is read too.)
std::vector<TimelinePin> keptPins(const QString& key);
void keepPins(const QString& key, const std::vector<TimelinePin>& pins);

} // namespace cudal1::ui
