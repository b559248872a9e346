// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the calls of rounds.
#include "core/judge/witness/callmaker.h"

#include "core/judge/module/pythonhost.h"

#include <cuda_runtime_api.h>

#include <algorithm>

namespace cudal1::judge {

CallMaker::CallMaker(ReferenceHost& reference, KnownFamilies& families, PresentCall& present, Driver& driver)
    : m_reference(reference), m_families(families), m_present(present), m_driver(driver),
      m_contents(reference.kernels(), reference.traits())
{
}

void CallMaker::drawBase(std::uint64_t seed)
{
    const bool isFirst = m_contents.empty();
    const std::size_t wanted = isFirst ? m_contents.wantedDraws() : 1;
    std::size_t bytes = std::max<std::size_t>(m_reference.layout().inputBytes, 1), room = std::size_t{1} << 30;
    if (m_reference.device().is_cuda()) {
        std::size_t free = 0, total = 0;
        cudaMemGetInfo(&free, &total);
        room = total / 16;
    }
    const std::size_t most = std::max<std::size_t>(room / bytes, 1);
    for (std::size_t i = 0; i < std::min(wanted, most); ++i) {
        const double begun = clock_ns();
        m_contents.addDraw(m_reference.draw(seed + i), most);
        m_draw_ns = std::min(m_draw_ns, clock_ns() - begun);
    }
    if (!isFirst)
        return;
    m_mixes = canBeMixed(seed);
    m_redrawn = inputsToRedraw();
}

std::vector<std::size_t> CallMaker::inputsToRedraw()
{
    const std::vector<at::Tensor> inputs = m_reference.draw(secretNumber() >> 1);
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!canBeRedrawn(inputs[i], m_reference.traits()[i]))
            continue;
        SecretCall call;
        call.family = "redrawn";
        call.inputs = inputs;
        call.inputs[i] = redrawn(inputs[i], m_reference.traits()[i]);
        call.seed = secretNumber() >> 1;
        if (canBeCompared(std::move(call)))
            out.push_back(i);
    }
    return out;
}

bool CallMaker::canBeCompared(SecretCall call)
{
    bool usable = false;
    try {
        call.expected = m_reference.runReference(call.inputs, call.seed);
        m_present.set(std::move(call));
        usable = m_present.measureFamily().usable;
    } catch (const PythonError& error) {
        if (error.kind != "exception")
            throw;
    } catch (const Refusal&) { // of a result of another shape
    }
    m_present.set({});
    return usable;
}

bool CallMaker::canBeMixed(std::uint64_t seed)
{
    const auto hasNan = [this](const std::vector<at::Tensor>& inputs) {
        const std::vector<at::Tensor> results = m_reference.runReference(inputs, secretNumber() >> 1);
        return std::any_of(results.begin(), results.end(),
                           [](const at::Tensor& result) { return result.isnan().any().item<bool>(); });
    };
    if (std::all_of(m_reference.traits().begin(), m_reference.traits().end(),
                    [](const InputTraits& traits) { return traits.fixed; }))
        return true;
    try {
        return !hasNan(m_contents.make(secretNumber())) || hasNan(m_reference.draw(seed));
    } catch (const PythonError& error) {
        if (error.kind != "exception")
            throw;
        return false;
    }
}

SecretCall CallMaker::freshCall() const
{
    constexpr std::size_t drawnAnewBytes = std::size_t{4} << 20;
    constexpr double quickDraw_ns = 50e6; // putting elements of four draws together takes as long as a quick draw
    SecretCall call;
    call.inputs = m_mixes ? m_contents.make(secretNumber()) : m_reference.draw(secretNumber() >> 1);
    call.seed = secretNumber() >> 1;
    // Labels, masks and whole numbers cannot be multiplied by factors. Where it is little work they are drawn anew for
    // each call.
    const bool fixed = std::any_of(m_reference.traits().begin(), m_reference.traits().end(),
                                   [](const InputTraits& traits) { return traits.fixed; });
    const bool isQuick = m_reference.device().is_cpu() && m_draw_ns <= quickDraw_ns;
    if (m_mixes && fixed && (isQuick || m_reference.layout().inputBytes <= drawnAnewBytes)) {
        const std::vector<at::Tensor> fresh = m_reference.draw(secretNumber() >> 1);
        for (std::size_t i = 0; i < fresh.size(); ++i)
            if (m_reference.traits()[i].fixed && !Contents::changesByItself(m_reference.traits()[i]))
                call.inputs[i] = fresh[i];
    }
    // A program could compare an input that no draw changes with what it was before, and return a result that it has
    // kept for it. It would be right in each call.
    for (const std::size_t i : m_redrawn)
        call.inputs[i] = redrawn(call.inputs[i], m_reference.traits()[i]);
    return call;
}

