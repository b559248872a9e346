// SPDX-License-Identifier: GPL-3.0-or-later
// The report page follows the project and the selection while it is shown.
#include "ui/report/reportpage.h"

#include "ui/kit/elidedcombobox.h"
#include "ui/kit/theme.h"
#include "ui/report/pageview.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDesktopServices>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>

#include <chrono>

namespace cudal1::ui {

using namespace std::chrono_literals;
using report::ReportScope;

namespace {

constexpr int mostText = 400'000; ///< characters of a text format that the preview shows

} // namespace

ReportPage::ReportPage(ProjectModel& project, Selection& selection, QWidget* parent)
    : Page(QStringLiteral("report"), tr("Report"), QStringLiteral("report"), parent), m_project(project),
      m_selection(selection), m_scope(new ElidedComboBox), m_template(new ElidedComboBox), m_format(new ElidedComboBox),
      m_open(new QCheckBox(tr("Open after saving"))), m_save(new QPushButton(tr("Save…"))),
      m_copy(new QPushButton(tr("Copy as Markdown"))), m_cancel(new QPushButton(tr("Cancel"))), m_state(new QLabel),
      m_about(new QLabel), m_progress(new QProgressBar), m_stack(new QStackedWidget), m_pages(new PageView),
      m_text(new QPlainTextEdit), m_wait(new QTimer(this)), m_poll(new QTimer(this))
{
    auto* content = new QWidget;
    auto* layout = new QHBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeChoices());
    layout->addWidget(makePreview(), 1);
    setContent(content);

    m_wait->setSingleShot(true);
    m_wait->setInterval(150ms);
    connect(m_wait, &QTimer::timeout, this, &ReportPage::build);
    m_poll->setInterval(100ms);
    connect(m_poll, &QTimer::timeout, this, [this] {
        if (m_job)
            m_progress->setValue(int(100 * m_job->share));
    });
    // Names of the scope follow at once; the report itself waits until the project is quiet for a moment.
    const auto follow = [this] {
        fillScopes();
        changed();
    };
    connect(&project, &ProjectModel::tasksChanged, this, follow);
    connect(&project, &ProjectModel::closed, this, [this, follow] {
        m_built.reset(); // of a project that is gone
        updateState();
        follow();
    });
    connect(&project, &ProjectModel::opened, this, follow);
    connect(&selection, &Selection::variantsChanged, this, [this] { fillScopes(); });
    for (QComboBox* box : {m_scope, m_template, m_format})
        connect(box, &QComboBox::currentIndexChanged, this, &ReportPage::changed);
    connect(m_save, &QPushButton::clicked, this, &ReportPage::save);
    connect(m_copy, &QPushButton::clicked, this, &ReportPage::copyMarkdown);
    connect(m_cancel, &QPushButton::clicked, this, &ReportPage::cancel);
    fillScopes();
    updateState();
}

ReportPage::~ReportPage()
{
    if (m_job)
        m_job->cancelled = true;
}

QWidget* ReportPage::makeChoices()
{
    const Theme& theme = Theme::instance();
    const auto named = [](QComboBox* box, const QString& name, const QString& accessible, const QString& tip) {
        box->setObjectName(name);
        box->setAccessibleName(accessible);
        box->setToolTip(tip);
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(16);
    };
    named(m_scope, QStringLiteral("reportScope"), tr("Scope"), tr("What the report is about"));
    named(m_template, QStringLiteral("reportTemplate"), tr("Template"), tr("How much the report tells"));
    named(m_format, QStringLiteral("reportFormat"), tr("Format"), tr("The kind of file"));
    m_template->addItem(tr("Summary"), int(report::Template::Summary));
    m_template->addItem(tr("Full, with all code"), int(report::Template::Full));
    m_template->addItem(tr("As in the paper"), int(report::Template::Paper));
    m_template->addItem(tr("Claims of others"), int(report::Template::Claims));
    m_template->setItemData(0, tr("Numbers, charts and tables"), Qt::ToolTipRole);
    m_template->setItemData(1,
                            tr("Everything: code, differences, every verdict with its reasons; of many tasks it has "
                               "many pages"),
                            Qt::ToolTipRole);
    m_template->setItemData(2, tr("Mean, quartiles and successes by level, under both clocks"), Qt::ToolTipRole);
    m_template->setItemData(3,
                            tr("What imported publications claim, and the code of the highest claims before and after"),
                            Qt::ToolTipRole);
    m_format->addItem(tr("HTML, one page"), int(ReportFormat::Html));
    m_format->addItem(tr("PDF"), int(ReportFormat::Pdf));
    m_format->addItem(tr("Markdown"), int(ReportFormat::Markdown));
    m_format->addItem(tr("CSV, a row a variant"), int(ReportFormat::Csv));
    m_format->addItem(tr("JSON"), int(ReportFormat::Json));
    m_save->setProperty("class", QStringLiteral("primary"));
    m_save->setObjectName(QStringLiteral("saveReport"));
    m_save->setToolTip(tr("Write the report to a file"));
    m_copy->setObjectName(QStringLiteral("copyReport"));
    m_copy->setToolTip(tr("Put the report on the clipboard as Markdown"));
    for (QLabel* label : {m_state, m_about}) {
        label->setWordWrap(true);
        label->setProperty("class", QStringLiteral("muted"));
        label->setTextFormat(Qt::PlainText);
    }
    m_state->setObjectName(QStringLiteral("reportState"));
    m_progress->setAccessibleName(tr("Progress of the report"));
    m_progress->setTextVisible(false); // the bar is lower than a line
    m_cancel->setToolTip(tr("Stop making this report"));

    auto* panel = new QFrame;
    panel->setProperty("class", QStringLiteral("pane"));
    panel->setFixedWidth(theme.unit(64));
    auto* form = new QFormLayout;
    form->setRowWrapPolicy(QFormLayout::WrapAllRows);
    form->setVerticalSpacing(theme.unit(1));
    form->addRow(tr("Scope"), m_scope);
    form->addRow(tr("Template"), m_template);
    form->addRow(tr("Format"), m_format);
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(theme.unit(4), theme.unit(4), theme.unit(4), theme.unit(4));
    layout->setSpacing(theme.unit(3));
    layout->addLayout(form);
    layout->addWidget(m_about);
    layout->addWidget(m_save);
    layout->addWidget(m_open);
    layout->addWidget(m_copy);
    layout->addStretch(1);
    layout->addWidget(m_state);
    layout->addWidget(m_progress);
    layout->addWidget(m_cancel);
    return panel;
}

