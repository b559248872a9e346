// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 compare A B`: whether one variant is faster than another.
#include "app/cli/context.h"
#include "app/cli/namedvariant.h"
#include "app/cli/rows.h"
#include "app/cli/verbs.h"
#include "core/base/ratiotext.h"
#include "core/optimize/outcometext.h"
#include "core/protocol/marks.h"
#include "core/store/storedversus.h"

namespace cudal1::cli {

namespace {

/// "12: correct, 3.86× (3.83–3.89); 3 → 12", and every reason and label behind it.
std::string outline(const VariantFacts& facts, const std::vector<store::LineageNode>& lineage)
{
    const protocol::Evaluation& counts = facts.evaluations.front();
    std::string out = "Variant " + std::to_string(facts.id.value) + ": " + optimize::verdictText(counts.verdict);
    if (counts.speedup.wall.valid())
        out += ", " + optimize::speedupText(counts.speedup.wall.speedup, protocol::marksOf(counts));
    if (const std::string sides = optimize::sidesText(counts.precision.mode); !sides.empty())
        out += ", " + sides;
    if (lineage.size() > 1)
        out += "; lineage " + lineageText(lineage, facts.id);
    for (const auto* findings : {&counts.reasons, &counts.labels})
        for (const protocol::Reason& reason : *findings)
            out += "\n  " + reason.code + ": " + reason.text;
    return out;
}

std::string comparisonSentence(const QStringList& names, const base::Interval& wall)
{
    const std::string a = "Variant " + names[0].toStdString(), b = "variant " + names[1].toStdString();
    const std::string numbers = base::ratioText(wall);
    switch (base::compare(wall)) {
    case base::Comparison::Faster: return a + " is faster than " + b + ": " + numbers;
    case base::Comparison::Slower: return a + " is slower than " + b + ": " + numbers;
    case base::Comparison::Same: return a + " is as fast as " + b + ": " + numbers;
    case base::Comparison::Unclear: break;
    }
    return "Whether variant " + names[0].toStdString() + " is faster than " + b + " is unclear: " + numbers;
}

} // namespace

int compare(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    const auto firstId = variantId(arguments[0]), secondId = variantId(arguments[1]);
    for (const auto* id : {&firstId, &secondId})
        if (!*id)
            return context.fail(id->error());
    if (*firstId == *secondId)
        return context.fail({base::ErrorCode::InvalidArgument,
                             "Both are variant " + std::to_string(firstId->value),
                             {},
                             "Name two variants"});
    const auto project = context.storedProject();
    if (!project)
        return context.fail(project.error());
    const auto first = readVariant(**project, *firstId), second = readVariant(**project, *secondId);
    for (const auto* one : {&first, &second}) {
        if (!*one)
            return context.fail(one->error());
        if ((*one)->evaluations.empty())
            return context.fail({base::ErrorCode::InvalidArgument,
                                 "Variant " + std::to_string((*one)->id.value) + " was not judged yet",
                                 {},
                                 "`cudal1 evaluate` judges a file, `cudal1 optimize` what it proposes"});
    }
    const auto firstLineage = lineageOf(**project, *first), secondLineage = lineageOf(**project, *second);
    for (const auto* one : {&firstLineage, &secondLineage})
        if (!*one)
            return context.fail(one->error());
    const auto versus = store::versus(**project, *firstId, *secondId);
    if (!versus) {
        // Why each is what it is answers the question too.
        for (const auto& [facts, lineage] : {std::pair(&*first, &*firstLineage), std::pair(&*second, &*secondLineage)})
            context.terminal().print(outline(*facts, *lineage));
        return context.fail(versus.error());
    }
    const std::string host = protocol::hostText(*versus, "#" + std::to_string(firstId->value),
                                                "#" + std::to_string(secondId->value));
    if (options.isSet("csv"))
        if (const auto written = writePairs(options.value("csv"), {&*first, &*second}); !written)
            return context.fail(written.error());
    if (context.settings().json)
        context.printJson(store::comparisonJson(*first, *firstLineage, *second, *secondLineage, *versus));
    Terminal& terminal = context.terminal();
    terminal.print(
        comparisonSentence(arguments, versus->wall) + " by wall" +
        (versus->event.valid() ? ", " + optimize::speedupText(versus->event) + " by events" : std::string()) + ".");
    terminal.print(outline(*first, *firstLineage));
    terminal.print(outline(*second, *secondLineage));
    terminal.print("Each was measured against the same reference; the interval joins both of theirs." +
                   (host.empty() ? "" : "\n" + host));
    return Done;
}

} // namespace cudal1::cli
