// SPDX-License-Identifier: GPL-3.0-or-later
// Examples as requests to learn.
#include "core/learning/supervisedbatches.h"

#include <utility>

namespace cudal1::learning {

SupervisedBatches::SupervisedBatches(std::vector<LearnedExample> examples, int size, std::uint64_t seed)
    : m_examples(std::move(examples)), m_size(size), m_seed(seed)
{
}

protocol::SftRequest SupervisedBatches::request(int number) const
{
    protocol::SftRequest out;
    for (const std::size_t at : batchOf(m_examples.size(), std::size_t(m_size), std::uint64_t(number), m_seed)) {
        protocol::SftRequest::Pair& pair = out.pairs.emplace_back();
        for (const policy::ChatMessage& message : m_examples[at].prompt)
            pair.prompt.messages.push_back({message.role, message.content});
        pair.reply.text = m_examples[at].reply;
    }
    return out;
}

void SupervisedBatches::make(int number, TrainerClient&, std::function<void(base::Result<MadeBatch>)> made)
{
    made(MadeBatch{request(number), nlohmann::json::object()});
}

} // namespace cudal1::learning
