// SPDX-License-Identifier: GPL-3.0-or-later
// Gives buffers through the arena, and compares what comes back.
#include "core/judge/witness/referencebuffers.h"

#include "core/judge/witness/comparison.h"
#include "core/judge/witness/precisionoracle.h"

#include <algorithm>
#include <string_view>

namespace cudal1::judge {

namespace {

/// The spread of the values that a running mean is of, which it is known as well as. That of values around zero, as a
/// norm's own results, is nothing but rounding. Zero for other buffers.
at::Tensor spreadOf(const std::string& name, const ReferenceHost& reference)
{
    constexpr std::string_view mean = "running_mean", variance = "running_var";
    if (!name.ends_with(mean))
        return at::zeros({});
    const std::string other = name.substr(0, name.size() - mean.size()) + std::string(variance);
    const auto& buffers = reference.layout().buffers;
    return std::any_of(buffers.begin(), buffers.end(), [&](const auto& buffer) { return buffer.name == other; })
             ? reference.buffer(other).sqrt()
             : at::zeros({});
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
    giveReference();
    for (const SecretCall& call : calls)
        m_reference.runReference(call.inputs, call.seed);
    m_expected.clear();
    for (const auto& [name, spec] : buffers) {
        const at::Tensor expected = asReal(m_reference.buffer(name).contiguous());
        m_expected.push_back(expected.clone());
        const at::Tensor actual = asReal(viewOf(m_reference.arena().data(), spec, m_reference.device()));
        const double tolerance = toleranceFor(expected.scalar_type(), m_reference.ieee());
        const Difference difference = compareValues(expected, actual, tolerance,
                                                    tolerance * rmsOfFinite(spreadOf(name, m_reference)));
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

OracleErrors ReferenceBuffers::errors(const std::vector<SecretCall>& calls)
{
    const std::vector<NamedTensorSpec>& buffers = m_reference.layout().buffers;
    OracleErrors errors{0, 0, false, {}};
    std::vector<at::Tensor> exact;
    for (std::size_t i = 0; i < std::min(buffers.size(), m_expected.size()); ++i) {
        const auto& [name, spec] = buffers[i];
        const at::Tensor actual = asReal(viewOf(m_reference.arena().data(), spec, m_reference.device()));
        if (!at::isFloatingType(actual.scalar_type()))
            continue;
        const at::Tensor spread = spreadOf(name, m_reference).to(at::kDouble), own = actual.to(at::kDouble) + spread,
                         theirs = m_expected[i].to(at::kDouble) + spread;
        if (!isBeyondRounding(own, theirs, actual.scalar_type()))
            continue;
        if (exact.empty()) {
            giveReference();
            exact = m_reference.buffersInDouble(calls);
        }
        if (i < exact.size())
            noteErrors(errors, own, theirs, exact[i] + spread, actual.scalar_type());
    }
    return errors;
}

void ReferenceBuffers::giveReference()
{
    const std::vector<NamedTensorSpec>& buffers = m_reference.layout().buffers;
    for (std::size_t i = 0; i < buffers.size(); ++i)
        m_reference.buffer(buffers[i].name).copy_(m_given.at(i));
}

} // namespace cudal1::judge
