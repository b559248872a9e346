// SPDX-License-Identifier: GPL-3.0-or-later
// The page follows the selection; recordings come from the store, traces from files.
#include "ui/timeline/timelinepage.h"

#include "ui/kit/theme.h"
#include "ui/kit/uistate.h"
#include "ui/timeline/timelinebar.h"
#include "ui/timeline/timelinetabs.h"
#include "ui/timeline/timelinetexts.h"
#include "ui/variants/infoview.h"
#include "ui/variants/texts.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"

#include <QAction>
#include <QCryptographicHash>
#include <QDateTime>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace cudal1::ui {

using timeline::Side;
using Picked = TimelineView::Picked;

TimelinePage::TimelinePage(ProjectModel& project, Selection& selection, QWidget* parent)
    : Page(QStringLiteral("timeline"), tr("Timeline"), QStringLiteral("clock"), parent), m_project(project),
      m_selection(selection), m_loader(new TimelineLoader(this)), m_view(new TimelineView),
      m_bar(new TimelineBar(*m_view)), m_tabs(new TimelineTabs(*m_view, *m_loader)), m_details(new InfoView),
      m_bottom(makeBottom())
{
    const Theme& theme = Theme::instance();
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(m_view);
    split->addWidget(m_bottom);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 1);
    split->setSizes({theme.unit(120), theme.unit(46)});
    split->setChildrenCollapsible(false);
    split->setHandleWidth(theme.unit(1));
    UiState::instance().keep(split, QStringLiteral("timelineBody"));
    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_bar);
    layout->addWidget(split, 1);
    setContent(content);
    addActions(m_bar->actions());

    connect(m_bar, &TimelineBar::recordClicked, this, &TimelinePage::record);
    connect(m_bar, &TimelineBar::openClicked, this, &TimelinePage::askForTrace);
    connect(m_bar, &TimelineBar::closeClicked, this, &TimelinePage::closeTrace);
    connect(m_bar, &TimelineBar::stopClicked, m_loader, &TimelineLoader::cancel);
    connect(m_bar, &TimelineBar::searchedChanged, this, &TimelinePage::search);
    connect(m_bar, &TimelineBar::nextFoundRequested, m_tabs, &TimelineTabs::nextFound);
    connect(m_bar->choice()->menu(), &QMenu::aboutToShow, this, &TimelinePage::fillChoice);
    connect(m_bar->exporter()->menu(), &QMenu::aboutToShow, this, &TimelinePage::fillExport);
    connect(m_tabs, &TimelineTabs::found, m_bar, &TimelineBar::setFound);
    connect(m_view, &TimelineView::pickedChanged, this, &TimelinePage::pickedChanged);
    connect(m_view, &TimelineView::spanChanged, this, &TimelinePage::pickedChanged);
    connect(m_view, &TimelineView::searchRequested, this, &TimelinePage::find);
    connect(m_view, &TimelineView::pinsChanged, this, [this] { keepPins(pinsKey(), m_view->pins()); });
    connect(m_loader, &TimelineLoader::loaded, this,
            [this](base::TimelineId id, const TimelineLoader::Sides& sides, const QString& beside) {
                if (const auto wanted = m_loaded.find(id); wanted != m_loaded.end()) {
                    wanted->second = {sides, beside};
                    showRecordings();
                }
            });
    connect(m_loader, &TimelineLoader::failed, this, [this](base::TimelineId id, const base::Error& error) {
        if (const auto wanted = m_loaded.find(id); wanted != m_loaded.end()) {
            wanted->second.sides = std::make_shared<const std::vector<Side>>(); // said once; the others are shown
            showRecordings();
        }
        if (error.code != base::ErrorCode::Cancelled)
            emit errorRaised(error);
    });
    connect(m_loader, &TimelineLoader::opened, this, [this](const QString& file, const TimelineLoader::Sides& sides) {
        m_file = file;
        m_trace = sides;
        m_view->setFocus();
        showSelection();
    });
    connect(m_loader, &TimelineLoader::progress, this, [this](const QString& file, double fraction) {
        m_bar->setProgress((fraction < 0 ? tr("Writing %1") : tr("Opening %1")).arg(QFileInfo(file).fileName()),
                           fraction);
    });
    connect(m_loader, &TimelineLoader::busyChanged, this, [this] {
        m_bar->setBusy(m_loader->busy() > 0);
        showContent(); // the bar with the progress is there, also where the page was empty
        if (m_loader->busy() == 0)
            showSelection();
    });
    connect(&selection, &Selection::variantsChanged, this, &TimelinePage::showSelection);
    connect(&project, &ProjectModel::tasksChanged, this, &TimelinePage::showSelection);
    connect(&project, &ProjectModel::closed, this, [this] {
        m_loaded.clear();
        showSelection();
    });
    connect(&project, &ProjectModel::variantsChanged, this, [this](const base::TaskId& task) {
        if (!task.empty() && task == m_selection.task())
            showSelection();
    });
    showSelection();
}

