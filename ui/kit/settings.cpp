// SPDX-License-Identifier: GPL-3.0-or-later
// The table of settings, kept by QSettings under "settings/".
#include "ui/kit/settings.h"

#include <QSettings>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace cudal1::ui {

namespace {

QString stored(const Setting& setting)
{
    return QStringLiteral("settings/") + QLatin1String(setting.key);
}

const std::vector<Setting>& rows()
{
    static const std::vector<Setting> all{
        {"theme",
         SettingType::Choice,
         QStringLiteral("system"),
         0,
         0,
         {QStringLiteral("system"), QStringLiteral("light"), QStringLiteral("dark")},
         QT_TRANSLATE_NOOP("Settings", "Appearance"),
         QT_TRANSLATE_NOOP("Settings", "Theme"),
         QT_TRANSLATE_NOOP("Settings", "Follow the system, or always light or dark.")},
        {"textSize",
         SettingType::Number,
         10.0,
         7,
         20,
         {},
         QT_TRANSLATE_NOOP("Settings", "Appearance"),
         QT_TRANSLATE_NOOP("Settings", "Text size (points)"),
         QT_TRANSLATE_NOOP("Settings", "Spacing scales with it; some of it with the next start.")},
        {"device",
         SettingType::Text,
         QStringLiteral("cpu"),
         0,
         0,
         {},
         QT_TRANSLATE_NOOP("Settings", "Runs"),
         QT_TRANSLATE_NOOP("Settings", "Device"),
         QT_TRANSLATE_NOOP("Settings", "Where variants are judged: cpu, or cuda:0.")},
        {"precision",
         SettingType::Choice,
         QStringLiteral("kernelbench"),
         0,
         0,
         {QStringLiteral("kernelbench"), QStringLiteral("ieee"), QStringLiteral("tf32")},
         QT_TRANSLATE_NOOP("Settings", "Runs"),
         QT_TRANSLATE_NOOP("Settings", "Precision"),
         QT_TRANSLATE_NOOP("Settings", "What both sides may use for products of single precision.")},
        {"preset",
         SettingType::Choice,
         QStringLiteral("standard"),
         0,
         0,
         {QStringLiteral("quick"), QStringLiteral("standard"), QStringLiteral("paper")},
         QT_TRANSLATE_NOOP("Settings", "Runs"),
         QT_TRANSLATE_NOOP("Settings", "Preset"),
         QT_TRANSLATE_NOOP("Settings", "How many trials and how much timing a variant gets.")},
        {"rounds",
         SettingType::Integer,
         3,
         1,
         100,
         {},
         QT_TRANSLATE_NOOP("Settings", "Runs"),
         QT_TRANSLATE_NOOP("Settings", "Rounds"),
         QT_TRANSLATE_NOOP("Settings",
                           "How often a run asks for new proposals, knowing what came of the earlier ones.")},
        {"budget",
         SettingType::Number,
         0.0,
         0,
         86400,
         {},
         QT_TRANSLATE_NOOP("Settings", "Runs"),
         QT_TRANSLATE_NOOP("Settings", "Time limit (s)"),
         QT_TRANSLATE_NOOP("Settings", "A run ends after this time; 0 for no limit.")},
        {"policies",
         SettingType::Text,
         QStringLiteral("library"),
         0,
         0,
         {},
         QT_TRANSLATE_NOOP("Settings", "Policies"),
         QT_TRANSLATE_NOOP("Settings", "Policies"),
         QT_TRANSLATE_NOOP("Settings",
                           "Who proposes variants: library, endpoint:NAME, or several with commas between them.")},
        {"method",
         SettingType::Choice,
         QStringLiteral("vanilla"),
         0,
         0,
         {QStringLiteral("vanilla"), QStringLiteral("evolve"), QStringLiteral("contrastive"),
          QStringLiteral("multi-turn")},
         QT_TRANSLATE_NOOP("Settings", "Policies"),
         QT_TRANSLATE_NOOP("Settings", "Method"),
         QT_TRANSLATE_NOOP("Settings", "How language models are asked.")},
        {"samples",
         SettingType::Integer,
         4,
         1,
         1024,
         {},
         QT_TRANSLATE_NOOP("Settings", "Policies"),
         QT_TRANSLATE_NOOP("Settings", "Replies a question"),
         QT_TRANSLATE_NOOP("Settings", "Of multi-turn, conversations side by side.")},
        {"turns",
         SettingType::Integer,
         3,
         1,
         64,
         {},
         QT_TRANSLATE_NOOP("Settings", "Policies"),
         QT_TRANSLATE_NOOP("Settings", "Turns"),
         QT_TRANSLATE_NOOP("Settings", "Replies of a conversation; of the method multi-turn alone.")},
        {"repair",
         SettingType::Flag,
         true,
         0,
         0,
         {},
         QT_TRANSLATE_NOOP("Settings", "Policies"),
         QT_TRANSLATE_NOOP("Settings", "Ask for a repair of rejected replies"),
         QT_TRANSLATE_NOOP("Settings", "A rejected reply gets one turn more, with the judge's reasons.")},
        {"promptWithout",
         SettingType::Text,
         QString(),
         0,
         0,
         {},
         QT_TRANSLATE_NOOP("Settings", "Policies"),
         QT_TRANSLATE_NOOP("Settings", "Leave out of prompts"),
         QT_TRANSLATE_NOOP("Settings",
                           "Parts with commas between them, for example costs,operators. Empty: none is left out.")},
        {"evaluator",
         SettingType::Text,
         QString(),
         0,
         0,
         {},
         QT_TRANSLATE_NOOP("Settings", "Evaluator"),
         QT_TRANSLATE_NOOP("Settings", "Command"),
         QT_TRANSLATE_NOOP("Settings", "Starts the evaluator, for example \"ssh gpu1 cudal1-evaluator\". Empty: the "
                                       "one installed with this program.")},
        {"evaluators",
         SettingType::Lines,
         QString(),
         0,
         0,
         {},
         QT_TRANSLATE_NOOP("Settings", "Evaluator"),
         QT_TRANSLATE_NOOP("Settings", "More evaluators"),
         QT_TRANSLATE_NOOP("Settings",
                           "A command a line, for example \"ssh gpu2 cudal1-evaluator\" or \"srun --gres=gpu:1 "
                           "cudal1-evaluator\". Their devices are "
                           "offered beside this machine's, and jobs on different ones run at the same time.")},
        {"suite",
         SettingType::Folder,
         QString(),
         0,
         0,
         {},
         QT_TRANSLATE_NOOP("Settings", "Tasks"),
         QT_TRANSLATE_NOOP("Settings", "Suite folder"),
         QT_TRANSLATE_NOOP("Settings",
                           "A folder with level1, level2, … Empty: the tasks that come with this program.")},
        {"offerResume",
         SettingType::Flag,
         true,
         0,
         0,
         {},
         QT_TRANSLATE_NOOP("Settings", "Tasks"),
         QT_TRANSLATE_NOOP("Settings", "Offer to resume interrupted runs"),
         QT_TRANSLATE_NOOP("Settings", "When a project is opened whose last run was cut off.")},
    };
    return all;
}

} // namespace

