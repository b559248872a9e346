// SPDX-License-Identifier: GPL-3.0-or-later
// Samplers by their names.
#include "core/language/exemplarsampler.h"

#include "core/language/bestsampler.h"
#include "core/language/bucketsampler.h"
#include "core/language/islandsampler.h"
#include "core/language/randomsampler.h"

namespace cudal1::language {

base::Result<std::unique_ptr<ExemplarSampler>> makeSampler(const std::string& name)
{
    std::unique_ptr<ExemplarSampler> out;
    if (name == "bucket")
        out = std::make_unique<BucketSampler>();
    else if (name == "random")
        out = std::make_unique<RandomSampler>();
    else if (name == "islands")
        out = std::make_unique<IslandSampler>();
    else if (name == "best")
        out = std::make_unique<BestSampler>();
    else
        return base::Error{base::ErrorCode::InvalidArgument,
                           "There is no sampler of exemplars \"" + name + "\"",
                           {},
                           "The samplers are bucket, random, islands and best"};
    return out;
}

} // namespace cudal1::language
