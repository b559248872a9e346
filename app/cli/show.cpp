// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 show VARIANT`: everything that is known of one variant.
#include "app/cli/context.h"
#include "app/cli/rows.h"
#include "app/cli/variantfacts.h"
#include "app/cli/verbs.h"
#include "core/optimize/text.h"
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
        out += (out.empty() ? "" : ", ") + std::to_string(range.first) + (range.first == range.last ? "" : "–" + std::to_string(range.last));
    return out;
}

std::string techniquesText(const std::vector<policy::NamedTechnique>& techniques)
{
    std::string out;
    for (const policy::NamedTechnique& technique : techniques)
        out += (out.empty() ? "" : "\n") + technique.title + (technique.toggle.empty() ? "" : "  " + technique.toggle + (technique.on ? " = True" : " = False"))
            + (technique.lines.empty() ? ", not found in the source" : ", lines " + linesText(technique.lines));
    return out;
}

nlohmann::json toJson(const std::vector<policy::NamedTechnique>& techniques)
{
    nlohmann::json out = nlohmann::json::array();
    for (const policy::NamedTechnique& technique : techniques) {
        nlohmann::json lines = nlohmann::json::array();
        for (const policy::SourceLines& range : technique.lines)
            lines.push_back({range.first, range.last});
        out.push_back({{"id", technique.id},
                       {"title", technique.title},
                       {"toggle", technique.toggle.empty() ? nlohmann::json(nullptr) : nlohmann::json(technique.toggle)},
                       {"on", technique.on},
                       {"lines", lines}});
    }
    return out;
}

std::string replyOf(const store::Exchange& exchange, const store::VariantRecord& variant)
{
    return exchange.reply.empty() ? policy::replyText(variant.performanceAnalysis, variant.algorithmDesign, variant.codeImplementation, variant.source)
                                  : exchange.reply;
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
    const auto exchange = (*project)->exchange(*id);
    if (!exchange)
        return context.fail(exchange.error());
    if (options.isSet("csv"))
        if (const auto written = writePairs(options.value("csv"), {&*facts}); !written)
            return context.fail(written.error());
    const std::vector<policy::NamedTechnique> techniques = policy::namedTechniques(variant.source, variant.techniques);

    if (context.settings().json)
        context.printJson({{"id", id->value},
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
                           {"named_techniques", toJson(techniques)},
                           {"lineage", toJson(*lineage)},
                           {"prompt", *exchange ? nlohmann::json((*exchange)->prompt) : nlohmann::json(nullptr)},
                           {"reply", *exchange ? nlohmann::json(replyOf(**exchange, variant)) : nlohmann::json(nullptr)},
                           {"evaluations", facts->evaluations}});

    Terminal& terminal = context.terminal();
    terminal.print(terminal.toned(Terminal::Tone::Strong, "Variant " + std::to_string(id->value) + " of " + variant.task.value) + "  "
                   + optimize::techniquesText(variant.techniques, variant.origin) + ", " + variant.origin + ", "
                   + agoText(variant.created_ms));
    printSection(terminal, "Lineage", lineageText(*lineage, *id));
    printSection(terminal, "Techniques", techniquesText(techniques));
    if (*exchange)
        printSection(terminal, "Prompt", (*exchange)->prompt);
    if (*exchange && !(*exchange)->reply.empty()) // else it is the sections and the source below
        printSection(terminal, "Reply", (*exchange)->reply);
    printSection(terminal, "Performance Analysis", variant.performanceAnalysis);
    printSection(terminal, "Algorithm Design", variant.algorithmDesign);
    printSection(terminal, "Code Implementation", variant.codeImplementation);
    printSection(terminal, "Source", variant.source);
    if (facts->evaluations.empty())
        terminal.print("\nNot judged yet.");
    for (std::size_t at = 0; at < facts->evaluations.size(); ++at)
        printSection(terminal, ("Evaluation, " + agoText(facts->summaries[at].created_ms)).c_str(), evaluationText(terminal, facts->evaluations[at]));
    return Done;
}

} // namespace cudal1::cli
