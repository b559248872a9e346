// SPDX-License-Identifier: GPL-3.0-or-later
// What judging a candidate may take.
#pragma once

#include "core/base/statistics.h"
#include "core/protocol/messages.h"

#include <optional>
#include <string_view>

namespace cudal1::judge {

/// What a preset spends on a candidate. The defaults are those of `quick`.
struct Budget {
    int minTrials = 7;
    int maxTrials = 20;
    double check_s = 1;  ///< after `minTrials`, trials go on until this many seconds have passed since the first
    double time_s = 1.5; ///< seconds of rounds, over all instances
    int instances = 1;   ///< processes of the candidate over which timing is spread
    int weightSets = 1;  ///< how many sets of other weights trials run with
    /// The first round of an instance waits at most this long for calls to reach a steady time.
    double settle_s = 0.1;
    bool ownFlush = true;    ///< see RoundShape
    int mostKept = 4;        ///< see RoundShape
    double halfWidth = 0.02; ///< relative half-width of the interval at which timing may stop
    /// Timing may also stop once the speed-up lies this many half-widths (of its logarithm) from 1 and the half-width
    /// is below `mostHalfWidth`: a search need not know whether a gain is 1.80 or 1.85. 0: it never stops for that, nor
    /// for Pairing::cannotWin().
    double clearBy = 4;
    double mostHalfWidth = 0.05;
    /// Timing never stops with fewer otherwise, whatever they take; three where calls take over four seconds.
    int minPairs = 5;
    bool ownInputsOnly = false;                ///< trials use the dataset's own distribution alone
    std::optional<protocol::PaperRules> paper; ///< when set, the paper's protocol is measured too
};
/// `device` as in a request. On a GPU `quick` times for 0.33 s, in which there are some ten pairs.
Budget budgetOf(protocol::Preset preset, std::string_view device);
/// As `standard`, but with as many trials as the rules say, on the dataset's own inputs alone, our own timing no longer
/// than the paper's window, and the paper's protocol after it.
Budget budgetOf(const protocol::PaperRules& rules);
/// For the second look: a result that carries certain labels is judged once more with this.
Budget budgetOfConfirmation();
/// Whether timing may stop at this interval, as `halfWidth` and `clearBy` say.
bool knownWellEnough(const base::Interval& speedup, const Budget& budget);

} // namespace cudal1::judge
