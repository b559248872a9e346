// SPDX-License-Identifier: GPL-3.0-or-later
// The paper's rule.
#include "core/protocol/reward.h"

namespace cudal1::protocol {

bool timesSayLittle(std::string_view labels)
{
    constexpr std::string_view crowded = "crowded ";
    const auto at = labels.find(crowded);
    return at != labels.npos && (at == 0 || labels[at - 1] == ' ');
}

std::optional<double> rewardOf(Verdict verdict, const base::Interval& wall, std::string_view labels)
{
    if (verdict != Verdict::Correct)
        return 0;
    if (!wall.valid() || timesSayLittle(labels))
        return {};
    return base::roundTowardOne(wall.estimate);
}

} // namespace cudal1::protocol
