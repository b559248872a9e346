// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 show VARIANT`: everything that is known of one variant.
#include "app/cli/claimstable.h"
#include "app/cli/context.h"
#include "app/cli/namedvariant.h"
#include "app/cli/rows.h"
#include "app/cli/verbs.h"
#include "core/counters/storedcounters.h"
#include "core/optimize/handedover.h"
#include "core/optimize/outcometext.h"
#include "core/policy/namedtechniques.h"
#include "core/policy/prompttext.h"

namespace cudal1::cli {

namespace {

void printSection(Terminal& terminal, const char* title, const std::string& text)
{
    if (!text.empty())
        terminal.print("\n" + terminal.toned(Terminal::Tone::Strong, title) + "\n" + indented(text, "  "));
}

std::string linesText(const std::vector<policy::SourceLines>& lines)
{
    std::string out;
    for (const policy::SourceLines& range : lines)
        out += (out.empty() ? "" : ", ") + std::to_string(range.first) +
               (range.first == range.last ? "" : "–" + std::to_string(range.last));
    return out;
}

std::string techniquesText(const std::vector<policy::NamedTechnique>& techniques)
{
    std::string out;
    for (const policy::NamedTechnique& technique : techniques)
        out += (out.empty() ? "" : "\n") + technique.title +
               (technique.toggle.empty() ? "" : "  " + technique.toggle + (technique.on ? " = True" : " = False")) +
               (technique.lines.empty() ? ", not found in the source" : ", lines " + linesText(technique.lines));
    return out;
}

nlohmann::json techniquesJson(const std::vector<policy::NamedTechnique>& techniques)
{
    nlohmann::json out = nlohmann::json::array();
    for (const policy::NamedTechnique& technique : techniques) {
        nlohmann::json lines = nlohmann::json::array();
        for (const policy::SourceLines& range : technique.lines)
            lines.push_back({range.first, range.last});
        out.push_back(
            {{"technique", technique.id},
             {"title", technique.title},
             {"toggle", technique.toggle.empty() ? nlohmann::json(nullptr) : nlohmann::json(technique.toggle)},
             {"on", technique.on},
             {"lines", lines}});
    }
    return out;
}

std::string replyOf(const store::Sample& sample, const store::VariantRecord& variant)
{
    return sample.reply.empty() ? policy::replyText(variant.performanceAnalysis, variant.algorithmDesign,
                                                    variant.codeImplementation, variant.source)
                                : sample.reply;
}

/// One line for each.
std::string samplesText(const std::vector<store::SampleRecord>& samples)
{
    std::string out;
    for (const store::SampleRecord& sample : samples) {
        out += (out.empty() ? "" : "\n") + sample.policy +
               (sample.policyVersion.empty() ? "" : " " + sample.policyVersion) +
               (sample.run ? ", run " + std::to_string(sample.run.value) : std::string()) + ", question " +
               std::to_string(sample.group);
        if (sample.promptTokens)
            out += ", " + std::to_string(*sample.promptTokens) + " tokens asked";
        if (sample.replyTokens)
            out += ", " + std::to_string(*sample.replyTokens) + " tokens answered";
        if (sample.cost)
            out += ", " + costText(*sample.cost, sample.costUnit);
        if (sample.reward)
            out += ", reward " + fourDigits(*sample.reward);
        out += ", " + ageText(sample.created_ms);
    }
    return out;
}

nlohmann::json samplesJson(const std::vector<store::SampleRecord>& samples)
{
    const auto orNull = [](const auto& value) { return value ? nlohmann::json(*value) : nlohmann::json(nullptr); };
    nlohmann::json out = nlohmann::json::array();
    for (const store::SampleRecord& sample : samples)
        out.push_back({{"sample", sample.id.value},
                       {"run", sample.run ? nlohmann::json(sample.run.value) : nlohmann::json(nullptr)},
                       {"policy", sample.policy},
                       {"policy_version", sample.policyVersion},
                       {"settings", sample.settings},
                       {"group", sample.group},
                       {"round", sample.round},
                       {"prompt_tokens", orNull(sample.promptTokens)},
                       {"completion_tokens", orNull(sample.replyTokens)},
                       {"cost", orNull(sample.cost)},
                       {"cost_unit", sample.costUnit},
                       {"reward", orNull(sample.reward)},
                       {"created_ms", sample.created_ms}});
    return out;
}

/// What its kernels are bound by, and where that is known from; empty where nothing was recorded of them.
std::string boundText(const store::Project& project, const store::VariantRecord& variant)
{
    const auto stored = counters::storedCounters(project, variant.task, variant.id);
    if (!stored || !*stored || !(*stored)->counters.candidate)
        return {};
    const std::string sentence =
        counters::factsOf(counters::sideOf(**stored, variant.id), (*stored)->counters.device, nullptr).bottleneck;
    return sentence.empty() ? std::string() : sentence + ".\n" + counters::sourceText((*stored)->counters);
}

void printProgram(Terminal& terminal, const store::VariantRecord& variant, const std::string& bound)
{
    printSection(terminal, "Performance Analysis", variant.performanceAnalysis);
    printSection(terminal, "Algorithm Design", variant.algorithmDesign);
    printSection(terminal, "Code Implementation", variant.codeImplementation);
    printSection(terminal, "Bottleneck", bound);
    printSection(terminal, "Source", variant.source);
}

/// "Evaluation on NVIDIA H200, both in TF32, 3 h ago".
std::string titleOf(const store::EvaluationSummary& one)
{
    return "Evaluation on " + optimize::measuredOn(one) + ", " + agoText(one.created_ms);
}

} // namespace

int show(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    const auto id = variantId(arguments[0]);
    if (!id)
        return context.fail(id.error());
    const auto project = context.storedProject();
    if (!project)
        return context.fail(project.error());
    const auto facts = readVariant(**project, *id);
    if (!facts)
        return context.fail(facts.error());
    const store::VariantRecord& variant = facts->variant;
    const auto lineage = lineageOf(**project, *facts);
    if (!lineage)
        return context.fail(lineage.error());
    const auto samples = (*project)->samples(*id);
    if (!samples)
        return context.fail(samples.error());
    const auto made = (*project)->madeBy(*id);
    if (!made)
        return context.fail(made.error());
    const auto known = (*project)->claims();
    if (!known)
        return context.fail(known.error());
    const std::vector<store::ClaimRecord> claims = rejudge::claimsOf(*known, *id);
    if (options.isSet("csv"))
        if (const auto written = writePairs(options.value("csv"), {&*facts}); !written)
            return context.fail(written.error());
    const std::vector<policy::NamedTechnique> techniques = policy::namedTechniques(variant.source, variant.techniques);
    const std::string bound = boundText(**project, variant);

    if (context.settings().json)
        context.printJson({{"variant", id->value},
                           {"task", variant.task.value},
                           {"task_hash", variant.taskHash},
                           {"origin", variant.origin},
                           {"techniques", variant.techniques},
                           {"run", variant.run ? nlohmann::json(variant.run.value) : nlohmann::json(nullptr)},
                           {"parent", variant.parent ? nlohmann::json(variant.parent.value) : nlohmann::json(nullptr)},
                           {"created_ms", variant.created_ms},
                           {"performance_analysis", variant.performanceAnalysis},
                           {"algorithm_design", variant.algorithmDesign},
                           {"code_implementation", variant.codeImplementation},
                           {"source", variant.source},
                           {"named_techniques", techniquesJson(techniques)},
                           {"lineage", toJson(*lineage)},
                           {"prompt", *made ? nlohmann::json((*made)->prompt) : nlohmann::json(nullptr)},
                           {"reply", *made ? nlohmann::json(replyOf(**made, variant)) : nlohmann::json(nullptr)},
                           {"samples", samplesJson(*samples)},
                           {"claims", toJson(claims)},
                           {"bottleneck", bound.empty() ? nlohmann::json(nullptr) : nlohmann::json(bound)},
                           {"evaluations", facts->evaluations}});

    Terminal& terminal = context.terminal();
    terminal.print(
        terminal.toned(Terminal::Tone::Strong, "Variant " + std::to_string(id->value) + " of " + variant.task.value) +
        "  " + optimize::techniquesText(variant.techniques, {}) + (variant.techniques.empty() ? "" : ", ") +
        variant.origin + ", " + agoText(variant.created_ms));
    printSection(terminal, "Lineage", lineageText(*lineage, *id));
    printSection(terminal, "Techniques", techniquesText(techniques));
    if (!claims.empty())
        printSection(terminal, "Claims of others", claimsTable(claims));
    printSection(terminal, "Samples", samplesText(*samples));
    if (*made)
        printSection(terminal, "Prompt", (*made)->prompt);
    if (*made && !(*made)->reply.empty()) // else it is the sections and the source below
        printSection(terminal, "Reply", (*made)->reply);
    printProgram(terminal, variant, bound);
    if (facts->evaluations.empty())
        terminal.print("\nNot judged yet.");
    if (!facts->summaries.empty() && facts->summaries.front().verdict == protocol::Verdict::Correct &&
        optimize::referenceIsBest(facts->summaries.front().wall))
        terminal.print("\nThis variant is not faster than the reference by its whole interval: the reference is the "
                       "better choice.");
    for (std::size_t at = 0; at < facts->evaluations.size(); ++at)
        printSection(terminal, titleOf(facts->summaries[at]).c_str(), evaluationText(terminal, facts->evaluations[at]));
    return Done;
}

} // namespace cudal1::cli
