// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs as table rows, newest first.
#include "ui/work/jobsmodel.h"

#include "core/base/timetext.h"
#include "core/optimize/handedover.h"
#include "core/optimize/outcometext.h"

#include <QDateTime>

#include <algorithm>
#include <utility>

namespace cudal1::ui {

namespace {
constexpr int longestLog = 5000;
constexpr int longestReply = 500'000; // characters
} // namespace

JobsModel::JobsModel(QObject* parent)
    : TableModel({{tr("Job")},
                  {tr("State")},
                  {tr("Variants"), {}, Qt::AlignRight},
                  {tr("Best"), {}, Qt::AlignRight},
                  {tr("Time left"), {}, Qt::AlignRight}},
                 parent)
{
}
JobsModel::~JobsModel() = default;

QVariant JobsModel::cell(int row, int column, int role) const
{
    const Job& job = *m_jobs[std::size_t(row)];
    if (role == IdRole)
        return job.id;
    if (role == FractionRole)
        return job.progress.fraction;
    if (role == Qt::ToolTipRole)
        return job.message.isEmpty() ? QString::fromStdString(job.progress.text) : job.message;
    if (role == Qt::AccessibleTextRole)
        return QStringLiteral("%1 %2, %3")
            .arg(job.name(), job.request.subject(), ui::describe(job, queuePosition(job.id)));
    if (role != Qt::DisplayRole)
        return {};
    switch (column) {
    case Name: return QStringLiteral("%1  %2").arg(job.request.subject(), job.name());
    case Status: return ui::describe(job, queuePosition(job.id));
    case ProgressColumn:
        return job.progress.planned > 0 ? tr("%1 of %2").arg(job.progress.done).arg(job.progress.planned) : QString();
    case Best: return bestText(job);
    case TimeLeft: return job.state == Job::State::Running ? durationText(job.progress.secondsLeft) : QString();
    default: return {};
    }
}

const Job* JobsModel::jobOf(const base::TaskId& task) const
{
    if (task.empty())
        return nullptr;
    const Job* newest = nullptr;
    for (const auto& job : m_jobs) {
        if (job->task() != task || job->kind() == JobKind::Prompt) // which says nothing of the task
            continue;
        if (job->isActive() && job->state != Job::State::Queued)
            return job.get();
        if (!newest || (job->isActive() && !newest->isActive()))
            newest = job.get();
    }
    return newest;
}

const Job* JobsModel::manyOf(const base::TaskId& task) const
{
    if (const Job* own = jobOf(task); task.empty() || (own && own->isActive()))
        return nullptr;
    for (const auto& job : m_jobs) {
        const auto* many = std::get_if<OptimizeManyJob>(&job->request.what);
        if (many && job->isActive() && job->state != Job::State::Queued &&
            std::any_of(many->tasks.begin(), many->tasks.end(), [&](const auto& one) { return one.id == task; }))
            return job.get();
    }
    return nullptr;
}

const Job* JobsModel::job(quint64 id) const
{
    const int row = rowOf(id);
    return row < 0 ? nullptr : m_jobs[std::size_t(row)].get();
}

const Job* JobsModel::at(int row) const
{
    return row < 0 || row >= int(m_jobs.size()) ? nullptr : m_jobs[std::size_t(row)].get();
}

const Job* JobsModel::active() const
{
    const Job *next = nullptr, *working = nullptr;
    for (const auto& job : m_jobs) { // newest first, so that the last seen is the first in turn
        if (job->state == Job::State::Running || job->state == Job::State::Stopping)
            working = job.get();
        else if (job->state == Job::State::Queued)
            next = job.get();
    }
    return working ? working : next;
}

int JobsModel::running() const
{
    return int(std::count_if(m_jobs.begin(), m_jobs.end(), [](const auto& job) {
        return job->state == Job::State::Running || job->state == Job::State::Stopping;
    }));
}

int JobsModel::queuePosition(quint64 id) const
{
    const int row = rowOf(id);
    if (row < 0 || m_jobs[std::size_t(row)]->state != Job::State::Queued)
        return 0;
    return 1 + int(std::count_if(m_jobs.begin() + row + 1, m_jobs.end(),
                                 [](const auto& job) { return job->state == Job::State::Queued; }));
}

quint64 JobsModel::add(Job job)
{
    beginInsertRows({}, 0, 0);
    job.id = m_nextId++;
    const base::TaskId task = job.task();
    const quint64 id = job.id;
    m_jobs.insert(m_jobs.begin(), std::make_unique<Job>(std::move(job)));
    endInsertRows();
    emit jobChanged(id, task);
    return id;
}

void JobsModel::setState(quint64 id, Job::State state, const QString& message)
{
    const int row = rowOf(id);
    if (row < 0)
        return;
    Job& job = *m_jobs[std::size_t(row)];
    job.state = state;
    if (!message.isEmpty())
        job.message = message;
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    if (state == Job::State::Running)
        job.started_ms = now;
    if (!job.isActive()) {
        job.ended_ms = now;
        job.replyOver = true;
        for (auto& [task, reply] : job.replies)
            reply.over = true;
        job.progress.secondsLeft = -1;
        if (state == Job::State::Finished)
            job.progress.fraction = 1;
    }
    // The position of every job that waits behind this one changes too.
    cellsChanged();
    emit jobChanged(id, job.task());
}

void JobsModel::setProgress(quint64 id, const optimize::SearchProgress& progress)
{
    const int row = rowOf(id);
    if (row < 0 || !m_jobs[std::size_t(row)]->isActive())
        return;
    Job& job = *m_jobs[std::size_t(row)];
    job.progress = progress;
    rowChanged(row);
    emit jobChanged(id, job.task());
}

void JobsModel::addLog(quint64 id, const QString& line)
{
    const int row = rowOf(id);
    if (row < 0)
        return;
    Job& job = *m_jobs[std::size_t(row)];
    job.log.append(line);
    if (job.log.size() > longestLog)
        job.log.erase(job.log.begin(), job.log.begin() + longestLog / 10);
    job.replyOver = true;
    for (auto& [task, reply] : job.replies)
        reply.over = reply.over || line.startsWith(QString::fromStdString(task.value) + QLatin1Char(':'));
    emit logAdded(id, job.task(), line);
}

void JobsModel::addReply(quint64 id, const QString& text)
{
    const int row = rowOf(id);
    if (row < 0)
        return;
    Job& job = *m_jobs[std::size_t(row)];
    const bool begins = std::exchange(job.replyOver, false);
    if (begins)
        job.reply.clear();
    job.reply += text;
    if (job.reply.size() > longestReply)
        job.reply.remove(0, longestReply / 10);
    emit replyAdded(id, job.task(), text, begins);
}

void JobsModel::addReplyOf(quint64 id, const base::TaskId& task, const QString& text)
{
    const int row = rowOf(id);
    if (row < 0)
        return;
    Job::Reply& reply = m_jobs[std::size_t(row)]->replies[task];
    const bool begins = std::exchange(reply.over, false);
    if (begins)
        reply.text.clear();
    reply.text += text;
    if (reply.text.size() > longestReply)
        reply.text.remove(0, longestReply / 10);
    emit replyAdded(id, task, text, begins);
}

void JobsModel::clearEnded()
{
    for (int row = int(m_jobs.size()) - 1; row >= 0; --row) {
        if (m_jobs[std::size_t(row)]->isActive())
            continue;
        beginRemoveRows({}, row, row);
        m_jobs.erase(m_jobs.begin() + row);
        endRemoveRows();
    }
}

int JobsModel::rowOf(quint64 id) const
{
    for (std::size_t row = 0; row < m_jobs.size(); ++row)
        if (m_jobs[row]->id == id)
            return int(row);
    return -1;
}

void JobsModel::rowChanged(int row)
{
    emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

QString brief(const QString& message)
{
    static const QString traceback = QStringLiteral("Traceback (most recent call last):");
    const QString line = message.section(QLatin1Char('\n'), 0, 0).trimmed();
    return line.endsWith(traceback) ? line.chopped(traceback.size()).trimmed() : line;
}

QString bestText(const Job& job)
{
    const base::Interval& best = job.progress.bestWall;
    if (!best.valid())
        return {};
    return optimize::referenceIsBest(best) ? JobsModel::tr("the reference")
                                           : QString::fromStdString(optimize::bestText(best, job.progress.bestMarks));
}

QString describe(const Job& job, int queuePosition)
{
    switch (job.state) {
    case Job::State::Queued:
        return queuePosition <= 1 ? JobsModel::tr("Next in the queue")
                                  : JobsModel::tr("Number %1 in the queue").arg(queuePosition);
    case Job::State::Running:
        return job.progress.text.empty() ? JobsModel::tr("Starting the evaluator")
                                         : QString::fromStdString(job.progress.text);
    case Job::State::Stopping: return JobsModel::tr("Stopping");
    case Job::State::Finished: return job.message.isEmpty() ? JobsModel::tr("Finished") : brief(job.message);
    case Job::State::Stopped: return JobsModel::tr("Stopped");
    case Job::State::Failed:
        return job.message.isEmpty() ? JobsModel::tr("Failed") : JobsModel::tr("Failed: %1").arg(brief(job.message));
    }
    return {};
}

QString timeLeftText(const optimize::SearchProgress& progress)
{
    if (progress.secondsLeft < 0)
        return {};
    const QString time = durationText(progress.secondsLeft);
    return progress.guessed ? JobsModel::tr("about %1 left").arg(time) : JobsModel::tr("%1 left").arg(time);
}

QString durationText(double seconds)
{
    return QString::fromStdString(base::durationText(seconds));
}

} // namespace cudal1::ui
