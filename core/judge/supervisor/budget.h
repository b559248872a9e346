// SPDX-License-Identifier: GPL-3.0-or-later
// What judging a candidate may take.
#pragma once

#include "core/protocol/messages.h"

#include <optional>

namespace cudal1::judge {

/// What a preset spends on a candidate. The defaults are those of `quick`.
struct Budget {
    int minTrials = 6;
    int maxTrials = 20;
    double check_s = 1;  ///< after `minTrials`, trials go on until this many seconds have passed since the first
    double time_s = 1.5; ///< seconds of rounds, over all instances
    int instances = 1;   ///< processes of the candidate over which timing is spread
    int weightSets = 1;  ///< how many sets of other weights trials run with
    /// The first round of an instance waits at most this long for calls to reach a steady time.
    double settle_s = 0.1;
    bool ownFlush = true;    ///< see RoundShape
    int mostKept = 2;        ///< see RoundShape
    double halfWidth = 0.02; ///< relative half-width of the interval at which timing may stop
    /// Timing never stops with fewer, whatever they take; three where calls take over a second.
    int minPairs = 5;
    bool ownInputsOnly = false;                ///< trials use the dataset's own distribution alone
    std::optional<protocol::PaperRules> paper; ///< when set, the paper's protocol is measured too
};
Budget budgetOf(protocol::Preset preset);
/// As `standard`, but with as many trials as the rules say, on the dataset's own inputs alone, our own timing no longer
/// than the paper's window, and the paper's protocol after it.
Budget budgetOf(const protocol::PaperRules& rules);
/// For the second look: a result that carries certain labels is judged once more with this.
Budget budgetOfConfirmation();

} // namespace cudal1::judge
