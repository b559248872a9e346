// SPDX-License-Identifier: GPL-3.0-or-later
// One evaluator process: handshake, requests, cancels with a deadline, death and restart.
#include "core/farm/evaluator.h"

#include "core/base/timetext.h"
#include "core/farm/lineprocess.h"

#include <QElapsedTimer>
#include <QFutureWatcher>
#include <QPromise>
#include <QRandomGenerator>
#include <QThreadPool>
#include <QTimer>

#include <map>

namespace cudal1::farm {

using base::Error;
using base::ErrorCode;

namespace {

/// Loading the framework takes seconds; over a network file system, a minute.
constexpr int helloDeadline_ms = 120'000;
/// A queue of a cluster has no limit that we could know. From when on that is told:
constexpr int firstNews_ms = 10'000, secondNews_ms = 30'000, laterNews_ms = 60'000;
/// Leaves time for the kill, so that a cancel is over within a second.
constexpr int cancelDeadline_ms = 800;
/// Longer lines are read on another thread, so that a window's thread never waits for a graph of thousands of nodes.
constexpr qsizetype longLine = 128 << 10;
/// A login shell's greeting may precede the first message; more than this is no evaluator.
constexpr int mostLinesBeforeHello = 100;

} // namespace

std::uint64_t freshSeed()
{
    std::uint64_t seed = 0;
    while (seed == 0)
        seed = QRandomGenerator::system()->generate64() >> 16;
    return seed;
}

class Evaluator::Private : public QObject {
public:
    enum class State { Idle, Starting, Ready, Ending };
    struct Open {
        QByteArray line;
        bool sent = false;
        bool cancelling = false;
    };

    Private(Evaluator* owner, Launcher how) : q(owner), launcher(std::move(how)) {}

    RequestId ask(const Request& request);
    void start();
    void send(Open& open);
    void pump();
    void take(const base::Result<EvaluatorMessage>& message);
    void takeHello(const protocol::Hello& hello);
    void dispatch(const EvaluatorMessage& message);
    void endWith(Error error);
    void processEnded(bool bySignal, int status);
    void conclude();
    void cancel(RequestId id);
    void shutDown();

