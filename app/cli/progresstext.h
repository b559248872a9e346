// SPDX-License-Identifier: GPL-3.0-or-later
// The line that shows how far a run is.
#pragma once

#include "app/cli/texttable.h"
#include "core/base/timetext.h"

#include <string>

namespace cudal1::cli {

/// A bar, "3 of 8", what `known` says of them, the time that is left and what is being done. `progress` counts what is
/// done and planned; where it has a fraction, that is finer and fills the bar. Nothing is counted while nothing is
/// planned.
template<class Progress> std::string progressText(const Progress& progress, const std::string& known = {})
{
    double fraction = progress.planned > 0 ? double(progress.done) / progress.planned : 0;
    if constexpr (requires { progress.fraction; })
        fraction = progress.fraction;
    std::string out = bar(fraction, 12);
    if (progress.planned > 0)
        out += " " + std::to_string(progress.done) + " of " + std::to_string(progress.planned) + known;
    if (progress.secondsLeft >= 0) {
        bool guessed = false;
        if constexpr (requires { progress.guessed; })
            guessed = progress.guessed;
        out += std::string(progress.planned > 0 ? " · " : " ") + (guessed ? "about " : "") +
               base::durationText(progress.secondsLeft) + " left";
    }
    return progress.text.empty() ? out : out + " · " + progress.text;
}

} // namespace cudal1::cli
