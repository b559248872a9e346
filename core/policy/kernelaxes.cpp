// SPDX-License-Identifier: GPL-3.0-or-later
// Joins axes, and orders them as memory does.
#include "core/policy/kernelaxes.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

std::int64_t extent(const std::vector<KernelAxis>& axes)
{
    std::int64_t n = 1;
    for (const KernelAxis& axis : axes)
        n *= axis.extent;
    return n;
}

} // namespace

void appendAxis(std::vector<KernelAxis>& out, std::int64_t extent, std::size_t axis, const InputStrides& strides)
{
    if (extent == 1)
        return;
    KernelAxis next{extent, {}};
    bool walksOn = !out.empty();
    for (const auto& input : strides) {
        next.strides.push_back(input[axis]);
        walksOn = walksOn && out.back().strides[next.strides.size() - 1] == input[axis] * next.extent;
    }
    if (walksOn) {
        next.extent *= out.back().extent;
        out.back() = next;
    } else {
        out.push_back(next);
    }
}

std::vector<KernelAxis> axesChannelsInnermost(const Shape& domain, InputStrides strides, const std::vector<bool>& whole)
{
    const std::size_t rank = domain.size();
    if ((rank != 4 && rank != 5) || std::none_of(whole.begin(), whole.end(), [](bool one) { return one; }))
        return {};
    for (std::size_t k = 0; k < strides.size(); ++k) {
        if (whole[k]) {
            std::int64_t step = domain[1];
            for (std::size_t axis = rank; axis-- > 2; step *= domain[axis])
                strides[k][axis] = step;
            strides[k][1] = 1;
            strides[k][0] = step;
        } else if (std::any_of(strides[k].begin() + 2, strides[k].end(), [](std::int64_t n) { return n != 0; })) {
            return {};
        }
    }
    std::vector<KernelAxis> out;
    appendAxis(out, domain[0], 0, strides);
    for (std::size_t axis = 2; axis < rank; ++axis)
        appendAxis(out, domain[axis], axis, strides);
    appendAxis(out, domain[1], 1, strides);
    return out;
}

std::int64_t KernelProgram::outerExtent() const
{
    return extent(outer);
}
std::int64_t KernelProgram::reducedExtent() const
{
    return extent(reduced);
}
std::int64_t KernelProgram::innerExtent() const
{
    return extent(inner);
}

std::vector<KernelAxis> KernelProgram::axes() const
{
    std::vector<KernelAxis> out;
    for (const auto* part : {&outer, &reduced, &inner})
        out.insert(out.end(), part->begin(), part->end());
    return out;
}

} // namespace cudal1::policy
