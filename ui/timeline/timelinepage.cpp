// SPDX-License-Identifier: GPL-3.0-or-later
// The page follows the selection; recordings come from the store, traces from files.
#include "ui/timeline/timelinepage.h"

#include "ui/shell/projectmodel.h"
#include "ui/shell/selection.h"
#include "ui/shell/setupview.h"
#include "ui/shell/theme.h"
#include "ui/shell/uistate.h"
#include "ui/timeline/timelinetables.h"
#include "ui/timeline/timelinetexts.h"
#include "ui/variants/infoview.h"
#include "ui/variants/texts.h"

#include <QAction>
#include <QDateTime>
#include <QFileDialog>
#include <QFileInfo>
#include <QFrame>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QRegularExpression>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace cudal1::ui {

using timeline::Side;
using Picked = TimelineView::Picked;

namespace {

enum Question { CountQuestion, SearchQuestion };
constexpr std::size_t mostFound = 10'000;
constexpr double zoomOfButton = 1.4;

} // namespace

TimelinePage::TimelinePage(ProjectModel& project, Selection& selection, QWidget* parent)
    : Page(QStringLiteral("timeline"), tr("Timeline"), QStringLiteral("clock"), parent), m_project(project), m_selection(selection),
      m_loader(new TimelineLoader(this)), m_view(new TimelineView), m_details(new InfoView), m_work(new WorkModel(this)),
      m_gaps(new GapsModel(this)), m_found(new FoundModel(this))
{
    const Theme& theme = Theme::instance();
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(m_view);
    split->addWidget(makeBottom());
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 1);
    split->setSizes({theme.unit(110), theme.unit(56)});
    split->setChildrenCollapsible(false);
    split->setHandleWidth(theme.unit(1));
    UiState::instance().keep(split, QStringLiteral("timelineBody"));
    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeBar());
    layout->addWidget(split, 1);
    setContent(content);

    connect(m_view, &TimelineView::pickedChanged, this, &TimelinePage::pickedChanged);
    connect(m_view, &TimelineView::spanChanged, this, [this] {
        countAgain();
        pickedChanged();
    });
    connect(m_view, &TimelineView::searchRequested, this, &TimelinePage::find);
    connect(m_loader, &TimelineLoader::loaded, this, [this](base::TimelineId id, const TimelineLoader::Sides& sides) {
        if (const auto wanted = m_loaded.find(id); wanted != m_loaded.end()) {
            wanted->second = sides;
            showRecordings();
        }
    });
    connect(m_loader, &TimelineLoader::failed, this, [this](base::TimelineId id, const base::Error& error) {
        if (const auto wanted = m_loaded.find(id); wanted != m_loaded.end()) {
            wanted->second = std::make_shared<const std::vector<Side>>(); // said once; the others are shown
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
        m_busyText->setText(fraction < 0 ? tr("Writing %1").arg(QFileInfo(file).fileName()) : tr("Opening %1").arg(QFileInfo(file).fileName()));
        m_bar->setRange(0, fraction < 0 ? 0 : 1000);
        m_bar->setValue(int(1000 * fraction));
    });
    connect(m_loader, &TimelineLoader::busyChanged, this, [this] {
        m_busy->setVisible(m_loader->busy() > 0);
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

QToolButton* TimelinePage::addButton(QWidget* bar, const QString& icon, const QString& text, const QString& tip, const QKeySequence& key, std::function<void()> run)
{
    auto* action = new QAction(text, this);
    // Single keys are the view's own: here they only stand in the tool tip.
    action->setToolTip(key.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, key.toString(QKeySequence::NativeText)));
    if (!icon.isEmpty()) {
        const auto draw = [action, icon] { action->setIcon(Theme::instance().icon(icon)); };
        draw();
        connect(&Theme::instance(), &Theme::changed, action, draw);
    }
    connect(action, &QAction::triggered, this, std::move(run));
    addAction(action);
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(text);
    bar->layout()->addWidget(button);
    return button;
}

QWidget* TimelinePage::makeBar()
{
    const Theme& theme = Theme::instance();
    auto* bar = new QFrame;
    bar->setProperty("class", QStringLiteral("bar"));
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(theme.unit(3), theme.unit(1), theme.unit(2), theme.unit(1));
    layout->setSpacing(theme.unit(1));

    m_choice = new QToolButton;
    m_choice->setObjectName(QStringLiteral("timelineChoice"));
    m_choice->setText(tr("Variants"));
    m_choice->setAccessibleName(tr("Variants to show"));
    m_choice->setToolTip(tr("Which variants are shown below the reference"));
    m_choice->setPopupMode(QToolButton::InstantPopup);
    m_choice->setMenu(new QMenu(m_choice));
    connect(m_choice->menu(), &QMenu::aboutToShow, this, &TimelinePage::fillChoice);
    layout->addWidget(m_choice);
    auto* record = addButton(bar, QStringLiteral("play"), tr("Record"), tr("Run a few calls of the reference and of the chosen variants, and record what runs when"), {}, [this] { this->record(); });
    record->setObjectName(QStringLiteral("timelineRecord"));
    record->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    addButton(bar, QStringLiteral("open"), tr("Open Trace…"), tr("Open a trace in Chrome's JSON format, ours or torch.profiler's"), {}, [this] { askForTrace(); })
        ->setObjectName(QStringLiteral("timelineOpen"));
    m_export = new QToolButton;
    m_export->setObjectName(QStringLiteral("timelineExport"));
    m_export->setAccessibleName(tr("Export Trace"));
    m_export->setToolTip(tr("Write a recording as Chrome trace JSON, for Perfetto"));
    m_export->setPopupMode(QToolButton::InstantPopup);
    m_export->setMenu(new QMenu(m_export));
    const auto draw = [this] { m_export->setIcon(Theme::instance().icon(QStringLiteral("export"))); };
    draw();
    connect(&Theme::instance(), &Theme::changed, this, draw);
    connect(m_export->menu(), &QMenu::aboutToShow, this, &TimelinePage::fillExport);
    layout->addWidget(m_export);
    m_closeTrace = addButton(bar, QStringLiteral("close"), tr("Close Trace"), tr("Close the opened trace and show the task's recordings"), {}, [this] { closeTrace(); });
    m_closeTrace->setObjectName(QStringLiteral("timelineClose"));
    m_closeTrace->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    layout->addStretch(1);

    m_busy = new QWidget;
    auto* busy = new QHBoxLayout(m_busy);
    busy->setContentsMargins(0, 0, 0, 0);
    m_busyText = new QLabel;
    m_bar = new QProgressBar;
    m_bar->setAccessibleName(tr("Progress"));
    m_bar->setTextVisible(true);
    m_bar->setFixedWidth(theme.unit(30));
    auto* stop = new QToolButton;
    stop->setObjectName(QStringLiteral("timelineStop"));
    stop->setText(tr("Stop"));
    stop->setToolTip(tr("Stop opening or writing the file"));
    connect(stop, &QToolButton::clicked, m_loader, &TimelineLoader::cancel);
    busy->addWidget(m_busyText);
    busy->addWidget(m_bar);
    busy->addWidget(stop);
    m_busy->hide();
    layout->addWidget(m_busy);

    m_search = new QLineEdit;
    m_search->setObjectName(QStringLiteral("timelineSearch"));
    m_search->setPlaceholderText(tr("Search events  ( / )"));
    m_search->setAccessibleName(tr("Search events by name"));
    m_search->setToolTip(tr("A text or a regular expression. Enter goes to the next event, Shift+Enter to the one before, Esc back to the timelines"));
    m_search->setClearButtonEnabled(true);
    m_search->setMaximumWidth(theme.unit(56));
    connect(m_search, &QLineEdit::textChanged, this, &TimelinePage::search);
    m_search->installEventFilter(this);
    layout->addWidget(m_search);
    m_counter = new QLabel;
    m_counter->setObjectName(QStringLiteral("timelineCounter"));
    m_counter->setProperty("class", QStringLiteral("muted"));
    layout->addWidget(m_counter);
    addButton(bar, {}, tr("Zoom In"), tr("Zoom in"), Qt::Key_W, [this] { m_view->zoom(1 / zoomOfButton); })->defaultAction()->setIconText(QStringLiteral("+"));
    addButton(bar, {}, tr("Zoom Out"), tr("Zoom out"), Qt::Key_S, [this] { m_view->zoom(zoomOfButton); })->defaultAction()->setIconText(QStringLiteral("−"));
    addButton(bar, {}, tr("Fit"), tr("Show the selected event or measured span, else everything"), Qt::Key_F, [this] { m_view->fit(); })
        ->setObjectName(QStringLiteral("timelineFit"));
    addButton(bar, {}, tr("Measure"), tr("Measure between two edges: here, at an edge, and again to end"), Qt::Key_M, [this] {
        m_view->setFocus();
        m_view->measure();
    });
    return bar;
}

QTableView* TimelinePage::makeTable(TimelineTableModel* model, const char* name, const QString& title, int sortColumn, Qt::SortOrder order)
{
    const Theme& theme = Theme::instance();
    auto* proxy = new QSortFilterProxyModel(this);
    proxy->setSourceModel(model);
    proxy->setSortRole(TimelineTableModel::SortRole);
    auto* table = new QTableView;
    table->setObjectName(QString::fromLatin1(name));
    table->setAccessibleName(title);
    table->setModel(proxy);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setTabKeyNavigation(false);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(theme.unit(6));
    table->horizontalHeader()->setHighlightSections(false);
    table->setSortingEnabled(true);
    table->sortByColumn(sortColumn, order);
    setupView(table, QString::fromLatin1(name));
    connect(table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, model, proxy](const QModelIndex& current) { rowChosen(model, proxy->mapToSource(current)); });
    connect(table, &QTableView::activated, this, [this, model, proxy](const QModelIndex& index) { m_view->zoomTo(model->pickedOf(proxy->mapToSource(index).row())); });
    m_tables.push_back(table);
    m_tabs->addTab(table, title);
    return table;
}

QWidget* TimelinePage::makeBottom()
{
    const Theme& theme = Theme::instance();
    m_tabs = new QTabWidget;
    m_tabs->setDocumentMode(true);
    m_tabs->setObjectName(QStringLiteral("timelineTables"));
    m_tabs->setAccessibleName(tr("Tables of the timeline"));
    m_tabs->tabBar()->setAccessibleName(m_tabs->accessibleName());
    QTableView* work = makeTable(m_work, "timelineWork", tr("What took the time"), WorkModel::Total, Qt::DescendingOrder);
    const int widths[] = {30, 23, 56, 17, 20, 18, 18, 17, 22, 22, 24};
    for (int column = 0; column < int(std::size(widths)); ++column)
        work->horizontalHeader()->resizeSection(column, theme.unit(widths[column]));
    QTableView* gaps = makeTable(m_gaps, "timelineGaps", tr("Gaps"), GapsModel::Duration, Qt::DescendingOrder);
    gaps->horizontalHeader()->resizeSection(GapsModel::Side, theme.unit(30));
    gaps->horizontalHeader()->setStretchLastSection(true);
    QTableView* found = makeTable(m_found, "timelineFound", tr("Found"), FoundModel::Start, Qt::AscendingOrder);
    found->horizontalHeader()->resizeSection(FoundModel::Name, theme.unit(64));
    found->horizontalHeader()->resizeSection(FoundModel::Side, theme.unit(30));
    found->horizontalHeader()->resizeSection(FoundModel::Start, theme.unit(32));
    gaps->horizontalHeader()->resizeSection(GapsModel::Start, theme.unit(32));
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

ViewTools* TimelinePage::table() const { return ViewTools::around(m_tables[std::size_t(m_tabs->currentIndex())]); }

void TimelinePage::find()
{
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

bool TimelinePage::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            nextFound(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
            return true;
        }
        if (key->key() == Qt::Key_Escape) {
            m_view->setFocus();
            return true;
        }
    }
    return Page::eventFilter(watched, event);
}

// ---- what is shown --------------------------------------------------------------------------------------------------

void TimelinePage::showSelection()
{
    if (m_loader->busy() > 0)
        return;
    m_closeTrace->setVisible(!m_file.isEmpty());
    m_choice->setEnabled(m_file.isEmpty());
    m_export->setEnabled(m_file.isEmpty());
    if (!m_file.isEmpty()) {
        showContent();
        return showSides(*m_trace);
    }
    const base::TaskId task = m_selection.task();
    if (!m_project.isOpen() || task.empty()) {
        m_task = {};
        m_view->setSides({});
        return showEmpty(tr("No timeline yet"),
                         tr("What ran when stands here: operators, CUDA calls, kernels and copies of a task's reference and of its variants, one above the "
                            "other. Choose a task, or open a trace."),
                         tr("Open a trace…"), [this] { askForTrace(); });
    }
    if (task != m_task) {
        m_task = task;
        m_chosen.clear();
        m_choseSelf = false;
        m_loaded.clear();
    }
    const auto records = m_project.project()->timelines(task);
    if (!records) {
        emit errorRaised(records.error());
        return;
    }
    m_records = *records;
    chooseFirst();
    if (m_records.empty())
        return showEmptyTask();
    showContent();
    showRecordings();
}

/// Until the user chooses: the variants that are compared and, where none of them was recorded, the best that was; else the best.
void TimelinePage::chooseFirst()
{
    const auto rows = m_project.variants(m_task);
    const auto isThere = [&](base::VariantId id) { return rows && std::any_of(rows->begin(), rows->end(), [&](const auto& row) { return row.id == id; }); };
    if (!m_choseSelf) {
        m_chosen.clear();
        for (const base::VariantId id : {m_selection.left(), m_selection.right()})
            if (id)
                m_chosen.insert(id);
        const bool anyRecorded = std::any_of(m_chosen.begin(), m_chosen.end(), [&](base::VariantId id) { return recordingOf(id); });
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
    m_choice->setText(m_chosen.empty() ? tr("Reference") : m_chosen.size() == 1 ? tr("Reference, %1").arg(variantName(*m_chosen.begin())) : tr("Reference and %1 variants").arg(m_chosen.size()));
}

void TimelinePage::showEmptyTask()
{
    m_view->setSides({});
    QStringList names{tr("the reference")};
    for (const base::VariantId id : m_chosen)
        names << variantName(id);
    showEmpty(tr("No timeline of %1 yet").arg(QString::fromStdString(m_task.value)),
              tr("What ran when stands here: operators, CUDA calls, kernels and copies of the reference and of chosen variants, one above the other."),
              tr("Record %1").arg(names.join(tr(" and "))), [this] { record(); });
}

const store::TimelineRecord* TimelinePage::recordingOf(base::VariantId variant) const
{
    const auto found = std::find_if(m_records.begin(), m_records.end(), [&](const store::TimelineRecord& r) { return r.variant == variant; });
    return found == m_records.end() ? nullptr : &*found;
}

QString TimelinePage::titleOf(base::VariantId variant) const
{
    if (!variant)
        return tr("Reference %1").arg(QString::fromStdString(m_task.value));
    const auto record = m_project.variant(variant);
    return variantName(variant) + (record && !record->techniques.empty() ? u' ' + techniquesText(record->techniques) : QString());
}

/// The reference of the newest recording that is shown, so that one side at least was recorded beside it; then each variant.
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
        complete = complete && it->second;
    }
    if (!complete) {
        // loaded() comes here again.
        if (m_view->sides().empty())
            m_details->setBody(QStringLiteral("<p class=muted>%1</p>").arg(tr("Reading the recording…")));
        return;
    }
    const auto newest = *std::max_element(wanted.begin(), wanted.end(), [](const auto* a, const auto* b) { return a->created_ms < b->created_ms; });
    std::vector<Side> sides;
    const auto add = [&](const store::TimelineRecord& record, std::size_t which, base::VariantId variant) {
        const auto& loaded = *m_loaded[record.id];
        if (which >= loaded.size())
            return;
        Side side = loaded[which];
        QString title = titleOf(variant) + QStringLiteral(" · %1").arg(QString::fromStdString(record.deviceModel.empty() ? record.device : record.deviceModel));
        if (record.precision != protocol::Precision::Kernelbench)
            title += QStringLiteral(", ") + QString::fromUtf8(toString(record.precision).data());
        if (const TaskEntry* entry = m_project.entry(m_task); entry && !entry->row.hash.empty() && entry->row.hash != record.taskHash)
            title += QStringLiteral(" · ") + tr("of another text of the task");
        side.title = title.toStdString();
        sides.push_back(std::move(side));
    };
    add(*newest, 0, {});
    for (const store::TimelineRecord* record : wanted)
        if (record->variant && m_chosen.contains(record->variant))
            add(*record, 1, record->variant);
    showSides(std::move(sides));
}

