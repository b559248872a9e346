// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 samples [TASK]` and `cudal1 samples show ID`: what policies were asked, what they answered, what became of
// it.
#include "app/cli/context.h"
#include "app/cli/rows.h"
#include "app/cli/texttable.h"
#include "app/cli/verbs.h"
#include "core/optimize/outcometext.h"
#include "core/optimize/samplefacts.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;
using optimize::SampleFacts;
using store::SampleRecord;

template<class T> nlohmann::json orNull(const std::optional<T>& value)
{
    return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

template<class Tag> nlohmann::json orNull(base::RowId<Tag> id)
{
    return id ? nlohmann::json(id.value) : nlohmann::json(nullptr);
}

nlohmann::json orNull(const std::string& text)
{
    return text.empty() ? nlohmann::json(nullptr) : nlohmann::json(text);
}

nlohmann::json sampleJson(const SampleFacts& facts)
{
    const SampleRecord& sample = facts.sample;
    nlohmann::json shown = nlohmann::json::array();
    for (const base::VariantId id : sample.shown)
        shown.push_back(id.value);
    return {{"sample", sample.id.value},
            {"task", sample.task.value},
            {"policy", sample.policy},
            {"policy_version", orNull(sample.policyVersion)},
            {"method", orNull(sample.method)},
            {"run", orNull(sample.run)},
            {"group", sample.group},
            {"round", sample.round},
            {"turn", sample.turn},
            {"parent", orNull(sample.parent)},
            {"repair", sample.repair},
            {"exemplars", std::move(shown)},
            {"prompt_tokens", orNull(sample.promptTokens)},
            {"completion_tokens", orNull(sample.replyTokens)},
            {"cost", orNull(sample.cost)},
            {"cost_unit", orNull(sample.costUnit)},
            {"verdict", orNull(facts.verdict())},
            {"unusable", orNull(sample.unusable)},
            {"reward", orNull(facts.reward())},
            {"variant", orNull(sample.variant)},
            {"created_ms", sample.created_ms}};
}

std::string countText(const std::optional<std::int64_t>& value)
{
    return value ? std::to_string(*value) : std::string();
}

std::string verdictCell(const Terminal& terminal, const SampleFacts& facts)
{
    if (!facts.sample.unusable.empty())
        return terminal.toned(Terminal::Tone::Bad, "no program");
    return facts.evaluation ? tonedVerdict(terminal, facts.evaluation->verdict) : std::string();
}

std::string tableOf(const Terminal& terminal, const std::vector<SampleFacts>& all)
{
    using Align = TextTable::Align;
    TextTable table({{"sample", Align::Right},
                     {"task"},
                     {"policy"},
                     {"method"},
                     {"run", Align::Right},
                     {"group", Align::Right},
                     {"turn"},
                     {"tokens asked", Align::Right},
                     {"tokens answered", Align::Right},
                     {"cost", Align::Right},
                     {"verdict"},
                     {"reward", Align::Right},
                     {"variant", Align::Right},
                     {"age", Align::Right}});
    for (const SampleFacts& facts : all) {
        const SampleRecord& one = facts.sample;
        const std::string turn = one.repair ? "repair of " + std::to_string(one.parent.value)
                               : one.turn > 0
                                   ? std::to_string(one.turn + 1) + " after " + std::to_string(one.parent.value)
                                   : std::string();
        table.add({std::to_string(one.id.value), one.task.value, one.policy, one.method,
                   one.run ? std::to_string(one.run.value) : "", std::to_string(one.group), turn,
                   countText(one.promptTokens), countText(one.replyTokens),
                   one.cost ? costText(*one.cost, one.costUnit) : "", verdictCell(terminal, facts),
                   facts.reward() ? fourDigits(*facts.reward()) : "",
                   one.variant ? std::to_string(one.variant.value) : "", ageText(one.created_ms)});
    }
    return table.text();
}

/// What all of them cost, by unit: "3 samples, 1200 tokens asked, 800 answered, 0.12 USD". Repairs are counted apart.
std::string sumText(const std::vector<SampleFacts>& all)
{
    const optimize::SampleSum sum = optimize::sumOf(all);
    std::string out = std::to_string(all.size()) + (all.size() == 1 ? " sample" : " samples");
    if (sum.repairs > 0)
        out += ", of them " + std::to_string(sum.repairs) + (sum.repairs == 1 ? " repair" : " repairs") + " (" +
               std::to_string(sum.mended) + " correct)";
    if (sum.promptTokens + sum.replyTokens > 0)
        out += ", " + std::to_string(sum.promptTokens) + " tokens asked, " + std::to_string(sum.replyTokens) +
               " answered";
    for (const auto& [unit, cost] : sum.costs)
        out += ", " + costText(cost, unit);
    return out + ".";
}

/// Tokens and cost by run, task and policy.
nlohmann::json samplesLedgerJson(const std::vector<SampleFacts>& all)
{
    std::map<std::tuple<std::int64_t, std::string, std::string>, std::vector<const SampleFacts*>> rows;
    for (const SampleFacts& facts : all)
        rows[{facts.sample.run.value, facts.sample.task.value, facts.sample.policy}].push_back(&facts);
    nlohmann::json out = nlohmann::json::array();
    for (const auto& [of, samples] : rows) {
        const optimize::SampleSum sum = optimize::sumOf(samples);
        const auto& [run, task, policy] = of;
        out.push_back({{"run", run ? nlohmann::json(run) : nlohmann::json(nullptr)},
                       {"task", task},
                       {"policy", policy},
                       {"samples", sum.samples},
                       {"prompt_tokens", sum.promptTokens},
                       {"completion_tokens", sum.replyTokens},
                       {"cost", sum.costs}});
    }
    return out;
}

void printText(Terminal& terminal, const char* title, const std::string& text)
{
    if (!text.empty())
        terminal.print("\n" + terminal.toned(Terminal::Tone::Strong, title) + "\n" + indented(text, "  "));
}

} // namespace

