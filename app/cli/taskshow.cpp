// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 tasks show TASK`: what is known of a task before it runs.
#include "app/cli/context.h"
#include "app/cli/fitwarning.h"
#include "app/cli/interrupt.h"
#include "app/cli/rows.h"
#include "app/cli/shapes.h"
#include "app/cli/texttable.h"
#include "app/cli/verbs.h"
#include "core/base/bytestext.h"
#include "core/base/timetext.h"
#include "core/optimize/options.h"
#include "core/taskfacts/factsjson.h"
#include "core/taskfacts/taskfacts.h"

namespace cudal1::cli {

namespace {

using base::bytesText;
using base::rateText;
using base::timeText;
using taskfacts::flopsText;
using taskfacts::TaskFacts;
using Source = costs::Roofline::Source;

/// The device's name as evaluations have it, with no more known of it than its data sheet says.
protocol::DeviceInfo namedGpu(const QString& model, const costs::KnownGpu& sheet)
{
    protocol::DeviceInfo device;
    device.name = "cuda:0";
    device.model = model.toStdString();
    device.memory_bytes = static_cast<std::int64_t>(sheet.memory_bytes);
    return device;
}

std::string operationText(const costs::Operation& operation)
{
    constexpr int wide = 60;
    return elided(costs::writtenList(operation.tensors), wide) + " → " +
           elided(costs::writtenList(operation.results), wide);
}

std::string operatorsText(const costs::Program& program)
{
    TextTable table({{"operator"},
                     {"module"},
                     {"", TextTable::Align::Right},
                     {"shapes"},
                     {"FLOPs", TextTable::Align::Right},
                     {"bytes", TextTable::Align::Right},
                     {"time", TextTable::Align::Right}});
    for (const costs::Fold& fold : costs::folded(program)) {
        for (std::size_t i = 0; i < fold.length; ++i) {
            const costs::Call& call = program.calls[fold.first + i];
            const costs::Operation& operation = program.operations[static_cast<std::size_t>(call.operation)];
            double time_ns = 0;
            for (std::size_t r = 0; r < fold.repeat; ++r)
                time_ns += program.calls[fold.first + i + r * fold.length].time_ns;
            const auto repeat = static_cast<double>(fold.repeat);
            const double flops = repeat * operation.flops.total(), bytes = repeat * operation.bytes;
            table.add({(fold.length > 1 ? (i == 0                 ? "┌ "
                                           : i + 1 == fold.length ? "└ "
                                                                  : "│ ")
                                        : "") +
                           operation.name,
                       program.modulePaths[static_cast<std::size_t>(call.module)],
                       fold.repeat > 1 ? "× " + std::to_string(fold.repeat) : "", operationText(operation),
                       flops > 0 ? flopsText(flops) : "", bytes > 0 ? bytesText(bytes) : "",
                       time_ns > 0 ? timeText(time_ns) : ""});
        }
    }
    return table.text();
}

std::string tensorsText(const std::vector<costs::NamedTensor>& tensors)
{
    std::string out;
    for (const costs::NamedTensor& one : tensors)
        out += (out.empty() ? "" : "\n            ") + one.name + "  " + costs::shapeText(one.tensor);
    return out.empty() ? "none" : out;
}

std::string floorText(const TaskFacts& facts)
{
    if (facts.onRecordedGpu)
        return floorText(*facts.onRecordedGpu);
    const costs::Roofline& floor = facts.floor;
    if (floor.source == Source::Unknown)
        return facts.device && !facts.onGpu()
                 ? "none on a CPU"
                 : "unknown until something is judged on a GPU; --on H200 goes by a data sheet";
    const std::string from = floor.source == Source::Measured
                               ? "measured on " + facts.device->model
                               : "by the data sheet of " + floor.gpu + ", not measured yet";
    return timeText(floor.bytes_ns) + " by bytes (" + rateText(floor.bytesPerSecond) + " " + from + ")";
}

std::string productsFloorText(const costs::Roofline& floor)
{
    if (floor.fp32_ns <= 0)
        return {};
    return timeText(floor.fp32_ns) + " for the products as written, in fp32" +
           (floor.tf32_ns > 0 ? "; " + timeText(floor.tf32_ns) + " in TF32" : std::string()) +
           " (peak of the data sheet)";
}

void printTask(Context& context, const tasks::Task& task, const TaskFacts& facts, bool operators)
{
    Terminal& terminal = context.terminal();
    const auto line = [&](const char* key, const std::string& value) {
        std::string padded = key;
        padded.resize(12, ' ');
        if (!value.empty())
            terminal.print(padded + value);
    };
    terminal.print(terminal.toned(Terminal::Tone::Strong, (task.level > 0 ? task.id.value + " " : "") + task.name));
    if (!facts.description.empty())
        terminal.print(facts.description);
    terminal.print("");
    line("split", facts.split == tasks::Split::HeldOut ? "held out" : "train");
    for (const taskfacts::Flag& flag : facts.flags)
        line("flag", terminal.toned(Terminal::Tone::Warn, flag.text) + " (" + flag.source + ")");
    if (!facts.program) {
        line("operators", "unknown: the task could not be traced");
        return;
    }
    const costs::Program& program = *facts.program;
    const costs::Costs& sums = *facts.costs;
    line("inputs", tensorsText(program.inputs));
    std::string outputs;
    for (const costs::Tensor& tensor : program.outputs)
        outputs += (outputs.empty() ? "" : "\n            ") + costs::shapeText(tensor);
    line("output", outputs);
    line("parameters", program.parameters.empty() ? "none"
                                                  : std::to_string(program.parameters.size()) + " tensors, " +
                                                        std::to_string(static_cast<long long>(sums.parameter_count)) +
                                                        " numbers, " + bytesText(sums.parameter_bytes));
    const std::string atLeast = sums.complete ? "" : "at least ";
    line("operators", atLeast + std::to_string(program.calls.size()) + ", " + facts.programSource);
    line("FLOPs",
         atLeast + flopsText(sums.flops.products) + " in products, " + flopsText(sums.flops.others) + " in the rest");
    line("bytes", bytesText(sums.minimum_bytes()) + " must move: " + bytesText(sums.read_bytes) + " read, " +
                      bytesText(sums.written_bytes) + " written");
    line("floor", floorText(facts));
    line("", productsFloorText(facts.onRecordedGpu ? facts.onRecordedGpu->floor : facts.floor));
    line("forward", bytesText(sums.forward_bytes()) + " held by one process, " + bytesText(sums.intermediates_bytes) +
                        " of them results and intermediates");
    if (facts.memory) {
        line("memory", "about " + bytesText(facts.memory->total_bytes()) + " to judge it" +
                           (facts.device->memory_bytes > 0
                                ? ", of " + bytesText(static_cast<double>(facts.device->memory_bytes)) + " on " +
                                      facts.device->model
                                : ""));
        if (const std::string warning = taskfacts::memoryWarning(facts); !warning.empty())
            line("", terminal.toned(Terminal::Tone::Warn, warning));
    }
    if (operators)
        terminal.print("\n" + operatorsText(program));
}

} // namespace

int showTask(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    const auto task = context.task(arguments[0]);
    if (!task)
        return context.fail(task.error());
    store::Project* project = nullptr;
    if (std::filesystem::exists(context.projectPath())) {
        const auto opened = context.storedProject();
        if (!opened)
            return context.fail(opened.error());
        project = *opened;
    }
    taskfacts::FactsQuestion question{
        recordOf(*task), bundledFolder(), {}, optimize::deviceName(context.settings().device)};
    question.evaluatorIsHere = qEnvironmentVariableIsEmpty("CUDAL1_EVALUATOR");
    if (options.isSet("on")) {
        const QString model = options.value("on");
        const costs::KnownGpu* sheet = costs::knownGpu(model.toStdString());
        if (!sheet)
            return context.fail({base::ErrorCode::InvalidArgument,
                                 "No data sheet is known of \"" + model.toStdString() + "\"",
                                 {},
                                 "--on takes a GPU's name such as H200, A100 or RTX 4090"});
        question.device = namedGpu(model, *sheet);
    }
    TaskFacts facts = taskfacts::gather(question, project);
    base::Status traced;
    if (!facts.program) {
        Interrupt interrupt;
        Client client(interrupt);
        auto shapes = traceShapes(context, client, recordOf(*task), project);
        if (!shapes && interrupt.caught())
            return context.fail(shapes.error(), interrupt, "nothing was stored");
        if (shapes) {
            question.shapes = *shapes;
            facts = taskfacts::gather(question, project);
        } else {
            traced = shapes.error();
        }
    }
    if (context.settings().json) {
        auto out = taskfacts::factsJson(recordOf(*task), facts);
        if (!traced)
            out["trace_error"] = toJson(traced.error());
        context.printJson(out);
    }
    printTask(context, *task, facts, options.isSet("operators"));
    if (traced)
        return Done;
    context.terminal().complain("cudal1: " + traced.error().message);
    return Context::statusOf(traced.error());
}

} // namespace cudal1::cli