void TimelinePage::showSides(std::vector<Side> sides)
{
    const auto& shown = m_view->sides();
    const bool same = shown.size() == sides.size()
        && std::equal(sides.begin(), sides.end(), shown.begin(), [](const Side& a, const Side& b) { return a.model == b.model && a.title == b.title; });
    if (same)
        return pickedChanged(); // what is chosen and not recorded may be another
    m_view->setSides(sides);
    m_gaps->setSides(sides);
    m_found->setFound({}, {});
    countAgain();
    search(m_search->text());
    pickedChanged();
}

void TimelinePage::countAgain()
{
    m_loader->ask(CountQuestion, [sides = m_view->sides(), span = m_view->span()] { return std::pair(sides, WorkModel::rowsOf(sides, span)); },
                  [this](std::pair<TimelineView::Sides, WorkModel::Rows> counted) {
                      m_picking = true; // rows that go are no choice of the user
                      m_work->setRows(std::move(counted.first), std::move(counted.second));
                      m_picking = false;
                  });
    const auto span = m_view->span();
    m_tabs->setTabText(0, span ? tr("What took the time in the measured %1").arg(timeText(double(span->duration_ns()))) : tr("What took the time"));
}

void TimelinePage::pickedChanged()
{
    const Picked& picked = m_view->picked();
    QString body;
    if (const auto span = m_view->span()) {
        body += QStringLiteral("<p class=mono>%1</p><table>").arg(tr("measured"));
        body += InfoView::row(tr("Duration"), momentText(double(span->duration_ns()))) + InfoView::row(tr("From"), momentText(double(span->begin_ns)))
            + InfoView::row(tr("To"), momentText(double(span->end_ns))) + QStringLiteral("</table>");
    }
    if (picked && picked.gap >= 0)
        body += gapHtml(m_view->sides()[std::size_t(picked.side)], m_view->sides()[std::size_t(picked.side)].model->gaps[std::size_t(picked.gap)]);
    else if (picked)
        body += eventHtml(m_view->sides()[std::size_t(picked.side)], picked.event);
    if (body.isEmpty()) {
        body = QStringLiteral("<p class=muted>%1</p>").arg(tr("Click an event or a gap, or walk with the arrow keys. W and S zoom, A and D move, F fits, M measures, / searches."));
        if (m_file.isEmpty())
            for (const base::VariantId id : m_chosen)
                if (!recordingOf(id))
                    body += QStringLiteral("<p class=warn>%1</p>").arg(tr("%1 is not recorded yet: Record does that.").arg(variantName(id)));
        for (const Side& side : m_view->sides())
            for (const std::string& note : side.model->notes)
                body += QStringLiteral("<p class=warn>%1: %2</p>").arg(InfoView::escaped(side.title), InfoView::escaped(note));
    }
    m_details->setBody(body);
    if (m_picking || !picked)
        return;
    m_picking = true;
    const auto follow = [&](int which, TimelineTableModel* model, int row) {
        if (row < 0)
            return;
        QTableView* table = m_tables[std::size_t(which)];
        const auto* proxy = static_cast<const QSortFilterProxyModel*>(table->model());
        const QModelIndex index = proxy->mapFromSource(model->index(row, 0));
        table->setCurrentIndex(index);
        table->scrollTo(index);
    };
    if (picked.gap < 0) {
        follow(0, m_work, m_work->rowOf(picked));
        const auto& model = *m_view->sides()[std::size_t(picked.side)].model;
        m_view->mark({picked.side, model.name[picked.event], model.category[picked.event]});
    } else {
        follow(1, m_gaps, m_gaps->rowOf(picked));
    }
    m_picking = false;
}

