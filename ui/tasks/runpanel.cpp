// SPDX-License-Identifier: GPL-3.0-or-later
// Choices, Optimize and Stop, progress and live log of the selected task.
#include "ui/tasks/runpanel.h"

#include "ui/shell/jobsmodel.h"
#include "ui/shell/runchoice.h"
#include "ui/shell/theme.h"
#include "ui/variants/texts.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollBar>
#include <QVBoxLayout>

namespace cudal1::ui {

namespace {

constexpr int logLines = 5000;

template<class Value> void fillWords(QComboBox* box, std::initializer_list<Value> values)
{
    for (const Value value : values) {
        box->addItem(QString::fromUtf8(protocol::toString(value)), int(value));
        box->setItemData(box->count() - 1, RunChoice::describe(value), Qt::ToolTipRole);
    }
}

void choose(QComboBox* box, const QVariant& value)
{
    const QSignalBlocker blocker(box);
    box->setCurrentIndex(box->findData(value));
    box->setToolTip(box->currentData(Qt::ToolTipRole).toString());
}

} // namespace

RunPanel::RunPanel(RunChoice& choice, JobsModel& jobs, QWidget* parent)
    : QWidget(parent), m_choice(choice), m_jobs(jobs), m_controls(new QWidget(this)), m_device(new QComboBox),
      m_precision(new QComboBox), m_preset(new QComboBox), m_optimize(new QPushButton(tr("Optimize"))),
      m_stop(new QPushButton(tr("Stop"))), m_progress(new QProgressBar), m_status(new QLabel), m_figures(new QLabel),
      m_log(new QPlainTextEdit)
{
    const Theme& theme = Theme::instance();
    makeControls();

    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_status->setWordWrap(true);
    m_status->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_figures->setProperty("class", QStringLiteral("muted"));
    m_log->setReadOnly(true);
    m_log->setMaximumBlockCount(logLines);
    m_log->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_log->setFrameShape(QFrame::NoFrame);
    m_log->setAccessibleName(tr("Log of the run"));
    m_log->setPlaceholderText(tr("The log of the run stands here."));

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, theme.unit(2), 0, 0);
    layout->setSpacing(theme.unit(2));
    auto* top = new QVBoxLayout;
    top->setContentsMargins(theme.unit(3), 0, theme.unit(3), 0);
    top->setSpacing(theme.unit(1));
    auto* title = new QLabel(tr("Run"));
    title->setFont(theme.titleFont(2));
    auto* line = new QHBoxLayout;
    line->addWidget(title);
    line->addStretch(1);
    line->addWidget(m_figures);
    top->addLayout(line);
    top->addWidget(m_progress);
    top->addWidget(m_status);
    layout->addLayout(top);
    layout->addWidget(m_log, 1);

    const auto applyTheme = [this] {
        m_log->setFont(Theme::instance().monoFont());
        m_optimize->setIcon(Theme::instance().icon(QStringLiteral("optimize"), Role::Accent));
        m_stop->setIcon(Theme::instance().icon(QStringLiteral("stop"), Role::Text));
    };
    applyTheme();
    connect(&Theme::instance(), &Theme::changed, this, applyTheme);
    connect(&m_choice, &RunChoice::changed, this, &RunPanel::showChoice);
    connect(&m_choice, &RunChoice::devicesChanged, this, &RunPanel::fillDevices);
    connect(&m_jobs, &JobsModel::jobChanged, this, [this](quint64, const base::TaskId& task) {
        if (task == m_task)
            showJob();
    });
    connect(&m_jobs, &JobsModel::logAdded, this, [this](quint64 id, const base::TaskId& task, const QString& text) {
        if (task != m_task)
            return;
        if (id == m_job)
            m_log->appendPlainText(text);
        else
            showJob();
    });
    fillDevices();
    showJob();
}

