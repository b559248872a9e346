// SPDX-License-Identifier: GPL-3.0-or-later
// From folders and samples to what is shown.
#include "ui/training/trainingsloader.h"

#include "core/learning/rewardadvantage.h"
#include "core/learning/trainingstart.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

namespace cudal1::ui {

using learning::Stage;
namespace fs = std::filesystem;

namespace {

TrainingEntry readEntry(const std::string& folder)
{
    TrainingEntry out;
    out.folder = QString::fromStdString(folder);
    const fs::path path(folder);
    out.name = QString::fromStdString((path.parent_path().filename() / path.filename()).string());
    auto found = learning::findRecord(folder);
    if (!found) {
        out.trouble = QString::fromStdString(found.error().text());
        return out;
    }
    out.options = std::move(found->options);
    out.record = std::move(found->record);
    if (auto log = learning::readStepLog(folder))
        out.log = std::move(*log);
    else
        out.trouble = QString::fromStdString(log.error().text());
    out.checkpoints = learning::checkpointsOf(folder);
    return out;
}

std::vector<std::string> placesOf(const TrainingsQuestion& question)
{
    std::vector<std::string> out;
    for (const QString& place : question.places)
        out.push_back(place.toStdString());
    if (question.project.isEmpty())
        return out;
    const fs::path file(question.project.toStdString());
    out.push_back(file.parent_path().string());
    out.push_back((file.parent_path() / "train-example").string());
    if (const auto project = store::Project::openExisting(file))
        if (const auto known = learning::knownTrainings(**project))
            for (const std::string& folder : *known) {
                out.push_back(folder);
                out.push_back(fs::path(folder).parent_path().string());
            }
    return out;
}

/// The training that a model is a checkpoint of; -1 for none of these.
int madeBy(const std::vector<TrainingEntry>& all, const std::string& model)
{
    const QString folder = QFileInfo(QString::fromStdString(model)).dir().canonicalPath();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!folder.isEmpty() && all[i].folder == folder)
            return int(i);
    return -1;
}

/// What was chosen, then what led to the stage behind it, then the newest.
void chooseStages(const TrainingsQuestion& question, TrainingsView& view)
{
    int later = -1;
    for (int stage = 2; stage >= 0; --stage) {
        int found = -1;
        for (std::size_t i = 0; i < view.all.size(); ++i)
            if (int(view.all[i].options.stage) == stage && view.all[i].trouble.isEmpty())
                found = int(i);
        if (const int before = later < 0 ? -1 : madeBy(view.all, view.all[std::size_t(later)].options.model);
            before >= 0 && int(view.all[std::size_t(before)].options.stage) == stage)
            found = before;
        for (std::size_t i = 0; i < view.all.size(); ++i)
            if (!question.chosen[std::size_t(stage)].isEmpty() &&
                view.all[i].folder == question.chosen[std::size_t(stage)] && int(view.all[i].options.stage) == stage)
                found = int(i);
        view.ofStage[std::size_t(stage)] = found;
        later = found >= 0 ? found : later;
    }
    const auto at = [&](int stage) { return view.ofStage[std::size_t(stage)]; };
    if (question.stage && at(int(*question.stage)) >= 0) {
        view.shown = at(int(*question.stage));
        return;
    }
    for (int stage = 0; stage < 3; ++stage)
        if (at(stage) >= 0 && (view.shown < 0 || !view.entry()->log.isRunning()))
            view.shown = at(stage);
}

std::vector<TrainingGroup> groupsOf(const std::vector<optimize::SampleFacts>& facts, const TrainingEntry& entry)
{
    std::map<std::pair<int, std::int64_t>, TrainingGroup> groups;
    for (const optimize::SampleFacts& one : facts) {
        TrainingGroup& group = groups[{-one.sample.round, one.sample.group}];
        group.batch = one.sample.round;
        group.task = one.sample.task;
        group.shown = int(one.sample.shown.size());
        group.replies.push_back(one);
    }
    std::vector<TrainingGroup> out;
    for (auto& [key, group] : groups) {
        std::vector<std::optional<double>> rewards;
        for (const optimize::SampleFacts& one : group.replies)
            rewards.push_back(one.sample.reward);
        group.advantages = entry.options.stage == Stage::Contrastive
                             ? learning::advantagesFor(rewards, entry.options.grpo)
                             : std::vector<std::optional<double>>(rewards.size());
        out.push_back(std::move(group));
    }
    return out;
}

/// The project that has the samples of a training: its own, else that of a training beside it, else the open one.
QString projectOf(const TrainingsView& view, const QString& open)
{
    const TrainingEntry* shown = view.entry();
    if (!shown)
        return open;
    if (!shown->record.project.empty())
        return QString::fromStdString(shown->record.project);
    for (const TrainingEntry& one : view.all)
        if (!one.record.project.empty() && QFileInfo(one.folder).path() == QFileInfo(shown->folder).path())
            return QString::fromStdString(one.record.project);
    return open;
}

base::Status readSamples(TrainingsView& view)
{
    const auto project = store::Project::openExisting(view.groupsProject.toStdString());
    if (!project)
        return project.error();
    if (const TrainingEntry* shown = view.entry(); shown && shown->record.run) {
        const auto facts = optimize::sampleFacts(**project, shown->record.run);
        if (!facts)
            return facts.error();
        view.groups = groupsOf(*facts, *shown);
    }
    std::set<base::TaskId> learnt;
    for (const TrainingEntry& one : view.all)
        learnt.insert(one.record.tasks.begin(), one.record.tasks.end());
    view.learntTasks = int(learnt.size());
    if (learnt.empty())
        return {};
    auto all = (*project)->samplesOf({});
    if (!all)
        return all.error();
    std::erase_if(*all, [&](const store::SampleRecord& one) { return learnt.contains(one.task); });
    const auto facts = optimize::sampleFacts(**project, std::move(*all));
    if (!facts)
        return facts.error();
    view.compared = learning::comparePolicies(*facts, learnt);
    return {};
}

} // namespace

