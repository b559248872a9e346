// SPDX-License-Identifier: GPL-3.0-or-later
// Sets of tasks, devices with check marks, and what they come to.
#include "ui/shell/optimizemanydialog.h"

#include "core/tasks/split.h"
#include "ui/kit/theme.h"
#include "ui/variants/texts.h"
#include "ui/work/jobsmodel.h"
#include "ui/work/projectmodel.h"
#include "ui/work/runchoice.h"
#include "ui/work/selection.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <map>

namespace cudal1::ui {

OptimizeManyDialog::OptimizeManyDialog(const ProjectModel& project, const Selection& selection, RunChoice& choice,
                                       QWidget* parent)
    : QDialog(parent), m_project(project), m_choice(choice), m_tasks(new QComboBox), m_devices(new QListWidget),
      m_settings(new QLabel), m_fresh(new QCheckBox(tr("Search again where a search came to its end"))),
      m_sum(new QLabel)
{
    setWindowTitle(tr("Optimize Many Tasks"));
    setObjectName(QStringLiteral("optimizeMany"));
    setAttribute(Qt::WA_DeleteOnClose);
    const Theme& theme = Theme::instance();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(theme.unit(4), theme.unit(4), theme.unit(4), theme.unit(4));
    layout->setSpacing(theme.unit(3));
    auto* form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setHorizontalSpacing(theme.unit(4));
    form->setVerticalSpacing(theme.unit(3));

    m_tasks->setObjectName(QStringLiteral("manyTasks"));
    m_devices->setObjectName(QStringLiteral("manyDevices"));
    m_devices->setAccessibleName(tr("Devices"));
    m_devices->setToolTip(tr("As many searches are made at a time as devices are checked. More are offered once "
                             "evaluators have said what they have."));
    m_devices->setFixedHeight(theme.unit(28));
    m_devices->setMinimumWidth(theme.unit(100));
    m_devices->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_devices->setTextElideMode(Qt::ElideRight);
    m_settings->setObjectName(QStringLiteral("manySettings"));
    m_settings->setProperty("class", QStringLiteral("muted"));
    m_settings->setToolTip(
        tr("What the tool bar says is used for each search, and its time limit is that of the settings."));
    m_fresh->setObjectName(QStringLiteral("manyFresh"));
    m_fresh->setToolTip(tr("Without this, tasks whose search came to its end with these settings are left out, and "
                           "unfinished searches are gone on with."));
    m_sum->setObjectName(QStringLiteral("manySum"));
    m_sum->setWordWrap(true);
    m_sum->setMinimumHeight(2 * m_sum->fontMetrics().lineSpacing()); // or what is above gives way to its second line
    form->addRow(tr("Tasks"), m_tasks);
    form->addRow(tr("Devices"), m_devices);
    form->addRow(tr("Each search"), m_settings);
    form->addRow(QString(), m_fresh);
    layout->addLayout(form);
    layout->addWidget(m_sum);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_start = buttons->addButton(tr("Optimize"), QDialogButtonBox::AcceptRole);
    m_start->setObjectName(QStringLiteral("manyStart"));
    m_start->setDefault(true);
    m_start->setMinimumWidth(theme.unit(28)); // the default button's text is bold
    layout->addWidget(buttons);

    fillSets(project, selection);
    fillDevices();
    connect(m_tasks, &QComboBox::currentIndexChanged, this, &OptimizeManyDialog::showSum);
    connect(m_devices, &QListWidget::itemChanged, this, &OptimizeManyDialog::showSum);
    connect(m_fresh, &QCheckBox::toggled, this, &OptimizeManyDialog::showSum);
    connect(&m_choice, &RunChoice::devicesChanged, this, &OptimizeManyDialog::fillDevices);
    connect(&m_choice, &RunChoice::changed, this, &OptimizeManyDialog::showSum);
    connect(buttons, &QDialogButtonBox::accepted, this, &OptimizeManyDialog::start);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    // When whoever made it has connected.
    QMetaObject::invokeMethod(this, &OptimizeManyDialog::devicesWanted, Qt::QueuedConnection);
    showSum();
}

void OptimizeManyDialog::fillSets(const ProjectModel& project, const Selection& selection)
{
    Set all{tr("All"), {}}, train{tr("The split to train on"), {}}, held{tr("The split that is held out"), {}},
        left{tr("Those that the list shows"), {}};
    std::map<int, Set> levels;
    for (const TaskEntry& task : *project.tasks()) {
        if (!selection.filters().empty() && selection.leaves(task.id))
            left.tasks.push_back(task.id);
        if (!task.inSuite)
            continue;
        all.tasks.push_back(task.id);
        Set& level = levels[task.level];
        level.name = task.level > 0 ? tr("Level %1").arg(task.level) : tr("Single files");
        level.tasks.push_back(task.id);
        (tasks::splitOf(task.level, task.id) == tasks::Split::Train ? train : held).tasks.push_back(task.id);
    }
    m_sets = {left, all};
    for (const auto& [level, set] : levels)
        m_sets.push_back(set);
    m_sets.push_back(train);
    m_sets.push_back(held);
    std::erase_if(m_sets, [](const Set& set) { return set.tasks.empty(); });
    for (const Set& set : m_sets)
        m_tasks->addItem(tr("%1 (%2)").arg(set.name).arg(set.tasks.size()));
}

void OptimizeManyDialog::fillDevices()
{
    std::vector<Place> checked = places();
    if (m_devices->count() == 0)
        checked.push_back(m_choice.place());
    m_devices->clear();
    for (const RunChoice::Device& device : m_choice.devices()) {
        auto* item = new QListWidgetItem(RunChoice::label(device), m_devices);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        item->setData(Qt::UserRole, device.place.name);
        item->setCheckState(std::find(checked.begin(), checked.end(), device.place) != checked.end() ? Qt::Checked
                                                                                                     : Qt::Unchecked);
    }
    showSum();
}

std::vector<Place> OptimizeManyDialog::places() const
{
    std::vector<Place> out;
    for (int row = 0; row < m_devices->count(); ++row)
        for (const RunChoice::Device& device : m_choice.devices())
            if (m_devices->item(row)->checkState() == Qt::Checked &&
                m_devices->item(row)->data(Qt::UserRole) == device.place.name)
                out.push_back(device.place);
    return out;
}

void OptimizeManyDialog::showSum()
{
    const QString preset = QString::fromUtf8(protocol::toString(m_choice.preset())),
                  searching = QString::fromUtf8(protocol::toString(m_choice.searchPreset()));
    m_settings->setText(tr("%1 · %2 · %3 · %4")
                            .arg(RunChoice::label(m_choice.policies()),
                                 QString::fromUtf8(protocol::toString(m_choice.precision())),
                                 searching == preset ? preset : tr("%1, the best with %2").arg(searching, preset),
                                 m_choice.rounds() == 1 ? tr("1 round") : tr("%1 rounds").arg(m_choice.rounds())));
    const std::vector<Place> chosen = places();
    const Place *one = nullptr, *other = nullptr;
    for (std::size_t i = 0; i < chosen.size(); ++i)
        for (std::size_t j = i + 1; j < chosen.size(); ++j)
            if (chosen[i].disturbs(chosen[j])) {
                one = &chosen[i];
                other = &chosen[j];
            }
    const bool tasks = m_tasks->currentIndex() >= 0;
    m_start->setEnabled(tasks && !chosen.empty() && !one);
    m_asker.forget();
    if (!tasks)
        m_sum->setText(tr("The project has no tasks. Open a suite first."));
    else if (chosen.empty())
        m_sum->setText(tr("Check a device."));
    else if (one)
        m_sum->setText(
            tr("%1 and %2 are one machine's: what is measured on its CPU would disturb the other. Leave one out.")
                .arg(one->name, other->name));
    else
        askForTime();
}

/// The project is read on a worker, since it may have many runs; until then the rest is said.
void OptimizeManyDialog::askForTime()
{
    showTime({});
    auto tasks = m_project.taskRecords(m_sets[std::size_t(m_tasks->currentIndex())].tasks);
    if (!tasks)
        return; // starting says why
    m_asker.ask(
        [file = m_project.path().toStdString(), options = m_choice.searchOptions(),
         policy = m_choice.policies().policyName(), tasks = std::move(*tasks), chosen = places(),
         fresh = m_fresh->isChecked()]() -> base::Result<optimize::CampaignAhead> {
            const auto project = store::Project::open(file);
            if (!project)
                return project.error();
            std::vector<optimize::SearchPlace> places;
            for (const Place& place : chosen)
                places.push_back(searchPlace(place));
            return optimize::campaignAhead(**project, options, policy, tasks, places, fresh);
        },
        [this](const base::Result<optimize::CampaignAhead>& ahead) {
            if (ahead)
                showTime(*ahead);
        });
}

void OptimizeManyDialog::showTime(const optimize::CampaignAhead& ahead)
{
    QString text = tr("%1, %2 at a time")
                       .arg(counted(std::int64_t(m_sets[std::size_t(m_tasks->currentIndex())].tasks.size()),
                                    tr("search"), tr("searches")))
                       .arg(places().size());
    if (ahead.seconds > 0)
        text += tr(", about %1 in all").arg(durationText(ahead.seconds));
    text += u'.';
    if (ahead.over > 0)
        text += u' ' + (ahead.over == 1
                            ? tr("1 of them came to its end before and is left out, unless you ask for it again.")
                            : tr("%1 of them came to their end before and are left out, unless you ask for them again.")
                                  .arg(countText(ahead.over)));
    else if (!m_fresh->isChecked())
        text += u' ' + tr("What was searched to its end before is left out, unless you ask for it again.");
    m_sum->setText(text);
}

void OptimizeManyDialog::start()
{
    emit startRequested(m_sets[std::size_t(m_tasks->currentIndex())].tasks, places(), m_fresh->isChecked());
    accept();
}

} // namespace cudal1::ui