QWidget* ReportPage::makePreview()
{
    m_text->setReadOnly(true);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setFont(Theme::instance().monoFont());
    m_text->setAccessibleName(tr("Preview of the report"));
    m_text->setFrameShape(QFrame::NoFrame);
    m_stack->addWidget(m_pages);
    m_stack->addWidget(m_text);
    return m_stack;
}

ReportFormat ReportPage::format() const
{
    return ReportFormat(m_format->currentData().toInt());
}

/// The choice stays where its scope is still there.
void ReportPage::fillScopes()
{
    const int index = m_scope->currentIndex();
    const QString chosen = index >= 0 && index < int(m_scopes.size()) ? m_scopes[std::size_t(index)].id : QString();
    m_scopes.clear();
    m_scopes.push_back({tr("The whole project"), QStringLiteral("project"), {}});
    if (const base::TaskId task = m_selection.task(); !task.empty()) {
        m_scopes.push_back(
            {tr("Task %1").arg(QString::fromStdString(task.value)), QStringLiteral("task"), ReportScope::ofTask(task)});
        if (m_selection.left() && m_selection.right() && m_selection.left() != m_selection.right()) {
            ReportScope scope;
            scope.kind = ReportScope::Kind::Comparison;
            scope.variants = {m_selection.left(), m_selection.right()};
            m_scopes.push_back({tr("Variants %1 and %2").arg(m_selection.left().value).arg(m_selection.right().value),
                                QStringLiteral("compare"), scope});
        }
    }
    if (m_project.isOpen())
        if (const auto ablations = m_project.project()->ablations())
            for (const store::AblationRecord& one : *ablations) {
                ReportScope scope;
                scope.kind = ReportScope::Kind::Ablation;
                scope.ablation = one.id;
                m_scopes.push_back({tr("Ablation %1: variant %2 of %3")
                                        .arg(QString::number(one.id.value), QString::number(one.variant.value),
                                             QString::fromStdString(one.task.value)),
                                    QStringLiteral("ablation%1").arg(one.id.value), scope});
            }
    if (m_project.isOpen())
        if (const auto runs = m_project.project()->runs())
            for (const store::RunRecord& run : *runs) {
                ReportScope scope;
                scope.kind = ReportScope::Kind::Run;
                scope.run = run.id;
                const QString of = run.task.empty() ? QString()
                                                    : tr(" of %1").arg(QString::fromStdString(run.task.value));
                m_scopes.push_back(
                    {tr("Run %1: %2%3").arg(QString::number(run.id.value), QString::fromUtf8(run.kind), of),
                     QStringLiteral("run%1").arg(run.id.value), scope});
            }
    const QSignalBlocker blocker(m_scope);
    m_scope->clear();
    int place = 0;
    for (std::size_t at = 0; at < m_scopes.size(); ++at) {
        m_scope->addItem(m_scopes[at].name);
        if (m_scopes[at].id == chosen)
            place = int(at);
    }
    m_scope->setCurrentIndex(place);
    if (chosen != m_scopes[std::size_t(place)].id || chosen == QLatin1String("task") ||
        chosen == QLatin1String("compare"))
        changed();
}

void ReportPage::changed()
{
    m_stale = true;
    if (isVisible())
        m_wait->start();
}

void ReportPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    if (m_stale)
        m_wait->start();
}

void ReportPage::cancel()
{
    if (!m_job)
        return;
    m_job->cancelled = true;
    m_job.reset();
    m_asker.forget();
    updateState();
}

