// SPDX-License-Identifier: GPL-3.0-or-later
// Digits in groups.
#include "core/base/counttext.h"

namespace cudal1::base {

std::string countText(std::int64_t count)
{
    std::string out = std::to_string(count);
    const std::size_t first = out.front() == '-' ? 1 : 0;
    for (std::size_t at = out.size(); at > first + 3;)
        out.insert(at -= 3, 1, ',');
    return out;
}

} // namespace cudal1::base
