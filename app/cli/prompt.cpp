// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 prompt TASK`: what a language model would be sent, without sending it.
#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/policies.h"
#include "app/cli/verbs.h"
#include "core/language/promptpreview.h"
#include "core/language/templatefolders.h"
#include "core/optimize/graphcache.h"
#include "core/optimize/options.h"
#include "core/optimize/taskbackground.h"
#include "core/optimize/taskprompt.h"
#include "core/policy/chattext.h"
#include "core/store/graphkey.h"

#include <QTemporaryDir>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;

/// The graph that the project keeps, else a new one, which is kept.
base::Result<std::shared_ptr<const protocol::OperatorGraph>>
graphOf(Context& context, Client& client, store::Project& project, const optimize::SearchOptions& options,
        const protocol::Machine& machine, const protocol::DeviceInfo& device)
{
    const std::string key = store::graphKey(machine.environment, options.task.hash, device.model, options.precision);
    if (auto cached = optimize::cachedGraph(project, key); cached && *cached)
        return std::move(*cached);
    auto graph = client.graph(
        {{options.task.id.value, options.task.source}, options.device, options.precision, options.seed},
        context.showing());
    context.terminal().clearLive();
    if (graph)
        (void)optimize::keepGraph(project, {key, options.task.hash, device.model, options.precision},
                                  **graph); // it can be traced again
    return graph;
}

int printPreview(Context& context, const language::PromptPreview& preview, const language::Templates& templates,
                 std::uint64_t seed)
{
    Terminal& terminal = context.terminal();
    if (context.settings().json) {
        nlohmann::json list = nlohmann::json::array(), shown = nlohmann::json::array();
        nlohmann::json parts = nlohmann::json::object();
        for (const policy::ChatMessage& message : preview.messages)
            list.push_back({{"role", message.role}, {"content", message.content}});
        for (const base::VariantId id : preview.shown)
            shown.push_back(id.value);
        for (const auto& [part, tokens] : preview.parts)
            parts[std::string(language::idOf(part))] = tokens;
        context.printJson({{"messages", std::move(list)},
                           {"tokens", preview.tokens},
                           {"parts", std::move(parts)},
                           {"replies", preview.replies},
                           {"exemplars", std::move(shown)},
                           {"seed", seed},
                           {"settings", nlohmann::json::parse(preview.settingsText)},
                           {"own_templates", templates.ownNames()}});
        return Done;
    }
    std::string text = policy::messagesText(preview.messages);
    text.pop_back(); // printPreview() ends the line
    terminal.print(text);
    std::string note = "About " + std::to_string(preview.tokens) + " tokens; " + std::to_string(preview.replies) +
                       (preview.replies == 1 ? " reply" : " replies") + " asked for; seed " + std::to_string(seed) +
                       ".";
    for (std::size_t at = 0; at < preview.shown.size(); ++at)
        note += (at == 0 ? " Exemplars: variant " : ", ") + std::to_string(preview.shown[at].value);
    note += preview.shown.empty() ? "" : ".";
    if (!templates.ownNames().empty())
        note += " Templates of your own: " + std::to_string(templates.ownNames().size()) + ", in " +
                language::ownTemplates().string() + ".";
    terminal.complain(note);
    return Done;
}

} // namespace

int prompt(Context& context, const QCommandLineParser& parser, const QStringList& arguments)
{
    const auto method = readMethod(parser);
    if (!method)
        return context.fail(method.error());
    const std::string who = language::storedName(parser.value("policy").toStdString());
    const auto task = context.task(arguments[0]);
    if (!task)
        return context.fail(task.error());
    const auto templates = language::readTemplates();
    if (!templates)
        return context.fail(templates.error());

    // Looking makes no project; what the evaluator tells is kept in one that is there.
    QTemporaryDir folder;
    std::unique_ptr<store::Project> none;
    store::Project* project = context.existingProject();
    if (!project) {
        auto opened = store::Project::open(folder.filePath("none.cudal1").toStdString());
        if (!opened)
            return context.fail(opened.error());
        none = std::move(*opened);
        project = none.get();
    }
    Interrupt interrupt;
    Client client(interrupt);
    const auto machine = context.describe(client);
    if (!machine)
        return context.fail(machine.error(), interrupt, "nothing was printed");
    const auto device = context.device(*machine);
    if (!device)
        return context.fail(device.error());

    optimize::SearchOptions options;
    options.task = recordOf(*task);
    options.device = device->name;
    options.precision = context.settings().precision;
    options.seed = context.settings().seed ? context.settings().seed : farm::freshSeed();
    const auto graph = graphOf(context, client, *project, options, *machine, *device);
    if (!graph)
        return context.fail(graph.error(), interrupt, "nothing was printed");
    const auto judged = optimize::JudgedList::load(*project, options.task, device->model, options.precision);
    if (!judged)
        return context.fail(judged.error());

    policy::Prompt asked = optimize::taskPrompt(options, *machine, *device, **graph, *judged);
    if (language::PromptBuilder(*method, *templates).readsBackground())
        optimize::TaskBackground().fill(asked, *project, options.task,
                                        judged->best() ? judged->best()->variant : base::VariantId());
    return printPreview(context, language::previewOf(asked, *method, *templates, who), *templates, asked.seed);
}

} // namespace cudal1::cli
