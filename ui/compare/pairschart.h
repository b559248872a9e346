// SPDX-License-Identifier: GPL-3.0-or-later
// The raw pairs of an evaluation as a strip chart: what the speed-up and its interval are made of.
#pragma once

#include "core/base/result.h"
#include "ui/compare/pairslayout.h"

#include <QWidget>

class QMenu;

namespace cudal1::ui {

/// Left and Right walk the pairs and say what each is; the menu copies and exports.
class PairsChart : public QWidget {
    Q_OBJECT
public:
    explicit PairsChart(QWidget* parent = nullptr);

    /// `name` stands in exported pictures and proposed file names: "3/41 #12".
    void setEvaluation(const QString& name, const protocol::Evaluation& evaluation);
    void clear();
    bool hasEvents() const { return m_event.valid(); }
    bool showsEvents() const { return m_events; }
    void setEvents(bool events);

    const std::vector<protocol::PairPoint>& points() const { return m_points; }
    PairsLayout arrangement() const { return layoutIn(rect()); }
    int current() const { return m_current; } ///< -1 for none
    void setCurrent(int point);
    /// "Pair 3, process 1, candidate first: 310 µs → 80 µs, 3.86×"; with the reason where it was thrown away.
    QString describe(int point) const;
    /// What all of them say, in a sentence.
    QString summary() const;
    /// Actions of the context menu, for another button to show.
    void fillMenu(QMenu& menu);

    void copyPicture();
    /// Format by suffix: svg, png or csv.
    base::Status save(const QString& path) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void errorRaised(const cudal1::base::Error& error);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    PairsLayout layoutIn(const QRectF& area) const;
    const base::Interval& interval() const { return m_events ? m_event : m_wall; }
    void paintChart(QPainter& painter, const QRectF& area) const;
    void paintPoint(QPainter& painter, const PairsLayout& layout, int point) const;
    void paintLegend(QPainter& painter, const QRectF& area) const;
    void paintPicture(QPainter& painter) const;
    void askAndSave(const QString& suffix);

    QString m_name;
    std::vector<protocol::PairPoint> m_points;
    base::Interval m_wall, m_event;
    bool m_events = false;
    int m_current = -1;
};

} // namespace cudal1::ui
