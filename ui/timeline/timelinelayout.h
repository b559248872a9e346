// SPDX-License-Identifier: GPL-3.0-or-later
// Which band of the page shows what: headings, gaps and tracks of every side, from the top, some of them folded. No
// widgets.
#pragma once

#include "core/timeline/traceimport.h"

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace cudal1::ui {

struct TimelineBand {
    enum class Kind { Heading, Gaps, Track };
    Kind kind = Kind::Heading;
    int side = 0;
    std::uint32_t track = 0; ///< of Track
    int twin = 0;            ///< of Track: how many of the side before it have its name
    bool folded = false;     ///< of Heading: all of its side are
    int top = 0, height = 0; ///< pixels from the top of everything
    int bottom() const { return top + height; }
};

struct TimelineLayout {
    int rowHeight = 18, foldedHeight = 8, headingHeight = 28, gap = 4; ///< pixels
    std::vector<TimelineBand> bands;
    std::vector<std::pair<int, int>> sides; ///< top and bottom of each
    int height = 0;

    void arrange(const std::vector<timeline::Side>& shown)
    {
        bands.clear();
        sides.clear();
        int y = 0;
        for (int s = 0; s < int(shown.size()); ++s) {
            const timeline::Model& model = *shown[std::size_t(s)].model;
            const int top = y;
            const std::size_t heading = bands.size();
            const auto add = [&](TimelineBand band, int tall) {
                band.side = s;
                band.top = y;
                band.folded = band.kind != TimelineBand::Kind::Heading && isFolded(foldOf(shown, band));
                band.height = band.folded ? foldedHeight + gap : tall;
                y += band.height;
                bands.push_back(band);
            };
            add({TimelineBand::Kind::Heading}, headingHeight);
            if (!model.gaps.empty())
                add({TimelineBand::Kind::Gaps}, rowHeight + gap);
            std::map<std::string_view, int> twins;
            for (std::uint32_t t = 0; t < model.tracks.size(); ++t)
                add({TimelineBand::Kind::Track, s, t, twins[model.tracks[t].name]++},
                    int(model.tracks[t].lastRow - model.tracks[t].firstRow) * rowHeight + gap);
            bands[heading].folded = bands.size() > heading + 1;
            for (std::size_t b = heading + 1; b < bands.size(); ++b)
                bands[heading].folded = bands[heading].folded && bands[b].folded;
            sides.emplace_back(top, y);
            y += 2 * gap;
        }
        height = y;
    }

    /// From the next arrange() on, also where other timelines have a track of this name at this place. No heading.
    void setFolded(const std::vector<timeline::Side>& shown, const TimelineBand& band, bool folded)
    {
        folded ? void(m_folds.insert(foldOf(shown, band))) : void(m_folds.erase(foldOf(shown, band)));
        m_forRoom.erase(foldOf(shown, band));
    }
    /// Folds tracks of these timelines alone until everything fits: those that are busy for less than a hundredth of
    /// their side; and where sides stand beside each other, of those with a device the host's waits, then calls, then
    /// operators, then all streams but the busiest, and gaps.
    /// Arranges.
    void foldToFit(const std::vector<timeline::Side>& shown, int available)
    {
        using Kind = protocol::TimelineTrack::Kind;
        const auto foldWhere = [&](const auto& which) {
            for (const TimelineBand& band : bands)
                if (band.kind == TimelineBand::Kind::Track && which(*shown[std::size_t(band.side)].model, band.track))
                    m_forRoom.insert(foldOf(shown, band));
            arrange(shown);
        };
        m_forRoom.clear();
        arrange(shown);
        if (height > available)
            foldWhere(isIdle);
        for (const Kind kind : {Kind::Waits, Kind::Calls, Kind::Operators})
            if (shown.size() > 1 && height > available)
                foldWhere([kind](const timeline::Model& model, std::uint32_t track) {
                    return model.tracks[track].kind == kind &&
                           std::any_of(model.tracks.begin(), model.tracks.end(),
                                       [](const auto& other) { return other.kind == Kind::Stream; });
                });
        if (shown.size() > 1 && height > available)
            foldWhere([](const timeline::Model& model, std::uint32_t track) {
                return model.tracks[track].kind == Kind::Stream && track != busiestStream(model);
            });
        if (shown.size() > 1 && height > available) {
            for (const TimelineBand& band : bands)
                if (band.kind == TimelineBand::Kind::Gaps)
                    m_forRoom.insert(foldOf(shown, band));
            arrange(shown);
        }
    }

    /// The heading of the side at `scroll`, which stays at the top while its tracks pass below it; null above all.
    const TimelineBand* headingAt(int scroll) const
    {
        for (const TimelineBand& band : bands)
            if (band.kind == TimelineBand::Kind::Heading && band.top < scroll &&
                sides[std::size_t(band.side)].second > scroll)
                return &band;
        return nullptr;
    }
    /// Where that heading is drawn, from the top of what is in view: the end of its side pushes it out.
    int topOf(const TimelineBand& heading, int scroll) const
    {
        return std::min(0, sides[std::size_t(heading.side)].second - scroll - heading.height);
    }

    /// Null where there is none.
    const TimelineBand* at(int y) const
    {
        for (const TimelineBand& band : bands)
            if (y >= band.top && y < band.bottom())
                return &band;
        return nullptr;
    }
    /// The band of a row of a model, or with ~0 of its gaps; null where there is none.
    const TimelineBand* bandOf(const std::vector<timeline::Side>& shown, int side, std::uint32_t row) const
    {
        const timeline::Model& model = *shown[std::size_t(side)].model;
        const bool ofGaps = row == ~std::uint32_t(0);
        const auto kind = ofGaps ? TimelineBand::Kind::Gaps : TimelineBand::Kind::Track;
        for (const TimelineBand& band : bands)
            if (band.side == side && band.kind == kind && (ofGaps || band.track == model.rows[row].track))
                return &band;
        return nullptr;
    }
    /// The row under a pixel of a track's band, of a folded one the outermost; ~0 for none.
    std::uint32_t rowAt(const std::vector<timeline::Side>& shown, const TimelineBand& band, int y) const
    {
        const timeline::Model::Track& track = shown[std::size_t(band.side)].model->tracks[band.track];
        const std::uint32_t row = track.firstRow + (band.folded ? 0 : std::uint32_t((y - band.top) / rowHeight));
        return row < track.lastRow ? row : ~std::uint32_t(0);
    }
    /// How tall events of a band are drawn.
    int tall(const TimelineBand& band) const { return band.folded ? foldedHeight : rowHeight - 2; }

private:
    struct Fold {
        int side = 0;
        TimelineBand::Kind kind = TimelineBand::Kind::Track;
        std::string name;
        int twin = 0;
        auto operator<=>(const Fold&) const = default;
    };
    static Fold foldOf(const std::vector<timeline::Side>& shown, const TimelineBand& band)
    {
        const bool isTrack = band.kind == TimelineBand::Kind::Track;
        return {band.side, band.kind,
                isTrack ? shown[std::size_t(band.side)].model->tracks[band.track].name : std::string(), band.twin};
    }

    static std::int64_t busy_ns(const timeline::Model& model, std::uint32_t number)
    {
        const timeline::Model::Track& track = model.tracks[number];
        if (track.firstRow == track.lastRow)
            return 0;
        const timeline::Model::Row& outermost = model.rows[track.firstRow];
        return std::int64_t(model.before_ns[outermost.last] - model.before_ns[outermost.first]);
    }

    static bool isIdle(const timeline::Model& model, std::uint32_t number)
    {
        const timeline::Model::Track& track = model.tracks[number];
        return track.firstRow != track.lastRow && 100 * busy_ns(model, number) < model.last_ns - model.first_ns;
    }

    static std::uint32_t busiestStream(const timeline::Model& model)
    {
        std::uint32_t busiest = 0;
        std::int64_t most_ns = -1;
        for (std::uint32_t track = 0; track < model.tracks.size(); ++track)
            if (model.tracks[track].kind == protocol::TimelineTrack::Kind::Stream && busy_ns(model, track) > most_ns) {
                busiest = track;
                most_ns = busy_ns(model, track);
            }
        return busiest;
    }

    bool isFolded(const Fold& fold) const { return m_folds.contains(fold) || m_forRoom.contains(fold); }

    std::set<Fold> m_folds;
    std::set<Fold> m_forRoom; ///< by foldToFit()
};

} // namespace cudal1::ui
