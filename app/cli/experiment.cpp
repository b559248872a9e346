// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 experiment FILE.json`: policies by methods over tasks and seeds, a run each.
#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/table.h"
#include "app/cli/verbs.h"
#include "core/base/ratiotext.h"
#include "core/experiment/experimentplan.h"
#include "core/experiment/experimentrows.h"
#include "core/language/policychoice.h"
#include "core/optimize/options.h"
#include "core/optimize/search.h"

#include <QEventLoop>
#include <QFile>

#include <algorithm>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;
using experiment::Arm;
using experiment::CellResult;
using experiment::ExperimentRow;
using language::PolicyChoice;
using store::RunState;

/// All runs of an experiment, one after the other.
class Experimenter {
public:
    Experimenter(Context& context, store::Project& project, const experiment::ExperimentPlan& plan)
        : m_context(context), m_project(project), m_plan(plan), m_arms(plan.arms())
    {
    }

    /// Every combination, none of them begun.
    void prepare(const std::vector<store::TaskRecord>& tasks, const protocol::DeviceInfo& device)
    {
        m_tasks = tasks;
        m_device = device;
        for (std::size_t arm = 0; arm < m_arms.size(); ++arm)
            for (const store::TaskRecord& task : tasks)
                for (const std::uint64_t seed : m_plan.seeds) {
                    CellResult& cell = results.emplace_back();
                    cell.arm = arm;
                    cell.task = task.id;
                    cell.level = task.level;
                    cell.seed = seed;
                }
    }

    /// Finds the run of each among those that the project has, and reads what it came to.
    base::Status find()
    {
        const auto runs = m_project.runs();
        if (!runs)
            return runs.error();
        for (CellResult& cell : results) {
            const auto policy = choiceOf(cell);
            if (!policy)
                return policy.error();
            const auto run = optimize::newestOf(*runs, optionsOf(cell, *policy), nameOf(*policy));
            if (!run)
                continue;
            cell.run = run->id;
            cell.done = run->state == RunState::Finished;
            if (cell.done || run->state == RunState::Failed)
                if (const auto status = read(cell); !status)
                    return status.error();
            cell.trouble = run->state == RunState::Failed ? run->message : std::string();
        }
        return {};
    }

    /// Runs what is not done. Empty where it came to the end; else why it stopped.
    base::Status run(Client& client, Interrupt& interrupt)
    {
        for (CellResult& cell : results) {
            if (cell.done)
                continue;
            if (interrupt.caught())
                return Error{ErrorCode::Cancelled, "Stopped", {}, {}};
            if (const auto status = runOne(client, interrupt, cell); !status)
                return status;
        }
        return {};
    }

    int done() const
    {
        return int(std::count_if(results.begin(), results.end(), [](const CellResult& one) { return one.done; }));
    }
    const std::vector<Arm>& arms() const { return m_arms; }

    std::vector<CellResult> results;

private:
    base::Result<PolicyChoice> choiceOf(const CellResult& cell) const
    {
        const Arm& arm = m_arms[cell.arm];
        return PolicyChoice::of(arm.policy, arm.method.value_or(language::AskMethod()));
    }

    static std::string nameOf(const PolicyChoice& choice)
    {
        const std::string& name = choice.names().front();
        if (name.starts_with("replay:")) { // it has the name of the model that was recorded
            const auto made = choice.make();
            return made ? (*made)->name() : name;
        }
        return name == "library" ? "technique library" : language::storedName(name);
    }

    optimize::Options optionsOf(const CellResult& cell, const PolicyChoice& choice) const
    {
        optimize::Options options;
        options.task = *std::find_if(m_tasks.begin(), m_tasks.end(),
                                     [&](const store::TaskRecord& one) { return one.id == cell.task; });
        options.device = m_device.name;
        options.precision = m_context.settings().precision;
        options.preset = m_context.settings().preset;
        options.rounds = m_plan.rounds;
        options.budget_s = m_plan.budget_s;
        options.seed = cell.seed;
        options.method = choice.methodText();
        options.alone = true;
        return options;
    }

