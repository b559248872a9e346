// SPDX-License-Identifier: GPL-3.0-or-later
// The ablation page follows the selected task; what it shows is read on another thread.
#include "ui/ablation/ablationpage.h"

#include "core/ablation/examples.h"
#include "core/report/charts/ablationeffects.h"
#include "core/report/charts/layout.h"
#include "ui/ablation/ablationcontrols.h"
#include "ui/ablation/combinationsmodel.h"
#include "ui/ablation/findingshtml.h"
#include "ui/ablation/togglesmodel.h"
#include "ui/charts/chartpanel.h"
#include "ui/charts/chartview.h"
#include "ui/shell/filterchips.h"
#include "ui/shell/jobsmodel.h"
#include "ui/shell/projectmodel.h"
#include "ui/shell/runchoice.h"
#include "ui/shell/selection.h"
#include "ui/shell/setupview.h"
#include "ui/shell/theme.h"
#include "ui/shell/tool.h"
#include "ui/shell/uistate.h"
#include "ui/variants/barpainter.h"
#include "ui/variants/infoview.h"
#include "ui/variants/speedupdelegate.h"
#include "ui/variants/texts.h"

#include <QAction>
#include <QApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace cudal1::ui {

namespace {

QString text(std::string_view from)
{
    return QString::fromUtf8(from.data(), qsizetype(from.size()));
}

QLabel* sectionTitle(const QString& text)
{
    const Theme& theme = Theme::instance();
    auto* label = new QLabel(text);
    label->setFont(theme.titleFont(2));
    label->setContentsMargins(theme.unit(3), theme.unit(2), theme.unit(3), theme.unit(2));
    return label;
}

/// Number and bar; the interval is in the tool tip, for which a narrow pane has more room.
class EffectDelegate : public QStyledItemDelegate {
public:
    EffectDelegate(const TogglesModel& model, QObject* parent) : QStyledItemDelegate(parent), m_model(model) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyleOptionViewItem cell(option);
        initStyleOption(&cell, index);
        cell.text.clear();
        QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
        const base::Interval effect = m_model.effect(index.row());
        if (!effect.valid())
            return;
        const Theme& theme = Theme::instance();
        const QRect area = option.rect.adjusted(theme.unit(2), 0, -theme.unit(2), 0);
        const int wide = QFontMetrics(theme.monoFont()).horizontalAdvance(QStringLiteral("unclear "));
        painter->save();
        painter->setFont(theme.monoFont());
        painter->setPen(theme.color(speedupRole(effect)));
        painter->drawText(area, Qt::AlignLeft | Qt::AlignVCenter, speedupPhrase(effect));
        const double height = theme.unit(2);
        if (area.width() - wide >= theme.unit(4))
            paintSpeedupBar(*painter, QRectF(area.left() + wide, area.center().y() - height / 2 + 0.5, area.width() - wide, height), m_model.axis(), effect);
        painter->restore();
    }

private:
    const TogglesModel& m_model;
};

/// One under the other; the number is the stretch.
QWidget* column(std::initializer_list<std::pair<QWidget*, int>> panes)
{
    auto* widget = new QWidget;
    auto* layout = new QVBoxLayout(widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    for (const auto& [pane, stretch] : panes)
        layout->addWidget(pane, stretch);
    return widget;
}

void plain(QTableView* view)
{
    view->setProperty("class", QStringLiteral("dense"));
    view->setSizeAdjustPolicy(QAbstractScrollArea::AdjustToContents);
    view->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    view->setShowGrid(false);
    view->setWordWrap(false);
    view->setTabKeyNavigation(false);
    view->verticalHeader()->hide();
    view->verticalHeader()->setDefaultSectionSize(Theme::instance().unit(6));
    view->horizontalHeader()->setHighlightSections(false);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
}

} // namespace

