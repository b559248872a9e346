// SPDX-License-Identifier: GPL-3.0-or-later
// Batches of stages 2 and 3: what the policy itself answers, and what the judge says of it.
#pragma once

#include "core/learning/batchmaker.h"
#include "core/learning/groupsampler.h"

#include <vector>

namespace cudal1::learning {

/// How tasks are put to the policy.
struct Asking {
    protocol::Machine machine;
    language::Templates templates;
};

/// Stage 2 (table 2 of the paper): what the judge found correct is learnt from, each program of a task once; a batch
/// without any is empty, which the trainer skips and says. Stage 3 (section 2.4): groups with rewards; replies that
/// nothing can be said of are left out, and a group of fewer than two with them.
class JudgedBatches : public BatchMaker {
public:
    /// What is referred to must outlive it. Tasks: as the project has them.
    JudgedBatches(const StageOptions& options, std::vector<store::TaskRecord> tasks, Asking asking,
                  store::Project& project, ReplyJudge& judge);

    void make(int number, TrainerClient& trainer, std::function<void(base::Result<MadeBatch>)> made) override;
    void cancel() override;

    /// The question for each of these tasks in batch `number`, with exemplars from what the project has by now where
    /// the stage shows some.
    base::Result<std::vector<SampledGroup>> questions(const std::vector<std::size_t>& tasks, int number) const;

private:
    MadeBatch batchOf(const std::vector<SampledGroup>& groups) const;

    const StageOptions m_options;
    const std::vector<store::TaskRecord> m_tasks;
    const Asking m_asking;
    const language::PromptBuilder m_builder;
    store::Project& m_project;
    ReplyJudge& m_judge;
    GroupSampler m_sampler;
};

/// Pure. Exposed for what is worked out by hand.
protocol::SftRequest successesOf(const std::vector<SampledGroup>& groups);
protocol::GrpoRequest groupsOf(const std::vector<SampledGroup>& groups, const protocol::GrpoSettings& settings);

} // namespace cudal1::learning
