// SPDX-License-Identifier: GPL-3.0-or-later
// Gives buffers through the arena, and compares what comes back.
#include "core/judge/witness/referencebuffers.h"

#include "core/judge/witness/comparison.h"

#include <algorithm>
#include <string_view>

namespace cudal1::judge {

namespace {

/// How far a mean may miss: it is known as well as the values that it is of. That of values around zero, as a norm's
/// own results, is nothing but rounding.
double slackOfMean(const std::string& name, const ReferenceHost& reference, double tolerance)
{
    constexpr std::string_view mean = "running_mean", variance = "running_var";
    if (!name.ends_with(mean))
        return 0;
    const std::string other = name.substr(0, name.size() - mean.size()) + std::string(variance);
    const auto& buffers = reference.layout().buffers;
    return std::any_of(buffers.begin(), buffers.end(), [&](const auto& buffer) { return buffer.name == other; })
             ? tolerance * rmsOfFinite(reference.buffer(other).sqrt())
             : 0;
}

} // namespace

void ReferenceBuffers::give()
{
    m_given.clear();
    for (const NamedTensorSpec& buffer : m_reference.layout().buffers) {
        m_given.push_back(m_reference.buffer(buffer.name).clone());
        viewOf(m_reference.arena().data(), buffer.spec, m_reference.device()).copy_(m_given.back());
    }
    synchronise(m_reference.device());
}

std::string ReferenceBuffers::compare(const std::vector<SecretCall>& calls)
{
    if (calls.empty())
        return {};
    const std::vector<NamedTensorSpec>& buffers = m_reference.layout().buffers;
    for (std::size_t i = 0; i < buffers.size(); ++i)
        m_reference.buffer(buffers[i].name).copy_(m_given.at(i));
    for (const SecretCall& call : calls)
        m_reference.runReference(call.inputs, call.seed);
    for (const auto& [name, spec] : buffers) {
        const at::Tensor expected = asReal(m_reference.buffer(name).contiguous());
        const at::Tensor actual = asReal(viewOf(m_reference.arena().data(), spec, m_reference.device()));
        const double tolerance = toleranceFor(expected.scalar_type(), m_reference.ieee());
        const Difference difference = compareValues(expected, actual, tolerance,
                                                    slackOfMean(name, m_reference, tolerance));
        if (!difference.equal())
            return name + ": " + std::to_string(difference.wrong + difference.misplaced) + " of " +
                   std::to_string(difference.elements) + " elements differ" +
                   (difference.firstWrong < 0 ? std::string()
                                              : "; element " + std::to_string(difference.firstWrong) + " is " +
                                                    std::to_string(difference.actualThere) + " and the reference's " +
                                                    std::to_string(difference.expectedThere));
    }
    return {};
}

} // namespace cudal1::judge
