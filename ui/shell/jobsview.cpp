// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the cards of jobs and finds the stop mark under the pointer.
#include "ui/shell/jobsview.h"

#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/variants/texts.h"
#include "ui/work/commandline.h"
#include "ui/work/jobsmodel.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QStyledItemDelegate>

namespace cudal1::ui {

namespace {

QRect stopRect(const QRect& card)
{
    const Theme& theme = Theme::instance();
    const int side = theme.unit(5);
    return {card.right() - theme.unit(2) - side, card.top() + theme.unit(2), side, side};
}

Role roleOf(const Job& job)
{
    switch (job.state) {
    case Job::State::Failed: return Role::Loss;
    case Job::State::Finished: return Role::Gain;
    case Job::State::Queued:
    case Job::State::Stopped: return Role::Reference;
    default: return Role::Accent;
    }
}

class JobDelegate : public QStyledItemDelegate {
public:
    JobDelegate(const JobsModel& jobs, QObject* parent) : QStyledItemDelegate(parent), m_jobs(jobs) {}

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override
    {
        const Theme& theme = Theme::instance();
        return {theme.unit(30),
                QFontMetrics(theme.textFont()).height() + QFontMetrics(theme.smallFont()).height() + theme.unit(7)};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Job* job = m_jobs.at(index.row());
        if (!job)
            return;
        const Theme& theme = Theme::instance();
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, theme.color(Role::Selected));
        else if (option.state & QStyle::State_MouseOver)
            painter->fillRect(option.rect, theme.color(Role::Hover));

        const QRect inner = option.rect.adjusted(theme.unit(3), theme.unit(2), -theme.unit(3), -theme.unit(2));
        QRect line(inner.left(), inner.top(), inner.width(), QFontMetrics(theme.textFont()).height());
        if (job->isActive()) {
            theme.icon(QStringLiteral("stop"), Role::Muted)
                .paint(painter, stopRect(option.rect).adjusted(2, 2, -2, -2));
            line.setRight(stopRect(option.rect).left() - theme.unit(2));
        }
        QFont bold = theme.textFont();
        bold.setWeight(QFont::DemiBold);
        const QString best = index.siblingAtColumn(JobsModel::Best).data().toString();
        const int bestWidth = best.isEmpty() ? 0 : QFontMetrics(bold).horizontalAdvance(best) + theme.unit(2);
        painter->setFont(bold);
        painter->setPen(theme.color(job->progress.bestWall.valid()
                                        ? speedupRole(job->progress.bestWall, job->progress.bestMarks)
                                        : Role::Text));
        painter->drawText(line, int(Qt::AlignRight | Qt::AlignVCenter), best);
        painter->setPen(theme.color(Role::Text));
        painter->setFont(theme.textFont());
        const QRect name = line.adjusted(0, 0, -bestWidth, 0);
        painter->drawText(name, int(Qt::AlignLeft | Qt::AlignVCenter),
                          painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, name.width()));

        const int barTop = line.bottom() + theme.unit(1);
        const QRectF bar(inner.left(), barTop, inner.width(), std::max(2, theme.unit(1) - 1));
        painter->setPen(Qt::NoPen);
        painter->setBrush(theme.color(Role::Border));
        painter->drawRoundedRect(bar, bar.height() / 2, bar.height() / 2);
        QRectF done = bar;
        done.setWidth(bar.width() * std::clamp(job->progress.fraction, 0.0, 1.0));
        painter->setBrush(theme.color(roleOf(*job)));
        painter->drawRoundedRect(done, bar.height() / 2, bar.height() / 2);

        painter->setFont(theme.smallFont());
        painter->setPen(theme.color(job->state == Job::State::Failed ? Role::LossText : Role::Muted));
        const QRect below(inner.left(), int(bar.bottom()) + theme.unit(1), inner.width(),
                          painter->fontMetrics().height());
        QStringList numbers;
        // That all was done goes without saying, and the outcome needs the room.
        const bool complete = !job->isActive() && job->progress.done == job->progress.planned;
        if (const QString count = index.siblingAtColumn(JobsModel::ProgressColumn).data().toString();
            !count.isEmpty() && !complete)
            numbers << count;
        if (const QString left = index.siblingAtColumn(JobsModel::TimeLeft).data().toString(); !left.isEmpty())
            numbers << JobsView::tr("%1 left").arg(left);
        const QString right = numbers.join(QStringLiteral("  ·  "));
        const int rightWidth = right.isEmpty() ? 0 : painter->fontMetrics().horizontalAdvance(right) + theme.unit(2);
        painter->drawText(below, int(Qt::AlignRight | Qt::AlignVCenter), right);
        const QRect status = below.adjusted(0, 0, -rightWidth, 0);
        painter->drawText(status, int(Qt::AlignLeft | Qt::AlignVCenter),
                          painter->fontMetrics().elidedText(index.siblingAtColumn(JobsModel::Status).data().toString(),
                                                            Qt::ElideRight, status.width()));
        painter->restore();
    }

private:
    const JobsModel& m_jobs;
};

} // namespace