void ReportPage::build()
{
    if (!isVisible())
        return;
    if (!m_project.isOpen() || m_project.isLoading()) {
        if (!m_project.isOpen())
            showEmpty(tr("Nothing to report yet"),
                      tr("What the project knows stands here as one file to save or to send. Open a project first."));
        else
            m_wait->start();
        return;
    }
    cancel();
    showContent();
    m_stale = false;
    m_job = std::make_shared<ReportJob>();
    ReportScope scope = chosenScope().scope;
    scope.shape = report::Template(m_template->currentData().toInt());
    for (const TaskEntry& task : *m_project.tasks())
        if (task.inSuite && !task.row.hash.empty())
            scope.texts.insert(task.row.hash);
    updateState();
    m_asker.ask([file = m_project.path(), scope, format = format(),
                 job = m_job] { return buildReport(file, scope, format, job); },
                [this](const base::Result<std::shared_ptr<const BuiltReport>>& built) {
                    m_job.reset();
                    if (built)
                        display(*built);
                    else
                        showNothing(built.error());
                    updateState();
                });
}

void ReportPage::display(const std::shared_ptr<const BuiltReport>& built)
{
    m_built = built;
    if (hasPages(format())) {
        m_pages->setPages(std::shared_ptr<const pages::Paged>(built, &built->paged));
        m_stack->setCurrentWidget(m_pages);
        return;
    }
    m_text->setPlainText(built->text.left(mostText));
    m_stack->setCurrentWidget(m_text);
}

const ReportPage::Scope& ReportPage::chosenScope() const
{
    return m_scopes[std::size_t(std::max(0, m_scope->currentIndex()))];
}

/// What stood here was of something else: it must not be saved by the name of this.
void ReportPage::showNothing(const base::Error& error)
{
    m_built.reset();
    const bool untried = error.code == base::ErrorCode::NotFound && chosenScope().id == QLatin1String("task");
    m_text->setPlainText(untried
                             ? tr("This project has no results of %1 yet. Optimize the task, or choose another scope.")
                                   .arg(QString::fromStdString(m_selection.task().value))
                             : QString::fromStdString(error.text()));
    m_stack->setCurrentWidget(m_text);
    if (!untried)
        emit errorRaised(error);
}

void ReportPage::updateState()
{
    const bool building = bool(m_job);
    m_progress->setVisible(building);
    m_cancel->setVisible(building);
    building ? m_poll->start() : m_poll->stop();
    m_save->setEnabled(m_built && !building);
    m_copy->setEnabled(m_built && !building);
    const ReportFormat now = format();
    m_about->setText(
        now == ReportFormat::Html
            ? tr("One file that needs nothing else; its tables sort by a click. The preview has its pages as printed.")
        : now == ReportFormat::Pdf      ? tr("A4, with text that can be searched and charts as vectors.")
        : now == ReportFormat::Markdown ? tr("For issues, wikis and mails; charts stand as tables.")
        : now == ReportFormat::Csv ? tr("Numbers as they are stored, for a spreadsheet. Of a task and of a comparison "
                                        "they are the same in every template.")
                                   : tr("All of it as data, for a program."));
    if (building) {
        m_state->setText(tr("Making the report…"));
        m_progress->setValue(0);
        return;
    }
    if (!m_built) {
        m_state->clear();
        return;
    }
    const QString records = tr("%1 rows of data").arg(m_built->document.records.rows.size());
    m_state->setText(hasPages(now) && !m_built->paged.sheets.empty()
                         ? tr("%1 pages, %2").arg(m_built->paged.sheets.size()).arg(records)
                     : m_built->text.size() > mostText ? tr("%1; the preview shows the beginning").arg(records)
                                                       : records);
}

void ReportPage::save()
{
    const QString name = QFileInfo(m_project.path()).completeBaseName() + QStringLiteral("-report.") +
                         endingOf(format());
    const QString path = QFileDialog::getSaveFileName(this, tr("Save the report"), name);
    if (!path.isEmpty())
        saveTo(path);
}

void ReportPage::saveTo(const QString& path)
{
    if (!m_built)
        return;
    const bool open = m_open->isChecked();
    m_save->setEnabled(false);
    inBackground(
        m_saving, this,
        [built = m_built, format = format(), path] {
            return writeFile(path, bytesOf(*built, format, std::make_shared<ReportJob>()));
        },
        [this, path, open](const base::Status& status) {
            updateState();
            if (!status) {
                emit errorRaised(status.error());
                return;
            }
            emit saved(path);
            if (open)
                QDesktopServices::openUrl(QUrl::fromLocalFile(path));
        });
}

void ReportPage::copyMarkdown()
{
    if (!m_built)
        return;
    m_copy->setEnabled(false);
    inBackground(
        this, [built = m_built] { return report::markdownOf(built->document); },
        [this](const QString& text) {
            QApplication::clipboard()->setText(text);
            updateState();
            emit copied();
        });
}

} // namespace cudal1::ui
