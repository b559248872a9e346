// SPDX-License-Identifier: GPL-3.0-or-later
// A local model's process: questions and their limits; greeting, messages, death and restart.
#include "core/models/modelprocess.h"

#include "core/base/timetext.h"
#include "core/farm/lineprocess.h"
#include "core/protocol/messages.h"
#include "core/protocol/wireerror.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace cudal1::models {

namespace {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

protocol::DrawSettings drawn(const policy::SamplingSettings& settings, int first)
{
    protocol::DrawSettings out{settings.temperature, settings.topP, settings.topK, settings.minP,
                               settings.maxTokens,   settings.seed, settings.stop};
    if (out.seed)
        *out.seed += std::uint64_t(first);
    return out;
}

/// A login shell's greeting may precede the first message.
constexpr int mostLinesBefore = 100;
/// From when on it is told that loading still lasts.
constexpr int firstNews_ms = 10'000, secondNews_ms = 30'000, laterNews_ms = 60'000;

} // namespace

QByteArray ModelProcess::lineOf(std::string_view type, std::uint64_t id, const json& payload)
{
    return QByteArray::fromStdString(protocol::line(type, id, payload));
}

ModelProcess::~ModelProcess()
{
    if (!m_process)
        return;
    m_process->disconnect(this);
    m_process->shutDown(lineOf("quit", 0, json::object()));
}

std::shared_ptr<ModelProcess> ModelProcess::of(const LocalSettings& settings, const farm::Launcher& launcher)
{
    thread_local std::map<QStringList, std::weak_ptr<ModelProcess>> known;
    const QStringList arguments = serveArguments(settings);
    std::erase_if(known, [](const auto& one) { return one.second.expired(); });
    std::weak_ptr<ModelProcess>& place = known[launcher.words() + arguments];
    auto out = place.lock();
    if (!out) {
        out.reset(new ModelProcess(settings.name, arguments, deviceUnit(settings), launcher),
                  [](ModelProcess* process) {
                      if (process->m_telling == 0)
                          delete process;
                      else
                          process->deleteLater();
                  });
        place = out;
    }
    return out;
}

Error ModelProcess::error(ErrorCode code, const std::string& what, const std::string& hint) const
{
    return {code, "The process of the model " + m_name + " " + what,
            m_process && !m_process->lastWords().empty() ? m_process->lastWords() : m_launcher.text().toStdString(),
            hint};
}

// ---- questions -----------------------------------------------------------------------------------------------------

void ModelProcess::add(const std::shared_ptr<LocalQuestion>& question)
{
    const policy::ChatRequest& request = question->request;
    int first = 0; // of those in a row that are not known
    for (int reply = 0; reply <= request.replies; ++reply)
        if (reply == request.replies || request.known.contains(reply)) {
            addJob(question, first, std::size_t(std::max(0, reply - first)));
            first = reply + 1;
        }
}

void ModelProcess::addJob(std::shared_ptr<LocalQuestion> question, int first, std::size_t replies)
{
    if (replies == 0)
        return;
    LocalJob& job = m_jobs[++m_lastId];
    job.question = std::move(question);
    job.first = first;
    job.replies.resize(replies);
    job.left = replies;
    pumpLater();
}

void ModelProcess::takeBack(LocalQuestion& question)
{
    question.live = false;
    for (auto it = m_jobs.begin(); it != m_jobs.end();) {
        const auto here = it++;
        if (here->second.question.get() == &question)
            cancel(here->first);
    }
}

void ModelProcess::takeBackAll(const void* owner)
{
    for (auto it = m_jobs.begin(); it != m_jobs.end();) {
        const auto here = it++;
        if (here->second.question->owner != owner)
            continue;
        here->second.question->live = false;
        cancel(here->first);
    }
}

/// Forgets the job; late messages of it belong to nobody.
void ModelProcess::cancel(std::uint64_t id)
{
    const auto job = m_jobs.extract(id);
    if (!job.mapped().sent)
        return;
    job.mapped().countBroken(m_clock.now(), m_unit);
    m_clock.end(job.mapped().left);
    if (m_state == State::Ready)
        m_process->write(lineOf("cancel", id, json::object()));
}

void ModelProcess::pumpLater()
{
    if (!std::exchange(m_pumping, true))
        QMetaObject::invokeMethod(
            this, [this] { pump(); }, Qt::QueuedConnection);
}

