// SPDX-License-Identifier: GPL-3.0-or-later
// Weights that are trained, their gradients and the optimizer's state, as a few long vectors.
#pragma once

#include "core/training/adam.h"
#include "core/training/workgroup.h"

#include <ATen/ATen.h>

#include <map>
#include <string>
#include <vector>

namespace cudal1::training {

/// Matrices and vectors are two groups. Each has the weights that the model computes with, and masters (float32, or
/// float64) that the optimizer changes; where both are of one type they are the same memory. When sharded, every
/// process keeps masters and moments of its own slice of each group alone (as ZeRO's first stage does).
class Parameters {
public:
    struct Settings {
        at::ScalarType compute = at::kFloat; ///< of matrices; vectors are of the masters' type
        at::ScalarType master = at::kFloat;
        at::Device device = at::kCPU;
        bool isSharded = false;
    };
    struct StepResult {
        double gradientNorm = 0; ///< before it was clipped
        bool isSkipped = false;  ///< the gradient was not finite, and nothing was changed
    };
    /// A part of the state, to be written and read; a view of the memory that is used.
    struct Part {
        std::string name; ///< "matrices.master", "vectors.first_moment"
        at::Tensor tensor;
    };

    /// `initial`: by name, of any type and device.
    Parameters(const std::map<std::string, at::Tensor>& initial, const Settings& settings, Workgroup& workgroup);

    bool contains(const std::string& name) const { return m_places.contains(name); }
    std::size_t count() const; ///< numbers that are trained
    /// What the model computes with; a leaf that requires a gradient.
    const at::Tensor& leaf(const std::string& name) const { return m_places.at(name).leaf; }
    /// Where gradients are added up, of the masters' type.
    const at::Tensor& gradient(const std::string& name) const { return m_places.at(name).gradient; }
    /// The master where this process has all of it, and else what the model computes with.
    const at::Tensor& value(const std::string& name) const { return m_places.at(name).value; }
    /// Adds what backward() left at the leaf to the gradient, and takes it off the leaf.
    void collect(const std::string& name);
    void clearGradients();

    /// Adds the gradients of all processes up, clips, and takes step number `number` (from 1) at this rate.
    StepResult step(double rate, std::size_t number, const AdamSettings& settings);

    /// Of this process. After the tensors were written to, accept() has the model compute with them.
    std::vector<Part> state();
    void accept();
    /// Numbers of each group without what fills it up to slices, to be compared when a state is read.
    std::vector<std::size_t> sizes() const;
    bool isSharded() const { return m_settings.isSharded; }

private:
    struct Group {
        std::string name;
        std::int64_t size = 0;                   ///< without what fills it up
        at::Tensor compute, gradient;            ///< whole
        at::Tensor master, first, second, slice; ///< of this process; `slice` of the gradient
        bool isShared = false;                   ///< master is a view of compute
        bool decays = false;
    };
    struct Place {
        Group* group = nullptr;
        at::Tensor leaf, gradient, value;
    };

    void fill(Group& group, const std::map<std::string, at::Tensor>& initial, at::ScalarType type);
    double gradientNorm();
    void update(Group& group, double rate, std::size_t number, double scale, const AdamSettings& settings);

    Settings m_settings;
    Workgroup& m_workgroup;
    Group m_matrices, m_vectors;
    std::map<std::string, Place> m_places;
};

} // namespace cudal1::training
