// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 timeline list|show|export`: the timelines that a project keeps, and traces in files.
#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/rows.h"
#include "app/cli/texttable.h"
#include "app/cli/timelinetext.h"
#include "app/cli/verbs.h"
#include "core/base/bytestext.h"
#include "core/base/percenttext.h"
#include "core/base/timetext.h"
#include "core/optimize/outcometext.h"
#include "core/timeline/chrometrace.h"
#include "core/timeline/eventtables.h"
#include "core/timeline/traceimport.h"

#include <algorithm>
#include <sstream>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;
using timeline::Gap;
using timeline::Model;
using timeline::Side;

base::Result<base::TimelineId> idOf(const QString& text)
{
    bool good = false;
    const base::TimelineId id{text.toLongLong(&good)};
    if (!good || id.value <= 0)
        return Error{ErrorCode::InvalidArgument,
                     "A timeline is named by its number, not \"" + text.toStdString() + "\"",
                     {},
                     "`cudal1 timeline list` names those that the project has"};
    return id;
}

std::vector<Gap> longestGaps(const Model& model, std::size_t most)
{
    std::vector<Gap> gaps = model.gaps;
    std::stable_sort(gaps.begin(), gaps.end(),
                     [](const Gap& a, const Gap& b) { return a.duration_ns() > b.duration_ns(); });
    gaps.resize(std::min(gaps.size(), most));
    return gaps;
}

nlohmann::json sideJson(const Side& side, std::size_t most)
{
    const Model& model = *side.model;
    nlohmann::json rows = nlohmann::json::array(), gaps = nlohmann::json::array();
    for (const timeline::TableRow& row : timeline::tableOf(model)) {
        nlohmann::json j = {{"category", toString(row.category)},
                            {"name", model.names[row.name]},
                            {"count", row.count},
                            {"total_ns", row.total_ns},
                            {"share", row.share}};
        if (row.detail)
            j["detail"] = model.names[row.detail];
        if (row.moved.bytes > 0) {
            j["bytes"] = row.moved.bytes;
            j["bytes_per_second"] = row.moved.bytesPerSecond();
        }
        if (row.launch) {
            j["launch"] = model.launches[row.launch - 1];
            j["one_launch"] = row.oneLaunch;
        }
        rows.push_back(std::move(j));
    }
    for (const Gap& gap : longestGaps(model, most))
        gaps.push_back({{"begin_ns", gap.begin_ns},
                        {"end_ns", gap.end_ns},
                        {"cause", word(gap.cause)},
                        {"text", sentence(model, gap)}});
    return {{"title", side.title},       {"device", model.device},  {"events", model.size()},
            {"windows", model.windows},  {"rows", std::move(rows)}, {"longest_gaps", std::move(gaps)},
            {"gaps", model.gaps.size()}, {"notes", model.notes}};
}