/// A row of work marks its events; a gap or an event that was found is gone to.
void TimelinePage::rowChosen(TimelineTableModel* model, const QModelIndex& current)
{
    if (m_picking || !current.isValid())
        return;
    m_picking = true;
    if (model == m_work) {
        const WorkModel::Row& row = m_work->at(current.row());
        m_view->mark({row.side, row.row.name, row.row.category});
    }
    m_view->pick(model->pickedOf(current.row()));
    m_picking = false;
}

// ---- search ---------------------------------------------------------------------------------------------------------

void TimelinePage::search(const QString& text)
{
    if (m_search->text() != text) {
        m_search->setText(text); // comes here again
        return;
    }
    if (text.isEmpty()) {
        m_loader->ask(SearchQuestion, [] { return 0; }, [](int) {});
        m_found->setFound({}, {});
        m_counter->clear();
        m_tabs->setTabText(2, tr("Found"));
        return;
    }
    QRegularExpression expression(text, QRegularExpression::CaseInsensitiveOption);
    if (!expression.isValid())
        expression.setPattern(QRegularExpression::escape(text));
    m_loader->ask(SearchQuestion,
                  [sides = m_view->sides(), expression] {
                      FoundModel::Found found;
                      std::size_t all = 0;
                      for (int side = 0; side < int(sides.size()); ++side)
                          for (const timeline::EventIndex event : timeline::eventsNamed(*sides[std::size_t(side)].model, [&](const std::string& name) {
                                   return expression.match(QString::fromStdString(name)).hasMatch();
                               }))
                              if (++all <= mostFound)
                                  found.emplace_back(side, event);
                      return std::tuple(sides, std::move(found), all);
                  },
                  [this](std::tuple<TimelineView::Sides, FoundModel::Found, std::size_t> answer) {
                      const auto all = int(std::get<2>(answer));
                      m_picking = true;
                      m_found->setFound(std::move(std::get<0>(answer)), std::move(std::get<1>(answer)));
                      m_picking = false;
                      m_counter->setText(all > int(mostFound) ? tr("%1 found, the first %2 listed").arg(all).arg(mostFound) : tr("%1 found").arg(all));
                      m_tabs->setTabText(2, tr("Found: %1").arg(all));
                      m_tabs->setCurrentIndex(2);
                  });
}

