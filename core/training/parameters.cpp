// SPDX-License-Identifier: GPL-3.0-or-later
// AdamW over long vectors.
#include "core/training/parameters.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace cudal1::training {

namespace {

/// Gives a tensor's memory back, or gets it again. Views of it, whoever holds them, go with it.
void resizeMemory(const at::Tensor& whole, std::size_t bytes)
{
    c10::StorageImpl* storage = whole.storage().unsafeGetStorageImpl();
    storage->set_data_ptr_noswap(storage->allocator()->allocate(bytes));
    storage->set_nbytes(bytes);
}

} // namespace

Parameters::Parameters(const std::vector<Unit>& units, const Settings& settings, Workgroup& workgroup)
    : m_settings(settings), m_workgroup(workgroup)
{
    const at::NoGradGuard none;
    if (workgroup.size() == 1)
        m_settings.sharding = Sharding::None;
    for (std::size_t i = 0; i < units.size(); ++i) {
        Unit matrices, vectors;
        for (const auto& [name, tensor] : units[i])
            (tensor.dim() > 1 ? matrices : vectors).emplace(name, tensor);
        add(std::to_string(i) + ".matrices", matrices, settings.compute);
        m_groups.back().decays = true;
        add(std::to_string(i) + ".vectors", vectors, settings.master);
    }
}

std::int64_t Parameters::partOf(const Group& group) const
{
    const std::int64_t processes = divides(Sharding::Optimizer) ? m_workgroup.size() : 1;
    return (group.size + processes - 1) / processes;
}

void Parameters::add(const std::string& name, const Unit& initial, at::ScalarType type)
{
    Group& group = m_groups.emplace_back();
    group.name = name;
    for (const auto& [one, tensor] : initial)
        group.size += tensor.numel();
    const std::int64_t part = partOf(group), begin = divides(Sharding::Optimizer) ? m_workgroup.rank() * part : 0;
    const std::int64_t padded = divides(Sharding::Optimizer) ? part * m_workgroup.size() : part;
    const auto options = at::TensorOptions().device(m_settings.device);
    const at::TensorOptions wide = options.dtype(m_settings.master);
    group.compute = at::zeros({padded}, options.dtype(type));
    group.isShared = type == m_settings.master && !divides(Sharding::Weights);
    group.master = group.isShared ? group.compute.narrow(0, begin, part) : at::zeros({part}, wide);
    group.first = at::zeros({part}, wide);
    group.second = at::zeros({part}, wide);
    if (!divides(Sharding::Gradients))
        group.gradient = at::zeros({padded}, wide);
    group.slice = divides(Sharding::Optimizer) ? at::zeros({part}, wide) : group.gradient;
    place(group, initial, begin);
    if (divides(Sharding::Weights))
        resizeMemory(group.compute, 0);
}

void Parameters::place(Group& group, const Unit& initial, std::int64_t begin)
{
    const std::int64_t part = group.master.numel();
    std::int64_t offset = 0;
    for (const auto& [name, tensor] : initial) {
        const std::int64_t size = tensor.numel();
        const at::Tensor values = tensor.to(m_settings.device, m_settings.master).reshape({size});
        group.compute.narrow(0, offset, size).copy_(values);
        const std::int64_t from = std::max(offset, begin), to = std::min(offset + size, begin + part);
        if (!group.isShared && from < to)
            group.master.narrow(0, from - begin, to - from).copy_(values.narrow(0, from - offset, to - from));
        Place& place = m_places[name];
        place.group = &group;
        place.offset = offset;
        // A leaf does not count as changed when its memory is filled again, since it gets the same numbers.
        place.leaf = group.compute.narrow(0, offset, size).view(tensor.sizes()).variable_data();
        place.leaf.requires_grad_(true);
        place.value = divides(Sharding::Optimizer) || group.isShared
                        ? place.leaf.detach()
                        : group.master.narrow(0, offset, size).view(tensor.sizes());
        group.places.push_back(&place);
        offset += size;
    }
}

std::size_t Parameters::count() const
{
    std::size_t out = 0;
    for (const Group& group : m_groups)
        out += static_cast<std::size_t>(group.size);
    return out;
}

std::vector<std::size_t> Parameters::sizes() const
{
    std::vector<std::size_t> out;
    for (const Group& group : m_groups)
        out.push_back(static_cast<std::size_t>(group.size));
    return out;
}

