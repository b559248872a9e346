// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a computation on another thread and hands its result to the thread of a context object.
#pragma once

#include <QFuture>
#include <QObject>
#include <QPromise>
#include <QThreadPool>

#include <memory>
#include <type_traits>
#include <utility>

namespace cudal1::ui {

/// `job` runs on a worker, takes what it needs by value and must not throw; `done` gets its result on the thread of
/// `context`, which calls this, and never after that was destroyed. The end of `context` waits for its jobs: at the end of the
/// program Qt closes databases that they may be reading. Callers count generations to drop answers to outdated questions.
template<class Job, class Done> void inBackground(QObject* context, Job job, Done done)
{
    using Value = std::invoke_result_t<Job>;
    auto promise = std::make_shared<QPromise<Value>>();
    promise->start();
    promise->future().then(context, std::move(done));
    auto* pool = context->findChild<QThreadPool*>({}, Qt::FindDirectChildrenOnly);
    if (!pool)
        pool = new QThreadPool(context);
    pool->start([promise, job = std::move(job)]() mutable {
        promise->addResult(job());
        promise->finish();
    });
}

} // namespace cudal1::ui
