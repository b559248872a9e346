// SPDX-License-Identifier: GPL-3.0-or-later
// Records and runs of trainings, made and found.
#include "core/learning/trainingstart.h"

#include "core/base/sha256.h"
#include "core/collect/heldout.h"
#include "core/learning/stagerecord.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace cudal1::learning {

using base::Error;
using base::ErrorCode;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr const char* knownKey = "trainings";
constexpr std::size_t mostKnown = 200;

bool isTraining(const fs::path& folder)
{
    std::error_code ignored;
    return fs::exists(folder / "training.json", ignored);
}

} // namespace

base::Result<LearnedData> startSupervised(const StageOptions& options, const std::string& dataFile,
                                          const tasks::Suite& bundled, const std::vector<store::TaskRecord>& heldOut)
{
    auto data = readExamples(dataFile);
    if (!data)
        return data.error();
    std::vector<store::TaskRecord> records;
    std::set<std::string> ids;
    for (const LearnedExample& example : data->examples)
        if (ids.insert(example.task.id.value).second)
            records.push_back(example.task);
    if (const auto fine = collect::refuseHeldOut(collect::heldOutAmong(records, bundled, heldOut), dataFile,
                                                 "Collect without --held-out");
        !fine)
        return fine.error();
    auto record = readRecord(options, data->digest);
    if (!record)
        return record.error();
    record->dataFile = fs::absolute(dataFile).lexically_normal().string();
    record->tasks.clear();
    for (const store::TaskRecord& task : records)
        record->tasks.push_back(task.id);
    if (const auto status = writeRecord(options, data->digest, *record); !status)
        return status.error();
    return data;
}

base::Result<base::RunId> startJudged(store::Project& project, const StageOptions& options,
                                      const std::vector<store::TaskRecord>& tasks)
{
    std::string text;
    for (const store::TaskRecord& task : tasks)
        text += task.id.value + " " + task.hash + "\n";
    const std::string digest = base::sha256Hex(text);
    auto record = readRecord(options, digest);
    if (!record)
        return record.error();
    std::error_code ignored;
    const std::string path = fs::absolute(project.path(), ignored).string();
    if (record->known && record->project != path)
        return Error{ErrorCode::InvalidArgument, "The samples of this training are in another project", record->project,
                     "Name it with --project"};
    record->tasks.clear();
    for (const store::TaskRecord& task : tasks) {
        record->tasks.push_back(task.id);
        if (record->known)
            continue;
        if (const auto status = project.putTask(task); !status)
            return status.error();
    }
    if (record->known) {
        if (const auto status = project.setRunState(record->run, store::RunState::Running); !status)
            return status.error();
    } else {
        store::RunRecord run;
        run.kind = trainingRunKind;
        run.task = tasks.front().id;
        run.parameters = identityOf(options).dump();
        const auto id = project.startRun(run);
        if (!id)
            return id.error();
        record->run = *id;
        record->project = path;
    }
    if (const auto status = writeRecord(options, digest, *record); !status)
        return status.error();
    if (const auto status = rememberTraining(project, options.out); !status)
        return status.error();
    return record->run;
}

JudgeSettings judgeSettingsOf(const StageOptions& options, const std::vector<protocol::DeviceInfo>& devices,
                              base::RunId run)
{
    JudgeSettings out;
    out.device = devices.front();
    for (auto it = devices.begin() + 1; it != devices.end(); ++it)
        out.besides += (out.besides.empty() ? "" : ",") + it->name;
    out.precision = options.precision;
    out.preset = options.preset;
    out.limit_s = options.judgeLimit_s;
    out.seed = options.seed;
    out.policy = "training: " + fs::path(options.out).filename().string();
    out.run = run;
    out.needsTimes = options.stage == Stage::Contrastive;
    return out;
}

base::Status endJudged(store::Project& project, base::RunId run, const base::Result<std::string>& checkpoint)
{
    if (checkpoint)
        return project.setRunState(run, store::RunState::Finished);
    if (checkpoint.error().code == ErrorCode::Cancelled)
        return project.setRunState(run, store::RunState::Stopped);
    return project.setRunState(run, store::RunState::Failed, checkpoint.error().text());
}

base::Result<std::vector<std::string>> knownTrainings(const store::Project& project)
{
    const auto kept = project.cache(knownKey);
    if (!kept)
        return kept.error();
    std::vector<std::string> out;
    if (*kept)
        for (const json& one : json::parse(**kept, nullptr, false))
            if (one.is_string())
                out.push_back(one.get<std::string>());
    return out;
}

base::Status rememberTraining(store::Project& project, const std::string& folder)
{
    auto known = knownTrainings(project);
    if (!known)
        return known.error();
    std::error_code ignored;
    const std::string path = fs::absolute(folder, ignored).lexically_normal().string();
    if (!known->empty() && known->front() == path)
        return {};
    std::erase(*known, path);
    known->insert(known->begin(), path);
    if (known->size() > mostKnown)
        known->resize(mostKnown);
    return project.putCache(knownKey, json(*known).dump());
}

base::Status rememberTrainingsBeside(store::Project& copy, const std::string& original)
{
    const fs::path beside = fs::absolute(original).parent_path();
    for (const std::string& folder : findTrainings({beside.string()}))
        if (const base::Status remembered = rememberTraining(copy, folder); !remembered)
            return remembered;
    return {};
}

std::vector<std::string> findTrainings(const std::vector<std::string>& places)
{
    std::set<std::string> seen;
    std::vector<std::pair<fs::file_time_type, std::string>> found;
    const auto take = [&](const fs::path& folder) {
        std::error_code failed;
        const fs::path path = fs::weakly_canonical(folder, failed);
        if (!isTraining(folder) || failed || !seen.insert(path.string()).second)
            return;
        const fs::path newest = fs::exists(path / "steps.jsonl", failed) ? path / "steps.jsonl"
                                                                         : path / "training.json";
        found.emplace_back(fs::last_write_time(newest, failed), path.string());
    };
    for (const std::string& place : places) {
        if (place.empty())
            continue;
        take(place);
        std::error_code failed;
        for (fs::directory_iterator entry(place, failed), end; !failed && entry != end; entry.increment(failed))
            if (entry->is_directory(failed))
                take(entry->path());
    }
    std::sort(found.begin(), found.end());
    std::vector<std::string> out;
    out.reserve(found.size());
    for (auto& [time, folder] : found)
        out.push_back(std::move(folder));
    return out;
}

} // namespace cudal1::learning
