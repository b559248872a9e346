// SPDX-License-Identifier: GPL-3.0-or-later
// The file of models: read whole, written whole.
#include "core/models/modelregistry.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QLockFile>
#include <QSaveFile>
#include <QStandardPaths>

#include <algorithm>
#include <memory>

namespace cudal1::models {

namespace {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

constexpr int version = 1;
constexpr int lockWait_ms = 10'000;

QString qt(const std::filesystem::path& path)
{
    return QString::fromStdString(path.string());
}

base::Result<NamedModel> modelOf(const json& object)
{
    if (object.is_object() && object.contains("path")) {
        auto local = localOf(object);
        return local ? base::Result<NamedModel>(std::move(*local)) : local.error();
    }
    if (object.is_object() && object.contains("command")) {
        auto agent = agentOf(object);
        return agent ? base::Result<NamedModel>(std::move(*agent)) : agent.error();
    }
    auto endpoint = endpointOf(object);
    return endpoint ? base::Result<NamedModel>(std::move(*endpoint)) : endpoint.error();
}

base::Result<std::vector<NamedModel>> parse(const QByteArray& bytes, const std::string& where)
{
    const std::string mend = "Mend the file, or move it away and add the models again";
    const json read = json::parse(bytes.begin(), bytes.end(), nullptr, false);
    if (!read.is_object() || !read.contains("models") || !read["models"].is_array())
        return Error{ErrorCode::Unreadable, "The file of models is no JSON of this program", where, mend};
    if (!read.value("version", json()).is_number_integer() || read["version"] < 1)
        return Error{ErrorCode::InvalidArgument, "The file of models has no version", where, mend};
    if (read["version"] > version)
        return Error{ErrorCode::TooNew, "The file of models is of a later version of this program", where,
                     "Use that version"};
    std::vector<NamedModel> out;
    for (const json& object : read["models"]) {
        auto model = modelOf(object);
        const std::string at = where + ", model " + std::to_string(out.size() + 1);
        if (!model)
            return Error{ErrorCode::InvalidArgument, model.error().message, at,
                         model.error().hint.empty() ? mend : model.error().hint};
        if (std::any_of(out.begin(), out.end(), [&](const auto& one) { return nameOf(one) == nameOf(*model); }))
            return Error{ErrorCode::InvalidArgument, "Two models are called " + nameOf(*model), at, mend};
        out.push_back(std::move(*model));
    }
    return out;
}

Error unknown(const std::string& name, const std::vector<NamedModel>& models)
{
    std::string names;
    for (const NamedModel& model : models)
        names += (names.empty() ? "" : ", ") + nameOf(model);
    // The name is quoted only where it is one: it comes from outside.
    return {ErrorCode::NotFound, checkName(name) ? "There is no model " + name : "There is no model of this name",
            names.empty() ? "" : "there are " + names,
            "`cudal1 models add NAME --url URL --model ID` adds a server's, `cudal1 models add NAME --path PATH` one "
            "of this machine, and `cudal1 models add NAME --agent COMMAND` a coding agent"};
}

/// Those of one kind.
template<class Settings> base::Result<std::vector<Settings>> only(const base::Result<std::vector<NamedModel>>& all)
{
    if (!all)
        return all.error();
    std::vector<Settings> out;
    for (const NamedModel& model : *all)
        if (const auto* one = std::get_if<Settings>(&model))
            out.push_back(*one);
    return out;
}

} // namespace

const std::string& nameOf(const NamedModel& model)
{
    return std::visit([](const auto& one) -> const std::string& { return one.name; }, model);
}

ModelRegistry::ModelRegistry(std::filesystem::path file) : m_file(std::move(file)) {}

std::filesystem::path ModelRegistry::defaultFile()
{
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation);
    return std::filesystem::path(folder.toStdString()) / "cudal1-workbench" / "models.json";
}

base::Result<std::vector<NamedModel>> ModelRegistry::all() const
{
    QFile file(qt(m_file));
    if (!file.exists())
        return std::vector<NamedModel>{};
    if (!file.open(QIODevice::ReadOnly))
        return Error{ErrorCode::Unreadable, "The file of models cannot be read: " + file.errorString().toStdString(),
                     m_file.string(), "Check its permissions"};
    return parse(file.readAll(), m_file.string());
}

base::Result<std::vector<EndpointSettings>> ModelRegistry::models() const
{
    return only<EndpointSettings>(all());
}