void TimelinePage::nextFound(int by)
{
    QTableView* table = m_tables[2];
    const int rows = table->model()->rowCount();
    if (rows == 0)
        return;
    const int row = table->currentIndex().isValid() ? (table->currentIndex().row() + by + rows) % rows : by > 0 ? 0 : rows - 1;
    table->setCurrentIndex(table->model()->index(row, 0));
}

// ---- what can be done -----------------------------------------------------------------------------------------------

void TimelinePage::choose(std::set<base::VariantId> variants)
{
    m_chosen = std::move(variants);
    m_choseSelf = true;
    showSelection();
}

void TimelinePage::fillChoice()
{
    QMenu* menu = m_choice->menu();
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
            text += QStringLiteral("  ") + (row.evaluation->verdict == protocol::Verdict::Correct ? speedupPhrase(row.evaluation->wall) : verdictStyle(row).word);
        text += QStringLiteral("  –  ") + (record ? tr("recorded %1").arg(ageText(record->created_ms, now_ms)) : tr("not recorded"));
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
    QMenu* menu = m_export->menu();
    menu->clear();
    const auto add = [&](base::VariantId id) {
        const store::TimelineRecord* record = recordingOf(id);
        if (!record)
            return;
        connect(menu->addAction(id ? tr("Reference and %1…").arg(titleOf(id)) : tr("Reference…")), &QAction::triggered, this, [this, id] {
            const QString file = QFileDialog::getSaveFileName(this, tr("Export a trace"), QStringLiteral("timeline-%1.json").arg(id.value), tr("Chrome traces (*.json)"));
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
    if (const store::TimelineRecord* record = recordingOf(variant))
        m_loader->save(m_project.path(), record->id, file);
}

void TimelinePage::record()
{
    if (m_task.empty())
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

void TimelinePage::openTrace(const QString& file) { m_loader->open(file); }

void TimelinePage::askForTrace()
{
    const QString file = QFileDialog::getOpenFileName(this, tr("Open a trace"), {}, tr("Chrome traces (*.json);;All files (*)"));
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