void ModelProcess::pump()
{
    m_pumping = false;
    std::vector<std::uint64_t> waiting;
    for (const auto& [id, job] : m_jobs)
        if (!job.sent)
            waiting.push_back(id);
    for (const std::uint64_t id : waiting) { // a listener may take questions back or ask more
        const auto found = m_jobs.find(id);
        if (found == m_jobs.end())
            continue;
        for (const auto& ledger : found->second.question->ledgers)
            if (const auto may = ledger->mayAsk(); !may) {
                failJob(std::move(m_jobs.extract(found).mapped()), may.error());
                break;
            }
    }
    const bool any = std::any_of(m_jobs.begin(), m_jobs.end(), [](const auto& one) { return !one.second.sent; });
    if (any && m_state == State::Idle)
        return start();
    if (m_state == State::Ready)
        for (auto& [id, job] : m_jobs)
            if (!job.sent)
                send(id, job);
}

void ModelProcess::send(std::uint64_t id, LocalJob& job)
{
    const policy::ChatRequest& request = job.question->request;
    protocol::GenerateRequest out;
    for (const policy::ChatMessage& message : request.messages)
        out.messages.push_back({message.role, message.content});
    out.settings = drawn(request.settings, job.first);
    out.replies = int(job.replies.size());
    out.partials = bool(job.question->listener.partial);
    out.logprobs = request.logProbabilities;
    job.sent = true;
    job.begun = m_clock.now();
    m_clock.begin(job.left);
    std::optional<double> left;
    for (const auto& ledger : job.question->ledgers) {
        ledger->asked(job.question->again);
        if (const auto seconds = ledger->secondsLeft())
            left = std::min(*seconds, left.value_or(*seconds));
    }
    m_process->write(lineOf("generate", id, out));
    if (left)
        QTimer::singleShot(std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(*left)), this,
                           [this] { checkTime(); });
}

/// Ends what is on its way where the time of a run is over.
void ModelProcess::checkTime()
{
    std::vector<std::uint64_t> ids;
    for (const auto& [id, job] : m_jobs)
        if (job.sent)
            ids.push_back(id);
    for (const std::uint64_t id : ids) {
        const auto found = m_jobs.find(id);
        if (found == m_jobs.end())
            continue;
        for (const auto& ledger : found->second.question->ledgers)
            if (const auto left = ledger->secondsLeft(); left && *left <= 0) {
                LocalJob job = found->second;
                cancel(id);
                job.sent = false; // its parts are counted
                failJob(std::move(job), ledger->mayAsk().error());
                break;
            }
    }
}

// ---- the process ---------------------------------------------------------------------------------------------------

ModelProcess::ModelProcess(std::string name, QStringList arguments, std::string unit, farm::Launcher launcher)
    : m_name(std::move(name)), m_arguments(std::move(arguments)), m_unit(std::move(unit)),
      m_launcher(std::move(launcher))
{
    m_news.setSingleShot(true);
    connect(&m_news, &QTimer::timeout, this, [this] {
        const qint64 passed_ms = m_started.elapsed();
        m_news.start(int(passed_ms < secondNews_ms ? secondNews_ms - passed_ms + 1 : laterNews_ms));
        tellWaiting("The model " + m_name + " is being loaded, for " + base::durationText(double(passed_ms) / 1000));
    });
}

void ModelProcess::start()
{
    m_state = State::Starting;
    m_linesBefore = 0;
    m_why.reset();
    m_facts.reset();
    m_process = new farm::LineProcess(this);
    connect(m_process, &farm::LineProcess::readable, this, [this] { readLines(); });
    connect(m_process, &farm::LineProcess::ended, this, [this](bool bySignal, int status) { ended(bySignal, status); });
    connect(m_process, &farm::LineProcess::notStarted, this, [this](const QString& why) {
        conclude({ErrorCode::Unavailable, "cudal1-model could not be started: " + why.toStdString(),
                  m_launcher.text().toStdString(), "Build it, or name one in the environment variable CUDAL1_MODEL"},
                 false);
    });
    m_process->start(m_launcher.withArguments(m_arguments).words());
    protocol::Hello hello;
    hello.protocolVersion = protocol::modelProtocolVersion;
    hello.program = "cudal1";
    m_process->write(lineOf("hello", 0, hello));
    m_started.start();
    m_news.start(firstNews_ms);
    tellWaiting("The model " + m_name + " is being loaded");
}

