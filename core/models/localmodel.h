// SPDX-License-Identifier: GPL-3.0-or-later
// A model that `cudal1-model` runs, on this machine or where CUDAL1_MODEL starts it.
#pragma once

#include "core/farm/launcher.h"
#include "core/models/ledger.h"
#include "core/models/localsettings.h"
#include "core/policy/chatmodel.h"
#include "core/protocol/localmodelmessages.h"

#include <memory>
#include <optional>

namespace cudal1::models {

class ModelProcess;

/// The replies of a question are one request, so that its prompt is read once. Models of the same settings on one
/// thread share a process; it is started by the first question, has no deadline for loading, and ends with the last of
/// them. The cost of a reply is the time of the device, shared among the replies that were on their way at a time;
/// loading is not counted. The limits of the settings count by `own`, and where none is given from the first question
/// of this object; those of `run` are shared with the other models of the run. Everything is told from the event loop,
/// never from within ask().
class LocalModel : public policy::ChatModel {
public:
    explicit LocalModel(LocalSettings settings, std::shared_ptr<Ledger> run = nullptr,
                        const farm::Launcher& launcher = standardLauncher(), std::shared_ptr<Ledger> own = nullptr);
    ~LocalModel() override; ///< takes all its questions back

    /// $CUDAL1_MODEL when set, else `cudal1-model` beside the running program.
    static farm::Launcher standardLauncher();

    std::string name() const override; ///< "local: NAME"
    std::unique_ptr<policy::Question> ask(const policy::ChatRequest& request, policy::ChatListener listener) override;

    const LocalSettings& settings() const { return m_settings; }
    /// What is loaded; empty before the first question was sent to it.
    const std::optional<protocol::ModelFacts>& facts() const;
    const Ledger& ledger() const { return *m_own; } ///< of this model alone

private:
    LocalSettings m_settings;
    std::shared_ptr<Ledger> m_own, m_run;
    std::shared_ptr<ModelProcess> m_process;
};

} // namespace cudal1::models
