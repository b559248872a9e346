// SPDX-License-Identifier: GPL-3.0-or-later
// Batches of stages 2 and 3: what the policy itself answers, and what the judge says of it.
#pragma once

#include "core/learning/batchmaker.h"
#include "core/learning/groupsampler.h"

#include <QElapsedTimer>

#include <array>
#include <functional>
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
///
/// Where the stage overlaps, batch N + 1 is drawn when batch N is asked for, with the weights of then, and is judged
/// while N is learnt from: always one batch ahead, so that which weights draw a batch does not depend on how long
/// anything takes. What was drawn ahead is kept (drawnahead.h).
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
    using Made = std::function<void(base::Result<MadeBatch>)>;
    base::Status draw(int number, TrainerClient& trainer);
    bool takeUp(int number); ///< what an earlier process has drawn ahead
    void drawn(int number);
    void collect();
    void tell(base::Result<MadeBatch> batch);
    bool shows(std::size_t task, int number) const; ///< `task`: its place
    std::vector<std::size_t> tasksOf(int number) const;
    GroupSampler::Draw drawOf(int number) const;
    MadeBatch batchOf(const std::vector<SampledGroup>& groups) const;
    GroupSampler& samplerOf(int number) { return m_samplers[std::size_t(number % 2)]; }

    const StageOptions m_options;
    const bool m_overlaps;
    const std::vector<store::TaskRecord> m_tasks;
    const Asking m_asking;
    const language::PromptBuilder m_builder;
    store::Project& m_project;
    ReplyJudge& m_judge;
    std::array<GroupSampler, 2> m_samplers; ///< of the batch that is asked for, and of the one ahead
    int m_number = -1, m_newest = -1;       ///< that is asked for, and the newest that is drawn
    bool m_isOld = false;                   ///< the batch that is asked for was drawn ahead
    Made m_made;
    QElapsedTimer m_since; ///< since the batch was asked for
    double m_draw_s = 0;   ///< of that time, until nothing was left to draw
};

/// Pure. Exposed for what is worked out by hand.
protocol::SftRequest successesOf(const std::vector<SampledGroup>& groups);
protocol::GrpoRequest groupsOf(const std::vector<SampledGroup>& groups, const protocol::GrpoSettings& settings);

} // namespace cudal1::learning
