// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of replies to prompts: drawn by the trainer with the weights of now, judged as they come, and stored.
#pragma once

#include "core/language/promptbuilder.h"
#include "core/learning/replyjudge.h"
#include "core/learning/stageoptions.h"
#include "core/learning/trainerclient.h"

#include <QElapsedTimer>

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

/// Asks the questions of a batch together. On a GPU each reply is judged as soon as it is drawn, while others are still
/// being drawn; on the CPU once all are, since drawing would disturb the times. Lives on the thread of the judge.
class GroupSampler : public QObject {
    Q_OBJECT
public:
    struct Draw {
        int replies = 8, maxTokens = 2048;
        double temperature = 1;
        std::uint64_t seed = 0; ///< reply j to question i is drawn with seed + i * replies + j
        int round = 0;          ///< that samples are stored with
    };

    /// The judge and the project must outlive it.
    GroupSampler(store::Project& project, ReplyJudge& judge, QObject* parent = nullptr);

    using Sampled = std::function<void(base::Result<std::vector<SampledGroup>>)>;
    /// One at a time; `sampled` is called once from the event loop, unless cancel() came before.
    void sample(TrainerClient& trainer, std::vector<SampledGroup> questions, const Draw& draw, Sampled sampled);
    void cancel();
    /// Of the newest groups: until the last reply was drawn, and from then until the last was judged. What is judged
    /// while others are being drawn counts as drawing.
    double drawSeconds() const { return m_draw_s; }
    double judgeSeconds() const { return m_judge_s; }

private:
    void take(quint64 turn, std::size_t group, protocol::GeneratedReply reply);
    void judgeOne(std::size_t group, std::size_t reply);
    void judged(quint64 turn, std::size_t group, std::size_t reply, JudgedReply judged);
    base::Status store(const SampledGroup& group, const std::vector<store::SampleRecord>& before) const;
    void finish();

    store::Project& m_project;
    ReplyJudge& m_judge;
    std::vector<SampledGroup> m_groups;
    Draw m_draw;
    Sampled m_sampled;
    std::size_t m_left = 0, m_undrawn = 0; ///< replies to be judged, and to be drawn
    QElapsedTimer m_since;
    double m_draw_s = 0, m_judge_s = 0;
    quint64 m_turn = 0; ///< late answers of an earlier one are dropped
};

} // namespace cudal1::learning