int samples(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    const auto project = context.storedProject();
    if (!project)
        return context.fail(project.error());
    base::TaskId id;
    if (!arguments.isEmpty()) {
        id = {arguments[0].toStdString()};
        if (!context.settings().suite.empty() || !(*project)->task(id)) {
            const auto task = context.task(arguments[0]);
            if (!task)
                return context.fail(task.error());
            id = task->id;
        }
    }
    auto records = (*project)->samplesOf(id);
    if (!records)
        return context.fail(records.error());
    auto all = optimize::sampleFacts(**project, std::move(*records));
    if (!all)
        return context.fail(all.error());
    if (const std::string wanted = options.value("find").toStdString(); options.isSet("find")) {
        const auto found = optimize::samplesWith(**project, *all, wanted);
        if (!found)
            return context.fail(found.error());
        std::erase_if(*all, [&](const SampleFacts& facts) {
            return std::find(found->begin(), found->end(), facts.sample.id) == found->end();
        });
        if (all->empty() && !context.settings().json) {
            context.terminal().print("No reply or prompt has \"" + wanted + "\".");
            return Done;
        }
    }
    if (context.settings().json) {
        nlohmann::json list = nlohmann::json::array();
        for (const SampleFacts& facts : *all)
            list.push_back(sampleJson(facts));
        context.printJson({{"samples", std::move(list)}, {"ledger", samplesLedgerJson(*all)}});
    }
    if (all->empty())
        context.terminal().print("The project has no samples" + (id.empty() ? std::string() : " of " + id.value) +
                                 ". `cudal1 optimize TASK` makes some.");
    else
        context.terminal().print(tableOf(context.terminal(), *all) + "\n\n" + sumText(*all));
    return Done;
}

int showSample(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    bool good = false;
    const base::SampleId id{arguments[0].toLongLong(&good)};
    if (!good || !id)
        return context.fail({ErrorCode::InvalidArgument,
                             "A sample is named by its number, not \"" + arguments[0].toStdString() + "\"",
                             {},
                             "`cudal1 samples` lists them"});
    const auto project = context.storedProject();
    if (!project)
        return context.fail(project.error());
    const auto sample = (*project)->sample(id);
    if (!sample)
        return context.fail(sample.error());
    if (options.isSet("prompt") && !context.settings().json) {
        if (sample->prompt.empty())
            return context.fail({ErrorCode::NotFound, "Sample " + std::to_string(id.value) + " has no prompt",
                                 sample->policy, "Its policy asks nobody"});
        const std::string& text = sample->prompt;
        context.terminal().print(text.ends_with('\n') ? text.substr(0, text.size() - 1)
                                                      : text); // print() ends the line
        return Done;
    }
    const auto facts = optimize::sampleFacts(**project, {static_cast<const store::SampleRecord&>(*sample)});
    if (!facts)
        return context.fail(facts.error());
    const auto reply = optimize::replyOf(**project, *sample);
    if (!reply)
        return context.fail(reply.error());
    if (context.settings().json) {
        nlohmann::json out = sampleJson(facts->front());
        out["settings"] = nlohmann::json::parse(sample->settings, nullptr, false);
        if (out["settings"].is_discarded())
            out["settings"] = nullptr;
        out["prompt"] = sample->prompt;
        out["reply"] = *reply;
        context.printJson(out);
    }
    Terminal& terminal = context.terminal();
    terminal.print(tableOf(terminal, *facts));
    if (!sample->unusable.empty())
        terminal.print("\n" + terminal.toned(Terminal::Tone::Bad, sample->unusable));
    printText(terminal, "Asked with", sample->settings);
    printText(terminal, "Prompt", sample->prompt);
    printText(terminal, "Reply", *reply);
    return Done;
}

} // namespace cudal1::cli