base::Result<std::vector<LocalSettings>> ModelRegistry::locals() const
{
    return only<LocalSettings>(all());
}

base::Result<std::vector<AgentSettings>> ModelRegistry::agents() const
{
    return only<AgentSettings>(all());
}

base::Result<NamedModel> ModelRegistry::named(const std::string& name) const
{
    auto known = all();
    if (!known)
        return known.error();
    const auto found = std::find_if(known->begin(), known->end(), [&](const auto& one) { return nameOf(one) == name; });
    if (found == known->end())
        return unknown(name, *known);
    return std::move(*found);
}

namespace {

/// Of one kind; for a model of another kind, how that one is asked.
template<class Settings> base::Result<Settings> as(base::Result<NamedModel> found, const char* wanted)
{
    if (!found)
        return found.error();
    if (auto* settings = std::get_if<Settings>(&*found))
        return std::move(*settings);
    struct Kind {
        const char* what;
        const char* word;
    };
    const Kind kind = std::holds_alternative<EndpointSettings>(*found) ? Kind{"an endpoint", "endpoint:"}
                    : std::holds_alternative<LocalSettings>(*found)    ? Kind{"a model on this machine", "local:"}
                                                                       : Kind{"a coding agent", "agent:"};
    return Error{ErrorCode::InvalidArgument,
                 nameOf(*found) + " is " + kind.what + " and no " + wanted,
                 {},
                 "Ask it as " + (kind.word + nameOf(*found))};
}

} // namespace

base::Result<EndpointSettings> ModelRegistry::model(const std::string& name) const
{
    return as<EndpointSettings>(named(name), "endpoint");
}

base::Result<LocalSettings> ModelRegistry::local(const std::string& name) const
{
    return as<LocalSettings>(named(name), "model on this machine");
}

base::Result<AgentSettings> ModelRegistry::agent(const std::string& name) const
{
    return as<AgentSettings>(named(name), "coding agent");
}

namespace {

/// Held for a change from reading to writing.
base::Result<std::unique_ptr<QLockFile>> lock(const std::filesystem::path& file)
{
    std::error_code failed;
    std::filesystem::create_directories(file.parent_path(), failed);
    auto out = std::make_unique<QLockFile>(qt(file) + QStringLiteral(".lock"));
    if (failed || !out->tryLock(lockWait_ms)) {
        const bool held = !failed && out->error() == QLockFile::LockFailedError;
        return Error{ErrorCode::Unreadable,
                     held ? "Another program is changing the file of models" : "The file of models cannot be written",
                     file.string(), held ? "Try again when it is done" : "Check the permissions of its folder"};
    }
    return out;
}

} // namespace

base::Status ModelRegistry::add(const NamedModel& settings, bool replace)
{
    if (const auto good = std::visit([](const auto& one) { return check(one); }, settings); !good)
        return good.error();
    const std::string& name = nameOf(settings);
    const auto held = lock(m_file);
    if (!held)
        return held.error();
    auto known = all();
    if (!known)
        return known.error();
    const auto there = std::find_if(known->begin(), known->end(), [&](const auto& one) { return nameOf(one) == name; });
    if (there == known->end())
        known->push_back(settings);
    else if (replace)
        *there = settings;
    else
        return Error{ErrorCode::InvalidArgument,
                     "There is a model " + name + " already",
                     {},
                     "Choose another name, or replace it with --replace"};
    return write(*known);
}

base::Status ModelRegistry::remove(const std::string& name)
{
    // No folder is made for nothing.
    if (const auto there = named(name); !there)
        return there.error();
    const auto held = lock(m_file);
    if (!held)
        return held.error();
    auto known = all();
    if (!known)
        return known.error();
    if (std::erase_if(*known, [&](const auto& one) { return nameOf(one) == name; }) == 0)
        return unknown(name, *known);
    return write(*known);
}

base::Status ModelRegistry::write(const std::vector<NamedModel>& models) const
{
    json out{{"version", version}, {"models", json::array()}};
    for (const NamedModel& model : models)
        out["models"].push_back(std::visit([](const auto& one) { return toJson(one); }, model));
    const std::string text = out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
    QSaveFile file(qt(m_file));
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), qint64(text.size())) != qint64(text.size()) ||
        !file.commit())
        return Error{ErrorCode::Unreadable, "The file of models cannot be written: " + file.errorString().toStdString(),
                     m_file.string(), "Check the disk and the permissions of its folder"};
    return {};
}

} // namespace cudal1::models
