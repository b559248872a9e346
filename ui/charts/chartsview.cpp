// SPDX-License-Identifier: GPL-3.0-or-later
// Tabs, choices and loading of the charts.
#include "ui/charts/chartsview.h"

#include "ui/charts/chartpanel.h"
#include "ui/charts/chartview.h"
#include "ui/kit/elidedcombobox.h"
#include "ui/kit/elidedlabel.h"
#include "ui/kit/pagetabs.h"
#include "ui/kit/theme.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace cudal1::ui {

using charts::ChartKind;

namespace {

struct Tab {
    ChartKind kind;
    const char* title;
    const char* toolTip;
};
constexpr std::array allTabs{
    Tab{ChartKind::Distribution, QT_TRANSLATE_NOOP("ChartsView", "Distribution"),
        QT_TRANSLATE_NOOP("ChartsView", "How many tasks gained how much")},
    Tab{ChartKind::FastP, QT_TRANSLATE_NOOP("ChartsView", "fast_p"),
        QT_TRANSLATE_NOOP("ChartsView", "Share of tasks with a correct variant faster than p")},
    Tab{ChartKind::Baselines, QT_TRANSLATE_NOOP("ChartsView", "Baselines"),
        QT_TRANSLATE_NOOP("ChartsView", "Against eager, torch.compile, a CUDA graph, or what others published")},
    Tab{ChartKind::Effects, QT_TRANSLATE_NOOP("ChartsView", "Techniques"),
        QT_TRANSLATE_NOOP("ChartsView", "What each technique brings, and how often it was tried")},
    Tab{ChartKind::Progress, QT_TRANSLATE_NOOP("ChartsView", "Progress"),
        QT_TRANSLATE_NOOP("ChartsView", "A run over its rounds, or the project over its evaluations")},
    Tab{ChartKind::Devices, QT_TRANSLATE_NOOP("ChartsView", "Devices"),
        QT_TRANSLATE_NOOP("ChartsView", "Level by GPU")},
    Tab{ChartKind::Claims, QT_TRANSLATE_NOOP("ChartsView", "Claims"),
        QT_TRANSLATE_NOOP("ChartsView", "What others published, by device and level, beside what was found here")},
};

/// Two charts of one tab, and what each is called there.
struct Pair {
    ChartKind first, second;
    const char* firstName;
    const char* secondName;
};
constexpr std::array pairs{
    Pair{ChartKind::Effects, ChartKind::Techniques, QT_TRANSLATE_NOOP("ChartsView", "by effect"),
         QT_TRANSLATE_NOOP("ChartsView", "by frequency")},
    Pair{ChartKind::Claims, ChartKind::ClaimedMeans, QT_TRANSLATE_NOOP("ChartsView", "by level"),
         QT_TRANSLATE_NOOP("ChartsView", "means by device")},
};

const Pair* pairOf(ChartKind kind)
{
    const auto found = std::find_if(pairs.begin(), pairs.end(),
                                    [kind](const Pair& pair) { return pair.first == kind || pair.second == kind; });
    return found == pairs.end() ? nullptr : &*found;
}

SelectionFilter filterOf(const charts::Mark& mark)
{
    SelectionFilter filter;
    filter.key = QString::fromStdString(mark.key);
    filter.kind = filter.key.section(QLatin1Char(':'), 0, 0);
    filter.text = mark.chip;
    filter.tasks = {mark.tasks.begin(), mark.tasks.end()};
    filter.technique = mark.technique;
    filter.deviceModel = mark.deviceModel;
    filter.run = mark.run;
    filter.variant = mark.variant;
    return filter;
}

/// The kinds of filters that a click in a chart makes: that chart goes on showing what else could be clicked.
std::set<QString> ownFilters(ChartKind kind)
{
    switch (kind) {
    case ChartKind::Distribution: return {QStringLiteral("range"), QStringLiteral("level")};
    case ChartKind::FastP: return {QStringLiteral("fastp"), QStringLiteral("level")};
    case ChartKind::Baselines: return {QStringLiteral("task"), QStringLiteral("series"), QStringLiteral("level")};
    case ChartKind::Effects:
    case ChartKind::Techniques: return {QStringLiteral("technique")};
    case ChartKind::Progress: return {QStringLiteral("variant"), QStringLiteral("step"), QStringLiteral("run")};
    case ChartKind::Devices: return {QStringLiteral("device")};
    case ChartKind::Percentiles: return {QStringLiteral("level")};
    case ChartKind::Claims:
    case ChartKind::ClaimedMeans: return {QStringLiteral("claims")};
    }
    return {};
}

bool needsReading(ChartKind kind)
{
    return kind != ChartKind::Distribution && kind != ChartKind::FastP;
}

} // namespace