AblationPage::AblationPage(ProjectModel& project, Selection& selection, RunChoice& choice, JobsModel& jobs, QWidget* parent)
    : Page(QStringLiteral("ablation"), tr("Ablation"), QStringLiteral("ablation"), parent), m_project(project), m_selection(selection),
      m_choice(choice), m_jobs(jobs), m_loader(new AblationLoader(this)), m_controls(new AblationControls), m_toggles(new TogglesModel(this)),
      m_model(new CombinationsModel(this)), m_proxy(new QSortFilterProxyModel(this)), m_effects(new ChartPanel), m_findings(new InfoView),
      m_stack(new QStackedWidget)
{
    const Theme& theme = Theme::instance();
    // Tables are as high as their rows; findings and plot take the rest, so that all is seen without scrolling.
    auto* split = new QSplitter(Qt::Horizontal);
    split->setObjectName(QStringLiteral("ablationColumns"));
    split->addWidget(column({{makeTable(), 0}, {makeFindings(), 1}}));
    split->addWidget(column({{makeToggles(), 0}, {makePlot(), 1}}));
    split->setStretchFactor(0, 2);
    split->setStretchFactor(1, 1);
    split->setSizes({theme.unit(204), theme.unit(90)});
    split->setChildrenCollapsible(false);
    split->setHandleWidth(theme.unit(1));
    UiState::instance().keep(split, QStringLiteral("ablationColumns"));
    auto* body = new QWidget;
    auto* layout = new QVBoxLayout(body);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_controls);
    layout->addWidget(split, 1);
    m_stack->addWidget(makeNothing());
    m_stack->addWidget(body);
    setContent(m_stack);
    makeActions();

    connect(m_loader, &AblationLoader::loaded, this, &AblationPage::show);
    connect(m_controls, &AblationControls::requestChanged, this, [this] {
        const base::VariantId before = m_question.request.variant;
        m_question.request = m_controls->request();
        if (before == m_question.request.variant)
            m_question.request.toggles = m_toggles->chosen();
        change();
    });
    connect(m_controls, &AblationControls::storedChosen, this, [this](base::AblationId stored) {
        if (!stored)
            return change();
        m_asked = true;
        m_question.newest = false;
        m_question.stored = stored;
        load();
    });
    connect(m_controls, &AblationControls::runRequested, this, &AblationPage::run);
    connect(m_controls, &AblationControls::stopRequested, this, [this] {
        if (const Job* job = m_jobs.jobOf(m_task))
            emit stopRequested(job->id);
    });
    connect(m_toggles, &TogglesModel::chosenChanged, this, [this] {
        m_question.request = m_controls->request();
        m_question.request.toggles = m_toggles->chosen();
        change();
    });
    connect(&selection, &Selection::taskChanged, this, &AblationPage::showSelection);
    connect(&selection, &Selection::pageChanged, this, &AblationPage::showSelection);
    connect(&project, &ProjectModel::tasksChanged, this, &AblationPage::showSelection);
    connect(&project, &ProjectModel::closed, this, &AblationPage::showSelection);
    connect(&project, &ProjectModel::variantsChanged, this, [this](const base::TaskId& task) {
        if (task != m_task || task.empty())
            return;
        m_stale = true;
        showSelection();
    });
    const auto conditionsChanged = [this] {
        if (m_question.stored)
            return; // it has conditions of its own
        m_stale = true;
        showSelection();
    };
    connect(&choice, &RunChoice::changed, this, conditionsChanged);
    connect(&choice, &RunChoice::devicesChanged, this, conditionsChanged);
    connect(&jobs, &JobsModel::jobChanged, this, [this](quint64, const base::TaskId& task) {
        if (task == m_task)
            showJob();
    });
    showSelection();
}

QWidget* AblationPage::makeNothing()
{
    const Theme& theme = Theme::instance();
    auto* widget = new QWidget;
    auto* title = new QLabel(tr("Which optimisation does what"));
    title->setFont(theme.titleFont(1));
    title->setAlignment(Qt::AlignCenter);
    m_nothing = new QLabel;
    m_nothing->setObjectName(QStringLiteral("ablationNothing"));
    m_nothing->setWordWrap(true);
    m_nothing->setAlignment(Qt::AlignCenter);
    m_nothing->setProperty("class", QStringLiteral("muted"));
    m_nothing->setFixedWidth(theme.unit(100)); // its height follows from that
    auto* layout = new QVBoxLayout(widget);
    layout->setSpacing(theme.unit(3));
    layout->addStretch(2);
    layout->addWidget(title, 0, Qt::AlignHCenter);
    layout->addWidget(m_nothing, 0, Qt::AlignHCenter);
    for (const ablation::Example& example : ablation::examples()) {
        auto* button = new QPushButton(tr("%1: %2").arg(text(example.task), text(example.title)));
        button->setObjectName(QStringLiteral("ablationExample_") + text(example.task));
        button->setToolTip(tr("Take our program for %1 apart, as the paper does in its %2").arg(text(example.task), text(example.table)));
        button->setProperty("class", QStringLiteral("primary"));
        layout->addWidget(button, 0, Qt::AlignHCenter);
        m_examples.push_back(button);
        connect(button, &QPushButton::clicked, this, [this, task = base::TaskId{std::string(example.task)}] { openExample(task); });
    }
    layout->addStretch(3);
    return widget;
}

