// SPDX-License-Identifier: GPL-3.0-or-later
// A trainer's process: greeting, requests, answers, death.
#include "core/learning/trainerclient.h"

#include "core/farm/lineprocess.h"
#include "core/protocol/messages.h"
#include "core/protocol/wireerror.h"

#include <chrono>
#include <exception>
#include <stdexcept>
#include <utility>

namespace cudal1::learning {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

/// A login shell's greeting may precede the first message.
constexpr int mostLinesBefore = 100;
constexpr std::chrono::minutes greetingLimit{5}; ///< libtorch may come from a slow disk

QByteArray lineOf(std::string_view type, std::uint64_t id, const json& payload)
{
    return QByteArray::fromStdString(protocol::line(type, id, payload));
}

} // namespace

farm::Launcher TrainerClient::standardLauncher()
{
    return farm::Launcher::standard(QStringLiteral("cudal1-trainer"), "CUDAL1_TRAINER")
        .withArguments({QStringLiteral("serve")});
}

TrainerClient::TrainerClient(farm::Launcher launcher, QObject* parent)
    : QObject(parent), m_launcher(std::move(launcher))
{
    m_silence.setSingleShot(true);
    connect(&m_silence, &QTimer::timeout, this, [this] {
        fail(error(ErrorCode::TimedOut, "has not greeted within five minutes",
                   "Run the command by hand to see what it waits for"));
    });
}

TrainerClient::~TrainerClient()
{
    if (!m_process)
        return;
    m_process->disconnect(this);
    m_process->shutDown(lineOf("quit", 0, json::object()));
}

void TrainerClient::open(const protocol::OpenTraining& request, Answered answered)
{
    ask("open", request, 1, std::move(answered));
}

void TrainerClient::learn(const protocol::SftRequest& request, Answered answered)
{
    ask("sft", request, 1, std::move(answered));
}

void TrainerClient::learn(const protocol::GrpoRequest& request, Answered answered)
{
    ask("grpo", request, 1, std::move(answered));
}

void TrainerClient::generate(const protocol::GenerateRequest& request, Answered answered)
{
    ask("generate", request, request.replies, std::move(answered));
}

void TrainerClient::save(const protocol::SaveRequest& request, Answered answered)
{
    ask("save", request, 1, std::move(answered));
}

void TrainerClient::ask(std::string_view type, const json& payload, int answers, Answered answered)
{
    if (m_failed)
        return;
    if (!m_process)
        start();
    const std::uint64_t id = ++m_lastId;
    m_asked[id] = {std::move(answered), answers};
    m_process->write(lineOf(type, id, payload));
}

void TrainerClient::start()
{
    m_process = new farm::LineProcess(this);
    connect(m_process, &farm::LineProcess::readable, this, [this] { readLines(); });
    connect(m_process, &farm::LineProcess::complained, this, &TrainerClient::complained);
    connect(m_process, &farm::LineProcess::ended, this, [this](bool bySignal, int status) { ended(bySignal, status); });
    connect(m_process, &farm::LineProcess::notStarted, this, [this](const QString& why) {
        fail({ErrorCode::Unavailable, "cudal1-trainer could not be started: " + why.toStdString(),
              m_launcher.text().toStdString(), "Build it, or name one in the environment variable CUDAL1_TRAINER"});
    });
    m_process->start(m_launcher.words());
    protocol::Hello hello;
    hello.protocolVersion = protocol::trainerProtocolVersion;
    hello.program = "cudal1";
    m_process->write(lineOf("hello", 0, hello));
    if (!m_launcher.mayWait())
        m_silence.start(greetingLimit);
}

void TrainerClient::readLines()
{
    while (m_process && !m_failed) {
        const auto line = m_process->takeLine();
        if (!line) {
            if (m_process->overflowed())
                fail(error(ErrorCode::ProcessFailed, "sent a line of more than 64 MiB"));
            return;
        }
        take(*line);
    }
}

void TrainerClient::take(const QByteArray& line)
{
    const json message = json::parse(line.begin(), line.end(), nullptr, false);
    const bool good = message.is_object() && message.contains("type") && message["type"].is_string();
    if (!m_greeted && !(good && (message["type"] == "hello" || message["type"] == "error"))) {
        if (++m_linesBefore > mostLinesBefore)
            fail(error(ErrorCode::Unavailable, "is no cudal1-trainer: its first lines are no greeting",
                       "Check the command in CUDAL1_TRAINER"));
        return;
    }
    try {
        if (!good)
            throw std::invalid_argument("no object with a type");
        takeAnswer(message["type"].get<std::string>(), message);
    } catch (const std::exception& failure) {
        Error wrong = error(ErrorCode::ProcessFailed, "sent a line that is no message",
                            "Check that nothing else writes to its standard output");
        wrong.context = line.left(200).toStdString() + " [" + failure.what() + "]";
        fail(std::move(wrong));
    }
}

void TrainerClient::takeAnswer(const std::string& type, const json& message)
{
    if (type == "hello") {
        const int theirs = message.value("protocol", 0);
        if (theirs != protocol::trainerProtocolVersion)
            return fail(error(ErrorCode::Unavailable,
                              "speaks version " + std::to_string(theirs) + " of the protocol, this program version " +
                                  std::to_string(protocol::trainerProtocolVersion),
                              "Install the same version of both"));
        m_greeted = true;
        m_silence.stop();
        return;
    }
    if (type == "error")
        return fail(protocol::errorFrom(message, "The trainer refused a request without saying why"));
    const auto found = m_asked.find(message.value("id", std::uint64_t(0)));
    if (found == m_asked.end())
        return;
    const Answered answered = found->second.answered;
    const bool more = type == "step" ? !message.value("is_last", true) : --found->second.left > 0;
    if (!more)
        m_asked.erase(found);
    if (answered)
        answered(message);
}

void TrainerClient::ended(bool bySignal, int status)
{
    readLines(); // an error may be the last thing that it said
    fail(error(m_greeted ? ErrorCode::ProcessFailed : ErrorCode::Unavailable,
               bySignal ? "was killed by a signal or crashed" : "ended with status " + std::to_string(status),
               "Run the same command again to go on from the last checkpoint"));
}

void TrainerClient::fail(Error why)
{
    if (std::exchange(m_failed, true))
        return;
    m_silence.stop();
    m_asked.clear();
    if (m_process)
        m_process->kill();
    // From the event loop, so that nobody destroys the client within one of its own calls.
    QMetaObject::invokeMethod(
        this, [this, why = std::move(why)] { emit failed(why); }, Qt::QueuedConnection);
}

Error TrainerClient::error(ErrorCode code, const std::string& what, const std::string& hint) const
{
    const std::string words = m_process ? m_process->lastWords() : std::string();
    return {code, "The trainer " + what, words.empty() ? m_launcher.text().toStdString() : words, hint};
}

} // namespace cudal1::learning