ChartsView::ChartsView(ProjectModel& project, Selection& selection, QWidget* parent)
    : QWidget(parent), m_project(project), m_selection(selection), m_tabs(new PageTabs), m_panel(new ChartPanel)
{
    const Theme& theme = Theme::instance();
    m_tabs->setObjectName(QStringLiteral("chartTabs"));
    m_tabs->setAccessibleName(tr("Charts"));
    m_tabs->setMarked(true);
    m_tabs->setFocusPolicy(Qt::StrongFocus); // after a click the arrows go on among the charts
    for (const Tab& tab : allTabs)
        m_tabs->setTabToolTip(m_tabs->addTab(tr(tab.title)), tr(tab.toolTip));
    m_what = makeChoice(QStringLiteral("chartWhat"), tr("Which chart"));
    m_y = makeChoice(QStringLiteral("chartY"), tr("Vertical axis"));
    m_against = new QLabel(tr("against"));
    m_against->setProperty("class", QStringLiteral("muted"));
    m_panel->choices()->addWidget(m_against);
    m_x = makeChoice(QStringLiteral("chartX"), tr("Horizontal axis"));
    m_device = makeChoice(QStringLiteral("chartDevice"), tr("Device"));
    m_device->setMinimumContentsLength(14); // "NVIDIA H100 80" tells models apart
    m_run = makeChoice(QStringLiteral("chartRun"), tr("Run"));
    m_panel->choices()->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(theme.unit(1));
    layout->addWidget(m_tabs);
    layout->addWidget(m_panel, 1);
    m_own = new ElidedLabel;
    m_own->setObjectName(QStringLiteral("ownChoice"));
    m_own->setProperty("class", QStringLiteral("muted"));
    m_own->hide();
    layout->addWidget(m_own);

    connect(m_tabs, &QTabBar::currentChanged, this, &ChartsView::chooseTab);
    connect(m_panel->view(), &ChartView::clicked, this, &ChartsView::filterBy);
    connect(m_panel->view(), &ChartView::activated, this, &ChartsView::goTo);
    connect(m_panel->view(), &ChartView::released, &selection, [&selection] { selection.removeFilter({}); });
    connect(&selection, &Selection::filtersChanged, this, &ChartsView::filter);
    offerChoices();
}

QComboBox* ChartsView::makeChoice(const QString& name, const QString& label)
{
    auto* combo = new ElidedComboBox;
    combo->setObjectName(name);
    combo->setAccessibleName(label);
    combo->setToolTip(label);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(8);
    connect(combo, &QComboBox::activated, this, &ChartsView::choose);
    m_panel->choices()->addWidget(combo);
    return combo;
}

/// A chart that is lower tells nothing; one with many names in rows asks for more.
QSize ChartsView::minimumSizeHint() const
{
    return QWidget::minimumSizeHint().expandedTo({0, Theme::instance().unit(90)});
}

void ChartsView::setTasks(std::vector<store::TaskRow> tasks, const QString& leftOut)
{
    m_all = std::move(tasks);
    m_tasks.leftOut = leftOut;
    narrow();
    reload();
}

void ChartsView::setFailures(charts::Failures rule)
{
    m_choices.failures = rule;
    if (m_kind == ChartKind::Distribution || m_kind == ChartKind::Devices || m_kind == ChartKind::Claims ||
        m_kind == ChartKind::ClaimedMeans)
        reload();
}

void ChartsView::setKind(ChartKind kind)
{
    const Pair* pair = pairOf(kind);
    const auto tab = std::find_if(allTabs.begin(), allTabs.end(),
                                  [shown = pair ? pair->first : kind](const Tab& one) { return one.kind == shown; });
    if (tab == allTabs.end() || kind == m_kind)
        return;
    m_kind = kind;
    if (pair)
        m_second[pair->first] = kind == pair->second;
    const QSignalBlocker quiet(m_tabs);
    m_tabs->setCurrentIndex(int(tab - allTabs.begin()));
    narrow();
    reload();
}

void ChartsView::chooseTab(int tab)
{
    const ChartKind kind = allTabs[std::size_t(tab)].kind;
    const Pair* pair = pairOf(kind);
    setKind(pair && m_second[kind] ? pair->second : kind);
}

void ChartsView::reload()
{
    m_asker.forget();
    if (!needsReading(m_kind))
        return showChart(m_tasks);
    if (!m_project.isOpen())
        return;
    m_asker.ask(
        [file = m_project.path().toStdString(), kind = m_kind, choices = m_choices,
         numbers = m_tasks]() mutable -> base::Result<std::shared_ptr<const charts::Numbers>> {
            // This thread's own connection: a Project is used on the thread that opened it.
            auto project = store::Project::open(file);
            if (!project)
                return project.error();
            if (const base::Status status = charts::read(**project, kind, choices, numbers); !status)
                return status.error();
            return std::make_shared<const charts::Numbers>(std::move(numbers));
        },
        [this](const base::Result<std::shared_ptr<const charts::Numbers>>& read) {
            if (read)
                return showChart(**read);
            auto chart = std::make_shared<charts::Chart>();
            chart->title = tr("The chart cannot be read");
            chart->empty = QString::fromStdString(read.error().text());
            m_panel->setChart(std::move(chart));
        });
}

