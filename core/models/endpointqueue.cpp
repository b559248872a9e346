// SPDX-License-Identifier: GPL-3.0-or-later
// Places, attempts and limits of an endpoint's requests.
#include "core/models/endpointqueue.h"

#include "core/base/timetext.h"
#include "core/models/backoff.h"
#include "core/models/keys.h"

#include <QHostAddress>
#include <QNetworkAccessManager>
#include <QNetworkProxyFactory>

#include <algorithm>
#include <utility>

namespace cudal1::models {

namespace {

using base::Error;
using base::ErrorCode;
using std::chrono::milliseconds;

/// Connections that a QNetworkAccessManager opens to a host; more requests would wait in it, unseen.
constexpr int connectionsEach = 6;

/// The system's proxy, except for servers on this machine.
class ProxyExceptHere : public QNetworkProxyFactory {
public:
    QList<QNetworkProxy> queryProxy(const QNetworkProxyQuery& query) override
    {
        const QString host = query.peerHostName();
        if (host == QLatin1String("localhost") || QHostAddress(host).isLoopback())
            return {QNetworkProxy(QNetworkProxy::NoProxy)};
        return systemProxyForQuery(query);
    }
};

std::int64_t bytesOf(const std::vector<policy::ChatMessage>& messages)
{
    std::int64_t out = 0;
    for (const policy::ChatMessage& message : messages)
        out += std::int64_t(message.content.size());
    return out;
}

} // namespace

EndpointQueue::EndpointQueue(EndpointSettings settings, std::shared_ptr<Ledger> own, std::shared_ptr<Ledger> run,
                             RetryClock clock)
    : m_settings(std::move(settings)), m_clock(std::move(clock))
{
    m_ledgers.push_back(std::move(own));
    if (run)
        m_ledgers.push_back(std::move(run));
}

EndpointQueue::~EndpointQueue() = default;

void EndpointQueue::add(const std::shared_ptr<AskedQuestion>& question)
{
    question->promptBytes = bytesOf(question->request.messages);
    for (int reply = 0; reply < question->request.replies; ++reply) {
        if (question->request.known.contains(reply))
            continue;
        auto job = std::make_shared<Job>();
        job->question = question;
        job->reply = reply;
        m_waiting.push_back(std::move(job));
    }
    pumpLater();
}

void EndpointQueue::takeBack(AskedQuestion& question)
{
    question.live = false;
    const auto ofIt = [&](const JobPointer& job) { return job->question.get() == &question; };
    std::erase_if(m_waiting, ofIt);
    for (const JobPointer& job : m_active)
        if (ofIt(job) && std::exchange(job->exchange, nullptr))
            --m_networks[job->network].busy;
    std::erase_if(m_active, ofIt);
    pumpLater();
}

void EndpointQueue::close()
{
    for (const JobPointer& job : m_waiting)
        job->question->live = false;
    for (const JobPointer& job : m_active) {
        job->question->live = false;
        job->exchange.reset();
    }
    m_waiting.clear();
    m_active.clear();
}

void EndpointQueue::pumpLater()
{
    if (!std::exchange(m_pumping, true))
        QMetaObject::invokeMethod(
            this, [this] { pump(); }, Qt::QueuedConnection);
}

void EndpointQueue::pump()
{
    m_pumping = false;
    if (!m_key && !m_waiting.empty()) {
        if (!std::exchange(m_keyAsked, true))
            readKey(m_settings, this, [this](base::Result<Secret> key) {
                m_key.emplace(std::move(key));
                pumpLater();
            });
        return;
    }
    // A listener may ask again, take questions back, or close all of this.
    while (!m_waiting.empty() && m_active.size() < std::size_t(m_settings.parallel)) {
        const JobPointer job = m_waiting.front();
        m_waiting.pop_front();
        m_active.push_back(job);
        begin(job);
    }
}

void EndpointQueue::begin(const JobPointer& job)
{
    if (!*m_key)
        return finish(job, m_key->error());
    if (const auto may = mayAsk(); !may)
        return finish(job, may.error());
    for (const auto& ledger : m_ledgers)
        ledger->asked(job->attempt > 0);
    job->form = m_form;
    job->network = freeNetwork();
    ++m_networks[job->network].busy;
    Exchange::Calls calls;
    const auto& question = job->question;
    if (question->listener.partial)
        calls.partial = [this, question, reply = job->reply](const std::string& text) {
            tell([&] { question->listener.partial(reply, text); });
        };
    calls.ended = [this, job](AttemptOutcome outcome) { ended(job, std::move(outcome)); };
    job->exchange = std::make_unique<Exchange>(*m_networks[job->network].manager, m_settings, m_key->value(),
                                               requestBody(m_settings, question->request, job->reply, job->form),
                                               secondsLeft(), std::move(calls));
}

std::size_t EndpointQueue::freeNetwork()
{
    for (std::size_t i = 0; i < m_networks.size(); ++i)
        if (m_networks[i].busy < connectionsEach)
            return i;
    Network& added = m_networks.emplace_back();
    added.manager = std::make_unique<QNetworkAccessManager>();
    added.manager->setProxyFactory(new ProxyExceptHere); // the manager owns it
    return m_networks.size() - 1;
}

void EndpointQueue::ended(const JobPointer& given, AttemptOutcome outcome)
{
    // What gave it ends with the exchange. NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
    const JobPointer job = given;
    // The exchange is what calls here, so that it is left to the event loop.
    job->exchange.release()->deleteLater();
    --m_networks[job->network].busy;
    count(*job, outcome);
    if (outcome.reply) {
        policy::ChatReply& reply = *outcome.reply;
        reply.usage.cost = costOf(reply.usage, m_settings.price);
        if (reply.usage.cost)
            reply.usage.costUnit = m_settings.price->unit;
        return finish(job, std::move(reply));
    }
    // The limit of time may be what has ended it.
    const bool goesOn = outcome.again != AttemptOutcome::Again::No || outcome.error.code == ErrorCode::TimedOut;
    if (const auto may = mayAsk(); goesOn && !may)
        return finish(job, may.error());
    // Each that was on its way when the first was refused was sent in the old form too.
    if (outcome.again == AttemptOutcome::Again::InAnotherForm && job->form.*outcome.unknown) {
        m_form.*outcome.unknown = false;
        return begin(job);
    }
    if (mayRepeat(*job, outcome))
        return repeat(job, outcome);
    Error error = std::move(outcome.error);
    if (job->attempt > 0)
        error.message += " (after " + std::to_string(job->attempt + 1) + " attempts)";
    if (outcome.asked && *outcome.asked > longestAsked)
        error.hint = "It asks to be left alone for " +
                     base::durationText(std::chrono::duration<double>(*outcome.asked).count());
    finish(job, std::move(error));
}

void EndpointQueue::count(const Job& job, const AttemptOutcome& outcome)
{
    if (!outcome.reply && outcome.textBytes == 0)
        return; // nothing is charged
    const policy::Usage none;
    for (const auto& ledger : m_ledgers)
        ledger->answered(outcome.reply ? outcome.reply->usage : none, m_settings.price, job.question->promptBytes,
                         std::int64_t(outcome.textBytes), outcome.reply.has_value());
}

bool EndpointQueue::mayRepeat(Job& job, const AttemptOutcome& outcome) const
{
    if (job.attempt >= m_settings.patience.retries || (outcome.asked && *outcome.asked > longestAsked))
        return false;
    if (outcome.again == AttemptOutcome::Again::Once)
        return !std::exchange(job.afterSilence, true);
    return outcome.again == AttemptOutcome::Again::Yes;
}

void EndpointQueue::repeat(const JobPointer& given, const AttemptOutcome& outcome)
{
    const JobPointer job = given;
    if (outcome.textBytes > 0 && job->question->listener.restarted) {
        tell([&] { job->question->listener.restarted(job->reply); });
        if (!job->question->live)
            return;
    }
    milliseconds pause = pauseBefore(job->attempt++, outcome.asked, m_clock.random());
    // Not beyond the limit of time: begin() tells it then.
    if (const auto left = secondsLeft())
        pause = std::min(pause, std::chrono::ceil<milliseconds>(std::chrono::duration<double>(std::max(0.0, *left))));
    m_clock.later(pause, this, [this, weak = std::weak_ptr<Job>(job)] {
        const JobPointer waited = weak.lock();
        if (waited && waited->question->live)
            begin(waited);
    });
}

void EndpointQueue::finish(const JobPointer& given, base::Result<policy::ChatReply> result)
{
    const JobPointer job = given;
    std::erase(m_active, job);
    pumpLater();
    if (!job->question->live)
        return;
    const auto question = job->question; // the listener may let go of it
    tell([&] { question->listener.replied(job->reply, std::move(result)); });
}

void EndpointQueue::tell(const std::function<void()>& told)
{
    ++m_telling;
    told();
    --m_telling;
}

base::Status EndpointQueue::mayAsk() const
{
    for (const auto& ledger : m_ledgers)
        if (const auto may = ledger->mayAsk(); !may)
            return may.error();
    return {};
}

std::optional<double> EndpointQueue::secondsLeft() const
{
    std::optional<double> out;
    for (const auto& ledger : m_ledgers)
        if (const auto left = ledger->secondsLeft())
            out = std::min(*left, out.value_or(*left));
    return out;
}

} // namespace cudal1::models
