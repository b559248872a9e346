// SPDX-License-Identifier: GPL-3.0-or-later
// Compares where results lie.
#include "core/judge/subject/heldresults.h"

#include <algorithm>

namespace cudal1::judge {

namespace {

constexpr const char* overwritten = "The result is memory that a later call overwrites.";

/// torch.compile's graphs take the memory away from results that they overwrite.
const void* addressOfHeld(const at::Tensor& held)
{
    try {
        return held.const_data_ptr();
    } catch (const c10::Error& error) {
        throw Refusal("static_output", overwritten, error.what_without_backtrace());
    }
}

} // namespace

void HeldResults::add(const std::vector<at::Tensor>& results)
{
    for (const std::vector<at::Tensor>& earlier : m_held)
        for (std::size_t i = 0; i < results.size(); ++i)
            if (m_host.layout().outputs[i].fresh() && results[i].numel() > 0 &&
                results[i].const_data_ptr() == addressOfHeld(earlier[i]) && !m_host.inArena(results[i]))
                throw Refusal("static_output", overwritten,
                              "two calls returned a tensor at the same address while the first was still held");
    m_held.push_back(results);
    constexpr std::size_t most = 16, mostBytes = std::size_t{1} << 30;
    std::size_t bytes = 1;
    for (const TensorSpec& spec : m_host.layout().outputs)
        bytes += spec.bytes;
    while (m_held.size() > std::clamp<std::size_t>(mostBytes / bytes, 1, most))
        m_held.pop_front();
}

} // namespace cudal1::judge
