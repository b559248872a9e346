// SPDX-License-Identifier: GPL-3.0-or-later
// Weights that are trained, their gradients and the optimizer's state, as long vectors.
#pragma once

#include "core/protocol/training.h"
#include "core/training/adam.h"
#include "core/training/stepresult.h"
#include "core/training/workgroup.h"

#include <ATen/ATen.h>

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace cudal1::training {

using protocol::Sharding;

/// Weights come in units, a layer say, whose matrices and vectors are a group each. A group has the weights that the
/// model computes with, and masters (float32, or float64) that the optimizer changes; where both are of one type and
/// nothing is divided they are the same memory.
///
/// What is divided among processes lies in slices of each group, one for each process. Of divided gradients a whole
/// group is there only from when a gradient is added to it until collect(); of divided weights only between gather()
/// and release(), and what a backward pass has kept of them is good again when they are gathered again.
class Parameters {
public:
    struct Settings {
        at::ScalarType compute = at::kFloat; ///< of matrices; vectors are of the masters' type
        at::ScalarType master = at::kFloat;
        at::Device device = at::kCPU;
        Sharding sharding = Sharding::None; ///< a process alone divides nothing
    };
    /// A part of the state, to be written and read; a view of the memory that is used.
    struct Part {
        std::string name; ///< "3.matrices.master": of unit 3
        at::Tensor tensor;
    };
    /// The weights of a unit by name, of any type and device.
    using Unit = std::map<std::string, at::Tensor>;

    Parameters(const std::vector<Unit>& units, const Settings& settings, Workgroup& workgroup);

    bool contains(const std::string& name) const { return m_places.contains(name); }
    std::size_t count() const; ///< numbers that are trained
    Sharding sharding() const { return m_settings.sharding; }
    /// What the model computes with; a leaf that requires a gradient.
    const at::Tensor& leaf(const std::string& name) const { return m_places.at(name).leaf; }
    /// Where gradients are added up, of the masters' type.
    at::Tensor gradient(const std::string& name);
    /// The master where this process has all of it, and else what the model computes with.
    const at::Tensor& value(const std::string& name) const { return m_places.at(name).value; }

    // All processes together, and of a unit that does not exist nothing.
    void gather(std::size_t unit);
    void release(std::size_t unit);
    /// Adds what backward() left at the unit's leaves to its gradients, and takes it off the leaves. Divided gradients
    /// are added up over the processes, so each has to come here for each pass of any.
    void collect(std::size_t unit);
    /// Adds the gradients of all processes up, clips, and takes step number `number` (from 1) at this rate.
    StepResult step(double rate, std::size_t number, const AdamSettings& settings);
    /// After tensors of state() were written to, has the model compute with them.
    void accept();

    void clearGradients();
    std::vector<Part> state(); ///< of this process
    /// Numbers of each group without what fills it up to slices, to be compared when a state is read.
    std::vector<std::size_t> sizes() const;

private:
    struct Place;
    struct Group {
        std::string name;
        std::int64_t size = 0;                   ///< without what fills it up
        at::Tensor compute;                      ///< whole; without memory while it is divided
        at::Tensor gradient;                     ///< whole; undefined while it is divided
        at::Tensor master, first, second, slice; ///< of this process; `slice` of the gradient
        std::vector<Place*> places;
        bool isShared = false; ///< master is a view of compute
        bool decays = false;
    };
    struct Place {
        Group* group = nullptr;
        std::int64_t offset = 0;
        at::Tensor leaf, value;
    };

    bool divides(Sharding what) const { return m_settings.sharding >= what; }
    void add(const std::string& name, const Unit& initial, at::ScalarType type);
    void place(Group& group, const Unit& initial, std::int64_t begin);
    std::int64_t partOf(const Group& group) const; ///< numbers of a slice
    at::Tensor gradientOf(const Place& place);
    std::vector<Group*> groupsOf(std::size_t unit);
    double gradientNorm();
    void update(Group& group, double rate, std::size_t number, double scale, const AdamSettings& settings);

    Settings m_settings;
    Workgroup& m_workgroup;
    std::deque<Group> m_groups; ///< matrices and vectors of each unit
    std::map<std::string, Place> m_places;
};

} // namespace cudal1::training
