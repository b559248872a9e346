// SPDX-License-Identifier: GPL-3.0-or-later
// Sides of timelines above each other under one ruler, with one zoom.
//
// W and S zoom, A and D move, F fits the selected event or everything, arrows walk the events, M measures between
// edges, Esc lets go. P pins a moment, N or a double click on its flag names a pin, and Shift and P goes to the next
// one. C folds the track of what is selected to a strip, or the one under the pointer, Shift and C all
// tracks without work on a device; so does a click on a track's name, or on a heading for all below it. Ctrl and the
// wheel or a pinch zoom where the pointer is, Shift and the wheel or a sideways swipe move, dragging moves, dragging on
// the ruler or with Shift measures, a double click zooms to an event. What it draws grows with the pixels and not with
// the events.
#pragma once

#include "ui/timeline/timelinemeasure.h"
#include "ui/timeline/timelinepins.h"
#include "ui/timeline/timelineplaces.h"

#include <QAbstractScrollArea>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace cudal1::ui {

class TimelineInput;
class TimelinePainter;

/// What of the timelines is in view, picked and measured; TimelineInput says when that changes, and TimelinePainter
/// draws it.
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
    void moveBy(double part); ///< of what is shown

    const Picked& picked() const { return m_picked; }
    /// Brings it into view too, and unfolds its track.
    void pick(const Picked& picked);
    /// As it is: nothing is scrolled or unfolded.
    void setPicked(const Picked& picked);
    void
    step(int by); ///< to the event that many places further in the row, or, with none picked, to the first one in view
    void climb(int by); ///< to the row that far below; folded tracks are passed as they are
    void zoomTo(const Picked& picked);
    const Marked& marked() const { return m_marked; }
    void mark(const Marked& marked);

    /// Events that a search found, with the number of their side: they are marked on their tracks.
    void setFound(const std::vector<std::pair<int, timeline::EventIndex>>& found);
    /// Of a side, in their order.
    const std::vector<timeline::EventIndex>& found(int side) const;

    /// A pin keeps a moment in sight: at the start of what is picked, else at the edge under the pointer. Takes away
    /// one that is there.
    void pin();
    void goToNextPin();
    void namePin();                         ///< the one that is closest to where pin() would make one
    bool namePinAt(const QPoint& position); ///< false where no flag is
    const std::vector<TimelinePin>& pins() const { return m_pins.all(); } ///< in their order
    /// As pins() gave them; pinsChanged() does not follow.
    void setPins(std::vector<TimelinePin> pins)
    {
        m_pins.set(std::move(pins));
        viewport()->update();
    }

    void foldTrack();                      ///< of what is picked, else under the pointer; or unfolds it
    void foldHostTracks();                 ///< all without work on a device; unfolds them once all are folded
    void toggle(const TimelineBand& band); ///< folds or unfolds it, and of a heading all below it
    void point(const QPoint& position);    ///< shows what a click there would fold
    bool isPointed(const TimelineBand& band) const { return &band - m_layout.bands.data() == m_pointed; }

    const TimelineMeasure& measured() const { return m_measure; }
    /// The measured span; nothing while none is.
    std::optional<timeline::Span> span() const { return m_measure.span(); }
    bool isMeasuring() const { return m_measure.isGoingOn(); }
    void measure(); ///< begins at the picked event, else at the edge under the pointer or at the next click; called
                    ///< again, ends
    /// Both edges are at what is nearest to the position; in this phase the second one may move.
    void measureFrom(const QPoint& position, TimelineMeasure::Phase phase);
    void measureTo(const QPoint& position);
    void clearSpan();

    /// What is where at this moment; not to be kept.
    TimelinePlaces places() const;
    const TimelineLayout& bandLayout() const { return m_layout; }

    /// Where an event is drawn, in the viewport; empty when it is out of view. For tests and tool tips.
    QRect rectOf(const Picked& picked) const { return places().rectOf(picked); }
    int nameWidth() const;
    int rulerHeight() const;
    void paintPins(QPainter& painter) const { m_pins.paint(painter, places().scale, tracksRect()); }

signals:
    void rangeChanged();
    void pickedChanged();
    void spanChanged();
    void searchRequested();
    void pinsChanged(); ///< by a person

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
    double snapped(const QPoint& position) const;
    std::optional<double> momentToPin() const;
    QRect tracksRect() const { return viewport()->rect().adjusted(nameWidth(), rulerHeight(), 0, 0); }
    void editPin(int pin);
    void spanMoved();
    void arrange();
    void placeScrollBar();
    void reveal(const Picked& picked);
    void goTo(const Picked& picked);
    void describe(const QString& done);
    void fold(bool folded, const QString& what, const std::function<bool(const TimelineBand&)>& which);
    void unfold(const Picked& picked);

    Sides m_sides;
    TimelineLayout m_layout;
    ViewRange m_range, m_limits;
    Picked m_picked;
    Marked m_marked;
    int m_pointed = -1;                                     ///< the band that a click would fold
    std::vector<std::vector<timeline::EventIndex>> m_found; ///< by side
    TimelinePins m_pins;
    TimelineMeasure m_measure;
    std::unique_ptr<TimelineInput> m_input;
    std::unique_ptr<TimelinePainter> m_painter;
};

} // namespace cudal1::ui
