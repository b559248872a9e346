// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 compare A B`: whether one variant is faster than another.
#include "app/cli/context.h"
#include "app/cli/rows.h"
#include "app/cli/verbs.h"
#include "core/optimize/text.h"
#include "core/protocol/versus.h"

namespace cudal1::cli {

namespace {

using Found = std::pair<store::VariantRecord, std::vector<protocol::Evaluation>>;

base::Result<Found> read(const store::Project& project, const QString& text)
{
    const base::VariantId id{text.toLongLong()};
    auto variant = project.variant(id);
    if (!variant)
        return variant.error();
    const auto summaries = project.evaluations(id);
    if (!summaries)
        return summaries.error();
    std::vector<protocol::Evaluation> evaluations;
    for (const store::EvaluationSummary& summary : *summaries) {
        auto evaluation = project.evaluation(summary.id);
        if (!evaluation)
            return evaluation.error();
        evaluations.push_back(std::move(*evaluation));
    }
    if (evaluations.empty())
        return base::Error{base::ErrorCode::InvalidArgument, "Variant " + text.toStdString() + " was not judged yet", {},
                           "`cudal1 evaluate` judges a file, `cudal1 optimize` what it proposes"};
    return Found{std::move(*variant), std::move(evaluations)};
}

/// Of the newest evaluations that can be compared; why the newest two cannot when none can.
base::Result<protocol::Versus> newest(const std::vector<protocol::Evaluation>& first, const std::vector<protocol::Evaluation>& second)
{
    for (const protocol::Evaluation& a : first)
        for (const protocol::Evaluation& b : second)
            if (auto versus = protocol::versus(a, b))
                return versus;
    return protocol::versus(first.front(), second.front());
}

const char* verdictOf(const base::Interval& ratio)
{
    switch (base::compare(ratio)) {
    case base::Comparison::Faster: return "faster";
    case base::Comparison::Slower: return "slower";
    case base::Comparison::Same: return "same";
    case base::Comparison::Unclear: break;
    }
    return "unclear";
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
    for (const QString& text : arguments)
        if (bool good = false; text.toLongLong(&good) <= 0 || !good)
            return context.fail({base::ErrorCode::InvalidArgument, "\"" + text.toStdString() + "\" is no number of a variant", {},
                                 "`cudal1 variants TASK` lists them"});
    const auto project = context.project();
    if (!project)
        return context.fail(project.error());
    const auto first = read(**project, arguments[0]), second = read(**project, arguments[1]);
    for (const auto* one : {&first, &second})
        if (!*one)
            return context.fail(one->error());
    if (first->first.taskHash != second->first.taskHash)
        return context.fail({base::ErrorCode::InvalidArgument, "They were made for two texts of the task", first->first.task.value,
                             "Judge both against the present one"});
    const auto versus = newest(first->second, second->second);
    if (!versus)
        return context.fail(versus.error());
    if (context.settings().json)
        context.printJson({{"first", arguments[0].toLongLong()},
                           {"second", arguments[1].toLongLong()},
                           {"verdict", verdictOf(versus->wall)},
                           {"ratio", {{"wall", toJson(versus->wall)}, {"event", toJson(versus->event)}}}});
    Terminal& terminal = context.terminal();
    terminal.print(sentence(arguments, versus->wall) + " by wall"
                   + (versus->event.valid() ? ", " + optimize::speedupText(versus->event) + " by events" : std::string()) + ".");
    terminal.print("Each was measured against the same reference; the interval joins both of theirs.");
    return Done;
}

} // namespace cudal1::cli
