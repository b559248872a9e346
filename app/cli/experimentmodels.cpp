// SPDX-License-Identifier: GPL-3.0-or-later
// Trains the models of an experiment, one after another.
#include "app/cli/experimentmodels.h"

#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/modelpath.h"
#include "app/cli/trainingtasks.h"
#include "app/cli/trainstage.h"
#include "core/collect/heldout.h"
#include "core/language/languagepolicy.h"
#include "core/language/templatefolders.h"
#include "core/learning/judgedbatches.h"
#include "core/learning/supervisedbatches.h"
#include "core/learning/trainingstart.h"
#include "core/models/localmodel.h"

#include <QCoreApplication>
#include <QFile>
#include <QSaveFile>

#include <algorithm>

namespace cudal1::cli {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using experiment::ExperimentRecord;
using experiment::PlannedModel;
using learning::Stage;
using nlohmann::json;

namespace {

fs::path markOf(const fs::path& folder)
{
    return folder / "finished.json";
}

base::Status writeFinished(const fs::path& folder, const std::string& checkpoint, const std::string& data)
{
    QSaveFile file(QString::fromStdString(markOf(folder).string()));
    const std::string text = json{{"checkpoint", fs::path(checkpoint).filename().string()}, {"data", data}}.dump() +
                             "\n";
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), qint64(text.size())) != qint64(text.size()) ||
        !file.commit())
        return Error{ErrorCode::Unavailable, "The record of a model that was trained cannot be written",
                     markOf(folder).string(), file.errorString().toStdString()};
    return {};
}

/// How a model is asked: as its entry among the user's models says where it has one, and as the experiment says.
base::Result<models::LocalSettings> askingOf(const std::string& word, const std::string& path,
                                             const std::string& storedName, const std::string& asking)
{
    json settings{{"device", "cpu"}};
    std::error_code ignored;
    if (!fs::is_directory(word, ignored))
        if (const auto known = models::ModelRegistry().local(word))
            settings = models::toJson(*known);
    if (!asking.empty())
        settings.update(json::parse(asking));
    settings["name"] = storedName.substr(storedName.find(": ") + 2);
    settings["path"] = path;
    return models::localOf(settings);
}

} // namespace

base::Result<ExperimentModels> ExperimentModels::of(Context& context, const ExperimentRecord& record,
                                                    const std::vector<store::TaskRecord>& tasks)
{
    ExperimentModels out;
    out.m_record = record;
    std::error_code ignored;
    const experiment::ExperimentPlan& plan = record.plan;
    fs::path beside = context.projectPath();
    out.m_folder = fs::absolute(plan.folder.empty() ? beside.replace_extension(".models") : fs::path(plan.folder),
                                ignored)
                       .lexically_normal();
    for (const experiment::ExperimentTask& task : record.tasks)
        if (task.heldOut) {
            store::TaskRecord& held = out.m_heldOut.emplace_back();
            held.id = task.id;
            held.hash = task.hash;
        }
    const auto suite = tasks::bundledSuite(QCoreApplication::applicationDirPath().toStdString());
    auto bundledTasks = suite ? tasks::readSuite(*suite) : base::Result<tasks::Suite>(suite.error());
    if (!bundledTasks)
        return bundledTasks.error();
    out.m_bundled = std::move(*bundledTasks);
    const auto bundled = language::Templates::bundled(QCoreApplication::applicationDirPath().toStdString());
    if (!bundled)
        return bundled.error();
    if (!plan.prompts.empty() && !fs::is_directory(plan.prompts, ignored))
        return Error{ErrorCode::NotFound, "There is no such folder of templates", plan.prompts,
                     "\"prompts\" names a folder with prompt.md and others"};
    auto templates = language::Templates::load(*bundled, plan.prompts.empty() ? language::ownTemplates()
                                                                              : fs::path(plan.prompts));
    if (!templates)
        return templates.error();
    out.m_templates = std::move(*templates);
    std::vector<std::string> needed;
    for (const experiment::Arm& arm : plan.arms())
        for (const PlannedModel& one : plan.chainOf(arm.model()))
            needed.push_back(one.name);
    for (const PlannedModel& model : plan.models) {
        if (std::find(needed.begin(), needed.end(), model.name) == needed.end())
            continue;
        Wanted wanted{model, experiment::ownModelName(record, model.name)};
        if (model.stage.empty()) {
            const auto path = modelPath(model.path);
            if (!path)
                return path.error();
            for (const std::uint64_t seed : plan.seeds)
                out.m_made[{model.name, seed}] = *path;
        } else {
            auto stage = learning::stageOf(model.stage);
            if (!stage)
                return stage.error();
            wanted.stage = std::move(*stage);
            wanted.stage->options.ownExemplars = true;
            wanted.stage->options.precision = record.precision;
            if (const auto status = out.readTasks(context, tasks, wanted); !status)
                return status.error();
            for (const std::uint64_t seed : plan.seeds) {
                const auto there = out.finishedIn(wanted, seed);
                if (!there)
                    return there.error();
                if (!there->empty())
                    out.m_made[{model.name, seed}] = *there;
            }
        }
        auto settings = askingOf(plan.chainOf(model.name).front().path, "/", "local: " + wanted.folder, plan.asking);
        if (!settings)
            return settings.error();
        out.m_settings.emplace(model.name, std::move(*settings));
        out.m_wanted.push_back(std::move(wanted));
    }
    return out;
}

