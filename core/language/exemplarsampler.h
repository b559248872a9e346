// SPDX-License-Identifier: GPL-3.0-or-later
// Which of the variants judged so far stand in a prompt: the seam between methods and ways to choose.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cudal1::language {

/// A successful variant as a sampler sees it. The scores of one call are of one device model and precision.
struct Scored {
    base::VariantId variant;              ///< older ones have smaller numbers
    double score = 0;                     ///< base::roundTowardOne() of the speed-up; above 0
    std::vector<base::VariantId> shown{}; ///< the exemplars of the prompt that led to it
};

class ExemplarSampler {
public:
    virtual ~ExemplarSampler() = default;
    virtual std::string name() const = 0; ///< "bucket"
    /// Places in `scored` of at most `most` different ones, in the order in which they were drawn; none of none. The
    /// same arguments give the same places on every machine.
    virtual std::vector<std::size_t> sample(const std::vector<Scored>& scored, int most, std::uint64_t seed) const = 0;
};

/// "bucket", "random", "islands" or "best", each as its class has it by default. InvalidArgument for other names.
base::Result<std::unique_ptr<ExemplarSampler>> makeSampler(const std::string& name);

} // namespace cudal1::language
