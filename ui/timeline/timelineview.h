// SPDX-License-Identifier: GPL-3.0-or-later
// Sides of timelines above each other under one ruler, with one zoom.
//
// W and S zoom, A and D move, F fits the selected event or everything, arrows walk the events, M measures between edges,
// Esc lets go. C folds the track of what is selected to a strip, or the one under the pointer, Shift and C all tracks
// without work on a device; so does a click on a track's name, or on a heading for all below it. Ctrl and the wheel or a
// pinch zoom where the pointer is, Shift and the wheel or a sideways swipe move, dragging moves, dragging on the ruler or
// with Shift measures, a double click zooms to an event. What it draws grows with the pixels and not with the events.
#pragma once

#include "core/timeline/tables.h"
#include "ui/timeline/timelineplaces.h"

#include <QAbstractScrollArea>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace cudal1::ui {

class TimelinePainter;

class TimelineView : public QAbstractScrollArea {
    Q_OBJECT
public:
    using Sides = std::vector<timeline::Side>;
    using Picked = TimelinePicked;
    /// Events of one name and category of one side, as a row of the table has them.
    struct Marked {
        int side = -1;
        std::uint32_t name = 0;
        protocol::TimelineEvent::Category category = protocol::TimelineEvent::Category::Operator;
    };

    explicit TimelineView(QWidget* parent = nullptr);
    ~TimelineView() override;

    /// The range stays when the limits are the same as before; else everything is shown.
    void setSides(Sides sides);
    const Sides& sides() const { return m_sides; }

    ViewRange range() const { return m_range; }
    void setRange(const ViewRange& range);
    ViewRange limits() const { return m_limits; }
    void fit(); ///< the selected event or the measured span, else everything
    void fitAll();
    void zoom(double factor); ///< where the pointer is, else in the middle

    const Picked& picked() const { return m_picked; }
    /// Brings it into view too, and unfolds its track.
    void pick(const Picked& picked);
    void zoomTo(const Picked& picked);
    void mark(const Marked& marked);

    void foldTrack(); ///< of what is picked, else under the pointer; or unfolds it
    void foldHostTracks(); ///< all without work on a device; unfolds them once all are folded

    /// The measured span; nothing while none is.
    std::optional<timeline::Span> span() const;
    bool isMeasuring() const { return m_measure == Measure::Waiting || m_measure == Measure::Following || m_measure == Measure::Walking; }
    void measure(); ///< begins at the picked event, else at the edge under the pointer or at the next click; called again, ends
    void clearSpan();

    /// Where an event is drawn, in the viewport; empty when it is out of view. For tests and tool tips.
    QRect rectOf(const Picked& picked) const { return places().rectOf(picked); }
    int nameWidth() const;
    int rulerHeight() const;

signals:
    void rangeChanged();
    void pickedChanged();
    void spanChanged();
    void searchRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    enum class Measure { None, Waiting, Following, Walking, Done }; ///< Following the pointer; Walking with what is picked
    enum class Drag { None, Pressed, Moving, Measuring };

    TimelinePlaces places() const;
    double snapped(const QPoint& position) const;
    void step(int by);
    void climb(int by);
    void moveBy(double part);
    bool hasSpan() const { return m_measure >= Measure::Following; }
    void beginSpan(const QPoint& edge);
    void setSpanEnd(double time_ns);
    void arrange();
    void placeScrollBar();
    void reveal(const Picked& picked);
    void setPicked(const Picked& picked);
    void goTo(const Picked& picked);
    void describe(const QString& done);
    void fold(bool folded, const QString& what, const std::function<bool(const TimelineBand&)>& which);
    void toggle(const TimelineBand& band);
    void unfold(const Picked& picked);
    void point(const QPoint& position);

    Sides m_sides;
    TimelineLayout m_layout;
    ViewRange m_range, m_limits;
    Picked m_picked;
    Marked m_marked;
    int m_pointed = -1; ///< the band that a click would fold
    Measure m_measure = Measure::None;
    double m_anchor_ns = 0, m_end_ns = 0;
    Drag m_drag = Drag::None;
    QPoint m_pressed;
    ViewRange m_pressedRange;
    int m_pressedScroll = 0;
    std::unique_ptr<TimelinePainter> m_painter;
    friend class TimelinePainter;
};

} // namespace cudal1::ui
