// SPDX-License-Identifier: GPL-3.0-or-later
// The reference's first call, made again: does its result follow from anything but its inputs?
#include "core/judge/witness/referencehost.h"

#include "core/judge/generated/keptelsewhere_py.h"
#include "core/judge/witness/comparison.h"
#include "core/judge/witness/nullcandidates.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>

#include <algorithm>

namespace cudal1::judge {

namespace {

/// A copy of elements of a result that lie evenly all over it, in all of its columns.
at::Tensor someElements(const at::Tensor& result)
{
    constexpr std::int64_t most = std::int64_t{1} << 20;
    const at::Tensor flat = asReal(result.detach().contiguous().resolve_conj().resolve_neg()).view(-1);
    const std::int64_t step = flat.numel() <= most ? 1 : (flat.numel() / most) | 1;
    return flat.slice(0, 0, flat.numel(), step).clone(at::MemoryFormat::Contiguous);
}

} // namespace

void ReferenceHost::keepForRepeating(std::uint64_t seed, const std::vector<at::Tensor>& inputs,
                                     const std::vector<at::Tensor>& results)
{
    m_repeatable.emplace();
    m_repeatable->seed = seed;
    for (const at::Tensor& input : inputs)
        m_repeatable->inputs.push_back(m_kernels->fingerprint(input));
    for (const at::Tensor& result : results)
        m_repeatable->results.push_back(someElements(result));
}

PyRef ReferenceHost::findKept()
{
    if (!m_keptFinder)
        m_keptFinder = runModule("cudal1_keptelsewhere", pythonKeptElsewhere, "cudal1_keptelsewhere.py");
    return checked(PyObject_CallMethod(m_keptFinder.get(), "kept", "OO", m_model.get(), m_task.get()));
}

std::map<std::string, KeptTensor> ReferenceHost::keptAmong(const PyRef& found) const
{
    std::map<std::string, KeptTensor> kept = keptTensors(found, *m_kernels, m_device);
    for (const NamedTensorSpec& compared : m_layout.buffers)
        kept.erase(compared.name);
    return kept;
}

bool ReferenceHost::drawsAtRandom(std::uint64_t seed, WithoutLastOnes& withoutLast)
{
    const auto state = [this] {
        std::vector<at::Tensor> states{at::detail::getDefaultCPUGenerator().get_state()};
        if (m_device.is_cuda())
            states.push_back(at::cuda::detail::getDefaultCUDAGenerator(m_device.index()).get_state());
        return states;
    };
    at::manual_seed(seed);
    const std::vector<at::Tensor> before = state();
    std::optional<LastOperators> last;
    if (hasLongCalls())
        last.emplace(m_device);
    const PyRef result = forward();
    synchronise(m_device);
    const std::vector<at::Tensor> results = flattenOutputs(result.get(), false).tensors;
    if (last)
        withoutLast = last->end(results);
    last.reset();
    const std::vector<at::Tensor> after = state();
    requireFirstResults(results);
    for (std::size_t i = 0; i < before.size(); ++i)
        if (!at::equal(before[i], after[i]))
            return true;
    return false;
}

/// Both sides make different calls, so nobody can compare results that follow from what was computed before. Nor could
/// rounding be told from that: it is measured by calling the reference once more.
void ReferenceHost::requireFirstResults(const std::vector<at::Tensor>& again) const
{
    constexpr double few = 0.01; // of the elements may jump, where sums are not always added up in the same order
    for (std::size_t i = 0; i < std::min(m_repeatable->results.size(), again.size()); ++i) {
        const at::Tensor &before = m_repeatable->results[i], now = someElements(again[i]);
        if (before.sizes() != now.sizes())
            throw Refusal("unsupported_output", "The reference cannot be judged: its result has another shape when the "
                                                "same call is made again.");
        const Difference difference = compareValues(before, now, toleranceFor(before.scalar_type(), false), 0);
        if (static_cast<double>(difference.wrong + difference.misplaced) >
            few * static_cast<double>(difference.elements))
            throw Refusal("unsupported_output",
                          "The reference cannot be judged: its result is another one when the same call is made again, "
                          "so it follows from earlier calls, or from random numbers that no seed of the framework "
                          "decides.",
                          "output " + std::to_string(i) + ": " + std::to_string(difference.wrong) + " of " +
                              std::to_string(difference.elements) + " elements differ");
    }
}

RepeatFirstCall::Reply ReferenceHost::repeatFirstCall()
{
    constexpr double longest_ns = 5e9; // of a call that is made a third time
    RepeatFirstCall::Reply reply;
    if (!m_repeatable)
        return reply;
    reply.changed = changedPaths(m_repeatable->kept, keptAmong(findKept()));
    if (m_first_ns > longest_ns || (hasLongCalls() && m_repeatable->wasRepeated))
        return reply;
    const std::vector<at::Tensor> inputs = draw(m_repeatable->seed);
    std::vector<std::uint64_t> fingerprints;
    for (const at::Tensor& input : inputs)
        fingerprints.push_back(m_kernels->fingerprint(input));
    if (fingerprints != m_repeatable->inputs)
        return reply;
    m_repeatable->wasRepeated = true;
    requireFirstResults(runReference(inputs, m_repeatable->seed));
    return reply;
}

} // namespace cudal1::judge
