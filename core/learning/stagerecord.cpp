// SPDX-License-Identifier: GPL-3.0-or-later
// training.json read, compared and written.
#include "core/learning/stagerecord.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QSaveFile>

namespace cudal1::learning {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

constexpr int formatVersion = 1;

QString fileOf(const StageOptions& options)
{
    return QDir(QString::fromStdString(options.out)).filePath(QStringLiteral("training.json"));
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
    QFile file(fileOf(options));
    if (!file.exists())
        return StageRecord{};
    const std::string path = file.fileName().toStdString();
    if (!file.open(QIODevice::ReadOnly))
        return Error{ErrorCode::Unreadable, "The record of the training cannot be read", path,
                     file.errorString().toStdString()};
    const QByteArray bytes = file.readAll();
    const json read = json::parse(bytes.begin(), bytes.end(), nullptr, false);
    if (!read.is_object() || !read.contains("settings") || !read["settings"].is_object())
        return Error{ErrorCode::Unreadable, "The record of the training is damaged", path, "Name another --out"};
    if (read.value("version", 0) > formatVersion)
        return Error{ErrorCode::TooNew, "The training was begun by a later version of this program", path,
                     "Name another --out, or update this program"};
    const json now = identityWith(options, data);
    for (const auto& [key, value] : now.items())
        if (const json before = read["settings"].value(key, json()); before != value)
            return Error{ErrorCode::InvalidArgument,
                         "The folder has a training with another setting: " + key + " is " + before.dump() +
                             " there and " + value.dump() + " now",
                         path, "Give the command as it was to go on, or name another --out"};
    StageRecord out;
    out.run = {read.value("run", std::int64_t(0))};
    out.project = read.value("project", "");
    out.known = true;
    return out;
}

base::Status writeRecord(const StageOptions& options, const std::string& data, const StageRecord& record)
{
    if (!QDir().mkpath(QString::fromStdString(options.out)))
        return Error{ErrorCode::Unavailable, "The folder for checkpoints cannot be made", options.out,
                     "Choose another place with --out"};
    QSaveFile file(fileOf(options));
    const std::string text = json{{"version", formatVersion},
                                  {"settings", identityWith(options, data)},
                                  {"run", record.run.value},
                                  {"project", record.project}}
                                 .dump(1) +
                             "\n";
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), qint64(text.size())) != qint64(text.size()) ||
        !file.commit())
        return Error{ErrorCode::Unavailable, "The record of the training cannot be written",
                     file.fileName().toStdString(), file.errorString().toStdString()};
    return {};
}

} // namespace cudal1::learning
