// SPDX-License-Identifier: GPL-3.0-or-later
// The doing of one job, on the engine's thread.
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

/// Makes what stands for the technique library.
using PolicyFactory = language::PolicyChoice::LibraryFactory;

class JobWork : public QObject {
    Q_OBJECT
public:
    /// What it works with; all of it outlives the work.
    struct Means {
        store::Project& project;
        std::vector<crew::Crew*> crews; ///< one for each place of the request
        const PolicyFactory& makeLibrary;
    };

    /// `ended` follows, perhaps from within the call.
    virtual void start() = 0;
    /// Ends within a second or two; what is committed stays.
    virtual void stop() = 0;
    /// The window or the project closes: leaves all as a kill would, so that the next start can offer to go on. No
    /// signal follows.
    virtual base::Status cutOff() { return {}; }

signals:
    void log(const QString& line);
    void progress(const cudal1::optimize::SearchProgress& progress);
    void stored();                          ///< something was committed
    void partialReply(const QString& text); ///< what a model has added to a reply; gathered, some ten times a second
    /// The same of a job about several tasks.
    void partialReplyOf(const cudal1::base::TaskId& task, const QString& text);
    void promptReady(std::shared_ptr<const cudal1::ui::PromptBasis> basis); ///< of a PromptJob
    void ended(cudal1::store::RunState state, const QString& message);      ///< once

protected:
    /// The progress of what has many parts, in the terms of a search.
    template<class Many> void tell(const Many& now)
    {
        optimize::SearchProgress out;
        out.done = now.done;
        out.planned = now.planned;
        out.fraction = now.fraction;
        out.secondsLeft = now.secondsLeft;
        out.text = now.text;
        emit progress(out);
    }
    void fail(const base::Error& error) { emit ended(store::RunState::Failed, QString::fromStdString(error.text())); }
};

std::unique_ptr<JobWork> makeWork(JobWork::Means means, JobRequest request);

} // namespace cudal1::ui