QWidget* AblationPage::makeToggles()
{
    m_togglesView = new QTableView;
    m_togglesView->setObjectName(QStringLiteral("toggles"));
    m_togglesView->setAccessibleName(tr("Toggles of the variant"));
    m_togglesView->setModel(m_toggles);
    plain(m_togglesView);
    m_togglesView->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_togglesView->setItemDelegateForColumn(TogglesModel::Effect, new EffectDelegate(*m_toggles, m_togglesView));
    m_togglesView->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_togglesView->horizontalHeader()->setSectionResizeMode(TogglesModel::Name, QHeaderView::ResizeToContents);
    m_togglesView->horizontalHeader()->setStretchLastSection(true);
    return column({{sectionTitle(tr("Toggles")), 0}, {m_togglesView, 1}});
}

QWidget* AblationPage::makeTable()
{
    const Theme& theme = Theme::instance();
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(CombinationsModel::SortRole);
    m_combinations = new QTableView;
    m_combinations->setObjectName(QStringLiteral("combinations"));
    m_combinations->setAccessibleName(tr("Combinations of the toggles"));
    m_combinations->setModel(m_proxy);
    plain(m_combinations);
    m_combinations->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_combinations->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_combinations->setSortingEnabled(true);
    m_combinations->horizontalHeader()->setMinimumSectionSize(theme.unit(8));
    m_combinations->horizontalHeader()->setStretchLastSection(false);
    m_combinations->viewport()->installEventFilter(this);
    m_tools = setupView(m_combinations, QStringLiteral("combinations"));
    connect(m_combinations, &QTableView::doubleClicked, this, &AblationPage::openRow);
    // How many columns there are depends on the variant.
    connect(m_model, &QAbstractItemModel::modelReset, this, [this] {
        const int widths[CombinationsModel::FixedCount] = {38, 14, 18, 20, 0, 15};
        const Theme& now = Theme::instance();
        QHeaderView* header = m_combinations->horizontalHeader();
        for (int column = 0; column < m_model->columnCount(); ++column) {
            const int fixed = column - m_model->toggles();
            m_combinations->setItemDelegateForColumn(column, nullptr);
            int wide = fixed < 0 ? now.unit(8) : now.unit(widths[fixed]);
            if (fixed < 0)
                for (const QString& word : m_model->headerData(column, Qt::Horizontal).toString().split(u'\n'))
                    wide = std::max(wide, header->fontMetrics().horizontalAdvance(word) + now.unit(3));
            header->resizeSection(column, wide);
        }
        if (m_model->columnCount() == 0)
            return;
        fitColumns();
        m_combinations->setItemDelegateForColumn(m_model->column(CombinationsModel::Wall),
                                                 new SpeedupDelegate([this](const QModelIndex& index) { return m_model->speedup(m_proxy->mapToSource(index).row()); },
                                                                     [this] { return m_model->axis(); }, m_combinations));
        m_combinations->sortByColumn(m_model->column(CombinationsModel::Wall), Qt::DescendingOrder);
    });
    connect(m_model, &QAbstractItemModel::dataChanged, this, &AblationPage::fitColumns);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(0, 0, theme.unit(3), 0);
    bar->addWidget(sectionTitle(tr("Combinations")));
    bar->addStretch(1);
    bar->addWidget(m_tools->makeChips());
    auto* pane = new QWidget;
    pane->setMinimumWidth(theme.unit(100));
    auto* layout = new QVBoxLayout(pane);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(m_combinations, 1);
    return pane;
}

QWidget* AblationPage::makeFindings()
{
    m_findings->setAccessibleName(tr("What the ablation found"));
    m_findings->setMinimumHeight(Theme::instance().unit(30));
    return column({{sectionTitle(tr("Findings")), 0}, {m_findings, 1}});
}

