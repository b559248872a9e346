// SPDX-License-Identifier: GPL-3.0-or-later
// Batches that were drawn ahead, as files.
#include "core/learning/drawnahead.h"

#include "core/learning/checkpoints.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QSaveFile>

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

namespace cudal1::learning {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

QDir placeOf(const std::string& folder)
{
    return QDir(QDir(QString::fromStdString(folder)).filePath(QStringLiteral("ahead")));
}

QString nameOf(int number)
{
    return QStringLiteral("batch-%1.json").arg(number, 6, 10, QLatin1Char('0'));
}

json jsonOf(const SampledGroup& group)
{
    json out{{"task", group.task.id.value},
             {"messages", json::array()},
             {"shown", json::array()},
             {"replies", json::array()}};
    for (const policy::ChatMessage& message : group.question.request.messages)
        out["messages"].push_back({{"role", message.role}, {"content", message.content}});
    for (const base::VariantId shown : group.question.shown)
        out["shown"].push_back(shown.value);
    if (group.libraryBest)
        out["library_best"] = *group.libraryBest;
    for (const SampledReply& reply : group.replies)
        out["replies"].push_back(reply.generated);
    return out;
}

SampledGroup groupOf(const json& read)
{
    SampledGroup out;
    out.task.id = {read.at("task").get<std::string>()};
    for (const json& message : read.at("messages"))
        out.question.request.messages.push_back(
            {message.at("role").get<std::string>(), message.at("content").get<std::string>()});
    for (const json& shown : read.at("shown"))
        out.question.shown.push_back({shown.get<std::int64_t>()});
    if (read.contains("library_best"))
        out.libraryBest = read["library_best"].get<double>();
    for (const json& reply : read.at("replies"))
        out.replies.push_back({reply.get<protocol::GeneratedReply>(), {}});
    return out;
}

void removeOthers(const QDir& place, const std::string& folder, int number)
{
    std::set<QString> kept{nameOf(number - 1), nameOf(number)};
    for (const CheckpointFacts& checkpoint : checkpointsOf(folder))
        kept.insert(nameOf(checkpoint.batch));
    for (const QString& name : place.entryList({QStringLiteral("batch-*.json")}, QDir::Files))
        if (!kept.contains(name))
            QFile::remove(place.filePath(name));
}

} // namespace

base::Status keepDrawn(const std::string& folder, int number, const std::vector<SampledGroup>& groups)
{
    const QDir place = placeOf(folder);
    json all = json::array();
    for (const SampledGroup& group : groups)
        all.push_back(jsonOf(group));
    const std::string text = json{{"groups", std::move(all)}}.dump(-1, ' ', false, json::error_handler_t::replace);
    QDir().mkpath(place.path());
    QSaveFile file(place.filePath(nameOf(number)));
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), qint64(text.size())) != qint64(text.size()) ||
        !file.commit())
        return Error{ErrorCode::Unavailable, "Replies that were drawn ahead cannot be kept",
                     file.fileName().toStdString(), file.errorString().toStdString()};
    removeOthers(place, folder, number);
    return {};
}

std::optional<std::vector<SampledGroup>> drawnBefore(const std::string& folder, int number,
                                                     const std::vector<store::TaskRecord>& tasks, int replies)
{
    QFile file(placeOf(folder).filePath(nameOf(number)));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray bytes = file.readAll();
    std::vector<SampledGroup> out;
    try {
        const json read = json::parse(bytes.begin(), bytes.end());
        for (const json& group : read.at("groups"))
            out.push_back(groupOf(group));
    } catch (const std::exception&) {
        return {};
    }
    if (out.size() != tasks.size())
        return {};
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (out[i].task.id != tasks[i].id || out[i].replies.size() != std::size_t(replies))
            return {};
        out[i].task = tasks[i];
    }
    return out;
}

} // namespace cudal1::learning
