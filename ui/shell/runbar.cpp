// SPDX-License-Identifier: GPL-3.0-or-later
// The tool bar's choosers: buttons with menus, whose text is the choice.
#include "ui/shell/runbar.h"

#include "ui/kit/theme.h"
#include "ui/policies/policypanel.h"
#include "ui/policies/policypopup.h"
#include "ui/work/choicemenu.h"
#include "ui/work/projectmodel.h"
#include "ui/work/runchoice.h"
#include "ui/work/selection.h"

#include <QAction>
#include <QLayout>
#include <QMenu>
#include <QToolButton>

#include <iterator>

namespace cudal1::ui {

namespace {

/// How much the bar says; widths in steps of the grid.
struct Form {
    int task;     ///< of the task's button
    int policies; ///< of the names of policies
    bool named;   ///< the choosers of device and precision say what they choose
};

// The fullest that fits is shown, so that nothing is cut off or falls off the end.
constexpr Form forms[] = {{96, 60, true}, {58, 34, true}, {48, 34, true},
                          {32, 34, true}, {32, 20, true}, {32, 20, false}};

} // namespace

RunBar::RunBar(ProjectModel& project, Selection& selection, RunChoice& choice, ModelList& models,
               const RunActions& actions, QWidget* parent)
    : QToolBar(tr("Run"), parent), m_project(project), m_selection(selection), m_choice(choice),
      m_devices(new QMenu(this)), m_precisions(new QMenu(this))
{
    setObjectName(QStringLiteral("runBar"));
    setMovable(false);
    setFloatable(false);
    setContextMenuPolicy(Qt::PreventContextMenu);
    const Theme& theme = Theme::instance();
    addAction(actions.back);
    addAction(actions.forward);

    m_task = new QToolButton(this);
    m_task->setObjectName(QStringLiteral("taskChooser"));
    m_task->setProperty("class", QStringLiteral("chooser"));
    m_task->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_task->setIcon(theme.icon(QStringLiteral("task"), Role::Muted));
    m_task->setFixedWidth(theme.unit(forms[1].task));
    m_task->setToolTip(actions.goToTask->toolTip());
    m_task->setAccessibleName(tr("Task"));
    connect(m_task, &QToolButton::clicked, actions.goToTask, &QAction::trigger);
    addWidget(m_task);

    auto* spacer = new QWidget(this);
    spacer->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    addWidget(spacer);

    makePolicyChooser(models);
    connect(m_devices, &QMenu::aboutToShow, this, &RunBar::devicesWanted);
    m_device = makeChooser(QStringLiteral("deviceChooser"), tr("Device"), m_devices);
    m_device->setToolTip(tr("Where variants are judged"));
    m_device->setIcon(theme.icon(QStringLiteral("device"), Role::Muted));
    addPrecisions(m_precisions, m_choice);
    m_precisions->setToolTipsVisible(true);
    m_precision = makeChooser(QStringLiteral("precisionChooser"), tr("Precision"), m_precisions);

    m_optimize = new QToolButton(this);
    m_optimize->setObjectName(QStringLiteral("optimizeButton"));
    m_optimize->setProperty("class", QStringLiteral("primary"));
    // Not the default action: its icon is drawn in the colour of text, which would vanish on the accent.
    m_optimize->setText(actions.optimize->text());
    m_optimize->setToolTip(actions.optimize->toolTip());
    m_optimize->setAccessibleName(actions.optimize->text());
    const auto follow = [this, optimize = actions.optimize] { m_optimize->setEnabled(optimize->isEnabled()); };
    connect(actions.optimize, &QAction::changed, m_optimize, follow);
    connect(m_optimize, &QToolButton::clicked, actions.optimize, &QAction::trigger);
    follow();
    m_optimize->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_optimize->setIcon(theme.icon(QStringLiteral("optimize"), Role::AccentText));
    m_optimize->setPopupMode(QToolButton::MenuButtonPopup);
    m_optimize->setMenu(makeOptimizeMenu());
    addWidget(m_optimize);

    auto* stop = new QToolButton(this);
    stop->setObjectName(QStringLiteral("stopButton"));
    stop->setDefaultAction(actions.stop);
    stop->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    stop->setProperty("class", QStringLiteral("chooser"));
    addWidget(stop);

    connect(&m_selection, &Selection::taskChanged, this, &RunBar::showTask);
    connect(&m_project, &ProjectModel::tasksChanged, this, &RunBar::showTask);
    connect(&Theme::instance(), &Theme::changed, this, &RunBar::fit); // with another size of text
    connect(&m_choice, &RunChoice::changed, this, &RunBar::fit);
    connect(&m_choice, &RunChoice::devicesChanged, this, &RunBar::fillDevices);
    showTask();
    fillDevices();
}

void RunBar::makePolicyChooser(ModelList& models)
{
    auto* panel = new PolicyPanel(m_choice, models);
    m_policies = new PolicyPopup(panel, this);
    m_policy = makeChooser(QStringLiteral("policyChooser"), tr("Policy"), nullptr);
    m_policy->setIcon(Theme::instance().icon(QStringLiteral("policy"), Role::Muted));
    connect(m_policy, &QToolButton::clicked, this, &RunBar::openPolicies);
    connect(panel, &PolicyPanel::addModelRequested, this, &RunBar::addModelRequested);
    connect(panel, &PolicyPanel::modelsRequested, this, &RunBar::modelsRequested);
    connect(panel, &PolicyPanel::promptRequested, this, &RunBar::promptRequested);
}

void RunBar::openPolicies()
{
    m_policies->openBelow(m_policy);
}

QToolButton* RunBar::makeChooser(const QString& name, const QString& label, QMenu* menu)
{
    auto* button = new QToolButton(this);
    button->setObjectName(name);
    button->setProperty("class", QStringLiteral("chooser"));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setPopupMode(QToolButton::InstantPopup);
    if (menu)
        button->setMenu(menu);
    button->setAccessibleName(label);
    addWidget(button);
    return button;
}

QMenu* RunBar::makeOptimizeMenu()
{
    auto* menu = new QMenu(this);
    menu->setToolTipsVisible(true);
    addHeading(menu, tr("Preset: how much is measured"));
    addPresets(menu, m_choice);
    addHeading(menu, tr("Rounds of proposals"));
    addRounds(menu, m_choice);
    return menu;
}

void RunBar::resizeEvent(QResizeEvent* event)
{
    QToolBar::resizeEvent(event);
    fit();
}

void RunBar::fit()
{
    for (int form = 0; form < int(std::size(forms)); ++form) {
        m_form = form;
        m_task->setFixedWidth(Theme::instance().unit(forms[form].task));
        showTask();
        showTexts();
        layout()->invalidate();
        if (layout()->sizeHint().width() <= width())
            return;
    }
}

void RunBar::showTask()
{
    const base::TaskId& task = m_selection.task();
    const TaskEntry* entry = m_project.entry(task);
    QString text = entry ? entry->name : QString::fromStdString(task.value);
    if (entry && entry->level > 0)
        text = QStringLiteral("%1  %2").arg(QString::fromStdString(task.value), entry->name);
    const int room = m_task->width() - Theme::instance().unit(11);
    // The space keeps the icon off the text; a style sheet has no property for it.
    m_task->setText(QLatin1Char(' ') + (task.empty() ? tr("Choose a task")
                                                     : m_task->fontMetrics().elidedText(text, Qt::ElideMiddle, room)));
}

void RunBar::showTexts()
{
    const Form& form = forms[m_form];
    const QString device = m_choice.device(), precision = QString::fromUtf8(protocol::toString(m_choice.precision()));
    m_device->setText(QLatin1Char(' ') + (form.named ? tr("Device: %1").arg(device) : device) + QStringLiteral("  ▾"));
    const QString policies = RunChoice::label(m_choice.policies());
    const int most = Theme::instance().unit(form.policies);
    m_policy->setText(QLatin1Char(' ') +
                      m_policy->fontMetrics().elidedText(tr("Policy: %1").arg(policies), Qt::ElideRight, most) +
                      QStringLiteral("  ▾"));
    m_policy->setToolTip(tr("Who proposes variants: %1").arg(policies));
    if (const auto chosen = m_choice.chosen())
        m_device->setToolTip(tr("Where variants are judged: %1").arg(QString::fromStdString(chosen->model)));
    m_precision->setText((form.named ? tr("Precision: %1").arg(precision) : precision) + QStringLiteral("  ▾"));
    m_precision->setToolTip(tr("Precision. %1").arg(RunChoice::describe(m_choice.precision())));
    const QString preset = QString::fromUtf8(protocol::toString(m_choice.preset()));
    m_optimize->setStatusTip(tr("%1 rounds, preset %2").arg(m_choice.rounds()).arg(preset));
}

void RunBar::fillDevices()
{
    m_devices->clear();
    addDevices(m_devices, m_choice);
    fit(); // another choice may take more room
}

} // namespace cudal1::ui
