// SPDX-License-Identifier: GPL-3.0-or-later
// A local model as a chat model.
#include "core/models/localmodel.h"

#include "core/models/modelprocess.h"
#include "core/policy/chattext.h"

#include <utility>

namespace cudal1::models {

namespace {

class LocalAsked : public policy::Question {
public:
    LocalAsked(std::weak_ptr<ModelProcess> process, std::shared_ptr<LocalQuestion> asked)
        : m_process(std::move(process)), m_asked(std::move(asked))
    {
    }
    ~LocalAsked() override
    {
        m_asked->live = false;
        if (const auto process = m_process.lock())
            process->takeBack(*m_asked);
    }

private:
    std::weak_ptr<ModelProcess> m_process;
    std::shared_ptr<LocalQuestion> m_asked;
};

} // namespace

LocalModel::LocalModel(LocalSettings settings, std::shared_ptr<Ledger> run, const farm::Launcher& launcher,
                       std::shared_ptr<Ledger> own)
    : m_settings(std::move(settings)), m_own(own ? std::move(own) : std::make_shared<Ledger>(m_settings.limits)),
      m_run(std::move(run)), m_process(ModelProcess::of(m_settings, launcher))
{
}

LocalModel::~LocalModel()
{
    m_process->takeBackAll(this);
}

farm::Launcher LocalModel::standardLauncher()
{
    return farm::Launcher::standard(QStringLiteral("cudal1-model"), "CUDAL1_MODEL");
}

std::string LocalModel::name() const
{
    return "local: " + m_settings.name;
}

std::unique_ptr<policy::Question> LocalModel::ask(const policy::ChatRequest& request, policy::ChatListener listener)
{
    auto asked = std::make_shared<LocalQuestion>();
    asked->request = request;
    asked->request.settings = policy::filled(request.settings, m_settings.sampling);
    asked->listener = std::move(listener);
    asked->ledgers.push_back(m_own);
    if (m_run)
        asked->ledgers.push_back(m_run);
    asked->owner = this;
    m_process->add(asked);
    return std::make_unique<LocalAsked>(m_process, asked);
}

const std::optional<protocol::ModelFacts>& LocalModel::facts() const
{
    return m_process->facts();
}

} // namespace cudal1::models
