// SPDX-License-Identifier: GPL-3.0-or-later
// Limits and ledger of a run.
#include "app/cli/runlimits.h"

#include "app/cli/rows.h"
#include "core/base/timetext.h"

#include <cmath>

namespace cudal1::cli {

using base::Error;
using base::ErrorCode;

QList<QCommandLineOption> limitOptions()
{
    return {
        {"limit-tokens", "Ask models nothing more after N tokens, prompts and replies together.", "N"},
        {"limit-cost", "Ask models nothing more once they have cost so much: 5, \"5 EUR\", \"600 GPU s\".", "MONEY"},
        {"limit-seconds", "Ask models nothing more after SECONDS, and break off what is on its way.", "SECONDS"}};
}

base::Result<models::RunLimits> readLimits(const QCommandLineParser& parser)
{
    models::RunLimits out;
    const auto wrong = [&](const char* name, const char* what) {
        return Error{ErrorCode::InvalidArgument,
                     "--" + std::string(name) + " is " + what + ", not \"" + parser.value(name).toStdString() + "\"",
                     {},
                     {}};
    };
    const auto number = [](const QString& text, auto& limit) {
        bool good = false;
        const double value = text.toDouble(&good);
        limit = value;
        return good && std::isfinite(value) && value > 0;
    };
    if (parser.isSet("limit-seconds") && !number(parser.value("limit-seconds"), out.seconds))
        return wrong("limit-seconds", "a number of seconds above 0");
    if (parser.isSet("limit-tokens")) {
        bool good = false;
        out.tokens = parser.value("limit-tokens").toLongLong(&good);
        if (!good || *out.tokens < 1)
            return wrong("limit-tokens", "a whole number from 1");
    }
    if (parser.isSet("limit-cost")) {
        const QString text = parser.value("limit-cost").trimmed();
        if (!number(text.section(QLatin1Char(' '), 0, 0), out.cost))
            return wrong("limit-cost", "a number above 0, which may have a unit behind it");
        if (const QString unit = text.section(QLatin1Char(' '), 1).trimmed(); !unit.isEmpty())
            out.costUnit = unit.toStdString();
    }
    return out;
}

std::string ledgerText(const models::Ledger::Totals& totals)
{
    const auto counted = [](std::int64_t number, const char* what) {
        return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
    };
    std::string out = "Models: " + counted(totals.requests, "request");
    if (totals.repeated > 0)
        out += ", " + std::to_string(totals.repeated) + " of them again";
    out += "; " + std::to_string(totals.replies) + (totals.replies == 1 ? " reply" : " replies") + "; " +
           std::to_string(totals.promptTokens) + " tokens in, " + std::to_string(totals.replyTokens) + " out";
    if (totals.guessedTokens > 0)
        out += " (" + std::to_string(totals.guessedTokens) + " of them guessed)";
    for (const auto& [unit, cost] : totals.cost)
        out += "; " + costText(cost, unit);
    // Not what the models took alone: the judge's time between questions is in it, as in --limit-seconds.
    return out + (totals.requests > 0 ? "; " + base::durationText(totals.seconds) + " since the first request." : ".");
}

nlohmann::json ledgerJson(const models::Ledger::Totals& totals)
{
    return {{"requests", totals.requests},
            {"repeated", totals.repeated},
            {"replies", totals.replies},
            {"prompt_tokens", totals.promptTokens},
            {"completion_tokens", totals.replyTokens},
            {"guessed_tokens", totals.guessedTokens},
            {"cost", totals.cost},
            {"seconds", totals.seconds}};
}

} // namespace cudal1::cli
