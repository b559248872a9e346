// SPDX-License-Identifier: GPL-3.0-or-later
// A campaign in a terminal.
#include "app/cli/optimizemany.h"

#include "app/cli/interrupt.h"
#include "app/cli/progresstext.h"
#include "app/cli/runlimits.h"
#include "app/cli/texttable.h"
#include "app/cli/verbs.h"
#include "core/base/ratiotext.h"
#include "core/models/spending.h"
#include "core/optimize/campaign.h"
#include "core/optimize/handedover.h"
#include "core/optimize/outcometext.h"

#include <QEventLoop>

#include <deque>
#include <functional>

namespace cudal1::cli {

namespace {

using optimize::TaskResult;
using store::RunState;

/// The fastest correct variant that the project has of a task.
base::Result<std::optional<store::VariantRow>> fastestOf(store::Project& project, const base::TaskId& task)
{
    const auto rows = project.variantRows(task);
    if (!rows)
        return rows.error();
    const store::VariantRow* fastest = optimize::fastestOf(*rows);
    return fastest ? std::optional(*fastest) : std::optional<store::VariantRow>();
}

/// The devices to search on, as an evaluator says that ends before others begin.
base::Result<std::vector<protocol::DeviceInfo>> describedDevices(Context& context, Interrupt& interrupt)
{
    Client client(interrupt);
    const auto machine = context.describe(client);
    if (!machine)
        return machine.error();
    return context.devices(*machine);
}

/// How a campaign ended.
struct Ending {
    RunState state = RunState::Failed;
    std::string limit; ///< of the models, that was reached
};

/// Shows a campaign at work until it ends. `start` starts it.
Ending watch(optimize::Campaign& campaign, Terminal& terminal, Interrupt& interrupt, const std::function<void()>& start)
{
    Ending ending;
    QEventLoop loop;
    QObject::connect(&campaign, &optimize::Campaign::log, &loop,
                     [&](const QString& line) { terminal.print(line.toStdString()); });
    QObject::connect(&campaign, &optimize::Campaign::progress, &loop, [&](const optimize::CampaignProgress& progress) {
        terminal.live(progressText(progress, " tasks"));
    });
    QObject::connect(&campaign, &optimize::Campaign::finished, &loop, [&](RunState how) {
        ending.state = how;
        loop.quit();
    });
    QObject::connect(&interrupt, &Interrupt::requested, &loop, [&] {
        terminal.live("Stopping …");
        campaign.stop();
    });
    QObject::connect(&campaign, &optimize::Campaign::taskEnded, &loop, [&](const TaskResult& result) {
        if (result.state != RunState::Stopped || !ending.limit.empty())
            return;
        ending.limit = result.message;
        campaign.stop();
    });
    start();
    if (interrupt.caught())
        campaign.stop();
    loop.exec();
    terminal.clearLive();
    return ending;
}

/// What the tasks came to, for both kinds of output.
struct Results {
    nlohmann::json rows = nlohmann::json::array();
    TextTable table = TextTable({{"task"}, {"search"}, {"best"}, {"variant", TextTable::Align::Right}, {"fastest"}});
    std::string failures; ///< a line each
    int failed = 0;
    int kept = 0; ///< tasks of which the reference is best
};

base::Result<Results> resultsOf(const optimize::Campaign& campaign, store::Project& project)
{
    Results out;
    for (const TaskResult& result : campaign.results()) {
        const auto fastest = fastestOf(project, result.task);
        if (!fastest)
            return fastest.error();
        const base::Interval wall = *fastest ? (*fastest)->evaluation->wall : base::Interval();
        const bool kept = optimize::referenceIsBest(wall);
        out.kept += kept;
        out.failed += result.state == RunState::Failed;
        const std::string how = result.before ? "finished before" : store::runStateWord(result.state);
        if (result.state == RunState::Failed)
            out.failures += "\n" + result.task.value + " failed: " + result.message;
        const std::string number = *fastest ? std::to_string((*fastest)->id.value) : std::string();
        out.table.add({result.task.value, how, kept ? "the reference" : optimize::speedupText(wall),
                       kept ? std::string() : number,
                       kept && *fastest ? optimize::speedupText(wall) + " #" + number : std::string()});
        out.rows.push_back({{"task", result.task.value},
                            {"state", store::runStateWord(result.state)},
                            {"before", result.before},
                            {"message", result.message},
                            {"best", kept ? nlohmann::json(nullptr) : nlohmann::json((*fastest)->id.value)},
                            {"reference_is_best", kept},
                            {"fastest", *fastest ? nlohmann::json((*fastest)->id.value) : nlohmann::json(nullptr)}});
    }
    return out;
}

} // namespace

int optimizeMany(Context& context, const optimize::SearchOptions& options, const language::PolicyChoice& choice,
                 const models::ModelSources& sources, const std::vector<store::TaskRecord>& tasks, bool fresh)
{
    const auto one = choice.make({},
                                 sources); // before anything is started; it keeps a local model loaded between searches
    if (!one)
        return context.fail(one.error());
    const auto project = context.project();
    if (!project)
        return context.fail(project.error());
    Interrupt interrupt;
    Terminal& terminal = context.terminal();
    const auto devices = describedDevices(context, interrupt);
    if (interrupt.caught())
        return 128 + interrupt.caught();
    if (!devices)
        return context.fail(devices.error());

    std::deque<crew::Crew> crews; // which do not move
    std::vector<optimize::SearchPlace> places;
    std::string where;
    for (const protocol::DeviceInfo& device : *devices) {
        crews.emplace_back().add(farm::Launcher::standard());
        places.push_back({&crews.back(), device.name, {}, device.name});
        where += (where.empty() ? "" : " and ") + device.name + ", " + device.model;
    }
    const double ahead_s = optimize::campaignAhead(**project, options, (*one)->name(), tasks, places, fresh).seconds;
    terminal.print(terminal.toned(Terminal::Tone::Strong,
                                  std::to_string(tasks.size()) + (tasks.size() == 1 ? " task" : " tasks")) +
                   " on " + where + ", precision " + std::string(protocol::toString(options.precision)) + ", preset " +
                   std::string(protocol::toString(options.preset)) +
                   (ahead_s > 0 ? ", about " + base::durationText(ahead_s) : std::string()));

    std::optional<models::Spending> spending; // which goes on counting where the same campaign goes on
    if (!choice.methodText().empty())
        spending.emplace(**project, models::spendingKey(optimize::campaignKey(options, choice.namesText(), tasks)),
                         sources.run, fresh);
    optimize::Campaign campaign(**project, [&] { return choice.makeOrFail({}, sources); });
    const auto [state, limit] = watch(campaign, terminal, interrupt,
                                      [&] { campaign.start(options, tasks, places, fresh); });
    auto results = resultsOf(campaign, **project);
    if (!results)
        return context.fail(results.error());
    if (context.settings().json)
        context.printJson({{"state", store::runStateWord(state)},
                           {"tasks", std::move(results->rows)},
                           {"ledger", choice.methodText().empty() ? nlohmann::json(nullptr)
                                                                  : ledgerJson(sources.run->all()->totals())}});
    else if (!campaign.results().empty())
        terminal.print(
            "\n" + results->table.text() +
            (results->kept > 0 ? "\nWhere the reference is best, no variant is faster by its whole interval; "
                                 "\"fastest\" is the one that comes nearest."
                               : "") +
            results->failures + "\n`cudal1 compare-suite` sets them beside baselines and published results.");
    if (!choice.methodText().empty())
        terminal.print("\n" + ledgerText(sources.run->all()->totals()));
    if (state == RunState::Failed)
        return context.fail(campaign.error());
    if (state == RunState::Stopped || !limit.empty()) {
        terminal.complain("cudal1: " + (limit.empty() ? "" : limit + ". It has ") +
                          "stopped; what was judged is stored. Run the same command again to resume.");
        return interrupt.caught() ? 128 + interrupt.caught() : CannotDoIt;
    }
    const int failed = results->failed;
    if (failed > 0)
        terminal.complain("cudal1: " + std::to_string(failed) + (failed == 1 ? " search" : " searches") + " failed; " +
                          (context.settings().json ? "\"message\" says why." : "why stands below the table."));
    return failed > 0 ? CannotDoIt : Done;
}

} // namespace cudal1::cli
