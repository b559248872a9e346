// SPDX-License-Identifier: GPL-3.0-or-later
// Looks at a task before any candidate is judged for it: its graph by shapes, and whether results that take no work
// pass for its results.
#include "core/judge/wire/steadyclock.h"
#include "core/judge/witness/witness.h"

#include <algorithm>
#include <limits>

namespace cudal1::judge {

/// What was loaded before is given up: one process screens task after task and judges no candidate.
void Witness::loadForScreening(std::uint64_t seed)
{
    if (!m_kernels)
        useDevice("cpu");
    m_deviceName = "cpu";
    m_device = c10::Device(c10::kCPU);
    m_layout = {};
    m_traits.clear();
    m_families.clear();
    m_nulls = NullCandidates();
    m_modifiesInputs = true; // every call gets copies
    construct(m_task, "Model", m_initInputs, seed);
    std::size_t offset = 0;
    for (const PyRef& argument : drawArguments(seed)) {
        if (THPVariable_Check(argument.get())) {
            const at::Tensor tensor = tensorOf(argument.get()).detach().contiguous();
            m_layout.inputs.push_back(specOf(tensor, offset));
            m_traits.push_back(traitsOf(tensor));
        } else {
            TensorSpec spec;
            spec.text = reprOf(argument.get());
            literal(spec.text); // refuses what a candidate's process could not read
            m_layout.inputs.push_back(spec);
        }
    }
}

ScreenTask::Reply Witness::screen(const ScreenTask& request)
{
    ScreenTask::Reply out;
    out.graph = trace({request.source, "meta", "kernelbench", request.seed, request.maxNodes}).graph;
    if (request.trials <= 0)
        return out;
    loadForScreening(request.seed);
    bool sameForOthers = true; // the result of other inputs passes: it does not depend on them
    double shortest = std::numeric_limits<double>::infinity();
    const auto drawn = [&](std::uint64_t seed, std::string_view family) {
        Tensors inputs = draw(seed);
        for (std::size_t i = 0; i < inputs.size(); ++i)
            inputs[i] = applyFamily(family, inputs[i], m_traits[i]).contiguous();
        return inputs;
    };
    for (int i = 0; i < request.trials && (m_nulls.anyLeft() || sameForOthers); ++i) {
        const std::string family(inputFamilies[static_cast<std::size_t>(i) % std::size(inputFamilies)]);
        const std::uint64_t seed = request.seed + 2 * static_cast<std::uint64_t>(i) + 1;
        SecretCall call;
        call.family = family;
        call.inputs = drawn(seed, family);
        call.seed = request.seed;
        const double begun = secondsNow();
        call.expected = runReference(call.inputs, call.seed);
        shortest = std::min(shortest, (secondsNow() - begun) * 1e9);
        out.call_ns = shortest;
        if (i == 0 && !std::all_of(call.expected.begin(), call.expected.end(), allFinite)) {
            out.finite = false;
            break;
        }
        setPresent(std::move(call));
        if (!m_families.emplace(family, measureFamily(family)).first->second.usable)
            continue;
        ++out.trials;
        if (m_nulls.anyLeft())
            tryNulls();
        if (sameForOthers) {
            const Tensors others = runReference(drawn(seed + 1, family), m_present.seed);
            for (std::size_t k = 0; sameForOthers && k < others.size(); ++k)
                sameForOthers = others[k].sizes() == m_present.expected[k].sizes() &&
                                compareOutput(k, others[k].contiguous()).difference.equal();
        }
    }
    if (out.trials > 0) {
        out.nullsLeft = m_nulls.left();
        if (sameForOthers)
            out.nullsLeft.emplace_back("the result of other inputs");
    }
    m_model = {};
    setPresent({});
    return out;
}

} // namespace cudal1::judge
