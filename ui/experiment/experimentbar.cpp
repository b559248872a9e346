// SPDX-License-Identifier: GPL-3.0-or-later
// Chooser, state and buttons of an experiment.
#include "ui/experiment/experimentbar.h"

#include "ui/experiment/experimentloader.h"
#include "ui/kit/elidedcombobox.h"
#include "ui/kit/elidedlabel.h"
#include "ui/kit/theme.h"
#include "ui/samples/samplesmodel.h"
#include "ui/work/jobsmodel.h"
#include "ui/work/writing.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace cudal1::ui {

namespace {

QString nameOf(const experiment::ExperimentRecord& record)
{
    return QStringLiteral("%1 · %2").arg(
        QString::fromStdString(record.name),
        QString::fromStdString(record.deviceModel.empty() ? record.device : record.deviceModel));
}

QString limitsText(const models::RunLimits& limits)
{
    QStringList out;
    if (limits.tokens)
        out << QObject::tr("%1 tokens").arg(tokensText(*limits.tokens));
    if (limits.cost)
        out << costsText({{limits.costUnit, *limits.cost}});
    if (limits.seconds)
        out << durationText(*limits.seconds);
    return out.join(QStringLiteral(", "));
}

/// What it is made of, and where: "2 policies and methods, 3 tasks, 2 seeds · precision kernelbench, preset quick".
QString conditionsOf(const ExperimentView& view)
{
    const experiment::ExperimentRecord& shown = view.shown;
    const auto many = [](std::size_t number, const QString& one, const QString& more) {
        return QStringLiteral("%1 %2").arg(number).arg(number == 1 ? one : more);
    };
    QStringList out{QStringLiteral("%1, %2, %3")
                        .arg(many(view.arms.size(), QObject::tr("way to ask"), QObject::tr("ways to ask")),
                             many(shown.tasks.size(), QObject::tr("task"), QObject::tr("tasks")),
                             many(shown.plan.seeds.size(), QObject::tr("seed"), QObject::tr("seeds")))};
    out << QObject::tr("%1, precision %2, preset %3")
               .arg(QString::fromStdString(shown.device), QString::fromUtf8(protocol::toString(shown.precision)),
                    QString::fromUtf8(protocol::toString(shown.preset)));
    if (const QString limits = limitsText(shown.plan.limits); !limits.isEmpty())
        out << QObject::tr("limits: %1").arg(limits);
    if (view.spent.requests > 0) {
        QStringList spent{QObject::tr("%1 tokens").arg(tokensText(view.spent.promptTokens + view.spent.replyTokens))};
        if (const QString costs = costsText(view.spent.cost); !costs.isEmpty())
            spent << costs;
        out << QObject::tr("taken: %1").arg(spent.join(QStringLiteral(", ")));
    }
    return out.join(QStringLiteral(" · "));
}

} // namespace

