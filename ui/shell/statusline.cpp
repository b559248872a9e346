// SPDX-License-Identifier: GPL-3.0-or-later
// The status line's permanent parts.
#include "ui/shell/statusline.h"

#include "core/base/ratiotext.h"
#include "ui/kit/elidedlabel.h"
#include "ui/kit/theme.h"
#include "ui/work/jobsmodel.h"
#include "ui/work/projectmodel.h"

#include <QFileInfo>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

#include <algorithm>

namespace cudal1::ui {

StatusLine::StatusLine(JobsModel& jobs, ProjectModel& project, QWidget* parent)
    : QStatusBar(parent), m_jobs(jobs), m_project(project), m_job(new ElidedLabel), m_bar(new QProgressBar),
      m_stop(new QToolButton), m_device(new QLabel), m_evaluator(new QLabel), m_projectName(new QLabel)
{
    const Theme& theme = Theme::instance();
    setSizeGripEnabled(false);
    m_bar->setFixedWidth(theme.unit(24));
    m_bar->setTextVisible(false);
    m_bar->setRange(0, 1000);
    m_bar->setAccessibleName(tr("Progress of the running job"));
    m_job->setObjectName(QStringLiteral("statusJob"));
    // The text may be longer than the window is wide.
    m_job->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_stop->setIcon(theme.icon(QStringLiteral("stop"), Role::Muted));
    m_stop->setToolTip(tr("Stop the running job"));
    m_stop->setAccessibleName(tr("Stop the running job"));
    m_stop->setAutoRaise(true);
    m_evaluator->setObjectName(QStringLiteral("evaluatorState"));
    addWidget(m_bar);
    addWidget(m_stop);
    addWidget(m_job, 1);
    m_device->setObjectName(QStringLiteral("deviceState"));
    addPermanentWidget(m_device);
    addPermanentWidget(m_evaluator);
    addPermanentWidget(m_projectName);
    connect(m_stop, &QToolButton::clicked, this, [this] {
        if (const Job* job = m_jobs.active())
            emit stopRequested(job->id);
    });
    connect(&jobs, &JobsModel::jobChanged, this, &StatusLine::showJob);
    for (const auto signal : {&ProjectModel::opened, &ProjectModel::closed})
        connect(&project, signal, this, &StatusLine::showProject);
    // Whoever points at a button while something runs wants to see how far it is, not what the button does, which its
    // tool tip says too.
    connect(this, &QStatusBar::messageChanged, this, [this](const QString& text) {
        if (!text.isEmpty() && m_jobs.active())
            clearMessage();
    });
    setEvaluator(0, {}, {});
    showJob();
    showProject();
}

void StatusLine::setEvaluator(int seat, const QString& state, const QString& sentence)
{
    if (state.isEmpty())
        m_evaluators.erase(seat);
    else
        m_evaluators[seat] = {state, sentence};
    const auto count = [this](const char* wanted) {
        return int(std::count_if(m_evaluators.begin(), m_evaluators.end(),
                                 [wanted](const auto& one) { return one.second.first == QLatin1String(wanted); }));
    };
    const int ready = count("ready"), starting = count("starting"), all = int(m_evaluators.size());
    const Role role = starting > 0 ? Role::Warning : ready > 0 ? Role::Gain : Role::Disabled;
    QString text = tr("evaluator idle");
    if (all == 1)
        text = tr("evaluator %1").arg(m_evaluators.begin()->second.first);
    else if (all > 1)
        text = tr("%1 of %2 evaluators ready").arg(ready).arg(all);
    m_evaluator->setText(
        QStringLiteral("<span style='color:%1'>●</span> %2").arg(Theme::instance().color(role).name(), text));
    QStringList sentences;
    for (const auto& [number, one] : m_evaluators)
        sentences << one.second;
    m_evaluator->setToolTip(all == 0 ? tr("The evaluator starts with the first run")
                                     : sentences.join(QLatin1Char('\n')));
}

void StatusLine::showJob()
{
    const Job* job = m_jobs.active();
    if (!currentMessage().isEmpty())
        clearMessage(); // a tip, which would hide the text and not the bar
    m_bar->setVisible(job != nullptr);
    m_stop->setVisible(job != nullptr);
    showDevice(job);
    if (!job) {
        const Job* last = m_jobs.at(0);
        m_job->setText(last ? QStringLiteral("%1 %2: %3").arg(last->request.subject(), last->name(), describe(*last, 0))
                            : tr("Ready"));
        return;
    }
    m_bar->setValue(int(job->progress.fraction * 1000));
    QStringList parts{QStringLiteral("%1 %2").arg(job->request.subject(), job->name())};
    if (m_jobs.running() > 1)
        parts << tr("%n more at work", nullptr, m_jobs.running() - 1);
    if (job->progress.planned > 0)
        parts << tr("%1 of %2").arg(job->progress.done).arg(job->progress.planned);
    if (const QString best = bestText(*job); !best.isEmpty())
        parts << tr("best %1").arg(best);
    if (job->progress.secondsLeft >= 0)
        parts << timeLeftText(job->progress);
    parts << describe(*job, m_jobs.queuePosition(job->id));
    m_job->setText(parts.join(QStringLiteral("  ·  ")));
}

void StatusLine::showDevice(const Job* job)
{
    int waiting = 0;
    for (int row = 0; m_jobs.at(row); ++row)
        waiting += m_jobs.at(row)->state == Job::State::Queued && m_jobs.at(row) != job;
    m_device->setVisible(job != nullptr);
    if (!job)
        return;
    const QString busy = tr("%1 busy").arg(job->request.place());
    m_device->setText(waiting > 0 ? tr("%1, %n waiting", nullptr, waiting).arg(busy) : busy);
    m_device->setToolTip(tr("%1 of %2 has %3. Jobs wait for their turn, so that no measurement disturbs another.")
                             .arg(job->name(), job->request.subject(), job->request.place()));
}

void StatusLine::showProject()
{
    const QString path = m_project.path();
    const QString name = QFileInfo(path).fileName();
    m_projectName->setText(path.isEmpty()           ? tr("no project")
                           : m_project.isReadOnly() ? tr("%1, read-only").arg(name)
                                                    : name);
    m_projectName->setToolTip(
        m_project.isReadOnly()
            ? tr("%1\nThe file or its folder may not be written: nothing can be stored. Work on a copy to measure.")
                  .arg(path)
            : path);
}

} // namespace cudal1::ui