void ChartsView::showChart(const charts::Numbers& numbers)
{
    m_numbers = numbers;
    offerChoices();
    m_panel->setChart(std::make_shared<const charts::Chart>(charts::chartOf(m_kind, m_numbers, m_choices)));
    // What a filter of this chart means may have grown.
    if (m_tasks.tasks.size() == m_all.size())
        for (const charts::Mark& mark : m_panel->view()->chart().marks)
            if (!mark.chip.isEmpty())
                m_selection.refreshFilter(filterOf(mark));
    showFilters();
    emit shown();
}

void ChartsView::offer(QComboBox* combo, const std::vector<charts::Option>& options, const std::string& current)
{
    combo->clear();
    for (const charts::Option& option : options)
        combo->addItem(option.name, QString::fromStdString(option.id));
    combo->setCurrentIndex(combo->findData(QString::fromStdString(current)));
}

void ChartsView::offerChoices()
{
    const bool scatter = m_kind == ChartKind::Baselines;
    const std::vector<charts::Option> contenders = scatter ? charts::contenders(m_numbers)
                                                           : std::vector<charts::Option>();
    // What was chosen for another project may not be there.
    const auto keep = [](std::string& id, const std::vector<charts::Option>& known) {
        if (std::none_of(known.begin(), known.end(), [&id](const charts::Option& option) { return option.id == id; }))
            id.clear();
    };
    const std::vector<charts::Option> devices = charts::devices(m_numbers);
    if (scatter) {
        keep(m_choices.x, contenders);
        keep(m_choices.y, contenders);
        charts::completeScatter(m_numbers, m_choices);
        offer(m_y, contenders, m_choices.y);
        offer(m_x, contenders, m_choices.x);
    }
    if (scatter || m_kind == ChartKind::Effects) {
        keep(m_choices.deviceModel, devices);
        offer(m_device, devices,
              m_choices.deviceModel.empty() && !devices.empty() ? devices.front().id : m_choices.deviceModel);
    }
    if (m_kind == ChartKind::Progress) {
        const std::vector<charts::Option> runs = charts::runs(m_numbers);
        offer(m_run, runs, std::to_string(m_numbers.run.value));
        m_run->setMinimumContentsLength(24);
    }
    const Pair* pair = pairOf(m_kind);
    m_what->clear();
    if (pair) {
        m_what->addItems({tr(pair->firstName), tr(pair->secondName)});
        m_what->setCurrentIndex(m_kind == pair->second);
    }
    m_what->setVisible(pair);
    for (QWidget* widget : {static_cast<QWidget*>(m_x), static_cast<QWidget*>(m_y), static_cast<QWidget*>(m_against)})
        widget->setVisible(contenders.size() > 1 && !m_choices.x.empty() && !m_choices.y.empty());
    m_device->setVisible((scatter || m_kind == ChartKind::Effects) && devices.size() > 1);
    m_run->setVisible(m_kind == ChartKind::Progress && m_run->count() > 0);
}

void ChartsView::choose()
{
    if (const Pair* pair = pairOf(m_kind)) {
        const ChartKind wanted = m_what->currentIndex() == 1 ? pair->second : pair->first;
        if (wanted != m_kind)
            return setKind(wanted);
    }
    m_choices.x = m_x->currentData().toString().toStdString();
    m_choices.y = m_y->currentData().toString().toStdString();
    m_choices.deviceModel = m_device->currentData().toString().toStdString();
    m_choices.run.value = m_run->currentData().toLongLong();
    reload();
}

void ChartsView::filterBy(const charts::Mark& mark)
{
    m_selection.toggleFilter(filterOf(mark));
}

/// A single variant is opened beside its reference, a single task on its page.
void ChartsView::goTo(const charts::Mark& mark)
{
    if (mark.tasks.size() != 1)
        return;
    m_selection.select(mark.tasks.front(), {}, mark.variant,
                       mark.variant ? QStringLiteral("compare") : QStringLiteral("task"));
}

bool ChartsView::narrow()
{
    const std::set<QString> own = ownFilters(m_kind);
    std::vector<store::TaskRow> left;
    for (const store::TaskRow& row : m_all)
        if (m_selection.leaves(row.id, own))
            left.push_back(row);
    const bool same = std::equal(left.begin(), left.end(), m_tasks.tasks.begin(), m_tasks.tasks.end(),
                                 [](const auto& a, const auto& b) { return a.id == b.id; });
    m_tasks.tasks = std::move(left);
    return !same;
}

void ChartsView::filter()
{
    narrow() ? reload() : showFilters();
}

void ChartsView::showFilters()
{
    const std::set<QString> own = ownFilters(m_kind);
    std::set<std::string> keys;
    QStringList chosen;
    for (const SelectionFilter& filter : m_selection.filters()) {
        keys.insert(filter.key.toStdString());
        if (own.contains(filter.kind))
            chosen << filter.text;
    }
    m_own->setVisible(!chosen.isEmpty());
    m_own->setText(
        tr("Other pages and lists show only %1. This chart still shows all tasks, so that you can choose others.")
            .arg(chosen.join(tr(" and "))));
    m_panel->view()->setChosen(keys, [this](const base::TaskId& task) { return m_selection.leaves(task); });
}

} // namespace cudal1::ui
