// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of replies to prompts: drawn by the trainer with the weights of now, judged as they come, and stored.
#pragma once

#include "core/language/promptbuilder.h"
#include "core/learning/replyjudge.h"
#include "core/learning/stageoptions.h"
#include "core/learning/trainerclient.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::learning {

struct SampledReply {
    protocol::GeneratedReply generated; ///< with tokens and log-probabilities
    JudgedReply judged;
};

struct SampledGroup {
    store::TaskRecord task;
    language::PlannedQuestion question;
    /// The technique library's best speed-up of the task when the question was asked; empty where it has not been
    /// asked, or found nothing that is correct.
    std::optional<double> libraryBest;
    std::vector<SampledReply> replies; ///< by their numbers
};

/// What many groups came to.
struct GroupSum {
    int replies = 0, usable = 0, correct = 0, exploits = 0, timedOut = 0, unknown = 0; ///< unknown: without a reward
    int hacksAccepted = 0; ///< exploits with a reward above 0
    int beyondLibrary = 0; ///< gains that are the model's own: of a reward above 1.01 and above the library's best
    int besideLibrary = 0; ///< replies to tasks whose best of the library is known
    double reward = 0;     ///< mean of those that have one
    double faster = 0;     ///< share of all replies with a reward above 1.01
    double success() const { return replies ? double(correct) / replies : 0; }
};
GroupSum sumOf(const std::vector<SampledGroup>& groups);

/// One batch of questions: drawn together, judged, stored. Several may share a judge. Lives on the thread of the judge.
class GroupSampler : public QObject {
    Q_OBJECT
public:
    struct Draw {
        int replies = 8, maxTokens = 2048;
        double temperature = 1;
        std::uint64_t seed = 0; ///< reply j to question i is drawn with seed + i * replies + j
        int round = 0;          ///< that samples are stored with
        /// Judge each reply as soon as it is drawn, and not once all are: the judge has a device of its own, so drawing
        /// does not disturb the times.
        bool judgesAtOnce = false;
    };

    /// The judge and the project must outlive it.
    GroupSampler(store::Project& project, ReplyJudge& judge, QObject* parent = nullptr);

    using Sampled = std::function<void(base::Result<std::vector<SampledGroup>>)>;
    /// draw() and collect().
    void sample(TrainerClient& trainer, std::vector<SampledGroup> questions, const Draw& how, Sampled sampled);
    /// One batch at a time. Calls `drawn` once from the event loop when all replies are drawn, unless cancel() came
    /// before; what went wrong is told to who collects.
    void draw(TrainerClient& trainer, std::vector<SampledGroup> questions, const Draw& how,
              std::function<void()> drawn = {});
    /// The same with replies that an earlier process of the training has drawn.
    void takeUp(std::vector<SampledGroup> drawn, const Draw& how);
    /// Calls `sampled` once, from the event loop, when all replies are judged and stored, unless cancel() came before.
    void collect(Sampled sampled);
    void cancel();

    const std::vector<SampledGroup>& groups() const { return m_groups; } ///< so far

private:
    void begin(std::vector<SampledGroup> groups, const Draw& how);
    void tellDrawn();
    void take(quint64 turn, std::size_t group, protocol::GeneratedReply reply);
    void judgeAll();
    void judgeOne(std::size_t group, std::size_t reply);
    void judged(quint64 turn, std::size_t group, std::size_t reply, JudgedReply judged);
    base::Status store(const SampledGroup& group, const std::vector<store::SampleRecord>& before) const;
    void finishLater();
    void finish();

    store::Project& m_project;
    ReplyJudge& m_judge;
    std::vector<SampledGroup> m_groups;
    Draw m_draw;
    std::function<void()> m_drawn;
    Sampled m_sampled;
    std::optional<base::Error> m_failure;
    std::size_t m_left = 0, m_undrawn = 0; ///< replies to be judged, and to be drawn
    quint64 m_turn = 0;                    ///< late answers of an earlier one are dropped
};

} // namespace cudal1::learning
