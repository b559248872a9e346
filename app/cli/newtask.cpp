// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 tasks new FILE.py`: makes a task of a module of the user's.
#include "core/tasks/newtask.h"
#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/shapes.h"
#include "app/cli/verbs.h"
#include "core/base/bytestext.h"
#include "core/base/sha256.h"
#include "core/optimize/outcometext.h"
#include "core/taskfacts/taskfacts.h"
#include "core/tasks/sourcefile.h"

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;
using Graph = std::shared_ptr<const protocol::OperatorGraph>;

std::vector<std::string> texts(const QStringList& values)
{
    std::vector<std::string> out;
    for (const QString& value : values)
        out.push_back(value.toStdString());
    return out;
}

/// Shapes alone first, which costs nothing however large the task is; on the CPU when the module looks at its data.
base::Result<Graph> traceCheaply(Context& context, Client& client, const std::string& name, const std::string& text)
{
    base::Result<Graph> graph = Error{};
    for (const std::string device : {"meta", "cpu"}) {
        graph = traceOnce(context, client, {name, text}, device, "Running the module once on " + device + " …");
        // Only what the task itself did wrong may go better with data.
        if (graph || graph.error().code != ErrorCode::Unreadable)
            break;
    }
    return graph;
}

std::string graphCostText(const protocol::OperatorGraph& graph)
{
    const costs::Costs sums = costs::costsOf(costs::programOf(graph));
    return taskfacts::flopsText(sums.flops.total()) + ", " + base::bytesText(sums.minimum_bytes()) + " must move, " +
           base::bytesText(sums.forward_bytes()) + " held by one process" + (sums.complete ? "" : ", at least");
}

nlohmann::json tensorsJson(const protocol::OperatorGraph& graph, const std::vector<int>& ids)
{
    nlohmann::json out = nlohmann::json::array();
    for (const int id : ids)
        for (const protocol::GraphValue& value : graph.values)
            if (value.id == id)
                out.push_back({{"shape", value.shape}, {"dtype", value.dtype}});
    return out;
}

} // namespace

int newTask(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    const std::filesystem::path from = arguments[0].toStdString();
    tasks::SourceFile file = tasks::readSource(from);
    if (!file.ok())
        return context.fail({file.flaw.code, file.flaw.message,
                             from.string() + (file.flaw.line ? ":" + std::to_string(file.flaw.line) : ""),
                             file.flaw.hint.empty() ? "Give a Python file with a torch.nn.Module" : file.flaw.hint});
    const auto made = tasks::newTaskText({std::move(file.text), from.filename().string(),
                                          options.value("class").toStdString(), texts(options.values("input")),
                                          texts(options.values("init"))});
    if (!made)
        return context.fail(made.error());
    const std::filesystem::path output = options.isSet("output") ? options.value("output").toStdString()
                                                                 : made->className + "_task.py";
    std::error_code ignored;
    if (!options.isSet("force") && std::filesystem::exists(std::filesystem::symlink_status(output, ignored)))
        return context.fail({ErrorCode::InvalidArgument, "The file exists already", output.string(),
                             "Choose another name with --output, or replace it with --force"});

    if (std::filesystem::equivalent(from, output, ignored))
        return context.fail({ErrorCode::InvalidArgument, "The task would take the place of the file that it is made of",
                             output.string(), "Choose another name with --output"});

    Terminal& terminal = context.terminal();
    Graph graph;
    if (!options.isSet("no-check")) {
        Interrupt interrupt;
        Client client(interrupt);
        auto checked = traceCheaply(context, client, made->className, made->text);
        if (!checked)
            return context.fail(tasks::runFailure(checked.error(), *made, from.filename().string()), interrupt,
                                "nothing was written");
        graph = std::move(*checked);
        if (graph->outputs.empty())
            return context.fail(tasks::noResult(*made, from.filename().string()));
    }
    if (const auto written = tasks::writeTask(output, made->text, options.isSet("force")); !written)
        return context.fail(written.error());

    // So that `tasks show` knows it at once. It is traced again where that fails.
    if (store::Project* known = graph ? context.existingProject() : nullptr)
        (void)taskfacts::keepShapes(*known, base::sha256Hex(made->text), *graph);
    const std::string where = std::filesystem::absolute(output, ignored).lexically_normal().string();
    terminal.print(terminal.toned(Terminal::Tone::Strong, "Task of " + made->className) + "  " + where);
    if (graph) {
        terminal.print("inputs   " + optimize::tensorsText(*graph, graph->inputs));
        terminal.print("outputs  " + optimize::tensorsText(*graph, graph->outputs));
        terminal.print("cost     " + graphCostText(*graph));
        terminal.print(graph->device == "meta" ? "checked  by its shapes; no data was computed"
                                               : "checked  by one run on the CPU");
    } else {
        terminal.print("It was not checked.");
    }
    terminal.print("`cudal1 optimize " + output.string() + "` proposes variants, `cudal1 evaluate " + output.string() +
                   " FILE.py` judges yours.");
    if (context.settings().json)
        context.printJson({{"task", where},
                           {"class", made->className},
                           {"hash", base::sha256Hex(made->text)},
                           {"checked_on", graph ? nlohmann::json(graph->device) : nlohmann::json(nullptr)},
                           {"inputs", graph ? tensorsJson(*graph, graph->inputs) : nlohmann::json(nullptr)},
                           {"outputs", graph ? tensorsJson(*graph, graph->outputs) : nlohmann::json(nullptr)}});
    return Done;
}

} // namespace cudal1::cli
