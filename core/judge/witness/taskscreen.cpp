// SPDX-License-Identifier: GPL-3.0-or-later
// Null candidates against a task that nobody has judged a candidate for.
#include "core/judge/witness/taskscreen.h"

#include "core/judge/wire/steadyclock.h"
#include "core/judge/wire/trialfamilies.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace cudal1::judge {

std::vector<at::Tensor> TaskScreen::drawn(std::uint64_t seed, std::string_view family)
{
    std::vector<at::Tensor> inputs = m_reference.draw(seed);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        inputs[i] = applyFamily(family, inputs[i], m_reference.traits()[i]).contiguous();
    return inputs;
}

bool TaskScreen::sameFor(const std::vector<at::Tensor>& others)
{
    const std::vector<at::Tensor>& expected = m_present.call().expected;
    for (std::size_t k = 0; k < others.size(); ++k)
        if (others[k].sizes() != expected[k].sizes() ||
            !m_present.compareOutput(k, others[k].contiguous()).difference.equal())
            return false;
    return true;
}

ScreenTask::Reply TaskScreen::screen(const ScreenTask& request)
{
    ScreenTask::Reply out;
    out.graph = m_reference.trace({request.source, "meta", "kernelbench", request.seed, request.maxNodes}).graph;
    if (request.trials <= 0)
        return out;
    m_reference.loadOnCpu(request.seed);
    m_families.clear();
    NullCandidates nulls;
    bool sameForOthers = true; // the result of other inputs passes: it does not depend on them
    double shortest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < request.trials && (nulls.anyLeft() || sameForOthers); ++i) {
        const std::string family(trialFamilies[static_cast<std::size_t>(i) % std::size(trialFamilies)]);
        const std::uint64_t seed = request.seed + 2 * static_cast<std::uint64_t>(i) + 1;
        SecretCall call;
        call.family = family;
        call.inputs = drawn(seed, family);
        call.seed = request.seed;
        const double begun = secondsNow();
        call.expected = m_reference.runReference(call.inputs, call.seed);
        shortest = std::min(shortest, (secondsNow() - begun) * 1e9);
        out.call_ns = shortest;
        if (i == 0 && !std::all_of(call.expected.begin(), call.expected.end(), allFinite)) {
            out.finite = false;
            break;
        }
        m_present.set(std::move(call));
        if (!m_families.add(family, m_present.measureFamily()).usable)
            continue;
        ++out.trials;
        if (nulls.anyLeft())
            m_present.tryNulls(nulls);
        if (sameForOthers)
            sameForOthers = sameFor(m_reference.runReference(drawn(seed + 1, family), m_present.call().seed));
    }
    if (out.trials > 0) {
        out.nullsLeft = nulls.left();
        if (sameForOthers)
            out.nullsLeft.emplace_back("the result of other inputs");
    }
    m_reference.dropModel();
    m_present.set({});
    return out;
}

} // namespace cudal1::judge