std::vector<Parameters::Group*> Parameters::groupsOf(std::size_t unit)
{
    std::vector<Group*> out;
    for (std::size_t i = 2 * unit; i < std::min(2 * unit + 2, m_groups.size()); ++i)
        if (m_groups[i].size > 0)
            out.push_back(&m_groups[i]);
    return out;
}

void Parameters::gather(std::size_t unit)
{
    if (!divides(Sharding::Weights))
        return;
    const at::NoGradGuard none;
    for (Group* group : groupsOf(unit)) {
        resizeMemory(group->compute, group->compute.nbytes());
        m_workgroup.gather(group->master.to(group->compute.scalar_type()), group->compute);
    }
}

void Parameters::release(std::size_t unit)
{
    if (divides(Sharding::Weights))
        for (Group* group : groupsOf(unit))
            resizeMemory(group->compute, 0);
}

at::Tensor Parameters::gradientOf(const Place& place)
{
    Group& group = *place.group;
    if (!group.gradient.defined())
        group.gradient = at::zeros_like(group.compute, at::TensorOptions(m_settings.master));
    return group.gradient.narrow(0, place.offset, place.leaf.numel()).view(place.leaf.sizes());
}

at::Tensor Parameters::gradient(const std::string& name)
{
    return gradientOf(m_places.at(name));
}

void Parameters::collect(std::size_t unit)
{
    const at::NoGradGuard none;
    for (Group* group : groupsOf(unit)) {
        for (Place* place : group->places)
            if (place->leaf.grad().defined()) {
                gradientOf(*place).add_(place->leaf.grad());
                place->leaf.mutable_grad().reset();
            }
        if (!divides(Sharding::Gradients))
            continue;
        gradientOf(*group->places.front()); // there at least, where this process had nothing to learn from
        at::Tensor whole = std::exchange(group->gradient, {}), part = at::empty_like(group->slice);
        m_workgroup.sumToSlices(whole, part);
        group->slice.add_(part);
    }
}

void Parameters::clearGradients()
{
    for (Group& group : m_groups) {
        group.slice.zero_();
        if (divides(Sharding::Gradients))
            group.gradient.reset();
        else
            group.gradient.zero_();
    }
}

double Parameters::gradientNorm()
{
    std::vector<at::Tensor> norms;
    for (Group& group : m_groups) {
        if (group.size == 0)
            continue;
        if (m_settings.sharding == Sharding::None)
            m_workgroup.sum(group.gradient);
        else if (m_settings.sharding == Sharding::Optimizer)
            m_workgroup.sumToSlices(group.gradient, group.slice);
        norms.push_back(at::linalg_vector_norm(group.slice));
    }
    if (norms.empty())
        return 0;
    double squares = at::stack(norms).to(at::kDouble).square().sum().item<double>();
    if (divides(Sharding::Optimizer))
        m_workgroup.sum(std::span(&squares, 1));
    return std::sqrt(squares);
}

StepResult Parameters::step(double rate, std::size_t number, const AdamSettings& settings)
{
    const at::NoGradGuard none;
    StepResult out;
    out.gradientNorm = gradientNorm();
    out.isSkipped = !std::isfinite(out.gradientNorm);
    if (!out.isSkipped) {
        const bool clips = settings.clipNorm > 0 && out.gradientNorm > settings.clipNorm;
        const double scale = clips ? settings.clipNorm / out.gradientNorm : 1;
        for (Group& group : m_groups)
            update(group, rate, number, scale, settings);
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
    for (Group& group : m_groups) {
        out.push_back({group.name + ".master", group.master});
        out.push_back({group.name + ".first_moment", group.first});
        out.push_back({group.name + ".second_moment", group.second});
    }
    return out;
}

void Parameters::accept()
{
    const at::NoGradGuard none;
    if (divides(Sharding::Weights))
        return; // gather() takes them from the masters
    for (Group& group : m_groups) {
        if (group.size == 0)
            continue;
        if (divides(Sharding::Optimizer))
            m_workgroup.gather(group.isShared ? group.master.clone() : group.master.to(group.compute.scalar_type()),
                               group.compute);
        else if (!group.isShared)
            group.compute.copy_(group.master);
    }
}

} // namespace cudal1::training
