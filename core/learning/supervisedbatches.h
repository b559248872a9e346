// SPDX-License-Identifier: GPL-3.0-or-later
// Batches of stage 1: examples of a data set, from the batch's number and the seed alone.
#pragma once

#include "core/learning/batchmaker.h"
#include "core/learning/trainingexamples.h"

#include <cstdint>
#include <vector>

namespace cudal1::learning {

class SupervisedBatches : public BatchMaker {
public:
    SupervisedBatches(std::vector<LearnedExample> examples, int size, std::uint64_t seed);

    void make(int number, TrainerClient& trainer, std::function<void(base::Result<MadeBatch>)> made) override;
    void cancel() override {}
    protocol::SftRequest request(int number) const;

private:
    const std::vector<LearnedExample> m_examples;
    const int m_size;
    const std::uint64_t m_seed;
};

} // namespace cudal1::learning
