// SPDX-License-Identifier: GPL-3.0-or-later
// Trials of a candidate, the secret inputs of calls, and the comparison of what a round has kept.
#include "core/base/statistics.h"
#include "core/judge/witness/witness.h"

#include <ATen/Parallel.h>
#include <cuda_runtime_api.h>
#include <sys/socket.h>

#include <algorithm>
#include <cmath>

namespace cudal1::judge {

Driver::Patience Witness::patienceOf(double limit_s) const
{
    return [this, limit_s](double seconds) -> Ending {
        char byte = 0;
        if (::recv(m_socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0)
            return "abandoned"; // the supervisor sent a message, or is gone
        return seconds > limit_s ? "silent" : "";
    };
}

void Witness::drawBase(std::uint64_t seed)
{
    const std::size_t wanted = m_contents->empty() ? m_contents->wantedDraws() : 1;
    std::size_t bytes = std::max<std::size_t>(m_layout.inputBytes, 1), room = std::size_t{1} << 30;
    if (m_device.is_cuda()) {
        std::size_t free = 0, total = 0;
        cudaMemGetInfo(&free, &total);
        room = total / 16;
    }
    const std::size_t most = std::max<std::size_t>(room / bytes, 1);
    for (std::size_t i = 0; i < std::min(wanted, most); ++i)
        m_contents->addDraw(draw(seed + i), most);
}

Witness::SecretCall Witness::newCall()
{
    constexpr std::uint64_t familyOneIn = 6;
    constexpr std::size_t drawnAnewBytes = std::size_t{4} << 20;
    SecretCall call;
    call.inputs = m_contents->make(secretNumber());
    call.seed = secretNumber() >> 1;
    // Labels, masks and whole numbers cannot be multiplied by factors. Where it is little work they are drawn anew for
    // each call.
    const bool fixed = std::any_of(m_traits.begin(), m_traits.end(),
                                   [](const InputTraits& traits) { return traits.fixed; });
    if (fixed && m_layout.inputBytes <= drawnAnewBytes) {
        const Tensors fresh = draw(secretNumber() >> 1);
        for (std::size_t i = 0; i < fresh.size(); ++i)
            if (m_traits[i].fixed)
                call.inputs[i] = fresh[i];
    }
    // Now and then the inputs are of another family, so a candidate that is exact on the dataset's own inputs alone is
    // found out.
    std::vector<std::string> usable;
    for (const auto& [family, facts] : m_families)
        if (facts.usable && family != "as_given")
            usable.push_back(family);
    if (!usable.empty() && oneIn(familyOneIn)) {
        call.family = usable[secretNumber() % usable.size()];
        for (std::size_t i = 0; i < call.inputs.size(); ++i)
            call.inputs[i] = applyFamily(call.family, call.inputs[i], m_traits[i]).contiguous();
    }
    return call;
}

std::size_t Witness::mostKept() const
{
    constexpr std::size_t most = 4, room = std::size_t{256} << 20;
    std::size_t bytes = m_layout.inputBytes + 1;
    for (const TensorSpec& spec : m_layout.outputs)
        bytes += spec.bytes;
    return std::clamp<std::size_t>(room / bytes, 1, most);
}

Witness::SecretCall& Witness::pairedCall(Side side)
{
    const bool used = std::find(m_pairSides.begin(), m_pairSides.end(), side) != m_pairSides.end();
    if (m_pairSides.empty() || used) {
        m_pair = newCall();
        m_driver->lay(m_pair.slot, m_pair.inputs);
        synchronise(m_device);
        m_pairSides.clear();
    }
    m_pairSides.push_back(side);
    return m_pair;
}

CompareKept::Reply Witness::compareKept(const CompareKept& request)
{
    CompareKept::Reply out;
    for (SecretCall& call : std::exchange(m_kept, {})) {
        if (!m_pairSides.empty() && m_pair.seed == call.seed)
            call.expected = m_pair.expected;
        if (call.expected.empty())
            call.expected = runReference(call.inputs, call.seed);
        for (at::Tensor& actual : call.actual)
            actual = asReal(actual.to(m_device));
        setPresent(std::move(call));
        ++out.compared;
        out.worstRelativeError = std::max(out.worstRelativeError,
                                          compareResults("of a timed call, " + m_present.family));
        if (request.oracle != Yardstick::None && out.compared == 1)
            out.errors = oracle(request.oracle);
    }
    return out;
}

RunTrial::Reply Witness::trial(const RunTrial& request)
{
    RunTrial::Reply out;
    DrivenSubject& subject = *m_driven.at(Side::Candidate);
    struct Trial { // while it lives the subject is stopped, except for its call
        Trial(Driver& forAll, DrivenSubject& one) : driver(forAll), subject(one) { subject.freeze(); }
        Trial(const Trial&) = delete;
        Trial& operator=(const Trial&) = delete;
        ~Trial() { driver.finish(subject); }
        Driver& driver;
        DrivenSubject& subject;
    } const standing(*m_driver, subject);
    const auto known = m_families.find(request.family);
    out.usable = known == m_families.end() || known->second.usable;
    SecretCall call;
    call.family = request.family;
    if (out.usable) {
        call.inputs = draw(request.seed);
        for (std::size_t i = 0; i < call.inputs.size(); ++i)
            call.inputs[i] = applyFamily(request.family, call.inputs[i], m_traits[i]).contiguous();
        call.seed = secretNumber() >> 1;
        Tensors before;
        // The reference may change inputs of this family, though of no other.
        if (known == m_families.end() && !m_modifiesInputs)
            for (const at::Tensor& tensor : call.inputs)
                before.push_back(tensor.clone());
        const double begun = clock_ns();
        call.expected = runReference(call.inputs, call.seed);
        out.referenceCall_s = (clock_ns() - begun) * 1e-9;
        for (std::size_t i = 0; i < before.size(); ++i)
            if (!sameBytes(before[i], call.inputs[i])) {
                m_modifiesInputs = true;
                call.inputs[i] = before[i];
            }
        setPresent(std::move(call));
        if (known == m_families.end())
            out.usable = m_families.emplace(request.family, measureFamily(request.family)).first->second.usable;
    }
    if (!out.usable) {
        out.why = m_families.at(request.family).why;
        return out;
    }
    for (const TensorSpec& spec : m_layout.outputs) // so that the results of an earlier call cannot pass
        m_kernels->poison(m_arena.data() + spec.offset, spec.bytes);
    Driver::Plan plan;
    plan.readyFlags = InOrder;
    plan.callFlags = InOrder | callFlags();
    plan.seed = m_present.seed;
    plan.flush = false;
    Driver::Call done;
    try {
        m_driver->lay(0, m_present.inputs);
        synchronise(m_device);
        out.ending = m_driver->run(subject, plan, m_present.inputs, 0, patienceOf(request.limit_s), done);
    } catch (const DrivenSubject::Unreadable& error) {
        throw Refusal("unreadable_result", "The result cannot be read where the process says that it is.",
                      error.what());
    }
    if (!out.ending.empty())
        return out;
    out.candidateCall_s = done.wall_ns * 1e-9;
    if ((done.inputsChanged || m_driver->changed(done.inputsAfter, m_present.inputs)) && !m_modifiesInputs)
        throw Refusal("input_modified", "The call changed its inputs.");
    for (const at::Tensor& result : done.results)
        m_present.actual.push_back(asReal(result.to(m_device)));
    if (request.nulls && m_nulls.anyLeft())
        tryNulls();
    out.worstRelativeError = compareResults(request.family);
    out.nullsLeft = m_nulls.left();
    out.nullTrials = m_nulls.trials();
    if (request.oracle != Yardstick::None)
        out.errors = oracle(request.oracle);
    return out;
}

} // namespace cudal1::judge
