// SPDX-License-Identifier: GPL-3.0-or-later
// One text to learn from: a prompt and the reply to it, as tokens.
#pragma once

#include <cstddef>
#include <vector>

namespace cudal1::training {

struct Sequence {
    std::vector<int> tokens;      ///< of the prompt, then of the reply with its end token
    std::size_t promptTokens = 1; ///< at least 1; the loss is taken over the others alone

    std::size_t replyTokens() const { return tokens.size() - promptTokens; }
};

} // namespace cudal1::training
