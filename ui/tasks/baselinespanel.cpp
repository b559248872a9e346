// SPDX-License-Identifier: GPL-3.0-or-later
// Baselines of a task as a table of text.
#include "ui/tasks/baselinespanel.h"

#include "core/base/ratiotext.h"
#include "core/rejudge/publishedclaims.h"
#include "ui/kit/theme.h"
#include "ui/kit/tr.h"
#include "ui/variants/infoview.h"
#include "ui/variants/texts.h"
#include "ui/work/jobsmodel.h"
#include "ui/work/projectmodel.h"
#include "ui/work/writing.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace cudal1::ui {

namespace {

/// The cells behind the name.
QString cells(const baselines::BaselineResult& found)
{
    const QString gap = QStringLiteral("&nbsp;&nbsp;");
    if (found.wall.valid()) {
        const base::Interval& speedup = found.wall.speedup;
        return QStringLiteral("<td align=right>%1%2</td><td align=right><span class=%3>%1%4</span></td><td><span "
                              "class=muted>%1%5</span></td>")
            .arg(gap, tr("%1 → %2").arg(timeText(found.wall.reference_ns), timeText(found.wall.candidate_ns)),
                 InfoView::styleClass(speedupRole(speedup, found.marks)), speedupPhrase(speedup, found.marks),
                 intervalText(speedup));
    }
    const bool correct = found.verdict == protocol::Verdict::Correct;
    return QStringLiteral("<td colspan=3><span class=%1>%2%3</span></td>")
        .arg(correct ? QStringLiteral("muted") : QStringLiteral("loss"), gap,
             correct ? tr("correct, not timed") : verdictStyle(found.verdict).word.toHtmlEscaped());
}

QString elided(const QString& text)
{
    constexpr int most = 160;
    return text.size() > most ? text.left(most) + QChar(0x2026) : text;
}

} // namespace

QString baselinesHtml(const std::vector<baselines::BaselineRow>& rows)
{
    if (rows.empty())
        return QStringLiteral("<p class=muted>%1</p>")
            .arg(tr("How fast this task is with torch.compile, a CUDA graph, cuDNN autotune and TF32, judged like any "
                    "variant. Press "
                    "Measure, or run <span class=mono>cudal1 baselines</span> for many tasks."));
    QString table, reasons;
    QStringList devices;
    for (const baselines::BaselineRow& row : rows) {
        const QString name = QString::fromUtf8(row.kind->name.data(), qsizetype(row.kind->name.size())).toHtmlEscaped();
        table += QStringLiteral("<tr><td><a href='%1'>%2</a></td>%3</tr>")
                     .arg(row.variant.value)
                     .arg(name, cells(*row.found));
        if (const QString reason = QString::fromStdString(row.found->reason.text); !reason.isEmpty())
            reasons +=
                QStringLiteral("<p>%1: <span class=muted>%2</span></p>").arg(name, elided(reason).toHtmlEscaped());
        if (const QString device = QString::fromStdString(row.found->deviceModel);
            !device.isEmpty() && !devices.contains(device))
            devices << device;
    }
    return QStringLiteral("<table>%1</table>%2<p class=muted>%3</p>")
        .arg(table, reasons,
             devices.isEmpty()
                 ? tr("Time of a call: eager beside it → its own; and its speed-up by the wall clock.")
                 : tr("Time of a call: eager beside it → its own; and its speed-up by the wall clock, on %1.")
                       .arg(devices.join(QStringLiteral(", ")).toHtmlEscaped()));
}