int TrainingGroup::correct() const
{
    return int(std::count_if(replies.begin(), replies.end(), [](const auto& one) { return one.correct(); }));
}

std::optional<double> TrainingGroup::meanReward() const
{
    double sum = 0;
    int count = 0;
    for (const optimize::SampleFacts& one : replies)
        if (const auto reward = one.sample.reward) {
            sum += *reward;
            ++count;
        }
    return count ? std::optional(sum / count) : std::nullopt;
}

std::optional<double> TrainingGroup::deviation() const
{
    const auto mean = meanReward();
    double squares = 0;
    int count = 0;
    for (const optimize::SampleFacts& one : replies)
        if (const auto reward = one.sample.reward) {
            squares += (*reward - *mean) * (*reward - *mean);
            ++count;
        }
    return count > 1 ? std::optional(std::sqrt(squares / (count - 1))) : std::nullopt;
}

base::Result<std::shared_ptr<const TrainingsView>> loadTrainings(const TrainingsQuestion& question)
{
    auto view = std::make_shared<TrainingsView>();
    for (const std::string& folder : learning::findTrainings(placesOf(question)))
        view->all.push_back(readEntry(folder));
    chooseStages(question, *view);
    view->groupsProject = projectOf(*view, question.project);
    if (view->entry() && QFileInfo::exists(view->groupsProject))
        if (const base::Status read = readSamples(*view); !read)
            return read.error();
    return std::shared_ptr<const TrainingsView>(std::move(view));
}

QString stageTitle(Stage stage)
{
    switch (stage) {
    case Stage::Supervised: return QCoreApplication::translate("Training", "Supervised fine-tuning");
    case Stage::SelfSupervised: return QCoreApplication::translate("Training", "Self-supervised");
    case Stage::Contrastive: return QCoreApplication::translate("Training", "Contrastive");
    }
    return {};
}

} // namespace cudal1::ui
