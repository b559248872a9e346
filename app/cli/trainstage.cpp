// SPDX-License-Identifier: GPL-3.0-or-later
// A stage waited for.
#include "app/cli/trainstage.h"

#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/rows.h"

#include <QEventLoop>

#include <cstdio>

namespace cudal1::cli {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

/// A step for a person.
std::string stepText(const json& line)
{
    std::string out = "step " + std::to_string(line.value("batch", 0) + 1) + " of " +
                      std::to_string(line.value("steps", 0));
    if (line.contains("replies"))
        out += ": " + std::to_string(line.value("correct", 0)) + " of " + std::to_string(line.value("replies", 0)) +
               " correct, reward " + fourDigits(line.value("judged_reward", 0.0));
    if (const std::string why = line.value("skipped", ""); !why.empty())
        return out + "; skipped: " + why;
    out += (line.contains("replies") ? "; loss " : ": loss ") + fourDigits(line.value("loss", 0.0)) + ", entropy " +
           fourDigits(line.value("entropy", 0.0));
    if (line.value("stage", "") == "contrastive")
        out += ", KL " + fourDigits(line.value("divergence", 0.0)) + ", groups without variance " +
               std::to_string(line.value("skipped_groups", 0));
    if (line.value("sampler_age", 0) > 0)
        out += ", drawn one batch ahead";
    return out + ", " + fourDigits(line.value("tokens_per_second", 0.0)) + " tokens/s";
}

} // namespace

void printLine(const json& object)
{
    const std::string text = object.dump(-1, ' ', false, json::error_handler_t::replace);
    std::printf("%s\n", text.c_str());
    std::fflush(stdout);
}

base::Result<std::string> runStage(Context& context, Interrupt& interrupt, const learning::StageOptions& options,
                                   learning::BatchMaker& maker, const AfterSteps& afterSteps, StepLines lines)
{
    Terminal& terminal = context.terminal();
    learning::StageRun run(options, maker);
    QEventLoop loop;
    Error outcome;
    const auto finish = [&](const Error& error) {
        outcome = error;
        loop.quit();
    };
    QObject::connect(&run, &learning::StageRun::log, &loop,
                     [&](const QString& line) { terminal.complain("cudal1: " + line.toStdString()); });
    QObject::connect(&run, &learning::StageRun::opened, &loop, [&](const protocol::TrainingOpened& opened) {
        terminal.print(std::string(wordOf(options.stage)) + ": " + std::to_string(opened.parameters) +
                       " parameters on " + opened.device + ", " + opened.numbers +
                       (opened.batch > 0 ? "; goes on at step " + std::to_string(opened.batch + 1) : std::string()));
    });
    QObject::connect(&run, &learning::StageRun::stepped, &loop, [&](const json& line) {
        if (lines == StepLines::Live)
            terminal.live(std::string(wordOf(options.stage)) + ", " + stepText(line));
        else if (context.settings().json)
            printLine(line);
        else
            terminal.print(stepText(line));
    });
    QObject::connect(&run.trainer(), &learning::TrainerClient::failed, &loop, finish, Qt::QueuedConnection);
    QObject::connect(
        &run, &learning::StageRun::finished, &loop,
        [&](const Error& error) {
            if (!error.message.empty() || !afterSteps)
                return finish(error);
            afterSteps(run.trainer(), run.checkpoint(),
                       [&](const base::Status& status) { finish(status ? Error{} : status.error()); });
        },
        Qt::QueuedConnection);
    QObject::connect(&interrupt, &Interrupt::requested, &loop, [&] {
        terminal.complain("cudal1: stopping …");
        run.stop();
        if (run.isOver()) // its weights are being tested
            finish({ErrorCode::Cancelled, "The training was stopped", {}, "Run the same command again to go on"});
    });
    if (interrupt.caught())
        return Error{ErrorCode::Cancelled, "The training was stopped", {}, "Run the same command again to go on"};
    run.start();
    loop.exec();
    terminal.clearLive();
    if (!outcome.message.empty())
        return outcome;
    return run.checkpoint();
}

} // namespace cudal1::cli