bool ExperimentModels::drawOn(std::string_view devices) const
{
    return std::any_of(m_settings.begin(), m_settings.end(),
                       [&](const auto& one) { return learning::shareDevice(one.second.device, devices); });
}

base::Result<std::string> ExperimentModels::finishedIn(const Wanted& wanted, std::uint64_t seed) const
{
    const fs::path folder = folderOf(wanted, seed);
    QFile file(QString::fromStdString(markOf(folder).string()));
    if (!file.open(QIODevice::ReadOnly))
        return std::string();
    const QByteArray bytes = file.readAll();
    const json read = json::parse(bytes.begin(), bytes.end(), nullptr, false);
    const std::string name = read.is_object() ? read.value("checkpoint", "") : std::string();
    std::error_code ignored;
    if (name.empty() || !fs::is_directory(folder / name, ignored))
        return std::string();
    if (wanted.stage->options.stage == Stage::Supervised && fs::exists(wanted.stage->data, ignored)) {
        const auto data = learning::readExamples(wanted.stage->data);
        if (!data)
            return data.error();
        if (data->digest != read.value("data", data->digest))
            return Error{ErrorCode::InvalidArgument,
                         "The data set of the model " + wanted.model.name + " has changed since it was trained",
                         wanted.stage->data,
                         "Give the model another name to train it anew, or put the file back as it was"};
    }
    return (folder / name).string();
}

base::Status ExperimentModels::readTasks(Context& context, const std::vector<store::TaskRecord>& tasks,
                                         Wanted& wanted) const
{
    if (wanted.stage->options.stage == Stage::Supervised)
        return {};
    if (wanted.stage->tasks.empty()) {
        for (const store::TaskRecord& task : tasks)
            if (std::none_of(m_heldOut.begin(), m_heldOut.end(), [&](const auto& held) { return held.id == task.id; }))
                wanted.tasks.push_back(task);
    } else {
        auto named = tasksOf(context, QString::fromStdString(wanted.stage->tasks));
        if (!named)
            return named.error();
        wanted.tasks = std::move(*named);
    }
    if (wanted.tasks.empty())
        return Error{ErrorCode::InvalidArgument, "The model " + wanted.model.name + " has no tasks to learn from",
                     "all tasks of the experiment are held out", "Name others with \"tasks\" of its stage"};
    return collect::refuseHeldOut(collect::heldOutAmong(wanted.tasks, m_bundled, m_heldOut),
                                  "the model " + wanted.model.name, "Leave them out");
}

