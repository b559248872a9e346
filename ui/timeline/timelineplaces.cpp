// SPDX-License-Identifier: GPL-3.0-or-later
// Hits are within a pixel or two, so that the narrowest event can be met.
#include "ui/timeline/timelineplaces.h"

#include "ui/kit/tr.h"
#include "ui/timeline/timelinetexts.h"
#include "ui/variants/texts.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace cudal1::ui {

using timeline::EventIndex;
using timeline::Gap;
using timeline::Model;
using timeline::noEvent;
using timeline::Side;
using Kind = TimelineBand::Kind;
using Picked = TimelinePicked;

namespace {

constexpr std::uint32_t noRow = ~std::uint32_t(0);

} // namespace

// ---- from a pixel ---------------------------------------------------------------------------------------------------

const TimelineBand* TimelinePlaces::bandAt(const QPoint& position) const
{
    if (position.y() < top)
        return nullptr;
    if (const TimelineBand* heading = layout.headingAt(scroll);
        heading && position.y() - top < layout.topOf(*heading, scroll) + heading->height)
        return heading;
    return layout.at(position.y() - top + scroll);
}

const TimelineBand* TimelinePlaces::foldAt(const QPoint& position) const
{
    const TimelineBand* band = bandAt(position);
    return band && (position.x() < left || band->kind == Kind::Heading) ? band : nullptr;
}

Picked TimelinePlaces::pickedAt(const QPoint& position) const
{
    const TimelineBand* band = position.x() < left ? nullptr : bandAt(position);
    if (!band || band->kind == Kind::Heading)
        return {};
    const Model& model = *sides[std::size_t(band->side)].model;
    const double time = timeAt(position.x() + 0.5), slack = 2 * scale.perPixel_ns;
    if (band->kind == Kind::Gaps) {
        const auto gap = std::partition_point(model.gaps.begin(), model.gaps.end(),
                                              [&](const Gap& g) { return double(g.end_ns) < time - slack; });
        if (gap != model.gaps.end() && double(gap->begin_ns) <= time + slack)
            return {band->side, noEvent, int(gap - model.gaps.begin())};
        return {};
    }
    const std::uint32_t row = layout.rowAt(sides, *band, position.y() - top + scroll);
    const EventIndex event = row == noRow ? noEvent : model.nearest(row, std::llround(time));
    if (event == noEvent || double(model.begin_ns[event]) > time + slack || double(model.end_ns[event]) < time - slack)
        return {};
    return {band->side, event, -1};
}

double TimelinePlaces::snapped(const QPoint& position, int within) const
{
    const double time = timeAt(position.x());
    double best = time, distance = within * scale.perPixel_ns;
    const auto offer = [&](double edge) {
        if (std::abs(edge - time) < distance) {
            distance = std::abs(edge - time);
            best = edge;
        }
    };
    const int y = position.y() - top + scroll;
    const TimelineBand* band = layout.at(y);
    const auto ofRow = [&](const Model& model, std::uint32_t row) {
        const EventIndex near = model.nearest(row, std::llround(time));
        if (near == noEvent)
            return;
        for (EventIndex i = near > model.rows[row].first ? near - 1 : near; i <= near + 1 && i < model.rows[row].last;
             ++i) {
            offer(double(model.begin_ns[i]));
            offer(double(model.end_ns[i]));
        }
    };
    for (int s = 0; s < int(sides.size()); ++s) {
        if (band && band->side != s)
            continue;
        const Model& model = *sides[std::size_t(s)].model;
        for (const auto& window : model.windows) {
            offer(double(window.start_ns));
            offer(double(window.end_ns));
        }
        if (!band || band->kind != Kind::Track)
            continue;
        if (const std::uint32_t row = layout.rowAt(sides, *band, y); row != noRow)
            ofRow(model, row);
    }
    return best;
}

QString TimelinePlaces::tipAt(const QPoint& position) const
{
    const TimelineBand* band = bandAt(position);
    if (!band)
        return {};
    const Side& side = sides[std::size_t(band->side)];
    if (position.x() < left) {
        const QString what =
            band->kind == Kind::Track ? nameOf(*band)
            : band->kind == Kind::Gaps
                ? tr("Times in which the device had nothing to do; without a GPU, in which no operator ran")
                : QString::fromStdString(side.title);
        const QString click = band->kind == Kind::Heading ? (band->folded ? tr("Click to unfold all its tracks")
                                                                          : tr("Click to fold all its tracks"))
                            : band->folded                ? tr("Click to unfold (C: the selection's track)")
                                                          : tr("Click to fold (C: the selection's track)");
        return what + u'\n' + click;
    }
    if (band->kind == Kind::Heading) {
        QStringList notes;
        for (const std::string& note : side.model->notes)
            notes << QString::fromStdString(note);
        return notes.join(u'\n');
    }
    if (const Picked found = pickedAt(position)) {
        if (found.gap >= 0) {
            const Gap& gap = side.model->gaps[std::size_t(found.gap)];
            return tr("Gap of %1. %2")
                .arg(timeText(double(gap.duration_ns())), QString::fromStdString(sentence(*side.model, gap)));
        }
        return eventSentence(*side.model, found.event);
    }
    const double time = timeAt(position.x());
    const auto& windows = side.model->windows;
    const bool timed = windows.empty() || std::any_of(windows.begin(), windows.end(), [&](const auto& w) {
                           return time >= double(w.start_ns) && time <= double(w.end_ns);
                       });
    return timed ? QString() : tr("Not timed: outside the timed windows");
}

QString TimelinePlaces::nameOf(const TimelineBand& band) const
{
    const Side& side = sides[std::size_t(band.side)];
    return band.kind == Kind::Heading ? sideName(side)
         : band.kind == Kind::Gaps    ? tr("gaps")
                                      : QString::fromStdString(side.model->tracks[band.track].name);
}