ExperimentBar::ExperimentBar(QWidget* parent)
    : QFrame(parent), m_which(new ElidedComboBox), m_state(new ElidedLabel), m_conditions(new ElidedLabel),
      m_progress(new QProgressBar), m_open(new QPushButton(tr("Open Experiment…"))),
      m_goOn(new QPushButton(tr("Go On"))), m_stop(new QPushButton(tr("Stop")))
{
    const Theme& theme = Theme::instance();
    setProperty("class", QStringLiteral("bar"));
    m_which->setObjectName(QStringLiteral("whichExperiment"));
    m_which->setAccessibleName(tr("Experiment"));
    m_which->setToolTip(tr("An experiment of this project, with the device that it was begun on"));
    m_which->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_which->setMinimumContentsLength(20);
    m_which->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_which->setMaximumWidth(theme.unit(90));
    m_state->setObjectName(QStringLiteral("experimentState"));
    m_conditions->setObjectName(QStringLiteral("experimentConditions"));
    m_conditions->setProperty("class", QStringLiteral("muted"));
    m_progress->setAccessibleName(tr("Progress of the experiment"));
    m_progress->setTextVisible(false);
    m_progress->setRange(0, 1000);
    m_progress->setFixedWidth(theme.unit(30));
    m_open->setObjectName(QStringLiteral("openExperiment"));
    m_open->setToolTip(tr("Read the file of an experiment and make its runs; files can be dropped on this page too"));
    m_goOn->setObjectName(QStringLiteral("goOnWithExperiment"));
    m_goOn->setToolTip(tr("Make the runs that are missing, where the experiment was begun"));
    m_goOn->setProperty("class", QStringLiteral("primary"));
    m_stop->setObjectName(QStringLiteral("stopExperiment"));
    m_stop->setToolTip(tr("Stop; what was judged stays, and the experiment can go on later"));
    connect(m_which, &QComboBox::activated, this, [this] { emit chosen({m_which->currentData().toLongLong()}); });
    connect(m_open, &QPushButton::clicked, this, &ExperimentBar::openRequested);
    connect(m_goOn, &QPushButton::clicked, this, &ExperimentBar::goOnRequested);
    connect(m_stop, &QPushButton::clicked, this, &ExperimentBar::stopRequested);

    auto* upper = new QHBoxLayout;
    upper->setSpacing(theme.unit(2));
    auto* label = new QLabel(tr("&Experiment"));
    label->setProperty("class", QStringLiteral("muted"));
    label->setBuddy(m_which);
    upper->addWidget(label);
    upper->addWidget(m_which, 3);
    upper->addWidget(m_state, 4);
    upper->addWidget(m_progress);
    upper->addWidget(m_goOn);
    upper->addWidget(m_stop);
    upper->addWidget(m_open);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(theme.unit(3), theme.unit(2), theme.unit(3), theme.unit(2));
    layout->setSpacing(theme.unit(1));
    layout->addLayout(upper);
    layout->addWidget(m_conditions);
}

QString ExperimentBar::stateOf(const ExperimentView& view, const Job* job, int queuePosition) const
{
    const int done = view.done(), planned = int(view.results.size());
    QString out = tr("%1 of %2 runs").arg(done).arg(planned);
    if (const int failed = view.failed(); failed > 0)
        out += tr(", %1 failed").arg(failed);
    if (job)
        return out + QStringLiteral(" · ") + describe(*job, queuePosition);
    if (view.shown.running)
        return out + QStringLiteral(" · ") + tr("another process makes them");
    if (done == planned)
        return out;
    if (view.failed() > 0 && done + view.failed() == planned)
        return out + QStringLiteral(": ") + view.firstTrouble();
    if (view.shown.state == store::RunState::Running)
        return out + QStringLiteral(" · ") + tr("its process ended");
    const QString why = brief(QString::fromStdString(view.shown.message));
    return out + QStringLiteral(" · ") + (why.isEmpty() ? tr("stopped") : tr("stopped: %1").arg(why));
}

void ExperimentBar::show(const ExperimentView& view, const Job* job, int queuePosition, const ProjectModel& project)
{
    {
        const QSignalBlocker quiet(m_which);
        m_which->clear();
        for (const experiment::ExperimentRecord& one : view.all)
            m_which->addItem(nameOf(one), qlonglong(one.id.value));
        m_which->setCurrentIndex(m_which->findData(qlonglong(view.shown.id.value)));
    }
    m_state->setText(stateOf(view, job, queuePosition));
    m_conditions->setText(conditionsOf(view));
    const bool atWork = job || view.shown.running;
    m_progress->setVisible(atWork);
    const double fraction = job && job->progress.planned > 0 ? job->progress.fraction
                                                             : view.done() / std::max(1.0, double(view.results.size()));
    m_progress->setValue(int(1000 * fraction));
    showButtons(view, job, project);
}

void ExperimentBar::showButtons(const ExperimentView& view, const Job* job, const ProjectModel& project)
{
    enableWriting(*m_open, project);
    enableWriting(*m_goOn, project);
    const bool missing = view.done() < int(view.results.size());
    m_goOn->setVisible(!job && !view.shown.running && missing);
    m_stop->setVisible(job != nullptr);
    m_stop->setEnabled(job && job->state != Job::State::Stopping);
}

} // namespace cudal1::ui
