// SPDX-License-Identifier: GPL-3.0-or-later
// Seeds by SHA-256, which nobody can go backwards.
#include "core/judge/supervisor/seedsequence.h"

#include "core/base/sha256.h"

#include <string>

namespace cudal1::judge {

std::uint64_t SeedSequence::next()
{
    const std::string text = "seed " + std::to_string(m_seed) + ' ' + std::to_string(m_purpose) + ' ' +
                             std::to_string(m_index++);
    return std::stoull(base::sha256Hex(text).substr(0, 16), nullptr, 16) & 0x1fffffffffffff;
}

} // namespace cudal1::judge
