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

base::Result<std::vector<EndpointSettings>> parse(const QByteArray& bytes, const std::string& where)
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
    std::vector<EndpointSettings> out;
    for (const json& object : read["models"]) {
        auto model = endpointOf(object);
        const std::string at = where + ", model " + std::to_string(out.size() + 1);
        if (!model)
            return Error{ErrorCode::InvalidArgument, model.error().message, at,
                         model.error().hint.empty() ? mend : model.error().hint};
        if (std::any_of(out.begin(), out.end(), [&](const auto& one) { return one.name == model->name; }))
            return Error{ErrorCode::InvalidArgument, "Two models are called " + model->name, at, mend};
        out.push_back(std::move(*model));
    }
    return out;
}

Error unknown(const std::string& name, const std::vector<EndpointSettings>& models)
{
    std::string names;
    for (const EndpointSettings& model : models)
        names += (names.empty() ? "" : ", ") + model.name;
    // The name is quoted only where it is one: it comes from outside.
    EndpointSettings named;
    named.name = name;
    named.url = "http://localhost";
    named.model = "x";
    return {ErrorCode::NotFound, check(named) ? "There is no model " + name : "There is no model of this name",
            names.empty() ? "" : "there are " + names, "`cudal1 models add NAME --url URL --model ID` adds one"};
}

} // namespace

ModelRegistry::ModelRegistry(std::filesystem::path file) : m_file(std::move(file)) {}

std::filesystem::path ModelRegistry::defaultFile()
{
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation);
    return std::filesystem::path(folder.toStdString()) / "cudal1-workbench" / "models.json";
}

base::Result<std::vector<EndpointSettings>> ModelRegistry::models() const
{
    QFile file(qt(m_file));
    if (!file.exists())
        return std::vector<EndpointSettings>{};
    if (!file.open(QIODevice::ReadOnly))
        return Error{ErrorCode::Unreadable, "The file of models cannot be read: " + file.errorString().toStdString(),
                     m_file.string(), "Check its permissions"};
    return parse(file.readAll(), m_file.string());
}

base::Result<EndpointSettings> ModelRegistry::model(const std::string& name) const
{
    auto all = models();
    if (!all)
        return all.error();
    const auto found = std::find_if(all->begin(), all->end(), [&](const auto& one) { return one.name == name; });
    if (found == all->end())
        return unknown(name, *all);
    return std::move(*found);
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

base::Status ModelRegistry::add(const EndpointSettings& settings, bool replace)
{
    if (const auto good = check(settings); !good)
        return good.error();
    const auto held = lock(m_file);
    if (!held)
        return held.error();
    auto all = models();
    if (!all)
        return all.error();
    const auto there = std::find_if(all->begin(), all->end(),
                                    [&](const auto& one) { return one.name == settings.name; });
    if (there == all->end())
        all->push_back(settings);
    else if (replace)
        *there = settings;
    else
        return Error{ErrorCode::InvalidArgument,
                     "There is a model " + settings.name + " already",
                     {},
                     "Choose another name, or replace it with --replace"};
    return write(*all);
}

base::Status ModelRegistry::remove(const std::string& name)
{
    // No folder is made for nothing.
    if (const auto there = model(name); !there)
        return there.error();
    const auto held = lock(m_file);
    if (!held)
        return held.error();
    auto all = models();
    if (!all)
        return all.error();
    if (std::erase_if(*all, [&](const auto& one) { return one.name == name; }) == 0)
        return unknown(name, *all);
    return write(*all);
}

base::Status ModelRegistry::write(const std::vector<EndpointSettings>& models) const
{
    json out{{"version", version}, {"models", json::array()}};
    for (const EndpointSettings& model : models)
        out["models"].push_back(toJson(model));
    const std::string text = out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
    QSaveFile file(qt(m_file));
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), qint64(text.size())) != qint64(text.size()) ||
        !file.commit())
        return Error{ErrorCode::Unreadable, "The file of models cannot be written: " + file.errorString().toStdString(),
                     m_file.string(), "Check the disk and the permissions of its folder"};
    return {};
}

} // namespace cudal1::models