    Evaluator* q;
    Launcher launcher;
    State state = State::Idle;
    LineProcess* process = nullptr;
    QTimer* helloTimer = nullptr;
    QElapsedTimer started;
    QByteArray standardError; ///< of a process that is gone
    protocol::Hello hello;
    std::map<RequestId, Open> open;
    RequestId lastId = 0;
    int linesBeforeHello = 0;
    bool parsing = false;
    bool processGone = false;
    bool killedForCancel = false; ///< requests that were not sent yet outlive the process
    std::optional<Error> ending;
};

RequestId Evaluator::Private::ask(const Request& request)
{
    const RequestId id = ++lastId;
    Open& entry = open[id];
    entry.line = requestLine(id, request);
    start();
    if (state == State::Ready)
        send(entry);
    return id;
}

void Evaluator::Private::send(Open& entry)
{
    process->write(entry.line);
    entry.line.clear();
    entry.sent = true;
}

void Evaluator::Private::start()
{
    if (state != State::Idle)
        return;
    state = State::Starting;
    standardError.clear();
    hello = {};
    ending.reset();
    linesBeforeHello = 0;
    processGone = killedForCancel = false;

    process = new LineProcess(this);
    connect(process, &LineProcess::readable, this, [this] { pump(); });
    connect(process, &LineProcess::ended, this, [this](bool bySignal, int status) { processEnded(bySignal, status); });
    connect(process, &LineProcess::notStarted, this, [this](const QString& why) {
        ending = Error{ErrorCode::Unavailable, "The evaluator could not be started: " + why.toStdString(),
                       launcher.text().toStdString(),
                       "Build it, or name one in the environment variable CUDAL1_EVALUATOR"};
        processGone = true;
        conclude();
    });

    helloTimer = new QTimer(process);
    helloTimer->setSingleShot(true);
    helloTimer->setTimerType(
        Qt::PreciseTimer); // it never fires before its time, and then tells of the same moment twice
    connect(helloTimer, &QTimer::timeout, this, [this] {
        if (launcher.mayWait()) {
            const qint64 passed_ms = started.elapsed();
            helloTimer->start(
                int(passed_ms < secondNews_ms ? secondNews_ms - passed_ms : laterNews_ms - passed_ms % laterNews_ms));
            emit q->waiting(double(passed_ms) / 1000);
            return;
        }
        endWith({ErrorCode::TimedOut, "The evaluator did not answer for " + base::durationText(helloDeadline_ms / 1e3),
                 launcher.text().toStdString(), "Run the command by hand and look at what it prints"});
    });
    helloTimer->start(launcher.mayWait() ? firstNews_ms : helloDeadline_ms);
    started.start();

    process->start(launcher.words());
    protocol::Hello greeting;
    greeting.program = "cudal1";
    process->write(QByteArray::fromStdString(protocol::line("hello", 0, greeting)));
}

void Evaluator::Private::pump()
{
    while (!parsing && state != State::Idle) {
        std::optional<QByteArray> line = process->takeLine();
        if (!line) {
            if (process->overflowed())
                endWith({ErrorCode::ProcessFailed,
                         "The evaluator sent a line of more than 64 MiB",
                         launcher.text().toStdString(),
                         {}});
            break;
        }
        if (line->size() < longLine) {
            take(readMessage(*line));
            continue;
        }
        parsing = true;
        using Parsed = std::shared_ptr<const base::Result<EvaluatorMessage>>;
        auto promise = std::make_shared<QPromise<Parsed>>();
        auto* watcher = new QFutureWatcher<Parsed>(process);
        connect(watcher, &QFutureWatcher<Parsed>::finished, this, [this, watcher] {
            watcher->deleteLater();
            parsing = false;
            take(*watcher->result());
            pump();
        });
        promise->start();
        watcher->setFuture(promise->future());
        QThreadPool::globalInstance()->start([promise, line = std::move(*line)] {
            promise->addResult(std::make_shared<const base::Result<EvaluatorMessage>>(readMessage(line)));
            promise->finish();
        });
    }
    if (processGone && !parsing)
        conclude();
}

void Evaluator::Private::take(const base::Result<EvaluatorMessage>& message)
{
    if (state != State::Starting && state != State::Ready)
        return;
    if (state == State::Starting) {
        if (message && std::holds_alternative<protocol::Hello>(message->payload))
            takeHello(std::get<protocol::Hello>(message->payload));
        else if (++linesBeforeHello > mostLinesBeforeHello)
            endWith({ErrorCode::Unavailable, "What was started is no evaluator: its first lines are no greeting",
                     launcher.text().toStdString(), "Check the command in CUDAL1_EVALUATOR"});
        return;
    }
    if (!message)
        endWith(message.error());
    else
        dispatch(*message);
}

void Evaluator::Private::takeHello(const protocol::Hello& theirs)
{
    if (theirs.protocolVersion != protocol::protocolVersion) {
        endWith({ErrorCode::Unavailable,
                 "The evaluator speaks protocol version " + std::to_string(theirs.protocolVersion) +
                     ", this program version " + std::to_string(protocol::protocolVersion),
                 theirs.program.empty() ? launcher.text().toStdString() : theirs.program,
                 "Install the same version of both"});
        return;
    }
    hello = theirs;
    helloTimer->stop();
    state = State::Ready;
    for (auto& [id, entry] : open)
        if (!entry.sent)
            send(entry);
    emit q->ready();
}

void Evaluator::Private::dispatch(const EvaluatorMessage& message)
{
    const auto it = open.find(message.id);
    if (it == open.end() || !it->second.sent)
        return; // late, or never ours
    if (const auto* seen = std::get_if<protocol::Progress>(&message.payload)) {
        if (!it->second.cancelling)
            emit q->progress(message.id, *seen);
    } else if (const auto* answer = std::get_if<Answer>(&message.payload)) {
        open.erase(it);
        emit q->answered(message.id, *answer);
    } else if (const auto* error = std::get_if<Error>(&message.payload)) {
        open.erase(it);
        emit q->failed(message.id, *error);
    }
}

void Evaluator::Private::endWith(Error error)
{
    if (state == State::Idle || state == State::Ending)
        return;
    state = State::Ending;
    ending = std::move(error);
    if (process)
        process->kill();
}

void Evaluator::Private::processEnded(bool bySignal, int status)
{
    if (!ending) {
        const std::string manner = bySignal ? "was killed by a signal or crashed"
                                            : "ended with status " + std::to_string(status);
        ending = Error{ErrorCode::ProcessFailed, "The evaluator " + manner, process->lastWords(), {}};
        if (state == State::Starting && !bySignal) {
            ending->code = ErrorCode::Unavailable;
            ending->hint = "Run `" + launcher.text().toStdString() + "` by hand to see what it needs";
        }
    }
    processGone = true;
    pump();
}

void Evaluator::Private::conclude()
{
    if (state == State::Idle)
        return;
    const Error why = ending.value_or(Error{ErrorCode::ProcessFailed, "The evaluator ended", {}, {}});
    const bool keepUnsent = killedForCancel;
    state = State::Idle;
    processGone = false;
    standardError = process->standardError();
    process->disconnect(this);
    process->deleteLater();
    process = nullptr;

    // Handlers may make new requests, which belong to the next process: what fails is taken out first.
    std::map<RequestId, Open> lost;
    for (auto it = open.begin(); it != open.end();) {
        const auto here = it++;
        if (here->second.sent || !keepUnsent)
            lost.insert(open.extract(here));
    }
    for (const auto& [id, entry] : lost)
        emit q->failed(id, entry.cancelling ? Error{ErrorCode::Cancelled, "Cancelled", {}, {}} : why);
    emit q->stopped(why);
    if (!open.empty())
        start();
}

void Evaluator::Private::cancel(RequestId id)
{
    const auto it = open.find(id);
    if (it == open.end() || it->second.cancelling)
        return;
    if (!it->second.sent) {
        open.erase(it);
        // From the event loop like every other final signal, so that callers see one order of things.
        QMetaObject::invokeMethod(
            this,
            [this, id] {
                emit q->failed(id, {ErrorCode::Cancelled, "Cancelled", {}, {}});
            },
            Qt::QueuedConnection);
        return;
    }
    it->second.cancelling = true;
    if (state == State::Ready)
        process->write(QByteArray::fromStdString(protocol::line("cancel", id)));
    QTimer::singleShot(cancelDeadline_ms, this, [this, id] {
        if (open.erase(id) == 0)
            return;
        killedForCancel = true;
        endWith({ErrorCode::Cancelled, "The evaluator did not cancel in time and was ended", {}, {}});
        emit q->failed(id, {ErrorCode::Cancelled, "Cancelled", {}, {}});
    });
}

void Evaluator::Private::shutDown()
{
    if (!process)
        return;
    process->disconnect(this);
    process->shutDown(QByteArray::fromStdString(protocol::line("quit", 0)));
}

// ---- the public face -----------------------------------------------------------------------------------------------

Evaluator::Evaluator(Launcher launcher, QObject* parent)
    : QObject(parent), d(std::make_unique<Private>(this, std::move(launcher)))
{
}

Evaluator::~Evaluator()
{
    d->shutDown();
}

const Launcher& Evaluator::launcher() const
{
    return d->launcher;
}

void Evaluator::start()
{
    d->start();
}
bool Evaluator::isReady() const
{
    return d->state == Private::State::Ready;
}
const protocol::Hello& Evaluator::hello() const
{
    return d->hello;
}
QByteArray Evaluator::standardError() const
{
    return d->process ? d->process->standardError() : d->standardError;
}

RequestId Evaluator::ask(const Request& request)
{
    return d->ask(request);
}
void Evaluator::cancel(RequestId id)
{
    d->cancel(id);
}

} // namespace cudal1::farm
