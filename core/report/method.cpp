// SPDX-License-Identifier: GPL-3.0-or-later
// The ends of a report: its head, where it was measured, and how.
#include "core/report/method.h"
#include "core/charts/numbertext.h"
#include "core/report/cells.h"
#include "core/report/sections.h"

namespace cudal1::report {

namespace {

void addSet(FactList& list, const char* key, const char* name, const std::set<std::string>& texts)
{
    if (texts.empty())
        return;
    Fact fact{QLatin1String(key), QLatin1String(name), {}};
    for (const std::string& text : texts)
        fact.values.push_back(textCell(text));
    list.facts.push_back(std::move(fact));
}

} // namespace

FactList headOf(const ReportFacts& facts, std::int64_t created_ms)
{
    FactList list;
    addFact(list, "project", QStringLiteral("Project"), fromUtf8(facts.project));
    addSet(list, "device", "Device", facts.devices);
    addSet(list, "environment", "Environment", facts.environments);
    addSet(list, "precision", "Precision", facts.precisions);
    addSet(list, "preset", "Preset", facts.presets);
    addFact(list, "suite", QStringLiteral("Tasks"), fromUtf8(facts.version.suite));
    if (facts.lastMeasured_ms)
        addFact(list, "measured", QStringLiteral("Measured"),
                QStringLiteral("%1 to %2 UTC")
                    .arg(charts::dateText(facts.firstMeasured_ms), charts::dateText(facts.lastMeasured_ms)));
    addFact(list, "created", QStringLiteral("Report made"), charts::dateText(created_ms) + QStringLiteral(" UTC"));
    return list;
}

void addEnvironment(const ReportFacts& facts, Document& document)
{
    FactList list;
    addSet(list, "device", "Device", facts.devices);
    addSet(list, "environment", "Environment", facts.environments);
    addSet(list, "isolation", "Isolation of variants", facts.isolation);
    addSet(list, "isolation_missing", "Not allowed by the machine", facts.isolationMissing);
    if (list.facts.empty())
        return;
    Section section{QStringLiteral("environment"), QStringLiteral("Where this was measured"), {std::move(list)}};
    if (facts.devices.size() > 1)
        section.blocks.emplace_back(
            Paragraph{QStringLiteral("More than one model of device"),
                      QStringLiteral("was used for what is shown here. Ratios of different devices stand side by side; "
                                     "they are not the same experiment."),
                      {},
                      Tone::Warning,
                      false});
    document.sections.push_back(std::move(section));
}

void addMethod(const ReportFacts&, Document& document)
{
    Section section{QStringLiteral("method"), QStringLiteral("How this was measured"), {}};
    const auto add = [&](const char* lead, const char* text) {
        section.blocks.emplace_back(Paragraph{QLatin1String(lead), QString::fromUtf8(text), {}, Tone::Plain, false});
    };
    add("Correct",
        "means that the variant gave the reference's results on every trial. Reference and variant run in processes of "
        "their own, build their modules under the same seed and get the same inputs, drawn afresh for each trial from "
        "several "
        "distributions under a seed that the variant cannot know. Shape, data type, not-a-number and infinity patterns "
        "and values within "
        "a tolerance per data type are compared outside of the variant's process; the inputs must be left untouched.");
    add("Speed-up", "is the reference's time divided by the variant's, so above 1× is faster. The headline is wall "
                    "time of one call, "
                    "from an idle device to an idle device. Rounds of both sides are paired, in random order, on the "
                    "same processor core. The "
                    "estimate is the interquartile mean of the logarithms of the pairs' ratios; the interval beside it "
                    "holds 95 % of a bootstrap over processes "
                    "and pairs. Where an interval holds 1× the report says same or unclear, never faster.");
    add("By events",
        "is the ratio of the times between two events on the caller's stream, on devices that have them. Events do "
        "not see work on other streams or on the host. Where the two clocks cannot both be right the events' number is "
        "struck "
        "through: the wall clock is what a user waits for.");
    add("Marks",
        "stand behind speed-ups that must not be taken at their face: precision where the result is correct at "
        "another precision than the "
        "reference's, questioned where a label puts the gain in question: results that take no work pass the task as "
        "well, the time is below what "
        "the device can move, or a second measurement gave another.");
    document.sections.push_back(std::move(section));
}

} // namespace cudal1::report