JobsView::JobsView(JobsModel& jobs, QWidget* parent) : QListView(parent), m_jobs(jobs)
{
    setObjectName(QStringLiteral("jobs"));
    setAccessibleName(tr("Jobs"));
    setModel(&jobs);
    setItemDelegate(new JobDelegate(jobs, this));
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setMouseTracking(true);
    setEditTriggers(QAbstractItemView::NoEditTriggers);

    m_stop = addAction(QStringLiteral("stop"), tr("Stop this job"), tr("Stop this job (Del)"),
                       &JobsView::stopRequested);
    m_stop->setShortcut(QKeySequence::Delete);
    m_stop->setShortcutContext(Qt::WidgetShortcut);
    m_again = addAction(QStringLiteral("refresh"), tr("Run this job again"),
                        tr("Do what this job did once more, with the settings that it had"),
                        &JobsView::repeatRequested);
    m_result = addAction(QStringLiteral("open"), tr("Open the result"),
                         tr("Show the page with what this job has found"), &JobsView::resultRequested);
    m_copy = addAction(QStringLiteral("copy"), tr("Copy as command line"),
                       tr("Put the command that does the same on the clipboard"), &JobsView::copyCommand);
    auto* clear = new QAction(Theme::instance().icon(QStringLiteral("close")), tr("Clear ended jobs"), this);
    clear->setToolTip(tr("Take the jobs that are over off the list; their results stay"));
    connect(clear, &QAction::triggered, &jobs, &JobsModel::clearEnded);
    QListView::addAction(clear);
    setContextMenuPolicy(Qt::CustomContextMenu);
    connect(this, &QWidget::customContextMenuRequested, this, &JobsView::showMenu);
    setupView(this, QStringLiteral("jobs"));

    connect(this, &QListView::activated, this, [this](const QModelIndex& index) {
        if (const Job* job = m_jobs.at(index.row()); job && !job->task().empty())
            emit taskRequested(job->task());
    });
    connect(&Theme::instance(), &Theme::changed, viewport(), qOverload<>(&QWidget::update));
}

QAction* JobsView::addAction(const QString& icon, const QString& text, const QString& tip,
                             void (JobsView::*request)(quint64))
{
    auto* action = new QAction(Theme::instance().icon(icon), text, this);
    action->setToolTip(tip);
    connect(action, &QAction::triggered, this, [this, request] {
        if (const Job* job = m_jobs.at(currentIndex().row()))
            (this->*request)(job->id);
    });
    QListView::addAction(action);
    return action;
}

void JobsView::copyCommand(quint64 id)
{
    if (const Job* job = m_jobs.job(id))
        QApplication::clipboard()->setText(commandLine(job->request, job->project));
}

void JobsView::showMenu(const QPoint& at)
{
    const Job* job = m_jobs.at(indexAt(at).row());
    if (job)
        setCurrentIndex(indexAt(at));
    m_stop->setEnabled(job && job->isActive() && job->state != Job::State::Stopping);
    m_again->setEnabled(job && !job->isActive());
    m_result->setEnabled(job);
    const bool hasCommand = job && !commandLine(job->request, job->project).isEmpty();
    m_copy->setEnabled(hasCommand);
    m_copy->setText(!job || hasCommand ? tr("Copy as command line") : tr("No command does just this"));
    QMenu menu(this);
    menu.setToolTipsVisible(true);
    menu.addActions(actions());
    menu.exec(viewport()->mapToGlobal(at));
    for (QAction* action : {m_stop, m_again, m_result, m_copy})
        action->setEnabled(true); // for their keys and the palette, which ask for what is current then
    m_copy->setText(tr("Copy as command line"));
}

void JobsView::mouseReleaseEvent(QMouseEvent* event)
{
    const QModelIndex index = indexAt(event->position().toPoint());
    const Job* job = m_jobs.at(index.row());
    if (event->button() == Qt::LeftButton && job && job->isActive() &&
        stopRect(visualRect(index)).contains(event->position().toPoint())) {
        emit stopRequested(job->id);
        return;
    }
    QListView::mouseReleaseEvent(event);
    if (event->button() == Qt::LeftButton && job && !job->task().empty())
        emit taskRequested(job->task());
}

void JobsView::paintEvent(QPaintEvent* event)
{
    QListView::paintEvent(event);
    if (m_jobs.rowCount() > 0)
        return;
    QPainter painter(viewport());
    painter.setPen(Theme::instance().color(Role::Muted));
    painter.setFont(Theme::instance().smallFont());
    const int margin = Theme::instance().unit(4);
    painter.drawText(viewport()->rect().adjusted(margin, margin, -margin, -margin),
                     int(Qt::AlignHCenter | Qt::AlignTop) | Qt::TextWordWrap,
                     tr("No jobs. Runs that you start appear here with their progress."));
}

} // namespace cudal1::ui