Settings& Settings::instance()
{
    static Settings settings;
    return settings;
}

std::span<const Setting> Settings::table()
{
    return rows();
}

const Setting& Settings::row(const char* key)
{
    const auto found = std::find_if(rows().begin(), rows().end(),
                                    [key](const Setting& s) { return std::strcmp(s.key, key) == 0; });
    if (found == rows().end())
        throw std::logic_error(std::string("no setting is called ") + key);
    return *found;
}

QVariant Settings::checked(const Setting& setting, const QVariant& value)
{
    bool usable = true;
    switch (setting.type) {
    case SettingType::Choice:
        return setting.choices.contains(value.toString()) ? QVariant(value.toString()) : setting.standard;
    case SettingType::Integer: {
        const int number = value.toInt(&usable);
        return usable ? QVariant(std::clamp(number, int(setting.low), int(setting.high))) : setting.standard;
    }
    case SettingType::Number: {
        const double number = value.toDouble(&usable);
        return usable ? QVariant(std::clamp(number, setting.low, setting.high)) : setting.standard;
    }
    case SettingType::Flag: return value.canConvert<bool>() ? QVariant(value.toBool()) : setting.standard;
    case SettingType::Text:
    case SettingType::Lines:
    case SettingType::Folder: return value.canConvert<QString>() ? QVariant(value.toString()) : setting.standard;
    }
    return setting.standard;
}

QVariant Settings::value(const char* key) const
{
    const Setting& setting = row(key);
    const QVariant kept = QSettings().value(stored(setting));
    return kept.isValid() ? checked(setting, kept) : setting.standard;
}

void Settings::set(const char* key, const QVariant& value)
{
    const Setting& setting = row(key);
    const QVariant wanted = checked(setting, value);
    if (wanted == this->value(key))
        return;
    QSettings().setValue(stored(setting), wanted);
    emit changed(QLatin1String(key));
}

void Settings::reset(const char* key)
{
    set(key, row(key).standard);
}

QStringList Settings::recentProjects() const
{
    return QSettings().value(QStringLiteral("recentProjects")).toStringList();
}

void Settings::addRecentProject(const QString& path)
{
    QStringList recent = recentProjects();
    recent.removeAll(path);
    recent.prepend(path);
    while (recent.size() > 8)
        recent.removeLast();
    QSettings().setValue(QStringLiteral("recentProjects"), recent);
    emit recentProjectsChanged();
}

} // namespace cudal1::ui
