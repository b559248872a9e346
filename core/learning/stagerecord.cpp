// SPDX-License-Identifier: GPL-3.0-or-later
// training.json read, compared and written.
#include "core/learning/stagerecord.h"

#include "core/learning/stageoptionsjson.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QSaveFile>

#include <filesystem>

namespace cudal1::learning {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

constexpr int formatVersion = 1;

QString recordFileOf(const std::string& folder)
{
    return QDir(QString::fromStdString(folder)).filePath(QStringLiteral("training.json"));
}

/// Null where there is no file.
base::Result<json> readFile(const std::string& folder)
{
    QFile file(recordFileOf(folder));
    if (!file.exists())
        return json();
    const std::string path = file.fileName().toStdString();
    if (!file.open(QIODevice::ReadOnly))
        return Error{ErrorCode::Unreadable, "The record of the training cannot be read", path,
                     file.errorString().toStdString()};
    const QByteArray bytes = file.readAll();
    json read = json::parse(bytes.begin(), bytes.end(), nullptr, false);
    if (!read.is_object() || !read.contains("settings") || !read["settings"].is_object())
        return Error{ErrorCode::Unreadable, "The record of the training is damaged", path, "Name another --out"};
    if (read.value("version", 0) > formatVersion)
        return Error{ErrorCode::TooNew, "The training was begun by a later version of this program", path,
                     "Name another --out, or update this program"};
    return read;
}

/// A path of a record. One that is relative is so to the record's folder, so that both can be moved.
std::string pathIn(const std::string& folder, const std::string& path)
{
    return path.empty() ? path : (std::filesystem::path(folder) / path).lexically_normal().string();
}

StageRecord recordIn(const json& read, const std::string& folder)
{
    StageRecord out;
    out.run = {read.value("run", std::int64_t(0))};
    out.project = pathIn(folder, read.value("project", ""));
    out.dataFile = pathIn(folder, read.value("data_file", ""));
    for (const std::string& task : read.value("tasks", std::vector<std::string>()))
        out.tasks.push_back({task});
    out.known = true;
    return out;
}

json identityWith(const StageOptions& options, const std::string& data)
{
    json out = identityOf(options);
    out["data"] = data;
    return out;
}

} // namespace

base::Result<StageRecord> readRecord(const StageOptions& options, const std::string& data)
{
    const auto read = readFile(options.out);
    if (!read)
        return read.error();
    if (read->is_null())
        return StageRecord{};
    const json now = identityWith(options, data);
    StageOptions usual; // a setting that came later than the record had no other value
    usual.stage = options.stage;
    const json first = identityWith(usual, {});
    for (const auto& [key, value] : now.items())
        if (const json before = (*read)["settings"].value(key, first.value(key, json())); before != value)
            return Error{ErrorCode::InvalidArgument,
                         "The folder has a training with another setting: " + key + " is " + before.dump() +
                             " there and " + value.dump() + " now",
                         recordFileOf(options.out).toStdString(),
                         "Give the command as it was to go on, or name another --out"};
    return recordIn(*read, options.out);
}

base::Result<FoundRecord> findRecord(const std::string& folder)
{
    const auto read = readFile(folder);
    if (!read)
        return read.error();
    const std::string path = recordFileOf(folder).toStdString();
    if (read->is_null())
        return Error{ErrorCode::NotFound, "The folder has no training", folder,
                     "Choose a folder that has a file training.json"};
    if (!read->contains("options"))
        return Error{ErrorCode::Unreadable, "The record of the training is of an earlier version", path,
                     "Give its command once more, which completes the record"};
    auto options = stageOptionsFrom((*read)["options"]);
    if (!options)
        return options.error();
    options->out = folder;
    options->model = pathIn(folder, options->model);
    return FoundRecord{std::move(*options), recordIn(*read, folder)};
}

base::Status writeRecord(const StageOptions& options, const std::string& data, const StageRecord& record)
{
    if (!QDir().mkpath(QString::fromStdString(options.out)))
        return Error{ErrorCode::Unavailable, "The folder for checkpoints cannot be made", options.out,
                     "Choose another place with --out"};
    QSaveFile file(recordFileOf(options.out));
    std::vector<std::string> tasks;
    for (const base::TaskId& task : record.tasks)
        tasks.push_back(task.value);
    const std::string text = json{{"version", formatVersion},
                                  {"settings", identityWith(options, data)},
                                  {"run", record.run.value},
                                  {"project", record.project},
                                  {"options", toJson(options)},
                                  {"data_file", record.dataFile},
                                  {"tasks", tasks}}
                                 .dump(1) +
                             "\n";
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), qint64(text.size())) != qint64(text.size()) ||
        !file.commit())
        return Error{ErrorCode::Unavailable, "The record of the training cannot be written",
                     file.fileName().toStdString(), file.errorString().toStdString()};
    return {};
}

} // namespace cudal1::learning
