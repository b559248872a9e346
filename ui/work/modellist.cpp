// SPDX-License-Identifier: GPL-3.0-or-later
// The registry behind the window's list of models.
#include "ui/work/modellist.h"

#include "core/models/keys.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <variant>

namespace cudal1::ui {

using models::AgentSettings;
using models::EndpointSettings;
using models::LocalSettings;

namespace {

template<class Settings> bool same(const std::vector<Settings>& a, const std::vector<Settings>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& one, const auto& other) { return models::toJson(one) == models::toJson(other); });
}

} // namespace

ModelList::ModelList(models::ModelRegistry registry, QObject* parent) : QObject(parent), m_registry(std::move(registry))
{
}

const EndpointSettings* ModelList::model(const std::string& name) const
{
    const auto found = std::find_if(m_models.begin(), m_models.end(),
                                    [&](const EndpointSettings& one) { return one.name == name; });
    return found == m_models.end() ? nullptr : &*found;
}

std::optional<models::NamedModel> ModelList::named(const std::string& name) const
{
    const auto in = [&](const auto& all) -> std::optional<models::NamedModel> {
        const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
        return found == all.end() ? std::nullopt : std::optional<models::NamedModel>(*found);
    };
    for (auto found : {in(m_models), in(m_locals), in(m_agents)})
        if (found)
            return found;
    return std::nullopt;
}

void ModelList::read()
{
    m_asker.ask([registry = m_registry] { return registry.all(); },
                [this](const base::Result<std::vector<models::NamedModel>>& all) {
                    const bool failed = m_error.has_value();
                    m_error = all ? std::nullopt : std::optional(all.error());
                    std::vector<EndpointSettings> endpoints;
                    std::vector<LocalSettings> locals;
                    std::vector<AgentSettings> agents;
                    for (const models::NamedModel& one : all ? *all : std::vector<models::NamedModel>())
                        if (const auto* endpoint = std::get_if<EndpointSettings>(&one))
                            endpoints.push_back(*endpoint);
                        else if (const auto* local = std::get_if<LocalSettings>(&one))
                            locals.push_back(*local);
                        else if (const auto* agent = std::get_if<AgentSettings>(&one))
                            agents.push_back(*agent);
                    if (same(endpoints, m_models) && same(locals, m_locals) && same(agents, m_agents) &&
                        failed == m_error.has_value())
                        return;
                    m_models = std::move(endpoints);
                    m_locals = std::move(locals);
                    m_agents = std::move(agents);
                    emit changed();
                });
}

void ModelList::change(std::function<base::Status(models::ModelRegistry&)> how, Done done)
{
    inBackground(
        this, [registry = m_registry, how = std::move(how)]() mutable { return how(registry); },
        [this, done = std::move(done)](const base::Status& status) {
            read();
            done(status);
        });
}

void ModelList::save(const models::NamedModel& settings, models::Secret key, bool replace, Done done)
{
    if (const auto good = std::visit([](const auto& one) { return models::check(one); }, settings); !good)
        return done(good);
    const std::string name = models::nameOf(settings);
    if (!replace && named(name))
        return done(base::Error{base::ErrorCode::InvalidArgument,
                                "There is a model \"" + name + "\" already",
                                {},
                                "Choose it in the list to change it, or give this one another name"});
    const auto add = [this, settings, replace, done] {
        change([settings, replace](models::ModelRegistry& registry) { return registry.add(settings, replace); }, done);
    };
    if (key.empty())
        return add();
    models::keepKey(name, std::move(key), this, [add, done](const base::Status& kept) { kept ? add() : done(kept); });
}

void ModelList::remove(const std::string& name, Done done)
{
    const EndpointSettings* known = model(name);
    const bool hasKey = known && known->keyInKeyring;
    change([name](models::ModelRegistry& registry) { return registry.remove(name); },
           [this, name, hasKey, done = std::move(done)](const base::Status& removed) {
               if (!removed || !hasKey)
                   return done(removed);
               // A key without a model is of no use to anybody.
               models::dropKey(name, this, done);
           });
}

} // namespace cudal1::ui
