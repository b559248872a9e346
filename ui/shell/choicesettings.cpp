// SPDX-License-Identifier: GPL-3.0-or-later
// Device, precision, preset, rounds, policies and method as settings.
#include "ui/shell/choicesettings.h"

#include "ui/kit/settings.h"
#include "ui/work/runchoice.h"

namespace cudal1::ui {

namespace {

constexpr const char* keys[] = {"device", "precision", "preset", "rounds", "policies",
                                "method", "samples",   "turns",  "repair", "promptWithout"};

/// Each setting changes one thing, so that they may come one after the other.
void takePolicies(RunChoice& choice, const QString& key)
{
    const Settings& settings = Settings::instance();
    if (key == QLatin1String("policies")) {
        std::vector<std::string> names;
        for (const QString& name : settings.text("policies").split(QLatin1Char(','), Qt::SkipEmptyParts))
            names.push_back(name.trimmed().toStdString());
        return choice.setPolicyNames(names);
    }
    language::AskMethod method = choice.policies().method();
    if (key == QLatin1String("method"))
        if (const auto kind = language::kindFromText(settings.text("method").toStdString()))
            method.kind = *kind;
    if (key == QLatin1String("samples"))
        method.samples = settings.integer("samples");
    if (key == QLatin1String("turns"))
        method.turns = settings.integer("turns");
    if (key == QLatin1String("repair"))
        method.repair = settings.value("repair").toBool();
    if (key == QLatin1String("promptWithout"))
        if (const auto parts = language::partsFromText(settings.text("promptWithout").toStdString()))
            method.without = *parts;
    choice.setMethod(method);
}

/// A setting changed, perhaps in the dialog.
void take(RunChoice& choice, const QString& key)
{
    const Settings& settings = Settings::instance();
    if (key == QLatin1String("device"))
        choice.setDevice(settings.text("device"));
    if (key == QLatin1String("rounds"))
        choice.setRounds(settings.integer("rounds"));
    if (protocol::Precision precision;
        key == QLatin1String("precision") && protocol::fromString(settings.text("precision").toStdString(), precision))
        choice.setPrecision(precision);
    if (protocol::Preset preset;
        key == QLatin1String("preset") && protocol::fromString(settings.text("preset").toStdString(), preset))
        choice.setPreset(preset);
    takePolicies(choice, key);
}

void keep(const RunChoice& choice)
{
    Settings& settings = Settings::instance();
    settings.set("device", choice.device());
    settings.set("precision", QString::fromUtf8(protocol::toString(choice.precision())));
    settings.set("preset", QString::fromUtf8(protocol::toString(choice.preset())));
    settings.set("rounds", choice.rounds());
    const language::AskMethod& method = choice.policies().method();
    settings.set("policies", QString::fromStdString(choice.policies().namesText()));
    settings.set("method", QString::fromUtf8(language::wordOf(method.kind)));
    settings.set("samples", method.samples);
    settings.set("turns", method.turns);
    settings.set("repair", method.repair);
    settings.set("promptWithout", QString::fromStdString(language::textOf(method.without)));
}

} // namespace

void keepInSettings(RunChoice& choice)
{
    for (const char* key : keys)
        take(choice, QLatin1String(key));
    QObject::connect(&choice, &RunChoice::changed, &choice, [&choice] { keep(choice); });
    QObject::connect(&Settings::instance(), &Settings::changed, &choice,
                     [&choice](const QString& key) { take(choice, key); });
}

} // namespace cudal1::ui
