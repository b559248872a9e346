// SPDX-License-Identifier: GPL-3.0-or-later
// Does the work of one job of the window.
#pragma once

#include "core/crew/crew.h"
#include "core/policy/policy.h"
#include "core/store/project.h"
#include "ui/work/promptbasis.h"
#include "ui/work/request.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <vector>

namespace cudal1::ui {

/// Makes the policy that is used as the technique library; tests put another one in its place.
using PolicyFactory = language::PolicyChoice::LibraryFactory;

/// A job at work: the class for each kind of job derives from this one. Lives on the engine's thread, never blocks, and
/// emits `ended` exactly once, unless it is cut off or destroyed before.
class JobWork : public QObject {
    Q_OBJECT
public:
    /// What the work is done with. Nothing of it is owned, and all of it outlives the work.
    struct Means {
        store::Project& project;
        std::vector<crew::Crew*> crews; ///< one for each of JobRequest::places, in their order
        const PolicyFactory& makeLibrary;
    };

    /// Begins; called once. `ended` follows, perhaps from within the call.
    virtual void start() = 0;
    /// Gives up what is not done yet. What was stored stays. `ended` follows within two seconds, but for a training:
    /// that first completes an update which is under way, and writes a checkpoint.
    virtual void stop() = 0;
    /// The window or the project is about to close: leaves everything as a kill would, so that the next start can offer
    /// to go on. No signal follows. An error where the project cannot be written.
    virtual base::Status cutOff() { return {}; }

signals:
    void log(const QString& line);
    void progress(const cudal1::optimize::SearchProgress& progress);
    void stored();                          ///< something was committed to the project
    void partialReply(const QString& text); ///< what a model has added to its reply; at most ten times a second
    /// The same for a job about several tasks.
    void partialReplyOf(const cudal1::base::TaskId& task, const QString& text);
    void promptReady(std::shared_ptr<const cudal1::ui::PromptBasis> basis); ///< what a PromptJob has found out
    void ended(cudal1::store::RunState state, const QString& message);      ///< `message` says why it failed or stopped

protected:
    /// Tells the progress of work that has many parts (BatchProgress, CampaignProgress, …) in the terms of a search.
    template<class Many> void tell(const Many& now)
    {
        optimize::SearchProgress out;
        out.done = now.done;
        out.planned = now.planned;
        out.fraction = now.fraction;
        out.secondsLeft = now.secondsLeft;
        if constexpr (requires { now.guessed; })
            out.guessed = now.guessed;
        out.text = now.text;
        emit progress(out);
    }
    void fail(const base::Error& error) { emit ended(store::RunState::Failed, QString::fromStdString(error.text())); }
};

/// The work of this request, of the class for its kind.
std::unique_ptr<JobWork> makeWork(JobWork::Means means, JobRequest request);

} // namespace cudal1::ui
