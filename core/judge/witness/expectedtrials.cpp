// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps what the reference makes of trials.
#include "core/judge/witness/expectedtrials.h"

#include <algorithm>
#include <utility>

namespace cudal1::judge {

namespace {

std::uint64_t bytesOf(const std::vector<at::Tensor>& tensors)
{
    std::uint64_t bytes = 0;
    for (const at::Tensor& tensor : tensors)
        bytes += tensor.defined() ? tensor.storage().nbytes() : 0;
    return bytes;
}

std::uint64_t bytesOf(const SecretCall& call)
{
    return bytesOf(call.inputs) + bytesOf(call.expected) + bytesOf(call.left) +
           (call.facts ? bytesOf(call.facts->exact) + bytesOf({call.facts->withoutLast[0].given}) : 0);
}

} // namespace

const ExpectedTrials::Trial* ExpectedTrials::find(const std::string& family, std::uint64_t seed,
                                                  const ReferenceState& state) const
{
    const auto found = std::find_if(m_kept.begin(), m_kept.end(), [&](const Kept& kept) {
        return kept.seed == seed && kept.trial.call.family == family && kept.state == state;
    });
    return found == m_kept.end() ? nullptr : &found->trial;
}

bool ExpectedTrials::keep(std::uint64_t seed, const ReferenceState& state, Trial trial)
{
    trial.call.seed = 0;
    trial.call.actual.clear();
    trial.call.inputsAfter = at::Tensor();
    if (bytes() + bytesOf(trial.call) > m_mostBytes)
        return false;
    // A reference may return memory that it writes to in the next call, and get_inputs() what it returns each time.
    for (std::vector<at::Tensor>* tensors : {&trial.call.inputs, &trial.call.expected, &trial.call.left})
        for (at::Tensor& tensor : *tensors)
            tensor = tensor.clone();
    m_kept.push_back({seed, state, std::move(trial)});
    return true;
}

void ExpectedTrials::fit()
{
    while (!m_kept.empty() && bytes() > m_mostBytes)
        m_kept.pop_back();
}

std::uint64_t ExpectedTrials::bytes() const
{
    std::uint64_t bytes = 0;
    for (const Kept& kept : m_kept)
        bytes += bytesOf(kept.trial.call);
    return bytes;
}

} // namespace cudal1::judge
