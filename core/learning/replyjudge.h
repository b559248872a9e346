// SPDX-License-Identifier: GPL-3.0-or-later
// Replies judged: program out of the text, verdict by evaluators, reward by the paper's rule.
#pragma once

#include "core/crew/crew.h"
#include "core/protocol/reward.h"
#include "core/store/project.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::learning {

struct JudgedReply {
    base::VariantId variant;                  ///< none without a program
    std::optional<protocol::Verdict> verdict; ///< none without a program, or where it was not judged
    /// 0 for no program, for what is not correct and for an exploit; else the speed-up, as protocol::rewardOf() has it.
    /// Empty where nothing can be said: it was not judged in time, or its times say little.
    std::optional<double> reward;
    std::string why;         ///< one sentence: why there is no program, or no reward
    bool timedOut = false;   ///< judging took longer than the limit, through no fault of the program that is known
    bool degenerate = false; ///< the label degenerate_task: nothing is learnt from it

    bool correct() const { return verdict == protocol::Verdict::Correct && !degenerate; }
};

struct JudgeSettings {
    protocol::DeviceInfo device;
    std::string besides{}; ///< names of further devices of the same model that the crew judges on, with commas between
    protocol::Precision precision = protocol::Precision::Kernelbench;
    protocol::Preset preset = protocol::Preset::Quick;
    /// For one program, from when the judge is busy with it. Before that, from when it was handed over or the newest
    /// other one was judged, so that waiting for others does not count and an evaluator that does nothing is noticed.
    double limit_s = 900;
    std::uint64_t seed = 0;
    std::string policy; ///< that the programs are kept under
    base::RunId run;    ///< none: outside of runs
    /// What was judged while other work wanted the cores has no reward; it is judged once more when it comes again, a
    /// few times at most.
    bool needsTimes = true;
    /// A reward above it counts once an evaluation with the preset standard has confirmed it,
    double certain = protocol::certainReward;
    double leap = 2; ///< and so does one above this multiple of the best that is known of the task
    std::string devices() const { return besides.empty() ? device.name : device.name + "," + besides; }
    std::string policyVersion = {}; ///< of samples: the checkpoint that answers; empty for weights that change
};

/// Each program is stored as a variant and its evaluation with it, so that equal programs, and those of an earlier leg
/// of the training, are judged once. `judged` may be called from within judge() or from the event loop. Lives on the
/// thread of the project and the crew, which must outlive it.
class ReplyJudge : public QObject {
    Q_OBJECT
public:
    ReplyJudge(store::Project& project, crew::Crew& crew, JudgeSettings settings, QObject* parent = nullptr);
    ~ReplyJudge() override;

    using Judged = std::function<void(JudgedReply)>;
    /// `isCut`: a limit ended the reply, so that an open block of code is no program.
    void judge(const store::TaskRecord& task, const std::string& reply, bool isCut, Judged judged);
    void cancel(); ///< takes back everything; nothing of it is told any more
    const JudgeSettings& settings() const { return m_settings; }

signals:
    void log(const QString& line);
    /// The project cannot be written, or no evaluator is left. Nothing more is told.
    void failed(const cudal1::base::Error& error);

private:
    struct Work {
        store::TaskRecord task;
        store::VariantRecord variant;
        protocol::Preset preset = protocol::Preset::Quick;
        std::vector<Judged> waiting;
        std::unique_ptr<QTimer> limit;
        bool isBegun = false; ///< the judge is busy with it
    };

    base::Result<std::optional<store::EvaluationSummary>> known(base::VariantId variant) const;
    base::Result<double> bestOf(const store::TaskRecord& task, base::VariantId besides) const;
    void send(Work work);
    void take(crew::JobId job, const crew::JobOutcome& outcome);
    void takeEvaluation(Work work, const protocol::Evaluation& evaluation);
    bool wantsProof(const Work& work, const store::EvaluationSummary& summary) const;
    JudgedReply resultOf(const store::EvaluationSummary& summary) const;
    void begun(crew::JobId job);
    void waitAnew();
    void fail(const base::Error& error);

    store::Project& m_project;
    crew::Crew& m_crew;
    const JudgeSettings m_settings;
    std::map<crew::JobId, Work> m_work;
    std::map<base::VariantId, int> m_again; ///< how often judged once more, since their times said little
    bool m_failed = false;
};

} // namespace cudal1::learning