bool TimelinePlaces::isOnHost(const TimelineBand& band) const
{
    using Track = protocol::TimelineTrack::Kind;
    if (band.kind != Kind::Track)
        return false;
    const Track kind = sides[std::size_t(band.side)].model->tracks[band.track].kind;
    return kind != Track::Stream && kind != Track::Copies;
}

// ---- of what is picked ----------------------------------------------------------------------------------------------

ViewRange TimelinePlaces::rangeOf(const Picked& picked) const
{
    const Model& model = *sides[std::size_t(picked.side)].model;
    if (picked.gap >= 0)
        return {double(model.gaps[std::size_t(picked.gap)].begin_ns),
                double(model.gaps[std::size_t(picked.gap)].end_ns)};
    return {double(model.begin_ns[picked.event]), double(model.end_ns[picked.event])};
}

std::uint32_t TimelinePlaces::rowOf(const Picked& picked) const
{
    return picked.gap >= 0 ? noRow : sides[std::size_t(picked.side)].model->rowOf[picked.event];
}

const TimelineBand* TimelinePlaces::bandOf(const Picked& picked) const
{
    return layout.bandOf(sides, picked.side, rowOf(picked));
}

QString TimelinePlaces::sentenceOf(const Picked& picked) const
{
    const Model& model = *sides[std::size_t(picked.side)].model;
    const QString words = picked.gap >= 0 ? QString::fromStdString(sentence(model, model.gaps[std::size_t(picked.gap)]))
                                          : eventSentence(model, picked.event);
    const TimelineBand* band = bandOf(picked);
    return band && band->folded ? tr("%1, in a folded track").arg(words) : words;
}

int TimelinePlaces::topOf(const Picked& picked) const
{
    const TimelineBand* band = bandOf(picked);
    if (!band)
        return 0;
    if (picked.gap >= 0 || band->folded)
        return band->top;
    return band->top +
           int(rowOf(picked) - sides[std::size_t(picked.side)].model->tracks[band->track].firstRow) * layout.rowHeight;
}

QRect TimelinePlaces::rectOf(const Picked& picked) const
{
    const TimelineBand* band = picked ? bandOf(picked) : nullptr;
    if (!band)
        return {};
    const ViewRange range = rangeOf(picked);
    const double x0 = scale.x(range.from_ns), x1 = scale.x(range.to_ns);
    if (x1 < 0 || x0 > scale.width)
        return {};
    const int from = int(std::max(0.0, x0)), to = int(std::min(double(scale.width), std::max(x1, x0 + 1)));
    return {left + from, top + topOf(picked) - scroll, std::max(1, to - from), layout.tall(*band)};
}

// ---- neighbours -----------------------------------------------------------------------------------------------------

Picked TimelinePlaces::first() const
{
    for (const TimelineBand& band : layout.bands) {
        if (band.kind != Kind::Track)
            continue;
        const Model& model = *sides[std::size_t(band.side)].model;
        const EventIndex event = model.nearest(model.tracks[band.track].firstRow,
                                               std::llround(std::max(scale.from_ns, double(model.first_ns))));
        if (event != noEvent)
            return {band.side, event, -1};
    }
    return {};
}

Picked TimelinePlaces::beside(const Picked& picked, int by) const
{
    const Model& model = *sides[std::size_t(picked.side)].model;
    if (picked.gap >= 0)
        return {picked.side, noEvent, std::clamp(picked.gap + by, 0, int(model.gaps.size()) - 1)};
    const Model::Row& row = model.rows[rowOf(picked)];
    const std::int64_t wanted = std::int64_t(picked.event) + by;
    return {picked.side, EventIndex(std::clamp<std::int64_t>(wanted, row.first, std::int64_t(row.last) - 1)), -1};
}

Picked TimelinePlaces::below(const Picked& picked, int by) const
{
    struct Place {
        const TimelineBand* band;
        std::uint32_t row; ///< noRow: the gaps
    };
    std::vector<Place> places;
    for (const TimelineBand& band : layout.bands) {
        if (band.kind == Kind::Gaps)
            places.push_back({&band, noRow});
        if (band.kind != Kind::Track)
            continue;
        const Model::Track& track = sides[std::size_t(band.side)].model->tracks[band.track];
        for (std::uint32_t row = track.firstRow; row < (band.folded ? track.firstRow + 1 : track.lastRow); ++row)
            places.push_back({&band, row});
    }
    const TimelineBand* own = bandOf(picked);
    if (!own)
        return picked;
    const auto at = std::find_if(places.begin(), places.end(), [&](const Place& p) {
        return p.band == own && (p.row == rowOf(picked) || own->folded);
    });
    const std::ptrdiff_t next = at - places.begin() + by;
    if (at == places.end() || next < 0 || next >= std::ptrdiff_t(places.size()))
        return picked;
    const ViewRange seen = rangeOf(picked);
    const auto time = std::llround((std::max(seen.from_ns, scale.from_ns) + std::min(seen.to_ns, scale.to_ns())) / 2);
    const Place& place = places[std::size_t(next)];
    const Model& model = *sides[std::size_t(place.band->side)].model;
    if (place.row != noRow)
        return {place.band->side, model.nearest(place.row, time), -1};
    const auto gap = std::partition_point(model.gaps.begin(), model.gaps.end(),
                                          [&](const Gap& g) { return g.end_ns < time; });
    return {place.band->side, noEvent,
            int(std::min<std::ptrdiff_t>(gap - model.gaps.begin(), std::ptrdiff_t(model.gaps.size()) - 1))};
}

} // namespace cudal1::ui