void printSide(Terminal& terminal, const Side& side, std::size_t most)
{
    using Align = TextTable::Align;
    const Model& model = *side.model;
    terminal.print(
        "\n" + terminal.toned(Terminal::Tone::Strong, side.title) + "  " + std::to_string(model.size()) + " events, " +
        (model.windows.empty() ? "no timed windows, " : std::to_string(model.windows.size()) + " timed windows, ") +
        base::timeText(double(model.last_ns - model.first_ns)));
    const auto rows = timeline::tableOf(model);
    TextTable table({{"what"},
                     {"name"},
                     {"total", Align::Right},
                     {"share", Align::Right},
                     {"times", Align::Right},
                     {"grid", Align::Right},
                     {"block", Align::Right},
                     {"registers", Align::Right},
                     {"shared", Align::Right},
                     {"rate", Align::Right}});
    for (std::size_t i = 0; i < std::min(rows.size(), most); ++i) {
        const timeline::TableRow& row = rows[i];
        const protocol::KernelLaunch* launch = row.launch ? &model.launches[row.launch - 1] : nullptr;
        table.add(
            {std::string(toString(row.category)),
             elided(timeline::shortName(model.names[row.name]) + (row.detail ? ", " + model.names[row.detail] : ""),
                    60),
             base::timeText(double(row.total_ns)), base::tenthsText(row.share), std::to_string(row.count),
             launch ? extentText(launch->grid) + (row.oneLaunch ? "" : " …") : "",
             launch ? extentText(launch->block) : "", launch ? std::to_string(launch->registers) : "",
             launch ? base::bytesText(double(launch->staticShared_bytes + launch->dynamicShared_bytes)) : "",
             base::rateText(row.moved.bytesPerSecond())});
    }
    terminal.print(table.text());
    if (rows.size() > most)
        terminal.print("… and " + std::to_string(rows.size() - most) + " more");
    if (std::any_of(rows.begin(), rows.end(), [](const timeline::TableRow& row) { return row.share > 1; }))
        terminal.print(terminal.toned(
            Terminal::Tone::Dim, "Shares are of the timed windows: more than 100 % where work runs side by side."));
    if (!model.gaps.empty())
        terminal.print(timeline::gapTotalsText(model) + ". The longest:");
    for (const Gap& gap : longestGaps(model, std::min<std::size_t>(most, 5)))
        terminal.print("  " + base::timeText(double(gap.duration_ns())) + " from " +
                       base::momentText(double(gap.begin_ns)) + ": " + sentence(model, gap));
    for (const std::string& note : model.notes)
        terminal.print(terminal.toned(Terminal::Tone::Warn, note));
}

/// Of the project for a number, else of a file; stops at SIGINT.
base::Result<std::vector<Side>> sidesOf(Context& context, const QString& text, Interrupt& interrupt)
{
    bool isNumber = false;
    text.toLongLong(&isNumber);
    if (isNumber) {
        const auto id = idOf(text);
        if (!id)
            return id.error();
        const auto project = context.storedProject();
        if (!project)
            return project.error();
        const auto answer = (*project)->timeline(*id);
        if (!answer)
            return answer.error();
        return timeline::sidesOf(*answer);
    }
    std::stop_source stop;
    timeline::Watch watch;
    watch.stop = stop.get_token();
    std::string shown;
    watch.progress = [&](double fraction) {
        if (interrupt.caught())
            stop.request_stop();
        if (std::string now = base::percentText(fraction); now != shown)
            context.terminal().live("Reading … " + (shown = std::move(now)));
    };
    auto opened = timeline::openTrace(text.toStdString(), watch);
    context.terminal().clearLive();
    if (!opened)
        return opened.error();
    return std::move(opened->sides);
}

} // namespace

int listTimelines(Context& context, const QCommandLineParser&, const QStringList& arguments)
{
    const auto project = context.storedProject();
    if (!project)
        return context.fail(project.error());
    base::TaskId of{arguments.value(0).toStdString()};
    if (!of.empty() && !(*project)->task(of)) {
        const auto task = context.task(arguments[0]);
        if (!task)
            return context.fail(task.error());
        of = task->id;
    }
    const auto records = (*project)->timelines(of);
    if (!records)
        return context.fail(records.error());
    nlohmann::json list = nlohmann::json::array();
    TextTable table({{"timeline", TextTable::Align::Right},
                     {"task"},
                     {"variant", TextTable::Align::Right},
                     {"device"},
                     {"precision"},
                     {"calls", TextTable::Align::Right},
                     {"recorded"}});
    for (const store::TimelineRecord& record : *records) {
        list.push_back({{"timeline", record.id.value},
                        {"task", record.task.value},
                        {"variant", record.variant ? nlohmann::json(record.variant.value) : nlohmann::json(nullptr)},
                        {"device", record.device},
                        {"device_model", record.deviceModel},
                        {"precision", toString(record.precision)},
                        {"calls", record.calls},
                        {"seed", record.seed},
                        {"created_ms", record.created_ms}});
        table.add({std::to_string(record.id.value), record.task.value,
                   record.variant ? std::to_string(record.variant.value) : "reference",
                   record.device + " " + record.deviceModel, std::string(toString(record.precision)),
                   std::to_string(record.calls), ageText(record.created_ms)});
    }
    if (context.settings().json)
        context.printJson({{"timelines", std::move(list)}});
    context.terminal().print(records->empty() ? "No timelines" + (of.empty() ? std::string() : " of " + of.value) +
                                                    " are stored. `cudal1 timeline TASK [VARIANT]` records one."
                                              : table.text());
    return Done;
}