    base::Status read(CellResult& cell)
    {
        return experiment::readResult(m_project, m_device.model, m_context.settings().precision, cell);
    }

    base::Status runOne(Client& client, Interrupt& interrupt, CellResult& cell)
    {
        const auto choice = choiceOf(cell);
        auto made = choice ? choice->make() : choice.error();
        if (!made)
            return made.error();
        std::swap(m_policy, *made); // the last one goes when this one is there, so that a local model stays loaded
        made->reset();
        policy::Policy& policy = *m_policy;
        const optimize::Options options = optionsOf(cell, *choice);
        const auto unfinished = optimize::unfinishedRun(m_project, options, policy.name());
        if (!unfinished)
            return unfinished.error();
        const Arm& arm = m_arms[cell.arm];
        const std::string title = arm.policy + (arm.method ? ", " + arm.methodName() : std::string()) + ": " +
                                  cell.task.value + ", seed " + std::to_string(cell.seed);
        m_context.terminal().print((*unfinished ? "Resuming " : "") + title);
        optimize::Search search(m_project, client.crew(), policy);
        RunState state = RunState::Failed;
        QEventLoop loop;
        QObject::connect(&search, &optimize::Search::log, &loop,
                         [&](const QString& line) { m_context.terminal().print("  " + line.toStdString()); });
        QObject::connect(&search, &optimize::Search::progress, &loop, [&](const optimize::Progress& progress) {
            m_context.terminal().live(std::to_string(done()) + " of " + std::to_string(results.size()) + " · " + title +
                                      (progress.text.empty() ? "" : " · " + progress.text));
        });
        QObject::connect(&search, &optimize::Search::finished, &loop, [&](RunState how) {
            state = how;
            loop.quit();
        });
        QObject::connect(&interrupt, &Interrupt::requested, &loop, [&] { search.stop(); });
        *unfinished ? search.resume((*unfinished)->id) : search.start(options);
        if (interrupt.caught())
            search.stop();
        loop.exec();
        m_context.terminal().clearLive();
        cell.run = search.run();
        cell.done = state == RunState::Finished;
        if (cell.run && state != RunState::Stopped) {
            CellResult whole = CellResult{cell.arm, cell.task, cell.level, cell.seed, cell.run, cell.done};
            if (const auto status = read(whole); !status)
                return status;
            cell = std::move(whole);
        }
        if (state == RunState::Stopped)
            return search.error().message.empty() ? Error{ErrorCode::Cancelled, "Stopped", {}, {}} : search.error();
        if (state != RunState::Failed)
            return {};
        cell.trouble = search.error().text();
        // Another run would fare no better without evaluator or model.
        const ErrorCode code = search.error().code;
        const bool all = code == ErrorCode::Unavailable || code == ErrorCode::ProcessFailed;
        return all ? base::Status(search.error()) : base::Status();
    }

    Context& m_context;
    store::Project& m_project;
    const experiment::ExperimentPlan& m_plan;
    const std::vector<Arm> m_arms;
    std::vector<store::TaskRecord> m_tasks;
    protocol::DeviceInfo m_device;
    std::unique_ptr<policy::Policy> m_policy; ///< of the last run
};

std::string costText(const std::map<std::string, double>& costs)
{
    std::string out;
    for (const auto& [unit, cost] : costs)
        out += (out.empty() ? "" : ", ") + QString::number(cost, 'g', 4).toStdString() + " " + unit;
    return out;
}

std::string ofAll(int part, int all)
{
    return all > 0 ? std::to_string(part) + "/" + std::to_string(all) : "";
}