void ModelProcess::readLines()
{
    while (m_process && m_state != State::Ending) {
        const auto line = m_process->takeLine();
        if (!line) {
            if (m_process->overflowed())
                endWith(error(ErrorCode::ProcessFailed, "sent a line of more than 64 MiB"));
            return;
        }
        take(*line);
    }
}

void ModelProcess::take(const QByteArray& line)
{
    const json message = json::parse(line.begin(), line.end(), nullptr, false);
    const bool good = message.is_object() && message.contains("type") && message["type"].is_string();
    if (m_state == State::Starting && !(good && (message["type"] == "hello" || message["type"] == "error"))) {
        if (++m_linesBefore > mostLinesBefore)
            endWith(error(ErrorCode::Unavailable, "is no cudal1-model: its first lines are no greeting",
                          "Check the command in CUDAL1_MODEL"));
        return;
    }
    try {
        if (!good)
            throw std::invalid_argument("no object with a type");
        const auto type = message["type"].get<std::string>();
        const auto id = message.value("id", std::uint64_t(0));
        if (type == "hello")
            takeGreeting(message);
        else if (type == "facts" && id == m_infoId)
            takeFacts(message);
        else if (type == "partial")
            takePart(id, message.get<protocol::ReplyPart>());
        else if (type == "reply")
            takeReply(id, message.get<protocol::GeneratedReply>());
        else if (type == "error")
            takeError(id, protocol::errorFrom(message));
    } catch (const std::exception& failure) {
        Error wrong = error(ErrorCode::ProcessFailed, "sent a line that is no message",
                            "Check that nothing else writes to its standard output");
        wrong.context = line.left(200).toStdString() + " [" + failure.what() + "]";
        endWith(std::move(wrong));
    }
}

void ModelProcess::takeGreeting(const json& message)
{
    if (m_state != State::Starting)
        return;
    const auto theirs = message.value("protocol", 0);
    if (theirs != protocol::modelProtocolVersion)
        return endWith(error(ErrorCode::Unavailable,
                             "speaks version " + std::to_string(theirs) + " of the protocol, this program version " +
                                 std::to_string(protocol::modelProtocolVersion),
                             "Install the same version of both"));
    m_state = State::Loading;
    m_infoId = ++m_lastId;
    m_process->write(lineOf("info", m_infoId, json::object())); // answered once the model is loaded
}

void ModelProcess::takeFacts(const json& message)
{
    m_facts = message.get<protocol::ModelFacts>();
    m_state = State::Ready;
    m_news.stop();
    pumpLater();
    tellWaiting({});
}

void ModelProcess::takePart(std::uint64_t id, const protocol::ReplyPart& part)
{
    const auto found = m_jobs.find(id);
    if (found == m_jobs.end())
        return; // late
    LocalJob& job = found->second;
    if (part.reply < 0 || std::size_t(part.reply) >= job.replies.size() || job.replies[std::size_t(part.reply)].told)
        throw std::invalid_argument("a part of no reply");
    job.replies[std::size_t(part.reply)].bytes += std::int64_t(part.text.size());
    const auto question = job.question;
    if (question->listener.partial && !part.text.empty())
        tell([&, reply = job.first + part.reply] { question->listener.partial(reply, part.text); });
}

void ModelProcess::takeReply(std::uint64_t id, protocol::GeneratedReply given)
{
    const auto found = m_jobs.find(id);
    if (found == m_jobs.end())
        return;
    LocalJob& job = found->second;
    if (given.reply < 0 || std::size_t(given.reply) >= job.replies.size() || job.replies[std::size_t(given.reply)].told)
        throw std::invalid_argument("a reply that was not asked for");
    policy::ChatReply out;
    out.text = std::move(given.text);
    out.end = given.end == protocol::ReplyEnd::Length ? policy::ChatReply::End::Length : policy::ChatReply::End::Stop;
    out.model = m_facts ? m_facts->name : std::string();
    out.logProbabilities = std::move(given.logprobs);
    out.usage.promptTokens = given.promptTokens;
    out.usage.replyTokens = given.replyTokens;
    LocalJob::Reply& reply = job.replies[std::size_t(given.reply)];
    job.count(reply, out.usage, true, m_clock.now(), m_unit);
    reply.told = true;
    m_clock.end(1);
    const auto question = job.question;
    const int number = job.first + given.reply;
    if (--job.left == 0)
        m_jobs.erase(found);
    tell([&] { question->listener.replied(number, std::move(out)); });
}

