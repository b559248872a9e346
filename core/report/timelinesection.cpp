// SPDX-License-Identifier: GPL-3.0-or-later
// Timelines as pictures: the reference above the variant, on one scale.
#include "core/report/sections.h"

#include "core/charts/numbertext.h"
#include "core/report/cells.h"
#include "core/timeline/blocks.h"

#include <algorithm>
#include <cmath>

namespace cudal1::report {

namespace {

using timeline::Model;

constexpr int width = 900, labels = 150, rowHeight = 12, rowsOfATrack = 4;

QString number(double value)
{
    return QString::number(value, 'f', 1);
}

/// The first timed window, with a little of what is around it.
timeline::Scale scaleOf(const ReportedTimeline& facts)
{
    double end = 0;
    for (const auto& model : {facts.reference, facts.candidate})
        if (model)
            end = std::max(end, model->windows.empty() ? double(model->last_ns)
                                                       : double(model->windows.front().duration_ns()));
    timeline::Scale scale;
    scale.width = width - labels;
    scale.from_ns = -0.02 * end;
    scale.perPixel_ns = std::max(1.0, 1.06 * end) / scale.width;
    return scale;
}

/// As much of a track's name as there is room for beside it.
QString shortTrackName(const std::string& track)
{
    const QString name = fromUtf8(track);
    return name.size() <= 24 ? name : name.left(23).trimmed() + QStringLiteral("…");
}

/// A class that follows a page's theme; and its colour on white as an attribute, since Qt's SVG takes none from a class
/// beside other attributes.
QString lookOf(protocol::TimelineTrack::Kind kind)
{
    using Kind = protocol::TimelineTrack::Kind;
    return QLatin1String(kind == Kind::Stream      ? "class='g1' fill='#0072b2'"
                         : kind == Kind::Operators ? "class='g5' fill='#2a8fce'"
                         : kind == Kind::Waits     ? "class='g4' fill='#bf6b99'"
                                                   : "class='g3' fill='#b87d00'");
}

int addSide(const Model& model, const QString& name, const timeline::Scale& scale, int y, QString& svg)
{
    svg += QStringLiteral("<text class='side' x='0' y='%1'>%2</text>").arg(y + 12).arg(name.toHtmlEscaped());
    y += 20;
    const int top = y;
    QString bars;
    std::vector<timeline::EventBlock> blocks;
    for (const Model::Track& track : model.tracks) {
        const std::uint32_t last = std::min(track.lastRow, track.firstRow + rowsOfATrack);
        svg += QStringLiteral("<text class='label' x='0' y='%1'>%2</text>")
                   .arg(y + 10)
                   .arg(shortTrackName(track.name).toHtmlEscaped());
        for (std::uint32_t row = track.firstRow; row < last; ++row, y += rowHeight) {
            blocks.clear();
            timeline::blocksOf(model, model.rows[row], scale, blocks);
            for (const timeline::EventBlock& block : blocks)
                bars += QStringLiteral(
                            "<rect %1 x='%2' y='%3' width='%4' height='%5' fill-opacity='%6'><title>%7</title></rect>")
                            .arg(lookOf(track.kind))
                            .arg(labels + block.left)
                            .arg(y)
                            .arg(number(std::max(0.8, block.right - block.left - 0.4)))
                            .arg(rowHeight - 2)
                            .arg(number(block.isOne() ? 1 : std::max(0.45F, block.filled)))
                            .arg((block.isOne() ? fromUtf8(timeline::shortName(model.nameOf(block.first)))
                                                : QStringLiteral("%1 events").arg(block.last - block.first))
                                     .toHtmlEscaped());
        }
        y += 4;
    }
    for (const protocol::TimelineWindow& window : model.windows) {
        const double left = std::clamp(scale.x(double(window.start_ns)), 0.0, double(scale.width)),
                     right = std::clamp(scale.x(double(window.end_ns)), 0.0, double(scale.width));
        if (right > left)
            svg += QStringLiteral("<rect x='%1' y='%2' width='%3' height='%4' class='window' fill='none' "
                                  "stroke='#57606a' stroke-dasharray='4 3'><title>timed window</title></rect>")
                       .arg(number(labels + left))
                       .arg(top - 3)
                       .arg(number(right - left))
                       .arg(y - top + 2);
    }
    svg += bars;
    return y + 10;
}

QString callsText(const ReportedTimeline& facts)
{
    QStringList sides;
    if (facts.reference)
        sides << QStringLiteral("%1 of the reference")
                     .arg(charts::counted(qsizetype(facts.reference->windows.size()), "call", "calls"));
    if (facts.candidate)
        sides << QStringLiteral("%1 of the variant")
                     .arg(charts::counted(qsizetype(facts.candidate->windows.size()), "call", "calls"));
    return sides.join(QStringLiteral(" and "));
}

/// Times since the first timed call began, above; their lines go through what is below.
QString ruler(const timeline::Scale& scale, int bottom)
{
    QString svg;
    const double step = timeline::rulerStep_ns(scale.perPixel_ns * 90);
    for (int i = 0; i * step < scale.to_ns(); ++i) {
        const QString x = number(labels + scale.x(i * step));
        svg += QStringLiteral("<line x1='%1' y1='16' x2='%1' y2='%2' class='line-grid' stroke='#d0d7de'/>"
                              "<text class='label' x='%3' y='12'>%4</text>")
                   .arg(x)
                   .arg(bottom)
                   .arg(number(labels + scale.x(i * step) + 3),
                        i == 0 ? QStringLiteral("0") : charts::timeText(i * step));
    }
    return svg;
}

Figure drawingOf(const ReportedTimeline& facts)
{
    const timeline::Scale scale = scaleOf(facts);
    QString inside;
    int y = 16;
    if (facts.reference)
        y = addSide(*facts.reference, QStringLiteral("reference"), scale, y, inside);
    if (facts.candidate)
        y = addSide(*facts.candidate, QStringLiteral("variant %1").arg(facts.record.variant.value), scale, y, inside);
    const QString svg =
        QStringLiteral("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %1 %2' width='%1' height='%2' role='img'>"
                       "<title>Timeline</title>%3</svg>")
            .arg(width)
            .arg(y)
            .arg(ruler(scale, y - 6) + inside);
    return {
        QStringLiteral("timeline-%1").arg(facts.record.id.value),
        svg,
        QStringLiteral(
            "Both sides from the start of their first timed call, on the same scale; dashed frames are timed windows."),
        {}};
}

/// What is in the picture, as the mean of all calls.
Table tracksTable(const ReportedTimeline& facts)
{
    Table table{QStringLiteral("timeline-%1-table").arg(facts.record.id.value),
                QStringLiteral("Recorded on %1: the mean of %2. Recording slows calls down.")
                    .arg(fromUtf8(facts.record.deviceModel), callsText(facts)),
                {{"side", "Side"},
                 {"track", "Track"},
                 {"events", "Events a call", true},
                 {"busy_ns", "Time in them a call", true}},
                {}};
    const std::pair<const char*, const Model*> sides[]{{"reference", facts.reference.get()},
                                                       {"variant", facts.candidate.get()}};
    for (const auto& [side, model] : sides) {
        if (!model)
            continue;
        const double calls = std::max<double>(1, double(model->windows.size()));
        for (const Model::Track& track : model->tracks) {
            timeline::EventIndex events = 0;
            std::int64_t outermost_ns = 0;
            for (std::uint32_t row = track.firstRow; row < track.lastRow; ++row) {
                const Model::Row& one = model->rows[row];
                events += one.last - one.first;
                if (row == track.firstRow)
                    outermost_ns = model->before_ns[one.last] - model->before_ns[one.first];
            }
            const double each = double(events) / calls;
            table.rows.push_back({textCell(std::string_view(side)), textCell(track.name),
                                  numberCell(each, QString::number(each, 'f', each == std::floor(each) ? 0 : 1)),
                                  timeCell(double(outermost_ns) / calls)});
        }
    }
    return table;
}

} // namespace

void addTimelines(const ReportFacts& facts, Document& document)
{
    for (const ReportedTimeline& one : facts.timelines) {
        Section section{QStringLiteral("timeline-%1-section").arg(one.record.id.value),
                        one.record.variant
                            ? QStringLiteral("Timeline of variant %1 of %2")
                                  .arg(QString::number(one.record.variant.value), fromUtf8(one.record.task.value))
                            : QStringLiteral("Timeline of the reference of %1").arg(fromUtf8(one.record.task.value)),
                        {}};
        section.blocks.emplace_back(drawingOf(one));
        section.blocks.emplace_back(tracksTable(one));
        document.sections.push_back(std::move(section));
    }
}

} // namespace cudal1::report