std::string tableOf(const std::vector<Arm>& arms, const std::vector<ExperimentRow>& rows)
{
    using Align = Table::Align;
    Table table({{"policy"},
                 {"method"},
                 {"level"},
                 {"success", Align::Right},
                 {"without repair", Align::Right},
                 {"above 1.01", Align::Right},
                 {"mean", Align::Right},
                 {"geometric", Align::Right},
                 {"max", Align::Right},
                 {"75 %", Align::Right},
                 {"50 %", Align::Right},
                 {"25 %", Align::Right},
                 {"samples", Align::Right},
                 {"repairs", Align::Right},
                 {"tokens", Align::Right},
                 {"cost", Align::Right}});
    const auto ratio = [](const ExperimentRow& row, double value) {
        return row.runs > 0 ? base::threeDigits(value) : std::string();
    };
    for (const ExperimentRow& row : rows)
        table.add({arms[row.arm].policy, arms[row.arm].methodName(), row.level ? std::to_string(*row.level) : "all",
                   ofAll(row.success, row.runs), row.repairs > 0 ? ofAll(row.successWithoutRepair, row.runs) : "",
                   ofAll(row.improved, row.runs), ratio(row, row.mean), ratio(row, row.geometricMean),
                   ratio(row, row.maximum), ratio(row, row.upperQuartile), ratio(row, row.median),
                   ratio(row, row.lowerQuartile), std::to_string(row.samples), ofAll(row.mended, row.repairs),
                   row.promptTokens + row.replyTokens > 0 ? std::to_string(row.promptTokens + row.replyTokens) : "",
                   costText(row.costs)});
    return table.text();
}

nlohmann::json toJson(const Arm& arm)
{
    return {{"policy", arm.policy},
            {"method", arm.method ? nlohmann::json::parse(language::toJson(*arm.method)) : nlohmann::json(nullptr)}};
}

nlohmann::json toJson(const std::vector<Arm>& arms, const CellResult& cell)
{
    nlohmann::json out = toJson(arms[cell.arm]);
    out.update({{"task", cell.task.value},
                {"seed", cell.seed},
                {"run", cell.run ? nlohmann::json(cell.run.value) : nlohmann::json(nullptr)},
                {"done", cell.done},
                {"trouble", cell.trouble.empty() ? nlohmann::json(nullptr) : nlohmann::json(cell.trouble)},
                {"correct", cell.correct},
                {"correct_without_repair", cell.correctWithoutRepair},
                {"score", cell.score},
                {"best", cell.best ? nlohmann::json(cell.best.value) : nlohmann::json(nullptr)},
                {"samples", cell.samples},
                {"unusable", cell.unusable},
                {"repairs", cell.repairs},
                {"mended", cell.mended},
                {"prompt_tokens", cell.promptTokens},
                {"completion_tokens", cell.replyTokens},
                {"costs", cell.costs}});
    return out;
}

nlohmann::json toJson(const std::vector<Arm>& arms, const ExperimentRow& row)
{
    nlohmann::json out = toJson(arms[row.arm]);
    out.update({{"level", row.level ? nlohmann::json(*row.level) : nlohmann::json(nullptr)},
                {"runs", row.runs},
                {"success", row.success},
                {"success_without_repair", row.successWithoutRepair},
                {"above_1_01", row.improved},
                {"mean", row.mean},
                {"geometric_mean", row.geometricMean},
                {"max", row.maximum},
                {"p75", row.upperQuartile},
                {"p50", row.median},
                {"p25", row.lowerQuartile},
                {"samples", row.samples},
                {"unusable", row.unusable},
                {"repairs", row.repairs},
                {"mended", row.mended},
                {"prompt_tokens", row.promptTokens},
                {"completion_tokens", row.replyTokens},
                {"costs", row.costs}});
    return out;
}