void ModelProcess::takeError(std::uint64_t id, Error why)
{
    if (why.message.empty())
        why.message = "The model " + m_name + " refused the request without saying why";
    if (id == 0)
        return endWith(std::move(why));
    const auto found = m_jobs.find(id);
    if (found == m_jobs.end())
        return; // withdrawn
    m_clock.end(found->second.left);
    failJob(std::move(m_jobs.extract(found).mapped()), why);
}

void ModelProcess::endWith(Error why)
{
    if (m_state == State::Ending || !m_process)
        return;
    m_state = State::Ending;
    m_why = std::move(why);
    m_process->kill();
}

void ModelProcess::ended(bool bySignal, int status)
{
    readLines(); // an error may be the last thing that it said
    const bool loaded = m_facts.has_value();
    if (m_why)
        return conclude(*m_why, false);
    Error why = error(ErrorCode::ProcessFailed,
                      bySignal ? "was killed by a signal or crashed" : "ended with status " + std::to_string(status));
    if (!loaded) {
        why.code = ErrorCode::Unavailable;
        why.hint = "Run `" + m_launcher.withArguments(m_arguments).text().toStdString() +
                   "` by hand to see what it needs";
    }
    conclude(why, bySignal && loaded);
}

/// The process is gone. What it was asked is asked `again`, once, or has failed.
void ModelProcess::conclude(const Error& why, bool again)
{
    m_news.stop();
    m_state = State::Idle;
    m_process->disconnect(this);
    m_process->deleteLater();
    m_process = nullptr;
    m_clock.endAll();
    // Listeners may ask new questions, which belong to the next process.
    Jobs lost = std::exchange(m_jobs, {});
    std::vector<std::shared_ptr<LocalQuestion>> asked;
    for (auto& [id, job] : lost) {
        if (!job.question->live)
            continue;
        if (!job.sent && m_facts) // it came too late for that one
            m_jobs.insert_or_assign(id, std::move(job));
        else if (again && !job.question->again) {
            asked.push_back(job.question);
            askAgain(std::move(job));
        } else
            failJob(std::move(job), why);
    }
    for (const auto& question : asked)
        question->again = true;
    if (!m_jobs.empty())
        pumpLater();
}

void ModelProcess::askAgain(LocalJob&& job)
{
    job.countBroken(m_clock.now(), m_unit);
    std::vector<int> begun;
    for (std::size_t at = 0; at < job.replies.size();) {
        std::size_t end = at;
        for (; end < job.replies.size() && !job.replies[end].told; ++end)
            if (job.replies[end].bytes > 0)
                begun.push_back(job.first + int(end));
        addJob(job.question, job.first + int(at), end - at);
        at = end + 1;
    }
    const auto question = job.question;
    for (const int reply : begun)
        if (question->live && question->listener.restarted)
            tell([&] { question->listener.restarted(reply); });
}

/// Tells each reply that is still to come.
void ModelProcess::failJob(LocalJob&& given, const Error& why)
{
    LocalJob job = std::move(given);
    if (job.sent)
        job.countBroken(m_clock.now(), m_unit);
    for (std::size_t at = 0; at < job.replies.size(); ++at) {
        if (job.replies[at].told || !job.question->live)
            continue;
        tell([&] { job.question->listener.replied(job.first + int(at), why); });
    }
}

void ModelProcess::tellWaiting(const std::string& text)
{
    std::vector<std::shared_ptr<LocalQuestion>> all;
    for (const auto& [id, job] : m_jobs)
        if (std::find(all.begin(), all.end(), job.question) == all.end())
            all.push_back(job.question);
    for (const auto& question : all)
        if (question->live && question->listener.waiting)
            tell([&] { question->listener.waiting(text); });
}

void ModelProcess::tell(const std::function<void()>& told)
{
    ++m_telling;
    told();
    --m_telling;
}

} // namespace cudal1::models
