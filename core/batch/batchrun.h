// SPDX-License-Identifier: GPL-3.0-or-later
// Judges many stored variants, one after another, with several requests on their way at a time.
//
// Lives on one thread with an event loop, together with its Project and Crew. Never blocks. Each evaluation is
// committed as it comes; after kill -9 a new BatchRun takes up what the queue of the run still holds.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/crew/crew.h"
#include "core/store/project.h"

#include <QObject>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::batch {

struct BatchOptions {
    std::string kind; ///< of the run: "rejudge"
    protocol::DeviceInfo device;
    protocol::Precision precision = protocol::Precision::Kernelbench;
    protocol::Preset preset = protocol::Preset::Quick;
    std::uint64_t seed = 0; ///< 0: drawn for each task
    double budget_s = 0;    ///< begin no evaluation after it; 0: no limit
    double buildLimit_s = 300;
    double callLimit_s = 0; ///< 0: the judge's own
    std::string selection;  ///< what was asked for, in words of the caller; runs with the same one are resumed
};

/// Sent at most every 50 ms.
struct BatchProgress {
    int done = 0, planned = 0;
    double fraction = 0;
    double secondsLeft = -1; ///< -1 while unknown
    bool guessed = false;    ///< nothing is judged yet: secondsLeft is by earlier searches, or what is usual
    std::string text;        ///< "checking 2/14"
};

/// A variant that got no evaluation, and stays in the queue.
struct NotJudged {
    base::VariantId variant;
    std::string why;
};

/// What a run is to do.
struct Recipe {
    std::vector<base::VariantId> variants;
    std::optional<store::RunRecord> unfinished; ///< a run that is gone on with first
    bool isEmpty() const { return variants.empty() && !unfinished; }
};

class BatchRun : public QObject {
    Q_OBJECT
public:
    /// The run owns neither of them, and both must outlive it. The crew may serve others too; its seats judge on
    /// devices of one model.
    BatchRun(store::Project& project, crew::Crew& crew, QObject* parent = nullptr);
    ~BatchRun() override;

    /// The run with these options whose process is gone or which was stopped; empty when there is none.
    static base::Result<std::optional<store::RunRecord>> unfinished(const store::Project& project,
                                                                    const BatchOptions& options);

    /// Judges what is left in the queue of `resumed` (if any) and then those of `variants` that are not in it.
    void start(const BatchOptions& options, const std::vector<base::VariantId>& variants, base::RunId resumed = {});
    void start(const BatchOptions& options, const Recipe& recipe)
    {
        start(options, recipe.variants, recipe.unfinished ? recipe.unfinished->id : base::RunId());
    }
    /// Ends within a second; what is committed stays. `finished` follows with RunState::Stopped.
    void stop();
    bool isRunning() const;
    base::RunId run() const;
    /// Why the last run failed; meaningful after `finished` with RunState::Failed.
    const base::Error& error() const;
    const std::vector<NotJudged>& notJudged() const;

signals:
    void log(const QString& line); ///< for a person, one line, in order
    void progress(const cudal1::batch::BatchProgress& progress);
    void evaluationStored(cudal1::base::VariantId variant, cudal1::base::EvaluationId evaluation);
    /// Finished: everything was judged. Stopped: by stop() or the budget, and can be resumed.
    void finished(cudal1::store::RunState state, const QString& message);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace cudal1::batch
