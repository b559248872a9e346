// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a computation on another thread and hands its result to the thread of a context object.
#pragma once

#include "core/base/caught.h"

#include <QMetaObject>
#include <QObject>
#include <QThreadPool>

#include <utility>

namespace cudal1::ui {

template<class Answer> inline constexpr bool isResult = false;
template<class T> inline constexpr bool isResult<base::Result<T>> = true;

/// `job` runs on a worker of `pool` and takes what it needs by value. An exception becomes the error of a job that
/// returns a Result; any other job must not throw. `done` gets the answer on the thread of `context`, which calls this,
/// and never after that was destroyed. The pool must end with the context, as its member or child. Who asks again
/// before the answer is there, and wants only the last one, has an Asker.
template<class Job, class Done> void inBackground(QThreadPool& pool, QObject* context, Job job, Done done)
{
    pool.start([context, job = std::move(job), done = std::move(done)]() mutable {
        const auto work = [&job] {
            if constexpr (isResult<decltype(job())>)
                return base::caught(job);
            else
                return job();
        };
        QMetaObject::invokeMethod(
            context, [done = std::move(done), answer = work()]() mutable { done(std::move(answer)); },
            Qt::QueuedConnection);
    });
}

/// In a pool of the context's own. Its end waits for the jobs that run, since at the end of the program Qt closes
/// databases that they may be reading, and drops those that wait.
template<class Job, class Done> void inBackground(QObject* context, Job job, Done done)
{
    auto* pool = context->findChild<QThreadPool*>({}, Qt::FindDirectChildrenOnly);
    if (!pool) {
        pool = new QThreadPool(context);
        QObject::connect(context, &QObject::destroyed, pool, &QThreadPool::clear); // before children are deleted
    }
    inBackground(*pool, context, std::move(job), std::move(done));
}

/// Asks in the background and drops answers that come too late: only the last question has one. A member of its
/// context, used on the thread of that.
class Asker {
public:
    /// Its jobs run in a pool of the context's own.
    explicit Asker(QObject* context) : m_context(context) {}
    Asker(QObject* context, QThreadPool& pool) : m_context(context), m_pool(&pool) {}
    Asker(const Asker&) = delete;
    Asker& operator=(const Asker&) = delete;

    /// As inBackground(), but `done` is called only where nothing was asked or forgotten since.
    template<class Job, class Done> void ask(Job job, Done done)
    {
        auto last = [this, question = ++m_asked, done = std::move(done)](auto answer) mutable {
            if (question != m_asked)
                return;
            m_answered = question;
            done(std::move(answer));
        };
        if (m_pool)
            inBackground(*m_pool, m_context, std::move(job), std::move(last));
        else
            inBackground(m_context, std::move(job), std::move(last));
    }
    /// No answer to what was asked follows.
    void forget() { m_answered = ++m_asked; }
    bool isWaiting() const { return m_answered != m_asked; }

private:
    QObject* m_context;
    QThreadPool* m_pool = nullptr;
    quint64 m_asked = 0, m_answered = 0;
};

} // namespace cudal1::ui
