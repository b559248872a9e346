// SPDX-License-Identifier: GPL-3.0-or-later
// AdamW over long vectors.
#include "core/training/parameters.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

namespace cudal1::training {

Parameters::Parameters(const std::map<std::string, at::Tensor>& initial, const Settings& settings, Workgroup& workgroup)
    : m_settings(settings), m_workgroup(workgroup)
{
    const at::NoGradGuard none;
    m_settings.isSharded = settings.isSharded && workgroup.size() > 1;
    m_matrices.name = "matrices";
    m_matrices.decays = true;
    m_vectors.name = "vectors";
    std::map<std::string, at::Tensor> matrices, vectors;
    for (const auto& [name, tensor] : initial)
        (tensor.dim() > 1 ? matrices : vectors).emplace(name, tensor);
    fill(m_matrices, matrices, settings.compute);
    fill(m_vectors, vectors, settings.master);
}

void Parameters::fill(Group& group, const std::map<std::string, at::Tensor>& initial, at::ScalarType type)
{
    for (const auto& [name, tensor] : initial)
        group.size += tensor.numel();
    const std::int64_t processes = m_settings.isSharded ? m_workgroup.size() : 1;
    const std::int64_t part = (group.size + processes - 1) / processes, padded = part * processes;
    const auto options = at::TensorOptions().device(m_settings.device);
    const at::TensorOptions wide = options.dtype(m_settings.master);
    group.compute = at::zeros({padded}, options.dtype(type));
    group.gradient = at::zeros({padded}, wide);
    const std::int64_t begin = m_settings.isSharded ? m_workgroup.rank() * part : 0;
    group.isShared = type == m_settings.master;
    group.master = group.isShared ? group.compute.narrow(0, begin, part) : at::zeros({part}, wide);
    group.first = at::zeros({part}, wide);
    group.second = at::zeros({part}, wide);
    group.slice = m_settings.isSharded ? at::zeros({part}, wide) : group.gradient;
    std::int64_t offset = 0;
    for (const auto& [name, tensor] : initial) {
        const std::int64_t size = tensor.numel();
        const at::Tensor values = tensor.to(m_settings.device, m_settings.master).reshape({size});
        group.compute.narrow(0, offset, size).copy_(values);
        const std::int64_t from = std::max(offset, begin), to = std::min(offset + size, begin + part);
        if (!group.isShared && from < to)
            group.master.narrow(0, from - begin, to - from).copy_(values.narrow(0, from - offset, to - from));
        Place place;
        place.group = &group;
        place.leaf = group.compute.narrow(0, offset, size).view(tensor.sizes()).detach();
        place.leaf.requires_grad_(true);
        place.gradient = group.gradient.narrow(0, offset, size).view(tensor.sizes());
        place.value = m_settings.isSharded || group.isShared
                        ? place.leaf.detach()
                        : group.master.narrow(0, offset, size).view(tensor.sizes());
        m_places.emplace(name, std::move(place));
        offset += size;
    }
}

std::size_t Parameters::count() const
{
    return static_cast<std::size_t>(m_matrices.size + m_vectors.size);
}

std::vector<std::size_t> Parameters::sizes() const
{
    return {static_cast<std::size_t>(m_matrices.size), static_cast<std::size_t>(m_vectors.size)};
}

void Parameters::collect(const std::string& name)
{
    const auto found = m_places.find(name);
    if (found == m_places.end() || !found->second.leaf.grad().defined())
        return;
    const at::NoGradGuard none;
    found->second.gradient.add_(found->second.leaf.grad());
    found->second.leaf.mutable_grad().reset();
}

void Parameters::clearGradients()
{
    for (Group* group : {&m_matrices, &m_vectors})
        group->gradient.zero_();
}

double Parameters::gradientNorm()
{
    double squares = 0;
    for (Group* group : {&m_matrices, &m_vectors}) {
        if (group->size == 0)
            continue;
        if (m_settings.isSharded)
            m_workgroup.sumToSlices(group->gradient, group->slice);
        else
            m_workgroup.sum(group->gradient);
        const double norm = at::linalg_vector_norm(group->slice).item<double>();
        squares += norm * norm;
    }
    if (m_settings.isSharded)
        m_workgroup.sum(std::span(&squares, 1));
    return std::sqrt(squares);
}

Parameters::StepResult Parameters::step(double rate, std::size_t number, const AdamSettings& settings)
{
    const at::NoGradGuard none;
    StepResult out;
    out.gradientNorm = gradientNorm();
    out.isSkipped = !std::isfinite(out.gradientNorm);
    if (!out.isSkipped) {
        const bool clips = settings.clipNorm > 0 && out.gradientNorm > settings.clipNorm;
        const double scale = clips ? settings.clipNorm / out.gradientNorm : 1;
        for (Group* group : {&m_matrices, &m_vectors})
            update(*group, rate, number, scale, settings);
        accept();
    }
    clearGradients();
    return out;
}

/// In parts, so that what is computed on the way stays small.
void Parameters::update(Group& group, double rate, std::size_t number, double scale, const AdamSettings& settings)
{
    const auto at = static_cast<double>(number);
    const double firstBias = 1 - std::pow(settings.beta1, at), secondBias = 1 - std::pow(settings.beta2, at);
    constexpr std::int64_t most = 1 << 24;
    for (std::int64_t begin = 0; begin < group.master.numel(); begin += most) {
        const std::int64_t size = std::min(most, group.master.numel() - begin);
        const at::Tensor weight = group.master.narrow(0, begin, size), gradient = group.slice.narrow(0, begin, size),
                         first = group.first.narrow(0, begin, size), second = group.second.narrow(0, begin, size);
        if (scale != 1)
            gradient.mul_(scale);
        first.lerp_(gradient, 1 - settings.beta1);
        second.mul_(settings.beta2).addcmul_(gradient, gradient, 1 - settings.beta2);
        if (group.decays && settings.weightDecay > 0)
            weight.mul_(1 - rate * settings.weightDecay);
        const at::Tensor root = (second / secondBias).sqrt_().add_(settings.epsilon);
        weight.addcdiv_(first, root, -rate / firstBias);
    }
}

std::vector<Parameters::Part> Parameters::state()
{
    std::vector<Part> out;
    for (Group* group : {&m_matrices, &m_vectors}) {
        out.push_back({group->name + ".master", group->master});
        out.push_back({group->name + ".first_moment", group->first});
        out.push_back({group->name + ".second_moment", group->second});
    }
    return out;
}

void Parameters::accept()
{
    const at::NoGradGuard none;
    for (Group* group : {&m_matrices, &m_vectors}) {
        if (group->compute.numel() == 0)
            continue;
        if (m_settings.isSharded)
            m_workgroup.gather(group->isShared ? group->master.clone() : group->master.to(group->compute.scalar_type()),
                               group->compute);
        else if (!group->isShared)
            group->compute.copy_(group->master);
    }
}

} // namespace cudal1::training
