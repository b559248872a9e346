// SPDX-License-Identifier: GPL-3.0-or-later
// Choices, Optimize and Stop, progress and live log of the selected task.
#include "ui/tasks/runpanel.h"

#include "core/optimize/handedover.h"
#include "ui/kit/theme.h"
#include "ui/variants/texts.h"
#include "ui/work/choicemenu.h"
#include "ui/work/jobsmodel.h"
#include "ui/work/runchoice.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollBar>
#include <QStyle>
#include <QTextCursor>
#include <QToolButton>
#include <QVBoxLayout>

namespace cudal1::ui {

namespace {

constexpr int logLines = 5000;

/// A line of a job about several tasks begins with the task that it is about.
bool isAbout(const QString& line, const base::TaskId& task)
{
    return !task.empty() && line.startsWith(QString::fromStdString(task.value) + QStringLiteral(": "));
}

QString withoutTask(const QString& line, const base::TaskId& task)
{
    return line.mid(qsizetype(task.value.size()) + 2);
}

} // namespace

RunPanel::RunPanel(RunChoice& choice, JobsModel& jobs, QWidget* parent)
    : QWidget(parent), m_choice(choice), m_jobs(jobs), m_chooser(new QToolButton), m_choices(new QMenu(this)),
      m_optimize(new QPushButton(tr("Optimize"))), m_stop(new QPushButton(tr("Stop"))), m_warning(new QWidget),
      m_warningIcon(new QLabel), m_warningText(new QLabel), m_progress(new QProgressBar), m_status(new QLabel),
      m_figures(new QLabel), m_logFrame(new QWidget), m_log(new QPlainTextEdit), m_tall(new QToolButton),
      m_prompt(new QToolButton), m_replyBox(new QWidget), m_replyTitle(new QToolButton), m_reply(new QPlainTextEdit)
{
    const Theme& theme = Theme::instance();
    setUpFields();
    auto* top = new QVBoxLayout;
    top->setContentsMargins(theme.unit(3), theme.unit(2), theme.unit(3), theme.unit(2));
    top->setSpacing(theme.unit(1));
    top->addLayout(makeControls());
    top->addWidget(m_warning);
    top->addWidget(m_progress);
    top->addWidget(m_status);
    top->addWidget(m_figures);
    auto* line = new QFrame;
    line->setProperty("class", QStringLiteral("separator"));
    line->setFixedHeight(1);
    auto* log = new QVBoxLayout(m_logFrame);
    log->setContentsMargins(0, 0, 0, 0);
    log->setSpacing(0);
    log->addWidget(line);
    log->addWidget(m_log, 1);
    log->addWidget(makeReply(), 2);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(top);
    layout->addWidget(m_logFrame, 1);
    layout->addStretch(0);
    setAttribute(Qt::WA_StyledBackground);
    setProperty("class", QStringLiteral("pane"));

    applyTheme();
    connect(&Theme::instance(), &Theme::changed, this, &RunPanel::applyTheme);
    connect(&m_choice, &RunChoice::changed, this, &RunPanel::showChoice);
    connect(&m_jobs, &JobsModel::jobChanged, this, [this](quint64, const base::TaskId& task) {
        if (task == m_task || task.empty())
            showJob();
    });
    connect(&m_jobs, &JobsModel::logAdded, this, &RunPanel::addToLog);
    connect(&m_jobs, &JobsModel::replyAdded, this, &RunPanel::addToReply);
    showChoice();
    showJob();
}

void RunPanel::setUpFields()
{
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of the run"));
    m_status->setWordWrap(true);
    m_status->setMinimumHeight(2 * m_status->fontMetrics().lineSpacing()); // a splitter does not ask how a text wraps
    m_status->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_figures->setWordWrap(true);
    m_figures->setProperty("class", QStringLiteral("muted"));
    m_log->setReadOnly(true);
    m_log->setTabChangesFocus(true);
    m_log->setMaximumBlockCount(logLines);
    m_log->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_log->setProperty("class", QStringLiteral("flat"));
    m_log->setAccessibleName(tr("Log of the run"));
    m_log->setMinimumHeight(Theme::instance().unit(12));

    m_warning->setObjectName(QStringLiteral("runWarning"));
    m_warningText->setWordWrap(true);
    m_warningText->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* warning = new QHBoxLayout(m_warning);
    warning->setContentsMargins(0, 0, 0, 0);
    warning->setSpacing(Theme::instance().unit(2));
    warning->addWidget(m_warningIcon, 0, Qt::AlignTop);
    warning->addWidget(m_warningText, 1);
    m_warning->hide();
}

void RunPanel::applyTheme()
{
    const Theme& theme = Theme::instance();
    m_log->setFont(theme.monoFont());
    m_reply->setFont(theme.monoFont());
    const int icon = theme.unit(4);
    m_warningIcon->setPixmap(theme.icon(QStringLiteral("warning"), Role::WarningText).pixmap(icon, icon));
    m_optimize->setIcon(theme.icon(QStringLiteral("optimize"), Role::Accent));
    m_stop->setIcon(theme.icon(QStringLiteral("stop"), Role::Text));
}

void RunPanel::addToLog(quint64 id, const base::TaskId& task, const QString& text)
{
    if (task.empty() && id == m_job && isAbout(text, m_task)) {
        m_log->appendPlainText(withoutTask(text, m_task));
        m_replyTitle->setText(tr("Last reply"));
    }
    if (task != m_task || task.empty())
        return;
    if (id == m_job) {
        m_log->appendPlainText(text);
        m_replyTitle->setText(tr("Last reply"));
    } else
        showJob();
}

void RunPanel::addToReply(quint64 id, const base::TaskId& task, const QString& text, bool begins)
{
    if (task != m_task || id != m_job)
        return;
    if (begins)
        m_reply->clear();
    const bool atEnd = m_reply->verticalScrollBar()->value() == m_reply->verticalScrollBar()->maximum();
    QTextCursor end(m_reply->document());
    end.movePosition(QTextCursor::End);
    end.insertText(text);
    if (atEnd)
        m_reply->verticalScrollBar()->setValue(m_reply->verticalScrollBar()->maximum());
    showReply(tr("A reply is being written"));
}

QWidget* RunPanel::makeReply()
{
    const Theme& theme = Theme::instance();
    m_reply->setObjectName(QStringLiteral("partialReply"));
    m_reply->setAccessibleName(tr("Reply of the model"));
    m_reply->setReadOnly(true);
    m_reply->setTabChangesFocus(true);
    m_reply->setProperty("class", QStringLiteral("flat"));
    m_reply->setMinimumHeight(theme.unit(16));
    m_replyTitle->setObjectName(QStringLiteral("partialReplyTitle"));
    m_replyTitle->setProperty("class", QStringLiteral("link"));
    m_replyTitle->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_replyTitle->setArrowType(Qt::DownArrow);
    m_replyTitle->setCheckable(true);
    m_replyTitle->setChecked(true);
    m_replyTitle->setFocusPolicy(Qt::StrongFocus);
    m_replyTitle->setText(tr("Last reply"));
    m_replyTitle->setToolTip(tr("Show or hide what the model writes; the page Samples has every reply"));
    connect(m_replyTitle, &QToolButton::toggled, this, [this](bool open) {
        m_reply->setVisible(open);
        m_replyTitle->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    });
    auto* line = new QFrame;
    line->setProperty("class", QStringLiteral("separator"));
    line->setFixedHeight(1);
    auto* title = new QHBoxLayout;
    title->setContentsMargins(theme.unit(3), theme.unit(1), theme.unit(3), theme.unit(1));
    title->addWidget(m_replyTitle);
    title->addStretch();
    auto* layout = new QVBoxLayout(m_replyBox);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(line);
    layout->addLayout(title);
    layout->addWidget(m_reply, 1);
    m_replyBox->hide();
    return m_replyBox;
}

void RunPanel::showReply(const QString& title)
{
    m_replyTitle->setText(title);
    m_replyBox->show();
}

void RunPanel::setWarning(const QString& sentence)
{
    m_warningText->setText(sentence);
    m_warning->setVisible(!sentence.isEmpty());
}

QLayout* RunPanel::makeControls()
{
    const Theme& theme = Theme::instance();
    m_chooser->setObjectName(QStringLiteral("runChoice"));
    m_chooser->setProperty("class", QStringLiteral("link"));
    m_chooser->setPopupMode(QToolButton::InstantPopup);
    m_chooser->setMenu(m_choices);
    m_chooser->setFocusPolicy(Qt::StrongFocus);
    m_choices->setToolTipsVisible(true);
    connect(m_choices, &QMenu::aboutToShow, this, [this] {
        m_choices->clear();
        addHeading(m_choices, tr("Device"));
        addDevices(m_choices, m_choice);
        addHeading(m_choices, tr("Precision"));
        addPrecisions(m_choices, m_choice);
        addHeading(m_choices, tr("Preset"));
        addPresets(m_choices, m_choice);
        addHeading(m_choices, tr("Rounds"));
        addRounds(m_choices, m_choice);
    });
    m_optimize->setObjectName(QStringLiteral("optimize"));
    m_optimize->setToolTip(tr("Propose, judge and measure variants of this task (Ctrl+Return)"));
    m_stop->setObjectName(QStringLiteral("stop"));
    m_stop->setToolTip(tr("Stop within a second; what was judged stays (Esc)"));

    auto* title = new QLabel(tr("Run"));
    title->setFont(theme.titleFont(2));
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(theme.unit(2));
    buttons->addWidget(title, 1);
    m_tall->setObjectName(QStringLiteral("tallLog"));
    m_tall->setIcon(theme.icon(QStringLiteral("up"), Role::Muted));
    m_tall->setCheckable(true);
    m_tall->setFocusPolicy(Qt::StrongFocus);
    m_tall->setToolTip(tr("Give the log the page's height, or take it back"));
    m_tall->setAccessibleName(tr("Log over the page's height"));
    connect(m_tall, &QToolButton::toggled, this, &RunPanel::heightRequested);
    buttons->addWidget(m_tall);
    buttons->addWidget(m_optimize);
    buttons->addWidget(m_stop);
    auto* rows = new QVBoxLayout;
    rows->setSpacing(theme.unit(1));
    rows->addLayout(buttons);
    m_prompt->setObjectName(QStringLiteral("runPrompt"));
    m_prompt->setProperty("class", QStringLiteral("link"));
    m_prompt->setText(tr("Prompt…"));
    m_prompt->setToolTip(tr("What a model would be sent for this task, without sending it"));
    m_prompt->setFocusPolicy(Qt::StrongFocus);
    connect(m_prompt, &QToolButton::clicked, this, &RunPanel::promptRequested);
    auto* choices = new QHBoxLayout;
    choices->setSpacing(theme.unit(2));
    choices->addWidget(m_chooser);
    choices->addStretch();
    choices->addWidget(m_prompt);
    rows->addLayout(choices);
    connect(m_optimize, &QPushButton::clicked, this, [this] {
        if (!m_task.empty())
            emit optimizeRequested(m_task);
    });
    connect(m_stop, &QPushButton::clicked, this, [this] {
        if (const Job* job = m_jobs.jobOf(m_task); job && job->isActive())
            emit stopRequested(job->id);
    });
    return rows;
}

void RunPanel::showChoice()
{
    const Job* job = m_task.empty() ? nullptr : m_jobs.jobOf(m_task);
    m_optimize->setEnabled(!m_task.empty() && !(job && job->isActive()) && m_choice.isStartable());
    const QString rounds = m_choice.rounds() == 1 ? tr("1 round") : tr("%1 rounds").arg(m_choice.rounds());
    const QString precision = QString::fromUtf8(protocol::toString(m_choice.precision())),
                  preset = QString::fromUtf8(protocol::toString(m_choice.preset()));
    m_chooser->setText(tr("%1 · %2 · %3 · %4  ▾").arg(m_choice.device(), precision, preset, rounds));
    m_prompt->setVisible(m_choice.policies().asksModel());
    m_chooser->setAccessibleName(
        tr("Device %1, precision %2, preset %3, %4").arg(m_choice.device(), precision, preset, rounds));
    m_chooser->setToolTip(tr("Device, precision, preset and rounds of the next run.\n%1\n%2")
                              .arg(RunChoice::describe(m_choice.precision()), RunChoice::describe(m_choice.preset())));
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

bool RunPanel::showMany()
{
    const Job* job = m_jobs.manyOf(m_task);
    if (!job)
        return false;
    m_logFrame->show();
    m_figures->hide();
    m_status->setProperty("class", QString());
    m_status->style()->polish(m_status);
    m_status->setText(tr("It is one of %1 that are being optimized").arg(job->request.subject()));
    if (job->id == m_job)
        return true;
    m_job = job->id;
    QStringList log;
    for (const QString& line : job->log)
        if (isAbout(line, m_task))
            log << withoutTask(line, m_task);
    m_log->setPlainText(log.join(u'\n'));
    const auto reply = job->replies.find(m_task);
    m_reply->setPlainText(reply == job->replies.end() ? QString() : reply->second.text);
    m_replyTitle->setText(reply == job->replies.end() || reply->second.over ? tr("Last reply")
                                                                            : tr("A reply is being written"));
    m_replyBox->setVisible(reply != job->replies.end());
    return true;
}

void RunPanel::showJob()
{
    const Job* job = m_task.empty() ? nullptr : m_jobs.jobOf(m_task);
    const bool active = job && job->isActive();
    m_optimize->setEnabled(!m_task.empty() && !active && m_choice.isStartable());
    m_stop->setEnabled(active && job->state != Job::State::Stopping);
    m_progress->setVisible(active);
    m_logFrame->setVisible(job != nullptr);
    m_tall->setVisible(job || m_tall->isChecked());
    m_status->setProperty("class", job ? QString() : QStringLiteral("muted"));
    m_status->style()->polish(m_status);
    if (job && job->replyOver)
        m_replyTitle->setText(tr("Last reply"));
    if ((!job || !job->isActive()) && showMany())
        return;
    if (!job) {
        m_job = 0;
        m_replyBox->hide();
        m_status->setText(tr("Proposes variants, proves them correct, measures them; the best one comes first."));
        m_figures->hide();
        return;
    }
    // A queued job shows a bar that moves, so that a click is seen to have done something.
    const bool waiting = job->state == Job::State::Queued || (active && job->progress.planned == 0);
    m_progress->setRange(0, waiting ? 0 : 1000);
    m_progress->setValue(int(1000 * job->progress.fraction));
    QString status = describe(*job, m_jobs.queuePosition(job->id));
    if (!job->message.isEmpty() && !status.contains(brief(job->message)))
        status += QStringLiteral(". ") + brief(job->message);
    m_status->setText(status);
    QStringList figures;
    if (job->progress.planned > 0)
        figures << tr("%1 of %2").arg(job->progress.done).arg(job->progress.planned);
    if (job->progress.bestWall.valid())
        figures << (optimize::referenceIsBest(job->progress.bestWall) ? tr("the reference is best, fastest variant %1")
                                                                      : tr("best %1"))
                       .arg(speedupPhrase(job->progress.bestWall, job->progress.bestMarks));
    if (active && job->progress.secondsLeft >= 0)
        figures << timeLeftText(job->progress);
    m_figures->setText(figures.join(QStringLiteral(" · ")));
    m_figures->setVisible(!figures.isEmpty());
    if (job->id != m_job) {
        m_job = job->id;
        m_log->setPlainText(job->log.join(u'\n'));
        m_reply->setPlainText(job->reply);
        m_replyTitle->setText(job->replyOver ? tr("Last reply") : tr("A reply is being written"));
        m_replyBox->setVisible(!job->reply.isEmpty());
        m_log->verticalScrollBar()->setValue(m_log->verticalScrollBar()->maximum());
    }
}

} // namespace cudal1::ui
