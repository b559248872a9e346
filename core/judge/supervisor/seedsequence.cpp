// SPDX-License-Identifier: GPL-3.0-or-later
// Seeds by the standard library's seed sequence, whose results the standard fixes.
#include "core/judge/supervisor/seedsequence.h"

#include <array>
#include <random>

namespace cudal1::judge {

std::uint64_t SeedSequence::next()
{
    std::seed_seq sequence{static_cast<std::uint32_t>(m_seed), static_cast<std::uint32_t>(m_seed >> 32), m_purpose,
                           m_index++};
    std::array<std::uint32_t, 2> words{};
    sequence.generate(words.begin(), words.end());
    return (std::uint64_t{words[0]} << 32 | words[1]) & 0x1fffffffffffff;
}

} // namespace cudal1::judge