int print(Context& context, const Experimenter& all, const base::Status& ended, int signal)
{
    const auto rows = experiment::rowsOf(all.results, all.arms().size());
    if (context.settings().json) {
        nlohmann::json cells = nlohmann::json::array(), lines = nlohmann::json::array();
        for (const CellResult& cell : all.results)
            cells.push_back(toJson(all.arms(), cell));
        for (const ExperimentRow& row : rows)
            lines.push_back(toJson(all.arms(), row));
        nlohmann::json out{{"planned", all.results.size()},
                           {"done", all.done()},
                           {"rows", std::move(lines)},
                           {"runs", std::move(cells)}};
        if (!ended)
            out["error"] = cli::toJson(ended.error());
        context.printJson(out);
    }
    context.terminal().print("\n" + tableOf(all.arms(), rows));
    const auto failed = std::count_if(all.results.begin(), all.results.end(),
                                      [](const CellResult& one) { return !one.trouble.empty(); });
    if (failed > 0) {
        const auto first = std::find_if(all.results.begin(), all.results.end(),
                                        [](const CellResult& one) { return !one.trouble.empty(); });
        context.terminal().complain("cudal1: " + std::to_string(failed) + (failed == 1 ? " run" : " runs") +
                                    " failed and count nowhere, the first of them for " + first->task.value + ": " +
                                    first->trouble);
    }
    if (!ended) {
        context.terminal().complain("cudal1: " + ended.error().text() + ". " + std::to_string(all.done()) + " of " +
                                    std::to_string(all.results.size()) +
                                    " runs are done. Run the same command again to go on.");
        return signal ? 128 + signal : Context::statusOf(ended.error());
    }
    return failed > 0 ? CannotDoIt : Done;
}

base::Result<experiment::ExperimentPlan> readPlan(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return Error{ErrorCode::NotFound,
                     "The experiment cannot be read: " + file.errorString().toStdString(),
                     path.toStdString(),
                     {}};
    auto plan = experiment::ExperimentPlan::read(file.readAll().toStdString());
    if (!plan)
        return plan.error();
    for (const Arm& arm : plan->arms()) {
        const auto known = PolicyChoice::of(arm.policy, arm.method.value_or(language::AskMethod()));
        if (!known)
            return known.error();
        if (known->names().size() > 1)
            return Error{
                ErrorCode::InvalidArgument, "A policy of an experiment is one alone, not " + arm.policy, {}, {}};
    }
    return plan;
}

} // namespace

int experiment(Context& context, const QCommandLineParser& parser, const QStringList& arguments)
{
    const auto plan = readPlan(arguments[0]);
    if (!plan)
        return context.fail(plan.error());
    std::optional<tasks::Split> split;
    if (!plan->split.empty() && !(split = tasks::splitFromText(plan->split)))
        return context.fail({ErrorCode::InvalidArgument,
                             "\"split\" is train or held-out, not \"" + plan->split + "\"",
                             arguments[0].toStdString(),
                             {}});
    QStringList names;
    for (const std::string& name : plan->tasks)
        names << QString::fromStdString(name);
    const auto tasks = context.tasks(names, plan->level, split);
    if (!tasks)
        return context.fail(tasks.error());
    if (!parser.isSet("show"))
        for (const Arm& arm : plan->arms()) { // before anything is started
            const auto choice = PolicyChoice::of(arm.policy, arm.method.value_or(language::AskMethod()));
            if (const auto policy = choice->make(); !policy)
                return context.fail(policy.error());
        }
    const auto project = parser.isSet("show") ? context.storedProject() : context.project();
    if (!project)
        return context.fail(project.error());
    Interrupt interrupt;
    Client client(interrupt);
    const auto device = context.device(client);
    if (!device)
        return context.fail(device.error(), interrupt, "nothing was begun");
    Experimenter all(context, **project, *plan);
    all.prepare(*tasks, *device);
    if (const auto status = all.find(); !status)
        return context.fail(status.error());
    context.terminal().print(std::to_string(all.results.size()) + " runs on " +
                             conditionsText(*device, context.settings().precision, context.settings().preset) + ", " +
                             std::to_string(all.done()) + " of them done before");
    const base::Status ended = parser.isSet("show") ? base::Status() : all.run(client, interrupt);
    return print(context, all, ended, interrupt.caught());
}

} // namespace cudal1::cli