int showTimeline(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    bool good = false;
    const int rows = options.value("rows").toInt(&good);
    if (!good || rows < 1)
        return context.fail({ErrorCode::InvalidArgument,
                             "--rows is a whole number from 1, not \"" + options.value("rows").toStdString() + "\"",
                             {},
                             {}});
    Interrupt interrupt;
    const auto sides = sidesOf(context, arguments[0], interrupt);
    if (!sides)
        return context.fail(sides.error(), interrupt, "nothing was shown");
    if (context.settings().json) {
        nlohmann::json list = nlohmann::json::array();
        for (const Side& side : *sides)
            list.push_back(sideJson(side, static_cast<std::size_t>(rows)));
        context.printJson({{"sides", std::move(list)}});
    }
    for (const Side& side : *sides)
        printSide(context.terminal(), side, static_cast<std::size_t>(rows));
    if (const auto id = idOf(arguments[0]); id && !context.settings().json) // one of the project
        if (const store::Project* project = context.existingProject()) {
            const auto record = project->timelineRecord(*id);
            const auto answer = project->timeline(*id);
            const std::string beside = record && answer ? besideJudge(*project, record->variant, *answer)
                                                        : std::string();
            if (!beside.empty())
                context.terminal().print("\n" + context.terminal().toned(Terminal::Tone::Warn, beside));
        }
    return Done;
}

int importTimeline(Context& context, const QCommandLineParser&, const QStringList& arguments)
{
    const auto answer = timeline::loadTrace(arguments[0].toStdString());
    if (!answer)
        return context.fail(answer.error());
    const auto project = context.project();
    if (!project)
        return context.fail(project.error());
    const auto task = context.task(QString::fromStdString(answer->task));
    if (!task)
        return context.fail(task.error());
    base::VariantId variant;
    if (arguments.size() > 1) {
        bool good = false;
        variant = {arguments[1].toLongLong(&good)};
        if (!good || !variant)
            return context.fail({ErrorCode::InvalidArgument,
                                 "A variant is named by its number, not \"" + arguments[1].toStdString() + "\"",
                                 {},
                                 "`cudal1 variants " + task->id.value + "` lists those of this task"});
    }
    if (bool(variant) != answer->candidate.has_value())
        return context.fail({ErrorCode::InvalidArgument,
                             variant ? std::string("This trace is of the reference alone")
                                     : "This trace is of a candidate too: " + answer->candidateName,
                             arguments[0].toStdString(),
                             variant ? "Leave the variant out" : "Name the variant that it is of, by its number"});
    if (const auto put = (*project)->putTask(recordOf(*task)); !put)
        return context.fail(put.error());
    const auto id = (*project)->addTimeline(task->id, variant, *answer);
    if (!id)
        return context.fail(id.error());
    if (context.settings().json)
        context.printJson({{"timeline", id->value}});
    context.terminal().print("stored     as timeline " + std::to_string(id->value));
    return Done;
}

int exportTimeline(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    const auto id = idOf(arguments[0]);
    if (!id)
        return context.fail(id.error());
    const std::string file = options.value("output").toStdString();
    if (file.empty())
        return context.fail({ErrorCode::InvalidArgument, "--output needs a file", {}, {}});
    const auto project = context.storedProject();
    if (!project)
        return context.fail(project.error());
    const auto answer = (*project)->timeline(*id);
    if (!answer)
        return context.fail(answer.error());
    if (file == "-") {
        std::ostringstream text;
        timeline::writeTrace(text, *answer);
        const auto written = write("-", text.view(), "The trace");
        return written ? int(Done) : context.fail(written.error());
    }
    if (const auto saved = timeline::saveTrace(file, *answer); !saved)
        return context.fail(saved.error());
    if (context.settings().json)
        context.printJson({{"timeline", id->value}, {"file", file}});
    context.terminal().print("written    " + file + "; open it at https://ui.perfetto.dev");
    return Done;
}

} // namespace cudal1::cli
