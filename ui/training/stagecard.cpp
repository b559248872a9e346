// SPDX-License-Identifier: GPL-3.0-or-later
// Title, state, inputs and outputs of a stage.
#include "ui/training/stagecard.h"

#include "ui/kit/elidedcombobox.h"
#include "ui/kit/elidedlabel.h"
#include "ui/kit/theme.h"
#include "ui/variants/texts.h"
#include "ui/work/jobsmodel.h"
#include "ui/work/writing.h"

#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace cudal1::ui {

namespace {

/// "460 k", "135 M", "7.6 B"
QString roundedText(double count)
{
    constexpr std::pair<double, const char*> units[]{{1e9, " B"}, {1e6, " M"}, {1e3, " k"}};
    for (const auto& [size, unit] : units)
        if (count >= size)
            return QString::number(count / size, 'g', 3) + QLatin1String(unit);
    return QString::number(count);
}

/// The newest checkpoint. A copy that was handed on has the steps of a training without the weights.
QString outputOf(const TrainingEntry* entry)
{
    const learning::CheckpointFacts* newest = entry ? entry->newest() : nullptr;
    if (!newest)
        return entry && entry->isFinished() ? StageCard::tr("Out: its checkpoints are not here")
                                            : StageCard::tr("Out: no checkpoint yet");
    QStringList out{StageCard::tr("Out: %1").arg(QString::fromStdString(newest->name)),
                    bytesText(double(newest->bytes))};
    if (entry->checkpoints.size() > 1)
        out << StageCard::tr("%1 kept").arg(entry->checkpoints.size());
    return out.join(QStringLiteral(" · "));
}

} // namespace

QString stateOf(const TrainingEntry& entry)
{
    const int done = entry.log.nextBatch(), steps = entry.options.steps;
    const QString far = StageCard::tr("step %1 of %2").arg(done).arg(steps);
    if (entry.log.legs == 0)
        return StageCard::tr("no step yet");
    if (entry.log.isRunning()) {
        const double spent = double(entry.log.last_ms - entry.log.began_ms) / 1e3;
        const int own = done - entry.log.opened->batch;
        const QString left = own > 0 && done < steps ? durationText(spent / own * (steps - done)) : QString();
        return left.isEmpty() ? far : StageCard::tr("%1 · %2 left").arg(far, left);
    }
    if (!entry.log.end)
        return StageCard::tr("its process ended at %1").arg(far);
    if (entry.isFinished())
        return StageCard::tr("finished: %1 steps").arg(done);
    if (entry.log.end == learning::LegEnd::Failed)
        return StageCard::tr("failed at %1: %2").arg(far, brief(QString::fromStdString(entry.log.message)));
    return StageCard::tr("stopped at %1").arg(far);
}

QString inputsOf(const TrainingsView& view, const TrainingEntry& entry)
{
    const QFileInfo model(QString::fromStdString(entry.options.model));
    QString name = model.fileName();
    for (const TrainingEntry& one : view.all)
        if (model.dir().canonicalPath() == one.folder)
            name = QStringLiteral("%1 / %2").arg(one.name.section(QLatin1Char('/'), -1), model.fileName());
    QStringList out{name};
    if (!entry.record.tasks.empty())
        out << counted(int(entry.record.tasks.size()), StageCard::tr("task"), StageCard::tr("tasks"));
    if (!entry.record.dataFile.empty())
        out << QFileInfo(QString::fromStdString(entry.record.dataFile)).fileName();
    if (entry.log.opened && entry.log.opened->parameters > 0)
        out << StageCard::tr("%1 parameters").arg(roundedText(double(entry.log.opened->parameters)));
    return out.join(QStringLiteral(" · "));
}

