// SPDX-License-Identifier: GPL-3.0-or-later
// Which band of the page shows what: headings, gaps and tracks of every side, from the top. No widgets.
#pragma once

#include "core/timeline/traceimport.h"

#include <vector>

namespace cudal1::ui {

struct TimelineBand {
    enum class Kind { Heading, Gaps, Track };
    Kind kind = Kind::Heading;
    int side = 0;
    std::uint32_t track = 0;    ///< of Track
    int top = 0, height = 0;    ///< pixels from the top of everything
    int bottom() const { return top + height; }
};

struct TimelineLayout {
    int rowHeight = 18, headingHeight = 28, gap = 4; ///< pixels
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
            const auto add = [&](TimelineBand::Kind kind, std::uint32_t track, int tall) {
                bands.push_back({kind, s, track, y, tall});
                y += tall;
            };
            add(TimelineBand::Kind::Heading, 0, headingHeight);
            if (!model.gaps.empty())
                add(TimelineBand::Kind::Gaps, 0, rowHeight + gap);
            for (std::uint32_t t = 0; t < model.tracks.size(); ++t)
                add(TimelineBand::Kind::Track, t, int(model.tracks[t].lastRow - model.tracks[t].firstRow) * rowHeight + gap);
            sides.emplace_back(top, y);
            y += 2 * gap;
        }
        height = y;
    }

    /// Null where there is none.
    const TimelineBand* at(int y) const
    {
        for (const TimelineBand& band : bands)
            if (y >= band.top && y < band.bottom())
                return &band;
        return nullptr;
    }
    /// The top of a row of a model.
    int topOf(const std::vector<timeline::Side>& shown, int side, std::uint32_t row) const
    {
        const timeline::Model& model = *shown[std::size_t(side)].model;
        for (const TimelineBand& band : bands)
            if (band.kind == TimelineBand::Kind::Track && band.side == side && band.track == model.rows[row].track)
                return band.top + int(row - model.tracks[band.track].firstRow) * rowHeight;
        return 0;
    }
    /// The row under a pixel of a track's band; ~0 for none.
    std::uint32_t rowAt(const std::vector<timeline::Side>& shown, const TimelineBand& band, int y) const
    {
        const timeline::Model::Track& track = shown[std::size_t(band.side)].model->tracks[band.track];
        const std::uint32_t row = track.firstRow + std::uint32_t((y - band.top) / rowHeight);
        return row < track.lastRow ? row : ~std::uint32_t(0);
    }
};

} // namespace cudal1::ui