// ---- widgets --------------------------------------------------------------------------------------------------------

QWidget* TimelinePage::makeBottom()
{
    const Theme& theme = Theme::instance();
    m_details->setAccessibleName(tr("Details of the selection"));
    m_details->setMinimumWidth(theme.unit(40));
    auto* bottom = new QSplitter(Qt::Horizontal);
    bottom->addWidget(m_tabs);
    bottom->addWidget(m_details);
    bottom->setStretchFactor(0, 3);
    bottom->setStretchFactor(1, 1);
    bottom->setSizes({theme.unit(230), theme.unit(80)});
    bottom->setChildrenCollapsible(false);
    UiState::instance().keep(bottom, QStringLiteral("timelineBottom"));
    return bottom;
}

ViewTools* TimelinePage::table() const
{
    return m_tabs->table();
}

void TimelinePage::find()
{
    m_bar->focusSearch();
}

void TimelinePage::search(const QString& text)
{
    if (m_bar->searched() != text)
        m_bar->setSearched(text); // comes here again
    else
        m_tabs->search(text);
}

// ---- what is shown --------------------------------------------------------------------------------------------------

void TimelinePage::showSelection()
{
    if (m_loader->busy() > 0)
        return;
    m_bar->setTraceOpen(!m_file.isEmpty());
    m_bar->setRecordable(!m_project.isReadOnly());
    if (!m_file.isEmpty()) {
        showContent();
        return showSides(*m_trace);
    }
    const base::TaskId task = m_selection.task();
    if (!m_project.isOpen() || task.empty()) {
        m_task = {};
        m_stale = false;
        m_view->setSides({});
        return showEmpty(tr("No timeline yet"),
                         tr("What ran when stands here: operators, CUDA calls, kernels and copies of a task's "
                            "reference and of its variants, one above the "
                            "other. Choose a task, or open a trace."),
                         tr("Open a trace…"), [this] { askForTrace(); });
    }
    if (task != m_task) {
        m_task = task;
        m_chosen.clear();
        m_choseSelf = false;
        m_records.clear();
        m_loaded.clear();
    }
    m_stale = true;
    if (isVisible())
        showTask();
}

void TimelinePage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    if (m_stale)
        showSelection();
}

void TimelinePage::showTask()
{
    if (!readRecords())
        return;
    m_stale = false;
    if (m_records.empty())
        return showEmptyTask();
    showContent();
    showRecordings();
}

/// Which recordings there are; they themselves are read by showRecordings().
bool TimelinePage::readRecords()
{
    auto records = m_project.project()->timelines(m_task);
    if (!records) {
        emit errorRaised(records.error());
        return false;
    }
    m_records = std::move(*records);
    chooseFirst();
    return true;
}

/// Until the user chooses: the variants that are compared and, where none of them was recorded, the best that was; else
/// the best.
void TimelinePage::chooseFirst()
{
    const auto rows = m_project.variants(m_task);
    const auto isThere = [&](base::VariantId id) {
        return rows && std::any_of(rows->begin(), rows->end(), [&](const auto& row) { return row.id == id; });
    };
    if (!m_choseSelf) {
        m_chosen.clear();
        for (const base::VariantId id : {m_selection.left(), m_selection.right()})
            if (id)
                m_chosen.insert(id);
        const bool anyRecorded = std::any_of(m_chosen.begin(), m_chosen.end(),
                                             [&](base::VariantId id) { return recordingOf(id); });
        if (!anyRecorded && rows)
            for (const auto& row : *rows)
                if (recordingOf(row.id)) {
                    m_chosen.insert(row.id);
                    break;
                }
        if (m_chosen.empty() && rows && !rows->empty())
            m_chosen.insert(rows->front().id);
    }
    if (rows)
        std::erase_if(m_chosen, [&](base::VariantId id) { return !isThere(id); });
    m_bar->choice()->setText(m_chosen.empty()       ? tr("Reference")
                             : m_chosen.size() == 1 ? tr("Reference, %1").arg(variantName(*m_chosen.begin()))
                                                    : tr("Reference and %1 variants").arg(m_chosen.size()));
}

void TimelinePage::showEmptyTask()
{
    m_view->setSides({});
    QStringList names{tr("the reference")};
    for (const base::VariantId id : m_chosen)
        names << variantName(id);
    showEmpty(tr("No timeline of %1 yet").arg(QString::fromStdString(m_task.value)),
              tr("What ran when stands here: operators, CUDA calls, kernels and copies of the reference and of chosen "
                 "variants, one above the other."),
              m_project.isReadOnly() ? QString() : tr("Record %1").arg(names.join(tr(" and "))), [this] { record(); });
}

