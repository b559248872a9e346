// SPDX-License-Identifier: GPL-3.0-or-later
// A reply that came while others of its turn were awaited, as a run keeps it: whoever is killed then has paid for it.
#pragma once

#include "core/policy/chatmodel.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::language {

struct ArrivedReply {
    std::string policy;
    base::SampleId parent;              ///< the answer that its question followed; none for a first one
    std::uint64_t seed = 0;             ///< of its question's reply 0
    int place = 0;                      ///< among the replies to its question
    std::string prompt;                 ///< as policy::messagesText()
    std::vector<base::VariantId> shown; ///< exemplars in the prompt
    policy::ChatReply reply;            ///< without log-probabilities
};

std::string toJson(const ArrivedReply& arrived);
/// Nothing for a text that toJson() did not write.
std::optional<ArrivedReply> arrivedFromJson(const std::string& text);

} // namespace cudal1::language
