// SPDX-License-Identifier: GPL-3.0-or-later
// The jobs that were started in this window: queue position, phase, progress, time left and log of each.
#pragma once

#include "ui/kit/tablemodel.h"
#include "ui/work/request.h"

#include <QStringList>

#include <map>
#include <memory>
#include <vector>

namespace cudal1::ui {

struct Job {
    enum class State { Queued, Running, Stopping, Finished, Stopped, Failed };
    quint64 id = 0;
    JobRequest request; ///< what it was made of, and is made of once more
    QString project;    ///< the file that it works on
    State state = State::Queued;
    optimize::SearchProgress progress;
    QString message; ///< why it failed or stopped
    QStringList log; ///< one line each, in order; the oldest are dropped beyond 5000
    QString reply; ///< of a model, as far as it is written; then the last one; its beginning is dropped when it is long
    bool replyOver = true; ///< what follows belongs to another reply
    /// The same of a job about several tasks: each search writes a reply of its own.
    struct Reply {
        QString text;
        bool over = true;
    };
    std::map<base::TaskId, Reply> replies;
    qint64 started_ms = 0;
    qint64 ended_ms = 0;

    JobKind kind() const { return request.kind(); }
    base::TaskId task() const { return request.task(); }
    QString name() const { return ui::title(kind()); }
    bool isActive() const { return state == State::Queued || state == State::Running || state == State::Stopping; }
};

class JobsModel : public TableModel {
    Q_OBJECT
public:
    enum Column { Name, Status, ProgressColumn, Best, TimeLeft, ColumnCount };
    enum { IdRole = OwnRole, FractionRole };

    explicit JobsModel(QObject* parent = nullptr);
    ~JobsModel() override;

    /// The job of a task that matters now: its active one, else its newest; null when this window started none.
    const Job* jobOf(const base::TaskId& task) const;
    /// The newest job about several tasks that is searching for this one; null where there is none, or where the task
    /// has an active job of its own.
    const Job* manyOf(const base::TaskId& task) const;
    const Job* job(quint64 id) const;
    const Job* at(int row) const;
    /// The one that was begun first of those that are at work, else the first in the queue; null when nothing is
    /// active.
    const Job* active() const;
    int running() const; ///< how many are at work
    /// 1 for the next in turn; 0 for what is not queued. A job may pass others that wait for another device.
    int queuePosition(quint64 id) const;

    // For the controller.
    quint64 add(Job job);
    void setState(quint64 id, Job::State state, const QString& message = {});
    void setProgress(quint64 id, const optimize::SearchProgress& progress);
    void addLog(quint64 id, const QString& line); ///< a reply that was being written is over
    void addReply(quint64 id, const QString& text);
    void addReplyOf(quint64 id, const base::TaskId& task, const QString& text); ///< of a job about several tasks
    void clearEnded();

signals:
    /// State or progress of the job `id` of `task` changed.
    void jobChanged(quint64 id, const cudal1::base::TaskId& task);
    /// A line of a job about several tasks is of none; it begins with the task that it is about.
    void logAdded(quint64 id, const cudal1::base::TaskId& task, const QString& line);
    /// `begins`: it takes the place of the reply before.
    void replyAdded(quint64 id, const cudal1::base::TaskId& task, const QString& text, bool begins);

private:
    int rows() const override { return int(m_jobs.size()); }
    QVariant cell(int row, int column, int role) const override;
    int rowOf(quint64 id) const;
    void rowChanged(int row);

    std::vector<std::unique_ptr<Job>> m_jobs; ///< newest first
    quint64 m_nextId = 1;
};

/// The first line of what a job ended with; a traceback may follow it.
QString brief(const QString& message);
/// "2 of 3 in the queue", "checking cuda_graph: 12 of 20 trials", "Stopped".
QString describe(const Job& job, int queuePosition);
/// "2 min left", or "about 2 min left" while nothing is judged; empty while unknown.
QString timeLeftText(const optimize::SearchProgress& progress);
/// "1.85×", or that the reference is still the best there is; empty before a variant is timed.
QString bestText(const Job& job);
/// base::durationText(): "1 min 10 s"; empty for a negative number.
QString durationText(double seconds);

} // namespace cudal1::ui