const store::TimelineRecord* TimelinePage::recordingOf(base::VariantId variant) const
{
    const auto found = std::find_if(m_records.begin(), m_records.end(),
                                    [&](const store::TimelineRecord& r) { return r.variant == variant; });
    return found == m_records.end() ? nullptr : &*found;
}

QString TimelinePage::titleOf(base::VariantId variant) const
{
    if (!variant)
        return tr("Reference %1").arg(QString::fromStdString(m_task.value));
    const auto record = m_project.variant(variant);
    return variantName(variant) +
           (record && !record->techniques.empty() ? u' ' + techniquesText(record->techniques) : QString());
}

/// The reference of the newest recording that is shown, so that one side at least was recorded beside it; then each
/// variant.
void TimelinePage::showRecordings()
{
    if (!m_file.isEmpty() || m_task.empty() || m_records.empty())
        return;
    std::vector<const store::TimelineRecord*> wanted;
    for (const base::VariantId id : m_chosen)
        if (const store::TimelineRecord* record = recordingOf(id))
            wanted.push_back(record);
    if (wanted.empty())
        wanted.push_back(recordingOf({}) ? recordingOf({}) : &m_records.front());
    bool complete = true;
    for (const store::TimelineRecord* record : wanted) {
        const auto [it, isNew] = m_loaded.try_emplace(record->id);
        if (isNew)
            m_loader->load(m_project.path(), record->id);
        complete = complete && it->second.sides;
    }
    if (!complete) {
        // loaded() comes here again.
        if (m_view->sides().empty())
            m_details->setBody(QStringLiteral("<p class=muted>%1</p>").arg(tr("Reading the recording…")));
        return;
    }
    const auto newest = *std::max_element(wanted.begin(), wanted.end(),
                                          [](const auto* a, const auto* b) { return a->created_ms < b->created_ms; });
    std::vector<Side> sides;
    const auto add = [&](const store::TimelineRecord& record, std::size_t which, base::VariantId variant) {
        const auto& loaded = *m_loaded[record.id].sides;
        if (which >= loaded.size())
            return;
        Side side = loaded[which];
        QString title = titleOf(variant) + QStringLiteral(" · %1").arg(QString::fromStdString(
                                               record.deviceModel.empty() ? record.device : record.deviceModel));
        if (record.precision != protocol::Precision::Kernelbench)
            title += QStringLiteral(", ") + QString::fromUtf8(toString(record.precision).data());
        if (const TaskEntry* entry = m_project.entry(m_task);
            entry && !entry->row.hash.empty() && entry->row.hash != record.taskHash)
            title += QStringLiteral(" · ") + tr("of another text of the task");
        side.title = title.toStdString();
        sides.push_back(std::move(side));
    };
    add(*newest, 0, {});
    m_beside.clear();
    for (const store::TimelineRecord* record : wanted)
        if (record->variant && m_chosen.contains(record->variant)) {
            add(*record, 1, record->variant);
            if (const QString& beside = m_loaded[record->id].beside; !beside.isEmpty())
                m_beside << tr("%1: %2").arg(titleOf(record->variant), beside);
        }
    showSides(std::move(sides));
}

void TimelinePage::showSides(std::vector<Side> sides)
{
    const auto& shown = m_view->sides();
    const bool same = shown.size() == sides.size() &&
                      std::equal(sides.begin(), sides.end(), shown.begin(),
                                 [](const Side& a, const Side& b) { return a.model == b.model && a.title == b.title; });
    if (same)
        return pickedChanged(); // what is chosen and not recorded may be another
    m_view->setSides(sides);
    m_tabs->showSides();
    m_view->setPins(keptPins(pinsKey()));
    search(m_bar->searched());
    pickedChanged();
}

/// Of what is shown: another recording has moments of its own.
QString TimelinePage::pinsKey() const
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    hash.addData((m_file.isEmpty() ? m_project.path() : m_file).toUtf8());
    if (m_file.isEmpty())
        for (const store::TimelineRecord& record : m_records)
            if (!record.variant || m_chosen.contains(record.variant))
                hash.addData(QByteArray::number(qint64(record.id.value)) + ' ');
    return QStringLiteral("timelinePins/") + QString::fromLatin1(hash.result().toHex().left(16));
}