QWidget* AblationPage::makePlot()
{
    const Theme& theme = Theme::instance();
    auto* scroll = new QScrollArea;
    scroll->setWidget(m_effects);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_effects->setObjectName(QStringLiteral("effects"));
    m_effects->choices()->addStretch(1);
    connect(&theme, &Theme::changed, this, &AblationPage::showEffects); // its rows grow with the font
    auto* pane = new QWidget;
    pane->setMinimumWidth(theme.unit(76));
    auto* layout = new QVBoxLayout(pane);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(scroll, 1);
    return pane;
}

/// Verdicts and events are read whole. A device without events has no column of them, nor has a plan of which nothing is judged: a narrow
/// window has no room for empty ones.
void AblationPage::fitColumns()
{
    if (m_model->columnCount() == 0)
        return;
    const Theme& theme = Theme::instance();
    QHeaderView* header = m_combinations->horizontalHeader();
    const int verdict = m_model->column(CombinationsModel::Verdict), event = m_model->column(CombinationsModel::Event);
    const auto widest = [&](int column, const QFontMetrics& font) {
        int wide = 0;
        for (int row = 0; row < m_model->rowCount(); ++row)
            wide = std::max(wide, font.horizontalAdvance(m_model->index(row, column).data().toString()));
        return wide;
    };
    const int ofEvents = widest(event, QFontMetrics(theme.monoFont()));
    header->resizeSection(verdict, std::max(header->sectionSize(verdict), widest(verdict, m_combinations->fontMetrics()) + theme.unit(10)));
    header->resizeSection(event, std::max(header->sectionSize(event), ofEvents + theme.unit(5)));
    header->setSectionHidden(event, ofEvents == 0);
    fitBottleneck();
}

/// The bottleneck, a sentence that its tool tip has whole, gets the width that the numbers leave: where that is little only its
/// first word is shown, and where it is too little for that the table scrolls.
void AblationPage::fitBottleneck()
{
    if (m_model->columnCount() == 0)
        return;
    const Theme& theme = Theme::instance();
    QHeaderView* header = m_combinations->horizontalHeader();
    const int column = m_model->column(CombinationsModel::Bottleneck);
    const int rest = m_combinations->viewport()->width() - (header->length() - header->sectionSize(column));
    m_model->setBottlenecksInAWord(rest < theme.unit(60));
    header->resizeSection(column, std::max(rest, theme.unit(25)));
}

bool AblationPage::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_combinations->viewport() && event->type() == QEvent::Resize)
        fitBottleneck();
    return Page::eventFilter(watched, event);
}

void AblationPage::makeActions()
{
    const auto add = [this](const QString& text, const QString& tip, const QKeySequence& key, auto slot) {
        QAction* action = makeTool(this, {}, text, tip, key);
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(action, &QAction::triggered, this, slot);
    };
    add(tr("Run the ablation"), tr("Judge the combinations that are missing"), Qt::Key_F6, &AblationPage::run);
    add(tr("Save the chart of effects…"), tr("Save the chart as SVG, PNG or CSV"), {}, [this] { m_effects->askAndExport(); });
    add(tr("Copy the chart of effects"), tr("Copy the chart as a picture"), {}, [this] { m_effects->copyPicture(); });
    for (const ablation::Example& example : ablation::examples())
        add(tr("Ablation of %1, %2").arg(text(example.task), text(example.title)), tr("Take our program for this task apart"), {},
            [this, task = base::TaskId{std::string(example.task)}] { openExample(task); });
}

ablation::Settings AblationPage::settings() const
{
    ablation::Settings out;
    out.device = m_choice.device().toStdString();
    if (const auto device = m_choice.chosen())
        out.deviceModel = device->model;
    out.precision = m_choice.precision();
    out.preset = m_choice.preset();
    return out;
}

void AblationPage::showSelection()
{
    const base::TaskId task = m_project.isOpen() ? m_selection.task() : base::TaskId();
    if (task.empty()) {
        m_task = {};
        m_stale = false;
        m_loader->forget();
        show(nullptr);
        return;
    }
    if (task != m_task) {
        m_task = task;
        m_asked = false;
        m_question = {};
        m_question.newest = true;
        m_loader->forget();
        m_stale = true;
        show(nullptr);
        showJob();
    }
    // Nothing is read for a page that nobody looks at.
    if (m_selection.page() != objectName() || !m_stale)
        return;
    showVariants();
    load();
}

