// SPDX-License-Identifier: GPL-3.0-or-later
// The options of the preset `paper`.
#include "app/cli/paperoptions.h"

#include <algorithm>
#include <cmath>

namespace cudal1::cli {

using base::wrong;
using protocol::PaperRule;
using protocol::PaperRules;

namespace {

std::string ruleWords()
{
    std::string words;
    for (const PaperRule rule : protocol::paperRules)
        words += (words.empty()                         ? ""
                  : rule == protocol::paperRules.back() ? " and "
                                                        : ", ") +
                 std::string(protocol::toString(rule));
    return words;
}

} // namespace

QList<QCommandLineOption> paperOptions()
{
    return {
        {"paper-minutes", "Preset paper: minutes of rounds (default 20; the paper takes 30 for rewards).", "N", "20"},
        {"paper-without", "Preset paper: leave out rules: " + QString::fromStdString(ruleWords()) + ".", "RULE,..."},
        {"paper-trials", "Preset paper: trials of correctness (default 1000).", "N", "1000"}};
}

base::Result<PaperRules> paperRules(const QCommandLineParser& parser, const CommandSettings& settings)
{
    for (const char* option : {"paper-minutes", "paper-without", "paper-trials"})
        if (parser.isSet(option) && settings.preset != protocol::Preset::Paper)
            return wrong("--" + std::string(option) + " needs --preset paper");
    PaperRules rules;
    bool good = false;
    rules.minutes = parser.value("paper-minutes").toDouble(&good);
    if (!good || !(rules.minutes > 0 && rules.minutes <= 600))
        return wrong("--paper-minutes is a number above 0 and at most 600, not \"" +
                     parser.value("paper-minutes").toStdString() + "\"");
    rules.trials = parser.value("paper-trials").toInt(&good);
    if (!good || rules.trials < 1 || rules.trials > 1'000'000)
        return wrong("--paper-trials is a whole number from 1 to 1000000, not \"" +
                     parser.value("paper-trials").toStdString() + "\"");
    if (parser.isSet("paper-without")) {
        for (const QString& part : parser.value("paper-without").split(',')) {
            const std::string word = part.trimmed().toStdString();
            PaperRule rule{};
            if (!protocol::fromString(word, rule))
                return wrong("--paper-without knows no rule \"" + word + "\"; the rules are " + ruleWords());
            rules.without.insert(rule);
        }
    }
    if (parser.isSet("paper-minutes") && !rules.applies(PaperRule::Window))
        return wrong("--paper-minutes sets the rule window, which --paper-without leaves out: give one of them");
    return rules;
}

} // namespace cudal1::cli
