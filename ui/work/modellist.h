// SPDX-License-Identifier: GPL-3.0-or-later
// The user's language models as the window sees them.
#pragma once

#include "core/models/modelregistry.h"
#include "core/models/secret.h"
#include "ui/kit/background.h"

#include <QObject>

#include <functional>
#include <optional>
#include <vector>

namespace cudal1::ui {

/// Reads and changes the registry in the background, and keys in the keyring; never waits. The command line changes the
/// same file, so whoever is about to show the list calls read().
class ModelList : public QObject {
    Q_OBJECT
public:
    using Done = std::function<void(const base::Status& status)>;

    explicit ModelList(models::ModelRegistry registry = models::ModelRegistry(), QObject* parent = nullptr);

    const std::vector<models::EndpointSettings>& models() const { return m_models; } ///< behind servers
    const std::vector<models::LocalSettings>& locals() const { return m_locals; }    ///< that this program runs
    const std::vector<models::AgentSettings>& agents() const { return m_agents; }    ///< coding agents
    const models::EndpointSettings* model(const std::string& name) const; ///< behind a server; null where there is none
    std::optional<models::NamedModel> named(const std::string& name) const; ///< of any kind
    /// Why the list could not be read the last time; empty where it could.
    const std::optional<base::Error>& error() const { return m_error; }
    const models::ModelRegistry& registry() const { return m_registry; }

    void read(); ///< changed() follows where something is new
    /// Adds a model, or puts it in the place of the one with this name where `replace`. A key that is not empty goes
    /// into the keyring first, for a model behind a server; a model whose key was not taken is not kept.
    void save(const models::NamedModel& settings, models::Secret key, bool replace, Done done);
    /// With its key in the keyring.
    void remove(const std::string& name, Done done);

signals:
    void changed();

private:
    void change(std::function<base::Status(models::ModelRegistry&)> how, Done done);

    models::ModelRegistry m_registry;
    std::vector<models::EndpointSettings> m_models;
    std::vector<models::LocalSettings> m_locals;
    std::vector<models::AgentSettings> m_agents;
    std::optional<base::Error> m_error;
    Asker m_asker{this};
};

} // namespace cudal1::ui
