// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 show VARIANT`: everything that is known of one variant.
#include "app/cli/context.h"
#include "app/cli/rows.h"
#include "app/cli/variantfacts.h"
#include "app/cli/verbs.h"
#include "core/optimize/text.h"

namespace cudal1::cli {

namespace {

void printSection(Terminal& terminal, const char* title, const std::string& text)
{
    if (!text.empty())
        terminal.print("\n" + terminal.toned(Terminal::Tone::Strong, title) + "\n" + indented(text, "  "));
}

} // namespace

int show(Context& context, const QCommandLineParser&, const QStringList& arguments)
{
    const auto id = variantId(arguments[0]);
    if (!id)
        return context.fail(id.error());
    const auto project = context.project();
    if (!project)
        return context.fail(project.error());
    const auto facts = readVariant(**project, *id);
    if (!facts)
        return context.fail(facts.error());
    const store::VariantRecord& variant = facts->variant;

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
                           {"evaluations", facts->evaluations}});

    Terminal& terminal = context.terminal();
    terminal.print(terminal.toned(Terminal::Tone::Strong, "Variant " + std::to_string(id->value) + " of " + variant.task.value) + "  "
                   + optimize::techniquesText(variant.techniques, variant.origin) + ", " + variant.origin + ", "
                   + ageText(variant.created_ms));
    printSection(terminal, "Performance Analysis", variant.performanceAnalysis);
    printSection(terminal, "Algorithm Design", variant.algorithmDesign);
    printSection(terminal, "Code Implementation", variant.codeImplementation);
    printSection(terminal, "Source", variant.source);
    if (facts->evaluations.empty())
        terminal.print("\nNot judged yet.");
    for (std::size_t at = 0; at < facts->evaluations.size(); ++at)
        printSection(terminal, ("Evaluation, " + ageText(facts->summaries[at].created_ms)).c_str(), evaluationText(terminal, facts->evaluations[at]));
    return Done;
}

} // namespace cudal1::cli
