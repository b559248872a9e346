// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 compare A B`: whether one variant is faster than another.
#include "app/cli/context.h"
#include "app/cli/rows.h"
#include "app/cli/variantfacts.h"
#include "app/cli/verbs.h"
#include "core/optimize/text.h"
#include "core/protocol/versus.h"

namespace cudal1::cli {

namespace {

/// Of the newest evaluations that can be compared; why the newest two cannot when none can.
base::Result<protocol::Versus> newest(const std::vector<protocol::Evaluation>& first, const std::vector<protocol::Evaluation>& second)
{
    for (const protocol::Evaluation& a : first)
        for (const protocol::Evaluation& b : second)
            if (auto versus = protocol::versus(a, b))
                return versus;
    return protocol::versus(first.front(), second.front());
}

std::string sentence(const QStringList& names, const base::Interval& wall)
{
    const std::string a = "Variant " + names[0].toStdString(), b = "variant " + names[1].toStdString();
    const std::string numbers = optimize::ratioText(wall.estimate) + " (" + optimize::ratioText(wall.low) + " to " + optimize::ratioText(wall.high) + ")";
    switch (base::compare(wall)) {
    case base::Comparison::Faster: return a + " is faster than " + b + ": " + numbers;
    case base::Comparison::Slower: return a + " is slower than " + b + ": " + numbers;
    case base::Comparison::Same: return a + " is as fast as " + b + ": " + numbers;
    case base::Comparison::Unclear: break;
    }
    return "Whether variant " + names[0].toStdString() + " is faster than " + b + " is unclear: " + numbers;
}

} // namespace

int compare(Context& context, const QCommandLineParser&, const QStringList& arguments)
{
    const auto firstId = variantId(arguments[0]), secondId = variantId(arguments[1]);
    for (const auto* id : {&firstId, &secondId})
        if (!*id)
            return context.fail(id->error());
    const auto project = context.project();
    if (!project)
        return context.fail(project.error());
    const auto first = readVariant(**project, *firstId), second = readVariant(**project, *secondId);
    for (const auto* one : {&first, &second}) {
        if (!*one)
            return context.fail(one->error());
        if ((*one)->evaluations.empty())
            return context.fail({base::ErrorCode::InvalidArgument, "Variant " + std::to_string((*one)->id.value) + " was not judged yet", {},
                                 "`cudal1 evaluate` judges a file, `cudal1 optimize` what it proposes"});
    }
    if (first->variant.taskHash != second->variant.taskHash)
        return context.fail({base::ErrorCode::InvalidArgument, "They were made for two texts of the task", first->variant.task.value,
                             "Judge both against the present one"});
    const auto versus = newest(first->evaluations, second->evaluations);
    if (!versus)
        return context.fail(versus.error());
    if (context.settings().json)
        context.printJson({{"first", firstId->value},
                           {"second", secondId->value},
                           {"verdict", protocol::toString(base::compare(versus->wall))},
                           {"ratio", {{"wall", toJson(versus->wall)}, {"event", toJson(versus->event)}}}});
    Terminal& terminal = context.terminal();
    terminal.print(sentence(arguments, versus->wall) + " by wall"
                   + (versus->event.valid() ? ", " + optimize::speedupText(versus->event) + " by events" : std::string()) + ".");
    terminal.print("Each was measured against the same reference; the interval joins both of theirs.");
    return Done;
}

} // namespace cudal1::cli