void RunPanel::makeControls()
{
    const Theme& theme = Theme::instance();
    fillWords(m_precision, {protocol::Precision::Kernelbench, protocol::Precision::Ieee, protocol::Precision::Tf32});
    fillWords(m_preset, {protocol::Preset::Quick, protocol::Preset::Standard, protocol::Preset::Paper});
    m_device->setAccessibleName(tr("Device"));
    m_precision->setAccessibleName(tr("Precision"));
    m_preset->setAccessibleName(tr("Preset"));
    m_device->setObjectName(QStringLiteral("device"));
    m_precision->setObjectName(QStringLiteral("precision"));
    m_preset->setObjectName(QStringLiteral("preset"));
    m_optimize->setObjectName(QStringLiteral("optimize"));
    m_optimize->setToolTip(tr("Propose, judge and measure variants of this task"));
    m_stop->setObjectName(QStringLiteral("stop"));
    m_stop->setToolTip(tr("Stop within a second; what was judged stays"));

    auto* layout = new QHBoxLayout(m_controls);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(theme.unit(2));
    for (QWidget* part : {static_cast<QWidget*>(m_device), static_cast<QWidget*>(m_precision), static_cast<QWidget*>(m_preset),
                          static_cast<QWidget*>(m_optimize), static_cast<QWidget*>(m_stop)})
        layout->addWidget(part);
    connect(m_device, &QComboBox::activated, this, [this] { m_choice.setDevice(m_device->currentData().toString()); });
    connect(m_precision, &QComboBox::activated, this,
            [this] { m_choice.setPrecision(protocol::Precision(m_precision->currentData().toInt())); });
    connect(m_preset, &QComboBox::activated, this, [this] { m_choice.setPreset(protocol::Preset(m_preset->currentData().toInt())); });
    connect(m_optimize, &QPushButton::clicked, this, [this] {
        if (!m_task.empty())
            emit optimizeRequested(m_task);
    });
    connect(m_stop, &QPushButton::clicked, this, [this] {
        if (const Job* job = m_jobs.jobOf(m_task); job && job->isActive())
            emit stopRequested(job->id);
    });
}

void RunPanel::fillDevices()
{
    {
        const QSignalBlocker blocker(m_device);
        m_device->clear();
        for (const protocol::DeviceInfo& device : m_choice.devices())
            m_device->addItem(RunChoice::label(device), QString::fromStdString(device.name));
        if (m_device->findData(m_choice.device()) < 0)
            m_device->addItem(m_choice.device(), m_choice.device());
    }
    showChoice();
}

void RunPanel::showChoice()
{
    choose(m_device, m_choice.device());
    choose(m_precision, int(m_choice.precision()));
    choose(m_preset, int(m_choice.preset()));
    m_device->setToolTip(tr("Where variants are judged"));
}

void RunPanel::setTask(const base::TaskId& task)
{
    if (task == m_task)
        return;
    m_task = task;
    m_job = 0;
    m_log->clear();
    showJob();
}

void RunPanel::showJob()
{
    const Job* job = m_task.empty() ? nullptr : m_jobs.jobOf(m_task);
    const bool active = job && job->isActive();
    m_optimize->setEnabled(!m_task.empty() && !active);
    m_stop->setEnabled(active && job->state != Job::State::Stopping);
    m_progress->setVisible(active);
    if (!job) {
        m_status->setText(tr("Optimize proposes variants, proves them correct and measures them. The best one comes first."));
        m_figures->clear();
        return;
    }
    // A queued job shows a bar that moves, so that a click is seen to have done something.
    const bool waiting = job->state == Job::State::Queued || (active && job->progress.planned == 0);
    m_progress->setRange(0, waiting ? 0 : 1000);
    m_progress->setValue(int(1000 * job->progress.fraction));
    QString status = describe(*job, m_jobs.queuePosition(job->id));
    if (!job->message.isEmpty() && !status.contains(job->message))
        status += QStringLiteral(". ") + job->message;
    m_status->setText(status);
    QStringList figures;
    if (job->progress.planned > 0)
        figures << tr("%1 of %2").arg(job->progress.done).arg(job->progress.planned);
    if (job->progress.bestWall.valid())
        figures << tr("best %1").arg(speedupPhrase(job->progress.bestWall));
    if (active && job->progress.secondsLeft >= 0)
        figures << tr("%1 left").arg(durationText(job->progress.secondsLeft));
    m_figures->setText(figures.join(QStringLiteral(" · ")));
    if (job->id != m_job) {
        m_job = job->id;
        m_log->setPlainText(job->log.join(u'\n'));
        m_log->verticalScrollBar()->setValue(m_log->verticalScrollBar()->maximum());
    }
}

} // namespace cudal1::ui
