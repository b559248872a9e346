// SPDX-License-Identifier: GPL-3.0-or-later
// Draws weights for the reference.
#include "core/judge/witness/referenceweights.h"

#include "core/judge/witness/commonvalues.h"

#include <algorithm>

namespace cudal1::judge {

namespace {

/// Values on the scale of those that are there, none of them special: no zero bias, no unit gain.
at::Tensor replacement(const std::string& name, const at::Tensor& initial)
{
    if (initial.dim() > 1 && isFaint(initial))
        return withUsualSpread(initial);
    const at::Tensor noise = at::randn_like(initial);
    if (name.ends_with("running_var"))
        return noise.abs_().add_(0.5);
    if (initial.dim() < 2)
        return initial + noise.mul_(0.5);
    const double spread = initial.numel() > 1 ? initial.std().item<double>() : 0;
    return spread > 0 ? noise.mul_(spread).add_(initial.mean()) : initial + noise.mul_(0.1);
}

} // namespace

at::Tensor ReferenceWeights::timed(const std::string& name, const at::Tensor& initial) const
{
    const std::vector<NamedWeight>& known = m_reference.layout().weights;
    const bool copied = std::any_of(known.begin(), known.end(),
                                    [&](const NamedWeight& weight) { return weight.copied && weight.name == name; });
    if (isFaint(initial))
        return withUsualSpread(initial);
    return withoutCommonValues(copied || hasEqualRows(initial) ? aboutIts(initial) : initial);
}

void ReferenceWeights::give(const Reweigh& request)
{
    if (request.mode == "rebuild") {
        m_initial.clear();
        m_reference.rebuild(request.seed);
        return;
    }
    auto own = m_reference.weights();
    if (m_initial.empty())
        for (const auto& [name, tensor] : own)
            m_initial.push_back(tensor.clone());
    at::manual_seed(request.seed);
    for (std::size_t i = 0; i < own.size(); ++i) {
        const auto& [name, tensor] = own[i];
        tensor.copy_(request.mode == "replace" ? replacement(name, m_initial[i])
                     : request.mode == "timed" ? timed(name, m_initial[i])
                                               : m_initial[i]);
    }
    write();
}

void ReferenceWeights::write()
{
    const auto own = m_reference.weights();
    for (const NamedWeight& weight : m_reference.layout().weights)
        for (const auto& [name, tensor] : own)
            if (name == weight.name)
                viewOf(m_reference.arena().data(), weight.spec, m_reference.device()).copy_(tensor);
    synchronise(m_reference.device());
}

} // namespace cudal1::judge
