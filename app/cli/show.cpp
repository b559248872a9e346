// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 show VARIANT`: everything that is known of one variant.
#include "app/cli/context.h"
#include "app/cli/rows.h"
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
    bool good = false;
    const base::VariantId id{arguments[0].toLongLong(&good)};
    if (!good || id.value <= 0)
        return context.fail({base::ErrorCode::InvalidArgument, "\"" + arguments[0].toStdString() + "\" is no number of a variant", {},
                             "`cudal1 variants TASK` lists them"});
    const auto project = context.project();
    if (!project)
        return context.fail(project.error());
    const auto variant = (*project)->variant(id);
    if (!variant)
        return context.fail(variant.error());
    const auto summaries = (*project)->evaluations(id);
    if (!summaries)
        return context.fail(summaries.error());
    std::vector<protocol::Evaluation> evaluations;
    for (const store::EvaluationSummary& summary : *summaries) {
        auto evaluation = (*project)->evaluation(summary.id);
        if (!evaluation)
            return context.fail(evaluation.error());
        evaluations.push_back(std::move(*evaluation));
    }

    if (context.settings().json)
        context.printJson({{"id", id.value},
                           {"task", variant->task.value},
                           {"task_hash", variant->taskHash},
                           {"origin", variant->origin},
                           {"techniques", variant->techniques},
                           {"run", variant->run ? nlohmann::json(variant->run.value) : nlohmann::json(nullptr)},
                           {"parent", variant->parent ? nlohmann::json(variant->parent.value) : nlohmann::json(nullptr)},
                           {"created_ms", variant->created_ms},
                           {"performance_analysis", variant->performanceAnalysis},
                           {"algorithm_design", variant->algorithmDesign},
                           {"code_implementation", variant->codeImplementation},
                           {"source", variant->source},
                           {"evaluations", evaluations}});

    Terminal& terminal = context.terminal();
    terminal.print(terminal.toned(Terminal::Tone::Strong, "Variant " + std::to_string(id.value) + " of " + variant->task.value) + "  "
                   + optimize::techniquesText(variant->techniques, variant->origin) + ", " + variant->origin + ", "
                   + ageText(variant->created_ms));
    printSection(terminal, "Performance Analysis", variant->performanceAnalysis);
    printSection(terminal, "Algorithm Design", variant->algorithmDesign);
    printSection(terminal, "Code Implementation", variant->codeImplementation);
    printSection(terminal, "Source", variant->source);
    if (evaluations.empty())
        terminal.print("\nNot judged yet.");
    for (std::size_t at = 0; at < evaluations.size(); ++at)
        printSection(terminal, ("Evaluation, " + ageText((*summaries)[at].created_ms)).c_str(), evaluationText(terminal, evaluations[at]));
    return Done;
}

} // namespace cudal1::cli
