// SPDX-License-Identifier: GPL-3.0-or-later
// Searches over many tasks, with as many at a time as there are places to judge.
//
// Each task has a run of its own (search.h), so that the reference of a task stays loaded where it is judged, and a
// campaign that was killed or stopped is taken up by starting it again: searches that came to their end are left out,
// unfinished ones go on.
//
// Lives on one thread with an event loop, together with its Project and its crews. Never blocks.
#pragma once

#include "core/optimize/search.h"

#include <QObject>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cudal1::optimize {

/// Where one search at a time is made.
struct SearchPlace {
    crew::Crew* crew = nullptr; ///< of one evaluator, which keeps the task of its search loaded; not owned
    std::string device;
    std::string evaluator; ///< as SearchOptions::evaluator says
    std::string name;      ///< for a person: "cuda:0 on gpu1"
};

/// What became of a task.
struct TaskResult {
    base::TaskId task;
    store::RunState state = store::RunState::Finished;
    bool before = false;  ///< its search had come to its end when the campaign started
    std::string message;  ///< why it ended early
    base::VariantId best; ///< of what the project has for this device; empty without a correct variant
    base::Interval bestWall;
};

/// What is to be done for a campaign that has not begun.
struct CampaignAhead {
    double seconds = 0; ///< by what is known of earlier searches, or what is usual: see timeAhead()
    int over = 0;       ///< tasks whose search came to its end, which are left out
};

/// Sent at most every 50 ms.
struct CampaignProgress {
    int done = 0, planned = 0; ///< tasks
    double fraction = 0;
    double secondsLeft = -1; ///< -1 while unknown
    bool guessed = false;    ///< as in SearchProgress: no task has come to its end
    std::string text;        ///< "1/12 on cuda:0: checking tf32; 3/41 on cuda:1: asking the policy"
};

/// Identifies a campaign: equal for equal options, policies and tasks, whatever their limits.
std::string campaignKey(const SearchOptions& options, const std::string& policies,
                        const std::vector<store::TaskRecord>& tasks);

/// Of what Campaign::start() would be given, with policies of this name; the crews of the places may be missing.
CampaignAhead campaignAhead(const store::Project& project, const SearchOptions& options, const std::string& policy,
                            const std::vector<store::TaskRecord>& tasks, const std::vector<SearchPlace>& places,
                            bool fresh);

class Campaign : public QObject {
    Q_OBJECT
public:
    using PolicyFactory = std::function<std::unique_ptr<policy::Policy>()>;

    /// `project` is not owned and must outlive the campaign. Each search has a policy of its own.
    Campaign(store::Project& project, PolicyFactory makePolicy, QObject* parent = nullptr);
    ~Campaign() override;

    /// The crews must outlive the campaign. Each search gets `options`, budget included, with its own task and device.
    /// `fresh`: searches that came to their end are made again.
    void start(const SearchOptions& options, std::vector<store::TaskRecord> tasks,
               const std::vector<SearchPlace>& places, bool fresh = false);
    /// Ends within a second or two; `finished` follows with RunState::Stopped.
    void stop();
    bool isRunning() const;
    std::vector<base::RunId> runs() const;          ///< of the searches that are being made
    const std::vector<TaskResult>& results() const; ///< in the order in which they ended
    const base::Error& error() const;               ///< why the last campaign failed

signals:
    void log(const QString& line); ///< for a person, one line; begins with the task
    void progress(const cudal1::optimize::CampaignProgress& progress);
    /// What the policy of a task's search has added to a reply that it is still writing.
    void partialReply(const cudal1::base::TaskId& task, const QString& text);
    void taskEnded(const cudal1::optimize::TaskResult& result);
    /// Finished: every task has a result, though some may have failed. Failed: no place is left that judges.
    void finished(cudal1::store::RunState state);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace cudal1::optimize