void AblationPage::showVariants()
{
    const auto rows = m_project.variants(m_task);
    const bool example = ablation::exampleFor(m_task) != nullptr;
    m_controls->setVariants(rows ? *rows : VariantList(), example);
    if (m_asked || !rows)
        return;
    // What the user looks at first, then our example, then the best.
    const base::VariantId looked = m_selection.right();
    const bool mine = std::any_of(rows->begin(), rows->end(), [&](const store::VariantRow& row) { return row.id == looked; });
    m_question.request.variant = mine ? looked : example || rows->empty() ? base::VariantId() : rows->front().id;
}

void AblationPage::load()
{
    if (m_task.empty() || !m_project.isOpen())
        return;
    const auto record = m_project.taskRecord(m_task);
    if (!record) {
        if (!m_project.isLoading())
            emit errorRaised(record.error());
        return;
    }
    m_stale = false;
    m_question.project = m_project.path();
    m_question.task = record.value();
    m_question.request.task = m_task;
    m_question.settings = settings();
    m_loader->load(m_question);
}

/// The user wants another one than what is stored.
void AblationPage::change()
{
    m_asked = true;
    m_question.stored.reset();
    m_question.newest = false;
    load();
}

void AblationPage::show(std::shared_ptr<const AblationView> view)
{
    m_view = std::move(view);
    const bool nothing = m_task.empty() || (m_view && m_view->error && m_view->toggles.empty() && m_view->stored.empty() && !m_view->request.variant);
    m_toggles->setView(m_view);
    m_model->setView(m_view && !m_view->error ? m_view : nullptr);
    showEffects();
    m_findings->setBody(m_view && !m_view->error ? findingsHtml(*m_view) : QString(), true);
    if (m_view) {
        m_question.request = m_view->request;
        m_controls->setView(*m_view);
        showJob();
    }
    m_nothing->setText(m_task.empty() ? tr("A variant whose optimisations have toggles (lines such as USE_CUDA_GRAPH = True) is judged with each of them on and "
                                           "off: which one makes it fast, which ones need each other, which one does nothing. Choose a task, or one of the "
                                           "paper's two examples.")
                                      : tr("%1 has no variant that could be taken apart yet. Optimize makes some, with a toggle for each technique; or begin with "
                                           "one of the paper's two examples.")
                                            .arg(QString::fromStdString(m_task.value)));
    m_nothing->setFixedHeight(m_nothing->heightForWidth(m_nothing->minimumWidth()));
    for (std::size_t i = 0; i < m_examples.size(); ++i)
        m_examples[i]->setEnabled(m_project.isOpen() && m_project.entry({std::string(ablation::examples()[i].task)}));
    if (nothing || m_view) // what is there stays until the next is read
        m_stack->setCurrentIndex(nothing ? 0 : 1);
}

void AblationPage::showJob()
{
    const Job* job = m_task.empty() ? nullptr : m_jobs.jobOf(m_task);
    const bool ours = job && job->isActive() && job->kind == tr("Ablation");
    m_controls->setJob(ours ? job : nullptr);
    if (!ours && m_view)
        m_controls->setView(*m_view);
}

void AblationPage::run()
{
    if (!m_view || m_view->error)
        return;
    // What is shown may have been judged elsewhere; what is run now is shown as it comes.
    m_asked = true;
    m_question.stored.reset();
    m_question.newest = false;
    emit ablateRequested(m_view->request);
    load();
}

void AblationPage::openExample(const base::TaskId& task)
{
    if (m_task == task)
        return showSelection();
    m_selection.select(task, {}, {}, objectName());
}

void AblationPage::openRow(const QModelIndex& index)
{
    const base::VariantId variant{index.data(CombinationsModel::VariantRole).toLongLong()};
    if (variant && m_view)
        m_selection.select(m_task, m_view->plan.variant.id == variant ? base::VariantId() : m_view->plan.variant.id, variant, QStringLiteral("compare"));
}

void AblationPage::showEffects()
{
    const bool any = m_view && !m_view->error;
    auto chart = std::make_shared<const charts::Chart>(any ? charts::ablationEffects(m_view->plan.names(), m_view->wall, m_view->event) : charts::ablationEffects({}, {}, {}));
    ChartView* view = m_effects->view();
    view->setMinimumHeight(chart->isEmpty() ? 0 : int(std::ceil(charts::leastHeight(*chart, view->drawnIn()))));
    m_effects->setChart(std::move(chart));
}

void AblationPage::find()
{
    m_tools->find();
}

} // namespace cudal1::ui