fs::path ExperimentModels::folderOf(const Wanted& wanted, std::uint64_t seed) const
{
    return m_folder / wanted.folder / ("seed-" + std::to_string(seed));
}

base::Status ExperimentModels::make(Context& context, Interrupt& interrupt, Client& client, store::Project& project)
{
    for (const std::uint64_t seed : m_record.plan.seeds)
        for (const Wanted& wanted : m_wanted) {
            if (m_made.contains({wanted.model.name, seed}))
                continue;
            learning::StageOptions options = wanted.stage->options;
            options.model = m_made.at({wanted.model.from, seed});
            options.out = folderOf(wanted, seed).string();
            options.seed = seed;
            context.terminal().print("Training " + wanted.model.name + ", seed " + std::to_string(seed) + ", in " +
                                     options.out);
            auto checkpoint = makeOne(context, interrupt, client, project, wanted, options);
            if (!checkpoint)
                return checkpoint.error();
            m_made[{wanted.model.name, seed}] = *checkpoint;
        }
    return {};
}

base::Result<std::string> ExperimentModels::makeOne(Context& context, Interrupt& interrupt, Client& client,
                                                    store::Project& project, const Wanted& wanted,
                                                    const learning::StageOptions& options)
{
    if (options.stage == Stage::Supervised) {
        auto data = learning::startSupervised(options, wanted.stage->data, m_bundled, m_heldOut);
        if (!data)
            return data.error();
        learning::SupervisedBatches maker(std::move(data->examples), options.batch, options.seed);
        const auto checkpoint = runStage(context, interrupt, options, maker, {}, StepLines::Live);
        if (checkpoint)
            if (const auto status = writeFinished(options.out, *checkpoint, data->digest); !status)
                return status.error();
        return checkpoint;
    }
    const auto machine = context.describe(client);
    if (!machine)
        return machine.error();
    const auto device = context.device(*machine);
    if (!device)
        return device.error();
    const auto run = learning::startJudged(project, options, wanted.tasks);
    if (!run)
        return run.error();
    auto judging = learning::judgeSettingsOf(options, {*device}, *run);
    judging.policy = "training: " + wanted.folder; // for all seeds, which have a folder each within it
    learning::ReplyJudge judge(project, client.crew(), judging);
    learning::JudgedBatches maker(options, wanted.tasks, {*machine, m_templates}, project, judge);
    auto checkpoint = runStage(context, interrupt, options, maker, {}, StepLines::Live);
    if (const auto status = learning::endJudged(project, *run, checkpoint); !status)
        return status.error();
    if (checkpoint)
        if (const auto status = writeFinished(options.out, *checkpoint, {}); !status)
            return status.error();
    return checkpoint;
}

base::Result<std::unique_ptr<policy::Policy>> ExperimentModels::policyOf(const experiment::Arm& arm, std::uint64_t seed,
                                                                         const models::ModelSources& sources) const
{
    const auto settings = m_settings.find(arm.model());
    const auto path = m_made.find({arm.model(), seed});
    if (settings == m_settings.end() || path == m_made.end())
        return Error{ErrorCode::NotFound, "The model was not trained yet", arm.policy, "Run the same command again"};
    models::LocalSettings whole = settings->second;
    whole.path = path->second;
    std::shared_ptr<models::Ledger> all, own;
    if (sources.run) {
        all = sources.run->all();
        own = sources.run->of("local:" + whole.name, whole.limits);
    }
    return base::Result<std::unique_ptr<policy::Policy>>(std::make_unique<language::LanguagePolicy>(
        std::make_unique<models::LocalModel>(std::move(whole), all, models::LocalModel::standardLauncher(), own),
        language::PromptBuilder(arm.method.value_or(language::AskMethod()), m_templates)));
}

} // namespace cudal1::cli