QString claimsHtml(const std::vector<store::ClaimRecord>& claims)
{
    if (claims.empty())
        return {};
    std::vector<std::string> programs;
    for (const store::ClaimRecord& claim : claims)
        for (const rejudge::ClaimedOver& one : rejudge::claimedOver(claim))
            if (std::find(programs.begin(), programs.end(), one.over) == programs.end())
                programs.push_back(one.over);
    const QString gap = QStringLiteral("&nbsp;&nbsp;");
    QString table = QStringLiteral("<tr><td></td>");
    QStringList sources;
    bool byName = false;
    for (const store::ClaimRecord& claim : claims) {
        const rejudge::ClaimedDevice device = rejudge::claimedDevice(claim);
        byName = byName || device.byFileName;
        const QString where = QString::fromStdString(device.name.empty() ? claim.source : device.name).toHtmlEscaped();
        const QString name = claim.variant
                               ? QStringLiteral("<a href='%1'>#%1</a> %2").arg(claim.variant.value).arg(where)
                               : tr("%1, no code").arg(where);
        table += QStringLiteral("<td align=right>%1%2</td>").arg(gap, name);
        if (const QString source = QString::fromStdString(claim.source); !sources.contains(source))
            sources << source;
    }
    table += QStringLiteral("</tr>");
    for (const std::string& program : programs) {
        table +=
            QStringLiteral("<tr><td>%1</td>").arg(tr("over %1").arg(QString::fromStdString(program)).toHtmlEscaped());
        for (const store::ClaimRecord& claim : claims) {
            const std::vector<rejudge::ClaimedOver> over = rejudge::claimedOver(claim);
            const auto one = std::find_if(over.begin(), over.end(),
                                          [&](const rejudge::ClaimedOver& entry) { return entry.over == program; });
            table += QStringLiteral("<td align=right>%1%2</td>")
                         .arg(gap,
                              one == over.end() ? QString() : QString::fromStdString(base::ratioText(one->speedup)));
        }
        table += QStringLiteral("</tr>");
    }
    return QStringLiteral("<h3>%1</h3><table>%2</table><p class=muted>%3</p>")
        .arg(tr("Claims of others"), table,
             tr("By the publisher's clock and device, from %1.")
                     .arg(sources.join(QStringLiteral(", ")).toHtmlEscaped()) +
                 (byName ? tr(" The rows do not say their device: it is told by the files' names.") : QString()));
}

BaselinesPanel::BaselinesPanel(ProjectModel& project, JobsModel& jobs, QWidget* parent)
    : QWidget(parent), m_project(project), m_jobs(jobs), m_measure(new QPushButton(tr("Measure"))), m_rows(new InfoView)
{
    const Theme& theme = Theme::instance();
    m_measure->setObjectName(QStringLiteral("measureBaselines"));
    m_measure->setToolTip(
        tr("Judge the baselines of this task that have no evaluation with the chosen settings on the chosen device; "
           "all of them again when none is missing"));
    m_rows->setAccessibleName(tr("Baselines of the task"));
    auto* title = new QLabel(tr("Settings of the framework, compared with eager"));
    title->setProperty("class", QStringLiteral("muted"));
    auto* top = new QHBoxLayout;
    top->setContentsMargins(theme.unit(3), theme.unit(2), theme.unit(3), theme.unit(1));
    top->addWidget(title, 1);
    top->addWidget(m_measure);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(top);
    layout->addWidget(m_rows, 1);
    setAttribute(Qt::WA_StyledBackground);
    setProperty("class", QStringLiteral("pane"));

    connect(m_rows, &QTextBrowser::anchorClicked, this,
            [this](const QUrl& link) { emit compareRequested({}, {link.toString().toLongLong()}); });
    connect(m_measure, &QPushButton::clicked, this, [this] {
        if (!m_task.empty())
            emit measureRequested(m_task);
    });
    connect(&m_project, &ProjectModel::variantsChanged, this, [this](const base::TaskId& task) {
        if (task == m_task)
            showRows(true);
    });
    connect(&m_jobs, &JobsModel::jobChanged, this, [this](quint64, const base::TaskId& task) {
        if (task == m_task)
            showJob();
    });
    showRows(false);
    showJob();
}

void BaselinesPanel::setTask(const base::TaskId& task)
{
    const bool same = task == m_task;
    m_task = task;
    showRows(same);
    showJob();
}

void BaselinesPanel::showRows(bool sameTask)
{
    const auto rows = m_task.empty() ? nullptr : m_project.baselines(m_task);
    const auto claims = m_task.empty() ? nullptr : m_project.claims(m_task);
    m_rows->setBody((rows ? baselinesHtml(*rows) : QString()) + (claims ? claimsHtml(*claims) : QString()), sameTask);
}

void BaselinesPanel::showJob()
{
    const Job* job = m_task.empty() ? nullptr : m_jobs.jobOf(m_task);
    enableWriting(*m_measure, m_project, !m_task.empty() && !(job && job->isActive()));
}

} // namespace cudal1::ui
