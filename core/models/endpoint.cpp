// SPDX-License-Identifier: GPL-3.0-or-later
// An endpoint as a chat model.
#include "core/models/endpoint.h"

#include "core/models/endpointqueue.h"

#include <QRandomGenerator>
#include <QTimer>

#include <utility>

namespace cudal1::models {

namespace {

class EndpointQuestion : public policy::Question {
public:
    EndpointQuestion(std::weak_ptr<EndpointQueue> queue, std::shared_ptr<AskedQuestion> asked)
        : m_queue(std::move(queue)), m_asked(std::move(asked))
    {
    }
    ~EndpointQuestion() override
    {
        m_asked->live = false;
        if (const auto queue = m_queue.lock())
            queue->takeBack(*m_asked);
    }

private:
    std::weak_ptr<EndpointQueue> m_queue;
    std::shared_ptr<AskedQuestion> m_asked;
};

} // namespace

RetryClock RetryClock::real()
{
    return {[](std::chrono::milliseconds pause, QObject* context, std::function<void()> then) {
                QTimer::singleShot(pause, context, std::move(then));
            },
            [] { return QRandomGenerator::global()->generateDouble(); }};
}

Endpoint::Endpoint(EndpointSettings settings, std::shared_ptr<Ledger> run, RetryClock clock,
                   std::shared_ptr<Ledger> own)
    : m_own(own ? std::move(own) : std::make_shared<Ledger>(settings.limits)),
      m_queue(new EndpointQueue(std::move(settings), m_own, std::move(run), std::move(clock)),
              [](EndpointQueue* queue) {
                  if (queue->idle())
                      delete queue;
                  else
                      queue->deleteLater();
              })
{
}

Endpoint::~Endpoint()
{
    m_queue->close();
}

std::string Endpoint::name() const
{
    return "endpoint: " + settings().name;
}

std::unique_ptr<policy::Question> Endpoint::ask(const policy::ChatRequest& request, policy::ChatListener listener)
{
    auto asked = std::make_shared<AskedQuestion>();
    asked->request = request;
    asked->listener = std::move(listener);
    m_queue->add(asked);
    return std::make_unique<EndpointQuestion>(m_queue, asked);
}

const EndpointSettings& Endpoint::settings() const
{
    return m_queue->settings();
}

const Ledger& Endpoint::ledger() const
{
    return *m_own;
}

} // namespace cudal1::models
