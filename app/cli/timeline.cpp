// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 timeline TASK [FILE.py|VARIANT] -o FILE`: what ran when, for Perfetto, and in short on the terminal.
#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/timelinetext.h"
#include "app/cli/verbs.h"
#include "core/tasks/sourcefile.h"
#include "core/timeline/chrometrace.h"

#include <QFileInfo>

#include <optional>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;

constexpr std::size_t rowsOfATable = 10;

struct Candidate {
    std::string source, name;
    base::VariantId variant; ///< none for a file
};

/// A variant's number, or a file; a file whose name is a number is given with its folder ("./7").
base::Result<Candidate> candidateOf(Context& context, const tasks::Task& task, const QString& text)
{
    bool isNumber = false;
    const base::VariantId id{text.toLongLong(&isNumber)};
    if (!isNumber) {
        auto source = tasks::readCandidate(text.toStdString());
        if (!source)
            return source.error();
        return Candidate{std::move(*source), QFileInfo(text).fileName().toStdString(), {}};
    }
    const auto project = context.storedProject();
    if (!project)
        return project.error();
    const auto variant = (*project)->variant(id);
    if (!variant)
        return variant.error();
    if (variant->task != task.id)
        return Error{ErrorCode::InvalidArgument,
                     "Variant " + text.toStdString() + " is one of " + variant->task.value + ", not of " +
                         task.id.value,
                     {},
                     "`cudal1 variants " + task.id.value + "` lists those of this task"};
    return Candidate{variant->source, "variant " + text.toStdString(), id};
}

/// A file becomes a variant of its task, as it does when it is judged.
base::Result<base::TimelineId> stored(Context& context, const tasks::Task& task,
                                      const std::optional<Candidate>& candidate, const protocol::TimelineAnswer& answer)
{
    const auto project = context.project();
    if (!project)
        return project.error();
    const store::TaskRecord record = recordOf(task);
    if (const auto put = (*project)->putTask(record); !put)
        return put.error();
    base::VariantId variant = candidate ? candidate->variant : base::VariantId();
    if (candidate && !variant) {
        store::VariantRecord added;
        added.task = record.id;
        added.taskHash = record.hash;
        added.source = candidate->source;
        added.origin = "file: " + candidate->name;
        const auto id = (*project)->addVariant(added);
        if (!id)
            return id.error();
        variant = *id;
    }
    return (*project)->addTimeline(record.id, variant, answer);
}

/// The number of calls, and the file that the trace goes to.
base::Status readTimelineOptions(const QCommandLineParser& options, int& calls, std::string& file)
{
    bool good = false;
    calls = options.value("calls").toInt(&good);
    if (!good || calls < 1 || calls > protocol::TimelineRequest::maxCalls)
        return Error{ErrorCode::InvalidArgument,
                     "--calls is a whole number from 1 to " + std::to_string(protocol::TimelineRequest::maxCalls) +
                         ", not \"" + options.value("calls").toStdString() + "\"",
                     {},
                     {}};
    file = options.value("output").toStdString();
    if (file.empty())
        return Error{ErrorCode::InvalidArgument, "--output needs a file", {}, {}};
    if (file == "-")
        return Error{ErrorCode::InvalidArgument,
                     "The summary goes to the standard output, so the trace cannot",
                     {},
                     "Name a file; `cudal1 timeline export ID -o -` prints a stored one"};
    return {};
}

/// `kept`: under which number it is stored; none when it is not. `beside`: besideJudge().
void printTimeline(Context& context, const tasks::Task& task, const protocol::TimelineAnswer& answer,
                   const std::string& file, base::TimelineId kept, const std::string& beside)
{
    Terminal& terminal = context.terminal();
    const timeline::TimelineSummary reference = timeline::summarise(answer.reference);
    const timeline::TimelineSummary candidate = answer.candidate ? timeline::summarise(*answer.candidate)
                                                                 : timeline::TimelineSummary();
    const timeline::TimelineSummary* second = answer.candidate ? &candidate : nullptr;
    if (context.settings().json) {
        nlohmann::json out = timeline::answerJson(answer, reference, second);
        out["beside_judge"] = beside.empty() ? nlohmann::json(nullptr) : nlohmann::json(beside);
        out["file"] = file;
        out["timeline"] = kept ? nlohmann::json(kept.value) : nlohmann::json(nullptr);
        context.printJson(out);
    }
    terminal.print(terminal.toned(Terminal::Tone::Strong, task.id.value + " " + task.name) +
                   (answer.candidateName.empty() ? "" : "  " + answer.candidateName) + "  on " + answer.device.name +
                   " " + answer.device.model);
    terminal.print(callsTable(reference, second));
    if (!beside.empty())
        terminal.print(terminal.toned(Terminal::Tone::Warn, beside));
    terminal.print("\n" + sideText(terminal, "Reference", answer.reference, reference, rowsOfATable));
    if (second)
        terminal.print("\n" + sideText(terminal, "Candidate", *answer.candidate, candidate, rowsOfATable));
    terminal.print("\nwritten    " + file + "; open it at https://ui.perfetto.dev");
    if (kept)
        terminal.print("stored     as timeline " + std::to_string(kept.value) +
                       "; the window shows it, `cudal1 timeline export " + std::to_string(kept.value) +
                       "` writes it again");
}

} // namespace

int timeline(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    protocol::TimelineRequest request;
    std::string file;
    if (const auto status = readTimelineOptions(options, request.calls, file); !status)
        return context.fail(status.error());
    const auto task = context.task(arguments[0]);
    if (!task)
        return context.fail(task.error());
    std::optional<Candidate> chosen;
    if (arguments.size() > 1) {
        auto candidate = candidateOf(context, *task, arguments[1]);
        if (!candidate)
            return context.fail(candidate.error());
        chosen = std::move(*candidate);
        request.candidate = chosen->source;
        request.candidateName = chosen->name;
    }

    Interrupt interrupt;
    Client client(interrupt);
    const auto failed = [&](const Error& error) { return context.fail(error, interrupt, "nothing was written"); };
    const auto machine = context.describe(client);
    if (!machine)
        return failed(machine.error());
    const auto device = context.device(*machine);
    if (!device)
        return failed(device.error());
    request.task = {task->id.value, task->source};
    request.device = device->name;
    request.precision = context.settings().precision;
    request.seed = context.settings().seed;
    const auto answer = client.timeline(request, context.showing());
    if (!answer)
        return failed(answer.error());
    const protocol::TimelineAnswer& result = **answer;
    if (const auto saved = timeline::saveTrace(file, result); !saved)
        return failed(saved.error());
    base::TimelineId kept;
    if (!options.isSet("no-store")) {
        const auto id = stored(context, *task, chosen, result);
        if (!id)
            return failed(id.error());
        kept = *id;
    }
    context.terminal().clearLive();
    std::string beside;
    if (const store::Project* project = context.existingProject(); project && chosen) {
        const auto record = kept ? project->timelineRecord(kept) : base::Result<store::TimelineRecord>(Error{});
        beside = besideJudge(*project, record ? record->variant : chosen->variant, result);
    }
    printTimeline(context, *task, result, file, kept, beside);
    return Done;
}

} // namespace cudal1::cli
