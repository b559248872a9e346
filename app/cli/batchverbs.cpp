// SPDX-License-Identifier: GPL-3.0-or-later
// A batch of evaluations with its live line.
#include "app/cli/batchverbs.h"

#include "app/cli/output.h"
#include "app/cli/progresstext.h"
#include "app/cli/verbs.h"
#include "core/optimize/outcometext.h"

#include <QEventLoop>
#include <QFileInfo>

namespace cudal1::cli {

using store::RunState;

namespace {

} // namespace

base::Status writeTable(const QString& path, const std::string& table)
{
    if (path.isEmpty())
        return {};
    return write(path, table, "The table",
                 "What was judged is stored; choose another place with --csv and run the command again");
}

base::Error wrongValue(const char* name, const char* what, const QString& value)
{
    return {base::ErrorCode::InvalidArgument,
            std::string("--") + name + " is " + what + ", not \"" + value.toStdString() + "\"",
            {},
            {}};
}

base::Result<BatchAsked> readBatch(const QCommandLineParser& parser, bool many)
{
    BatchAsked out;
    bool good = true;
    for (const auto& [name, target] : {std::pair("level", &out.level), std::pair("limit", &out.limit)}) {
        if (!many || !parser.isSet(name))
            continue;
        *target = parser.value(name).toInt(&good);
        if (!good || *target < 1)
            return wrongValue(name, "a whole number from 1", parser.value(name));
    }
    out.budget_s = parser.value("budget").toDouble(&good);
    if (!good || !(out.budget_s >= 0) || (parser.isSet("budget") && out.budget_s == 0))
        return wrongValue("budget", "a number of seconds above 0", parser.value("budget"));
    out.buildLimit_s = parser.value("build-limit").toDouble(&good);
    if (!good || !(out.buildLimit_s > 0))
        return wrongValue("build-limit", "a number of seconds above 0", parser.value("build-limit"));
    out.again = parser.isSet("again");
    out.on = parser.value("on").toStdString();
    if (parser.isSet("on") && out.on.empty())
        return base::Error{base::ErrorCode::InvalidArgument,
                           "--on needs the model of a device",
                           {},
                           "For example --on \"NVIDIA H200\""};
    out.csv = parser.value("csv");
    if (parser.isSet("csv") && out.csv.isEmpty())
        return base::Error{base::ErrorCode::InvalidArgument, "--csv needs a path", {}, {}};
    // Said before hours of measuring, not after.
    const QFileInfo place(out.csv), folder(place.path());
    if (!out.csv.isEmpty() && (place.isDir() || !folder.isDir() || !folder.isWritable()))
        return base::Error{base::ErrorCode::InvalidArgument, "No file can be written at --csv " + out.csv.toStdString(),
                           place.isDir()    ? "It is a folder"
                           : folder.isDir() ? "Its folder may not be written"
                                            : "Its folder does not exist",
                           "Name a file in a folder that exists"};
    return out;
}

std::string withSettingsText(const Context& context)
{
    return " with precision " + std::string(protocol::toString(context.settings().precision)) + " and preset " +
           std::string(protocol::toString(context.settings().preset));
}

std::string heldText(const std::function<int(protocol::Precision, protocol::Preset)>& count)
{
    using protocol::Precision;
    using protocol::Preset;
    std::string out;
    for (const Precision precision : {Precision::Kernelbench, Precision::Ieee, Precision::Tf32})
        for (const Preset preset : {Preset::Quick, Preset::Standard, Preset::Paper}) {
            const int found = count(precision, preset);
            if (found == 0)
                continue;
            out += (out.empty() ? "" : ", ") + std::string("--preset ") + std::string(protocol::toString(preset));
            if (precision != Precision::Kernelbench)
                out += " --precision " + std::string(protocol::toString(precision));
            out += " has " + std::to_string(found);
        }
    return out;
}

batch::BatchOptions batchOptions(const Context& context, const char* kind, const protocol::DeviceInfo& device,
                                 const BatchAsked& asked)
{
    batch::BatchOptions options;
    options.kind = kind;
    options.device = device;
    options.precision = context.settings().precision;
    options.preset = context.settings().preset;
    options.seed = context.settings().seed;
    options.budget_s = asked.budget_s;
    options.buildLimit_s = asked.buildLimit_s;
    return options;
}

BatchEnd runBatch(Context& context, Interrupt& interrupt, batch::BatchRun& session, const batch::BatchOptions& options,
                  const batch::Recipe& recipe)
{
    Terminal& terminal = context.terminal();
    BatchEnd ended;
    QEventLoop loop;
    QObject::connect(&session, &batch::BatchRun::log, &loop,
                     [&](const QString& line) { terminal.print(line.toStdString()); });
    QObject::connect(&session, &batch::BatchRun::progress, &loop,
                     [&](const batch::BatchProgress& progress) { terminal.live(progressText(progress)); });
    QObject::connect(&session, &batch::BatchRun::evaluationStored, &loop, [&] { ++ended.judged; });
    QObject::connect(&session, &batch::BatchRun::finished, &loop, [&](RunState state, const QString& message) {
        ended.state = state;
        ended.message = message.toStdString();
        loop.quit();
    });
    QObject::connect(&interrupt, &Interrupt::requested, &loop, [&] {
        terminal.live("Stopping …");
        session.stop();
    });
    if (recipe.unfinished)
        terminal.print("Resuming run " + std::to_string(recipe.unfinished->id.value));
    session.start(options, recipe);
    if (interrupt.caught())
        session.stop();
    loop.exec();
    terminal.clearLive();
    return ended;
}

nlohmann::json toJson(const BatchEnd& ended, const batch::BatchRun& session, const batch::BatchOptions& options)
{
    nlohmann::json missed = nlohmann::json::array();
    for (const batch::NotJudged& one : session.notJudged())
        missed.push_back({{"variant", one.variant.value}, {"why", one.why}});
    nlohmann::json out = {{"run", session.run() ? nlohmann::json(session.run().value) : nlohmann::json(nullptr)},
                          {"complete", ended.state == RunState::Finished},
                          {"message", ended.message},
                          {"judged", ended.judged},
                          {"not_judged", std::move(missed)},
                          {"device", options.device},
                          {"precision", protocol::toString(options.precision)},
                          {"preset", protocol::toString(options.preset)}};
    if (ended.state == RunState::Failed)
        out["error"] = toJson(session.error());
    return out;
}

int finishBatch(Context& context, const Interrupt& interrupt, const batch::BatchRun& session, const BatchEnd& ended,
                const QString& csv, const std::string& table)
{
    Terminal& terminal = context.terminal();
    for (const batch::NotJudged& one : session.notJudged())
        terminal.complain("cudal1: variant " + std::to_string(one.variant.value) + " was not judged: " + one.why);
    if (const auto status = writeTable(csv, table); !status) {
        terminal.complain("cudal1: " + status.error().text());
        return CannotDoIt;
    }
    if (ended.state == RunState::Failed) {
        terminal.complain("cudal1: " + session.error().text());
        return context.statusOf(session.error());
    }
    if (ended.state == RunState::Stopped) {
        terminal.complain("cudal1: " + ended.message +
                          "; what was judged is stored. Run the same command again to go on.");
        return interrupt.caught() ? 128 + interrupt.caught() : session.notJudged().empty() ? Done : CannotDoIt;
    }
    return Done;
}

} // namespace cudal1::cli
