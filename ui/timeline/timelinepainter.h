// SPDX-License-Identifier: GPL-3.0-or-later
// Draws what of a timeline is in view. Keeps names that were shortened and colours that were mixed between frames.
#pragma once

#include "ui/timeline/timelineview.h"

#include <QFont>
#include <QImage>
#include <QPainter>

#include <array>
#include <unordered_map>

namespace cudal1::ui {

class TimelinePainter {
public:
    explicit TimelinePainter(const TimelineView& view) : m_view(view) {}

    /// Other sides, another theme or font: nothing that is kept holds any more.
    void forget();
    void paint(QPainter& painter);

private:
    static constexpr int tints = 4, steps = 16;
    struct Ink {
        QColor fill, text;
    };

    void prepare();
    void paintWindows(QPainter& painter, int side, const QRect& area);
    void paintHeading(QPainter& painter, const TimelineBand& band, int y);
    void paintGaps(QPainter& painter, const TimelineBand& band, int y);
    void paintTrack(QPainter& painter, const TimelineBand& band, int y);
    void paintBlocks(QPainter& painter, int side, const timeline::Model::Row& row, int y);
    void paintFolded(QPainter& painter, int side, const timeline::Model::Track& track, int y);
    void paintMarks(QPainter& painter, int side, int y, int tall);
    int paintFoldMark(QPainter& painter, const TimelineBand& band, int y);
    void paintNames(QPainter& painter);
    void paintRuler(QPainter& painter);
    void paintSpan(QPainter& painter);
    void paintPicked(QPainter& painter);
    void paintText(QPainter& painter, const QRect& area, const QString& text, const QColor& color);
    void hatch(QPainter& painter, const QRect& area, const QColor& color);
    const QString& nameOf(int side, std::uint32_t name);
    const Ink& inkOf(protocol::TimelineEvent::Category category, std::uint32_t name) const;

    const TimelineView& m_view;
    bool m_ready = false;
    QFont m_font;
    double m_charWidth = 1;
    int m_baseline = 0;
    std::array<std::array<Ink, tints>, 8> m_inks;
    std::array<std::array<QRgb, steps + 1>, 8> m_strips; ///< by how much of a pixel is filled
    std::vector<std::unordered_map<std::uint32_t, QString>> m_names;
    std::vector<timeline::EventBlock> m_blocks;
    QImage m_strip;
    timeline::Scale m_scale;
    int m_left = 0, m_top = 0, m_scroll = 0, m_width = 0, m_height = 0;
};

} // namespace cudal1::ui