StageCard::StageCard(learning::Stage stage, QWidget* parent)
    : QFrame(parent), m_stage(stage), m_title(new QPushButton), m_state(new ElidedLabel), m_which(new ElidedComboBox),
      m_in(new ElidedLabel), m_out(new ElidedLabel), m_progress(new QProgressBar), m_goOn(new QPushButton(tr("Go On"))),
      m_stop(new QPushButton(tr("Stop"))), m_new(new QPushButton(tr("New…")))
{
    const Theme& theme = Theme::instance();
    const QString word = QString::fromUtf8(learning::wordOf(stage).data());
    setObjectName(QStringLiteral("stage-") + word);
    setProperty("class", QStringLiteral("card"));
    m_title->setText(QStringLiteral("%1  %2").arg(int(stage) + 1).arg(stageTitle(stage)));
    m_title->setObjectName(QStringLiteral("stageTitle-") + word);
    m_title->setProperty("class", QStringLiteral("chip"));
    m_title->setCheckable(true);
    m_title->setToolTip(tr("Show the curves and groups of this stage"));
    m_which->setObjectName(QStringLiteral("stageTraining-") + word);
    m_which->setAccessibleName(tr("Training of stage %1").arg(int(stage) + 1));
    m_which->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_which->setMinimumContentsLength(6);
    m_state->setObjectName(QStringLiteral("stageState-") + word);
    m_in->setObjectName(QStringLiteral("stageInputs-") + word);
    m_in->setProperty("class", QStringLiteral("muted"));
    m_out->setObjectName(QStringLiteral("stageOutputs-") + word);
    m_out->setProperty("class", QStringLiteral("muted"));
    m_progress->setAccessibleName(tr("Progress of stage %1").arg(int(stage) + 1));
    m_progress->setTextVisible(false);
    m_progress->setRange(0, 1000);
    m_goOn->setObjectName(QStringLiteral("stageGoOn-") + word);
    m_goOn->setProperty("class", QStringLiteral("primary"));
    m_goOn->setToolTip(tr("Go on from the newest checkpoint"));
    m_stop->setObjectName(QStringLiteral("stageStop-") + word);
    m_stop->setToolTip(tr("Stop after the update that is under way, with a checkpoint; it can go on later"));
    m_new->setObjectName(QStringLiteral("stageNew-") + word);
    m_new->setToolTip(tr("Set up a new training of this stage, with a forecast of memory and time"));

    auto* head = new QHBoxLayout;
    head->setSpacing(theme.unit(1));
    head->addWidget(m_title);
    head->addStretch(1);
    head->addWidget(m_goOn);
    head->addWidget(m_stop);
    head->addWidget(m_new);
    m_goOn->hide(); // one of them is shown, and three would hold the window wide
    m_stop->hide();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(theme.unit(2), theme.unit(2), theme.unit(2), theme.unit(2));
    layout->setSpacing(theme.unit(1));
    layout->addLayout(head);
    layout->addWidget(m_which);
    layout->addWidget(m_state);
    layout->addWidget(m_progress);
    layout->addWidget(m_in);
    layout->addWidget(m_out);
    connect(m_title, &QPushButton::clicked, this, [this] {
        m_title->setChecked(true);
        emit chosen();
    });
    connect(m_which, &QComboBox::activated, this, [this] { emit trainingChosen(m_which->currentData().toString()); });
    connect(m_goOn, &QPushButton::clicked, this, [this] { emit goOnRequested(m_folder); });
    connect(m_stop, &QPushButton::clicked, this, &StageCard::stopRequested);
    connect(m_new, &QPushButton::clicked, this, &StageCard::newRequested);
}

void StageCard::mousePressEvent(QMouseEvent* event)
{
    QFrame::mousePressEvent(event);
    emit chosen();
}

QString StageCard::stateText() const
{
    return m_state->fullText();
}

void StageCard::show(const TrainingsView& view, const Job* job, const ProjectModel& project)
{
    const TrainingEntry* entry = view.at(m_stage);
    m_folder = entry ? entry->folder : QString();
    m_title->setChecked(entry && view.entry() == entry);
    m_title->setEnabled(entry != nullptr);
    {
        const QSignalBlocker quiet(m_which);
        m_which->clear();
        for (auto one = view.all.rbegin(); one != view.all.rend(); ++one)
            if (one->options.stage == m_stage && one->trouble.isEmpty())
                m_which->addItem(one->name, one->folder);
        m_which->setCurrentIndex(m_which->findData(m_folder));
        m_which->setEnabled(m_which->count() > 1);
        m_which->setToolTip(m_folder);
        if (!entry)
            m_which->addItem(tr("no training of this stage yet"));
    }
    QString state = entry ? stateOf(*entry) : tr("not begun");
    const bool elsewhere = entry && !job && entry->log.isRunning();
    if (job && entry && !entry->log.isRunning())
        state = describe(*job, 1);
    else if (job && job->state == Job::State::Stopping)
        state += QStringLiteral(" · ") + tr("stopping");
    else if (elsewhere)
        state += QStringLiteral(" · ") + tr("by another process");
    m_state->setText(state);
    m_progress->setValue(entry ? int(1000.0 * entry->log.nextBatch() / std::max(1, entry->options.steps)) : 0);
    m_in->setText(entry ? tr("In: %1").arg(inputsOf(view, *entry))
                        : tr("In: a model and %1")
                              .arg(m_stage == learning::Stage::Supervised ? tr("a file of examples")
                                                                          : tr("tasks to learn from")));
    m_out->setText(outputOf(entry));
    m_in->setToolTip(entry ? QString::fromStdString(entry->options.model) : QString());
    const learning::CheckpointFacts* newest = entry ? entry->newest() : nullptr;
    m_out->setToolTip(newest ? QString::fromStdString(newest->path) : QString());
    showButtons(entry, job, project);
}

/// The first stage learns from a file; the others store in the project what they judge.
void StageCard::showButtons(const TrainingEntry* entry, const Job* job, const ProjectModel& project)
{
    enableWriting(*m_goOn, project, true, m_stage != learning::Stage::Supervised);
    m_goOn->setVisible(entry && !job && !entry->log.isRunning() && !entry->isFinished());
    m_stop->setVisible(job != nullptr);
    m_stop->setEnabled(job && job->state != Job::State::Stopping);
    m_new->setVisible(!m_stop->isVisibleTo(this) && !m_goOn->isVisibleTo(this));
}

} // namespace cudal1::ui