void CallMaker::apply(const std::string& family, SecretCall& call)
{
    SecretCall other = call;
    other.family = family;
    for (std::size_t i = 0; i < other.inputs.size(); ++i)
        other.inputs[i] = applyFamily(family, other.inputs[i], m_reference.traits()[i]).contiguous();
    if (canBeUsed(other))
        call = std::move(other);
}

SecretCall CallMaker::otherCall(DrivenSide side)
{
    SecretCall call = freshCall();
    call.isCompared = true;
    const std::vector<std::string> usable = m_families.usableOthers();
    std::vector<std::string>& turns = m_turns[side];
    std::erase_if(turns, [&usable](const std::string& family) {
        return std::find(usable.begin(), usable.end(), family) == usable.end(); // with other weights
    });
    if (turns.empty())
        turns = usable;
    if (turns.empty())
        return call;
    const auto chosen = turns.begin() + static_cast<std::ptrdiff_t>(secretNumber() % turns.size());
    apply(*chosen, call);
    turns.erase(chosen);
    return call;
}

SecretCall CallMaker::newCall()
{
    constexpr std::uint64_t familyOneIn = 6, spikedOneIn = 2, blendedOneIn = 6, blendedOfWholeOneIn = 3;
    SecretCall call = freshCall();
    // Now and then the inputs are of another family, so a candidate that is exact on the dataset's own inputs alone is
    // found out.
    const std::vector<std::string> usable = m_families.usableOthers();
    const auto chosen = [&usable](const char* family, std::uint64_t callsOneIn) {
        return std::find(usable.begin(), usable.end(), family) != usable.end() && oneIn(callsOneIn);
    };
    const bool whole = std::any_of(m_reference.traits().begin(), m_reference.traits().end(),
                                   [](const InputTraits& traits) { return traits.whole; });
    // No other families find out who looks at a part of each row: the first in half of the calls at best, the second
    // where a result says on which side of a limit a row is.
    if (chosen("spiked", spikedOneIn))
        apply("spiked", call);
    else if (chosen("blended", whole ? blendedOfWholeOneIn : blendedOneIn))
        apply("blended", call);
    else if (!usable.empty() && oneIn(familyOneIn))
        apply(usable[secretNumber() % usable.size()], call);
    return call;
}

bool CallMaker::canBeUsed(const SecretCall& call)
{
    const FamilyFacts* known = m_families.find(call.family);
    if (!known || known->measured)
        return true;
    bool usable = true;
    try {
        SecretCall look = call;
        look.expected = m_reference.runReference(look.inputs, look.seed);
        m_present.set(std::move(look));
        m_present.measureWhatWaits();
    } catch (const FamilyLeftOut&) {
        usable = false;
    }
    m_present.set({});
    return usable;
}

std::size_t CallMaker::mostKept() const
{
    constexpr std::size_t most = 4, room = std::size_t{256} << 20;
    std::size_t bytes = m_reference.layout().inputBytes + 1;
    for (const TensorSpec& spec : m_reference.layout().outputs)
        bytes += spec.bytes;
    return std::clamp<std::size_t>(room / bytes, 1, most);
}

SecretCall& CallMaker::pairedCall(DrivenSide side)
{
    const bool used = std::find(m_pairSides.begin(), m_pairSides.end(), side) != m_pairSides.end();
    if (m_pairSides.empty() || used) {
        m_pair = newCall();
        m_driver.lay(m_pair.slot, m_pair.inputs);
        synchronise(m_reference.device());
        m_pairSides.clear();
    }
    m_pairSides.push_back(side);
    return m_pair;
}

const SecretCall* CallMaker::pairOf(std::uint64_t seed) const
{
    return !m_pairSides.empty() && m_pair.seed == seed ? &m_pair : nullptr;
}

} // namespace cudal1::judge
