// SPDX-License-Identifier: GPL-3.0-or-later
// Radio entries over RunChoice.
#include "ui/work/choicemenu.h"

#include "ui/work/runchoice.h"

#include <QActionGroup>
#include <QLabel>
#include <QMenu>
#include <QWidgetAction>

#include <algorithm>

namespace cudal1::ui {

namespace {

template<class Current, class Choose>
void add(QMenu* menu, QActionGroup* group, RunChoice& choice, const QString& text, const QString& tip,
         Current isCurrent, Choose choose)
{
    QAction* action = menu->addAction(text);
    action->setCheckable(true);
    action->setChecked(isCurrent());
    action->setToolTip(tip);
    group->addAction(action);
    QObject::connect(action, &QAction::triggered, menu, choose);
    QObject::connect(&choice, &RunChoice::changed, action, [action, isCurrent] { action->setChecked(isCurrent()); });
}

} // namespace

void addHeading(QMenu* menu, const QString& text)
{
    // QMenu::addSection() draws its text in no style sheet.
    auto* action = new QWidgetAction(menu);
    auto* label = new QLabel(text);
    label->setProperty("class", QStringLiteral("heading"));
    action->setDefaultWidget(label);
    action->setEnabled(false);
    menu->addAction(action);
}

void addDevices(QMenu* menu, RunChoice& choice)
{
    auto* group = new QActionGroup(menu);
    for (const RunChoice::Device& device : choice.devices()) {
        const QString name = device.place.name;
        add(
            menu, group, choice, RunChoice::label(device), RunChoice::tr("Where variants are judged"),
            [&choice, name] { return choice.device() == name; }, [&choice, name] { choice.setDevice(name); });
    }
    const bool hasGpu = std::any_of(choice.devices().begin(), choice.devices().end(), [](const auto& device) {
        return device.place.device.startsWith(QLatin1String("cuda"));
    });
    menu->addSeparator();
    if (!hasGpu)
        addHeading(menu, choice.whyNoGpu().isEmpty() ? RunChoice::tr("Looking for GPUs…") : choice.whyNoGpu());
    QAction* elsewhere = menu->addAction(RunChoice::tr("Use Another Machine's GPU…"));
    elsewhere->setToolTip(RunChoice::tr("Name the command that starts the evaluator there, such as "
                                        "ssh gpu1 cudal1-evaluator"));
    QObject::connect(elsewhere, &QAction::triggered, &choice, &RunChoice::evaluatorsWanted);
}

void addPrecisions(QMenu* menu, RunChoice& choice)
{
    auto* group = new QActionGroup(menu);
    for (const auto value : {protocol::Precision::Kernelbench, protocol::Precision::Ieee, protocol::Precision::Tf32})
        add(
            menu, group, choice, QString::fromUtf8(protocol::toString(value)), RunChoice::describe(value),
            [&choice, value] { return choice.precision() == value; }, [&choice, value] { choice.setPrecision(value); });
}

void addPresets(QMenu* menu, RunChoice& choice)
{
    auto* group = new QActionGroup(menu);
    for (const auto value : {protocol::Preset::Quick, protocol::Preset::Standard, protocol::Preset::Paper})
        add(
            menu, group, choice, QString::fromUtf8(protocol::toString(value)), RunChoice::describe(value),
            [&choice, value] { return choice.preset() == value; }, [&choice, value] { choice.setPreset(value); });
}

void addRounds(QMenu* menu, RunChoice& choice)
{
    auto* group = new QActionGroup(menu);
    for (const int rounds : {1, 3, 5, 10})
        add(
            menu, group, choice, rounds == 1 ? RunChoice::tr("1 round") : RunChoice::tr("%1 rounds").arg(rounds),
            RunChoice::tr("How often new variants are proposed, knowing what came of the earlier ones"),
            [&choice, rounds] { return choice.rounds() == rounds; }, [&choice, rounds] { choice.setRounds(rounds); });
}

} // namespace cudal1::ui
