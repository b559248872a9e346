// SPDX-License-Identifier: GPL-3.0-or-later
// Device, precision, preset and rounds as settings.
#include "ui/shell/choicesettings.h"

#include "ui/kit/settings.h"
#include "ui/work/runchoice.h"

namespace cudal1::ui {

namespace {

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
}

void keep(const RunChoice& choice)
{
    const auto word = [](std::string_view text) { return QString::fromUtf8(text.data(), qsizetype(text.size())); };
    Settings& settings = Settings::instance();
    settings.set("device", choice.device());
    settings.set("precision", word(protocol::toString(choice.precision())));
    settings.set("preset", word(protocol::toString(choice.preset())));
    settings.set("rounds", choice.rounds());
}

} // namespace

void keepInSettings(RunChoice& choice)
{
    for (const char* key : {"device", "precision", "preset", "rounds"})
        take(choice, QLatin1String(key));
    QObject::connect(&choice, &RunChoice::changed, &choice, [&choice] { keep(choice); });
    QObject::connect(&Settings::instance(), &Settings::changed, &choice,
                     [&choice](const QString& key) { take(choice, key); });
}

} // namespace cudal1::ui
