// SPDX-License-Identifier: GPL-3.0-or-later
// The use of a local model, for the ledgers.
#include "core/models/localjob.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace cudal1::models {

void LocalJob::count(const Reply& reply, policy::Usage& usage, bool whole, double now, const std::string& unit)
{
    usage.cost = std::max(0.0, now - begun);
    usage.costUnit = unit;
    policy::Usage counted = usage;
    std::int64_t promptBytes = 0;
    for (const policy::ChatMessage& message : question->request.messages)
        promptBytes += std::int64_t(message.content.size());
    if (std::exchange(promptCounted, true)) {
        counted.promptTokens = 0;
        promptBytes = 0;
    }
    for (const auto& ledger : question->ledgers)
        ledger->answered(counted, std::nullopt, promptBytes, reply.bytes, whole);
}

void LocalJob::countBroken(double now, const std::string& unit)
{
    for (const Reply& reply : replies) {
        policy::Usage usage;
        if (!reply.told && reply.bytes > 0)
            count(reply, usage, false, now, unit);
    }
}

} // namespace cudal1::models
