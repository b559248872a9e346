// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a computation on another thread and hands its result to the thread of a context object.
#pragma once

#include <QMetaObject>
#include <QObject>
#include <QThreadPool>

#include <utility>

namespace cudal1::ui {

/// `job` runs on a worker of `pool`, takes what it needs by value and must not throw; `done` gets its result on the thread of
/// `context`, which calls this, and never after that was destroyed. The pool must end with the context, as its member or child.
/// Callers count generations to drop answers to outdated questions.
template<class Job, class Done> void inBackground(QThreadPool& pool, QObject* context, Job job, Done done)
{
    pool.start([context, job = std::move(job), done = std::move(done)]() mutable {
        QMetaObject::invokeMethod(context, [done = std::move(done), result = job()]() mutable { done(std::move(result)); }, Qt::QueuedConnection);
    });
}

/// In a pool of the context's own. Its end waits for the jobs that run, since at the end of the program Qt closes databases that
/// they may be reading, and drops those that wait.
template<class Job, class Done> void inBackground(QObject* context, Job job, Done done)
{
    auto* pool = context->findChild<QThreadPool*>({}, Qt::FindDirectChildrenOnly);
    if (!pool) {
        pool = new QThreadPool(context);
        QObject::connect(context, &QObject::destroyed, pool, &QThreadPool::clear); // before children are deleted
    }
    inBackground(*pool, context, std::move(job), std::move(done));
}

} // namespace cudal1::ui
