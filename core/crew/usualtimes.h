// SPDX-License-Identifier: GPL-3.0-or-later
// What judging takes where nothing is known of it yet.
#pragma once

#include "core/protocol/messages.h"

namespace cudal1::crew {

/// Seconds for one evaluation. Medians of the evaluations in the projects that this program was measured with, a CPU
/// and data-centre GPUs together; with `paper`, two windows of its usual length take nearly all of it.
inline double usualJudging_s(protocol::Preset preset)
{
    switch (preset) {
    case protocol::Preset::Quick: return 5;
    case protocol::Preset::Standard: return 25;
    case protocol::Preset::Paper: return 2 * 60 * protocol::PaperRules().minutes;
    }
    return 25;
}

} // namespace cudal1::crew