void TimelinePage::pickedChanged()
{
    const Picked& picked = m_view->picked();
    QString body;
    if (const auto span = m_view->span())
        body += spanHtml(*span);
    if (picked && picked.gap >= 0)
        body += gapHtml(m_view->sides()[std::size_t(picked.side)],
                        m_view->sides()[std::size_t(picked.side)].model->gaps[std::size_t(picked.gap)]);
    else if (picked)
        body += eventHtml(m_view->sides()[std::size_t(picked.side)], picked.event);
    if (body.isEmpty()) {
        if (m_file.isEmpty())
            for (const base::VariantId id : m_chosen)
                if (!recordingOf(id))
                    body += QStringLiteral("<p class=warn>%1</p>")
                                .arg(tr("%1 has no recording yet. Press Record to make one.").arg(variantName(id)));
        if (m_file.isEmpty())
            for (const QString& beside : m_beside)
                body += QStringLiteral("<p class=warn>%1</p>").arg(beside.toHtmlEscaped());
        for (const Side& side : m_view->sides())
            for (const std::string& note : side.model->notes)
                body += QStringLiteral("<p class=warn>%1: %2</p>")
                            .arg(InfoView::escaped(side.title), InfoView::escaped(note));
        body += hintHtml();
    }
    m_details->setBody(body);
}

// ---- what can be done -----------------------------------------------------------------------------------------------

void TimelinePage::setRoomy(bool roomy)
{
    m_bottom->setVisible(!roomy);
}

void TimelinePage::choose(std::set<base::VariantId> variants)
{
    m_chosen = std::move(variants);
    m_choseSelf = true;
    showSelection();
}

void TimelinePage::fillChoice()
{
    QMenu* menu = m_bar->choice()->menu();
    menu->clear();
    const auto rows = m_project.variants(m_task);
    if (!rows || rows->empty()) {
        menu->addAction(tr("No variants yet"))->setEnabled(false);
        return;
    }
    const qint64 now_ms = QDateTime::currentMSecsSinceEpoch();
    constexpr std::size_t most = 30; // the best; the rest is reached from the compare page
    for (std::size_t i = 0; i < rows->size(); ++i) {
        const store::VariantRow& row = (*rows)[i];
        if (i >= most && !m_chosen.contains(row.id) && !recordingOf(row.id))
            continue;
        const store::TimelineRecord* record = recordingOf(row.id);
        QString text = QStringLiteral("%1  %2").arg(variantName(row.id), techniquesText(row.techniques));
        if (row.evaluation)
            text += QStringLiteral("  ") + (row.evaluation->verdict == protocol::Verdict::Correct
                                                ? speedupPhrase(row.evaluation->wall, row.evaluation->marks)
                                                : verdictStyle(row).word);
        text += QStringLiteral("  –  ") +
                (record ? tr("recorded %1").arg(agoText(record->created_ms, now_ms)) : tr("not recorded"));
        QAction* action = menu->addAction(text);
        action->setCheckable(true);
        action->setChecked(m_chosen.contains(row.id));
        connect(action, &QAction::toggled, this, [this, id = row.id](bool on) {
            std::set<base::VariantId> chosen = m_chosen;
            on ? void(chosen.insert(id)) : void(chosen.erase(id));
            choose(std::move(chosen));
        });
    }
}

void TimelinePage::fillExport()
{
    QMenu* menu = m_bar->exporter()->menu();
    menu->clear();
    const auto add = [&](base::VariantId id) {
        const store::TimelineRecord* record = recordingOf(id);
        if (!record)
            return;
        connect(menu->addAction(id ? tr("Reference and %1…").arg(titleOf(id)) : tr("Reference…")), &QAction::triggered,
                this, [this, id] {
                    const QString file = QFileDialog::getSaveFileName(this, tr("Export a trace"),
                                                                      QStringLiteral("timeline-%1.json").arg(id.value),
                                                                      tr("Chrome traces (*.json)"));
                    if (!file.isEmpty())
                        exportTrace(id, file);
                });
    };
    for (const base::VariantId id : m_chosen)
        add(id);
    add({});
    if (menu->isEmpty())
        menu->addAction(tr("Nothing is recorded"))->setEnabled(false);
}

void TimelinePage::exportTrace(base::VariantId variant, const QString& file)
{
    if (m_stale && !readRecords())
        return;
    if (const store::TimelineRecord* record = recordingOf(variant))
        m_loader->save(m_project.path(), record->id, file);
}

void TimelinePage::record()
{
    if (m_task.empty() || (m_stale && !readRecords()))
        return;
    // What is not recorded yet; once all is, all again.
    std::vector<base::VariantId> wanted;
    for (const base::VariantId id : m_chosen)
        if (!recordingOf(id))
            wanted.push_back(id);
    if (wanted.empty())
        wanted.assign(m_chosen.begin(), m_chosen.end());
    emit recordRequested(m_task, wanted);
}

void TimelinePage::openTrace(const QString& file)
{
    m_loader->open(file);
}

void TimelinePage::askForTrace()
{
    const QString file = QFileDialog::getOpenFileName(this, tr("Open a trace"), {},
                                                      tr("Chrome traces (*.json);;All files (*)"));
    if (!file.isEmpty())
        openTrace(file);
}

void TimelinePage::closeTrace()
{
    m_file.clear();
    m_trace.reset();
    showSelection();
}

} // namespace cudal1::ui
