// SPDX-License-Identifier: GPL-3.0-or-later
// The queue of a self-test: order, confirmation of gains, death and exchange of evaluators, cancel.
#include "core/selftest/session.h"

#include "core/farm/evaluator.h"

#include <QElapsedTimer>
#include <QTimer>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

namespace cudal1::selftest {

using base::Error;
using base::ErrorCode;

namespace {

constexpr int progressInterval_ms = 50;
constexpr double buildLimit_s = 240;
/// So many checks in a row that end their evaluator are no program's fault.
constexpr int mostDeathsInARow = 3;
/// A gain is one when two of three evaluations say so.
constexpr int decisive = 2;

} // namespace

class Session::Private : public QObject {
public:
    struct Job {
        std::size_t check = 0;
        bool honest = false; ///< of the honest form, not of the program
    };
    struct State {
        int gains = 0, others = 0, evaluations = 0;
        QElapsedTimer clock;
    };

    Private(Session* owner, QStringList words);

    void fill();
    void fillSoon();
    bool mayGo(const Job& job) const;
    void exchange(bool oneThread);
    void send(const Job& job);
    void take(farm::RequestId id, Answer answer);
    void takeFailure(farm::RequestId id, const Error& error);
    void evaluatorStopped();
    void decide(const Job& job, const Answer& answer);
    Finding findingOf(const Check& check, const Answer& answer) const;
    void conclude(std::size_t number, const Answer& answer, const Finding& finding);
    void cancelAll();
    void fail(const Error& error);
    void settle();
    void end(Ended how);
    void sendProgress();

    std::string honestKey(const Check& check) const { return check.task.name + "\n" + check.honest; }

    Session* q;
    QStringList command;
    Options options;
    std::vector<Check> checks;
    std::vector<State> states;
    std::map<std::size_t, Row> found; ///< by number of the check
    std::vector<Row> rows;            ///< of `found`, when the session has ended
    std::map<std::string, Answer> honest;

    std::unique_ptr<farm::Evaluator> evaluator;
    bool oneThread = false;
    bool worn = false; ///< the evaluator may not be what it was
    bool exchangeAllowed = false; ///< no signal of the evaluator is being handled
    std::deque<Job> waiting;
    std::map<farm::RequestId, Job> flights; ///< in the order sent
    std::vector<std::pair<Job, Error>> lost;
    std::set<std::size_t> suspects;
    int deathsInARow = 0;

    bool running = false, stopping = false;
    std::optional<Error> failure;
    Error lastError;
    double weightDone = 0, weightPlanned = 0;
    QElapsedTimer clock;
    QTimer progressTimer;
};

Session::Private::Private(Session* owner, QStringList words) : q(owner), command(std::move(words))
{
    progressTimer.setSingleShot(true);
    progressTimer.setInterval(progressInterval_ms);
    connect(&progressTimer, &QTimer::timeout, this, [this] { sendProgress(); });
}

/// Only when nothing is on its way, and never within a signal of the evaluator.
void Session::Private::exchange(bool single)
{
    evaluator.reset(); // before the next one starts, so that the two do not share the machine
    oneThread = single;
    worn = false;
    // Reaches evaluators on this machine; a launcher such as ssh does not pass it on, and there all threads are used.
    const QStringList words = single ? QStringList{"env", "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1"} + command : command;
    evaluator = std::make_unique<farm::Evaluator>(words);
    connect(evaluator.get(), &farm::Evaluator::evaluationReady, this,
            [this](quint64 id, const std::shared_ptr<const protocol::Evaluation>& evaluation) { take(id, {evaluation, {}}); });
    connect(evaluator.get(), &farm::Evaluator::failed, this, [this](quint64 id, const Error& error) { takeFailure(id, error); });
    connect(evaluator.get(), &farm::Evaluator::stopped, this, [this] { evaluatorStopped(); });
}

bool Session::Private::mayGo(const Job& job) const
{
    if (flights.empty())
        return true;
    const Check& check = checks[job.check];
    if (worn || check.alone || check.oneThread != oneThread || !suspects.empty() || int(flights.size()) >= ahead)
        return false;
    return std::none_of(flights.begin(), flights.end(), [this](const auto& one) { return checks[one.second.check].alone; });
}

void Session::Private::fillSoon()
{
    QMetaObject::invokeMethod(this, [this] {
        exchangeAllowed = true;
        fill();
        exchangeAllowed = false;
    }, Qt::QueuedConnection);
}

void Session::Private::fill()
{
    while (running && !stopping && !failure && lost.empty() && !waiting.empty() && mayGo(waiting.front())) {
        const Job job = waiting.front();
        const bool single = checks[job.check].oneThread;
        if (!evaluator || worn || single != oneThread) {
            if (!exchangeAllowed)
                return fillSoon();
            exchange(single);
        }
        waiting.pop_front();
        send(job);
    }
    if (running && !progressTimer.isActive())
        progressTimer.start();
    settle();
}

void Session::Private::send(const Job& job)
{
    const Check& check = checks[job.check];
    State& state = states[job.check];
    if (!state.clock.isValid())
        state.clock.start();
    protocol::EvaluateRequest request;
    request.task = check.task;
    request.candidate = job.honest ? check.honest : check.candidate;
    request.candidateName = "candidate.py"; // a name could tell a program what it is
    request.device = options.device.name;
    request.precision = options.precision;
    request.preset = options.preset;
    request.seed = options.seed ? options.seed : farm::freshSeed();
    request.buildLimit_s = buildLimit_s;
    flights.emplace(evaluator->evaluate(request), job);
}

void Session::Private::take(farm::RequestId id, Answer answer)
{
    const auto it = flights.find(id);
    if (!running || it == flights.end())
        return;
    const Job job = it->second;
    flights.erase(it);
    if (answer.evaluation && answer.evaluation->verdict == protocol::Verdict::Cancelled) {
        waiting.push_front(job); // by us: the session ends, or the evaluator is exchanged first
    } else {
        deathsInARow = 0;
        decide(job, answer);
    }
    fill();
}

void Session::Private::takeFailure(farm::RequestId id, const Error& error)
{
    const auto it = flights.find(id);
    if (!running || it == flights.end())
        return;
    const Job job = it->second;
    flights.erase(it);
    if (error.code == ErrorCode::Cancelled) {
        waiting.push_front(job);
        return fill();
    }
    if (!evaluator->isReady()) {
        lost.emplace_back(job, error); // `stopped` follows when the others have failed too
        return;
    }
    if (error.code == ErrorCode::Unavailable)
        return fail(error); // the device is gone
    decide(job, {nullptr, error});
    fill();
}

void Session::Private::evaluatorStopped()
{
    std::vector<std::pair<Job, Error>> gone = std::move(lost);
    lost.clear();
    if (!running || gone.empty() || stopping || failure)
        return settle();
    const Error error = gone.front().second;
    if (error.code == ErrorCode::Unavailable)
        return fail(error);
    if (gone.size() > 1) {
        emit q->log(QString::fromStdString("The evaluator failed with " + std::to_string(gone.size())
                                           + " programs on their way; they are judged one at a time: " + error.message));
        for (auto at = gone.rbegin(); at != gone.rend(); ++at) {
            suspects.insert(at->first.check);
            waiting.push_front(at->first);
        }
        return fill();
    }
    if (++deathsInARow >= mostDeathsInARow)
        return fail({ErrorCode::ProcessFailed, "The evaluator failed for " + std::to_string(mostDeathsInARow) + " programs in a row",
                     error.text(), "`cudal1 doctor` shows whether the device still works"});
    decide(gone.front().first, {nullptr, error});
    fill();
}

Finding Session::Private::findingOf(const Check& check, const Answer& answer) const
{
    switch (check.section) {
    case Section::Canaries:
        return canary(*check.program, answer);
    case Section::Lookalikes:
        return flagged(*check.program, answer);
    case Section::Exploits: {
        const auto it = check.honest.empty() ? honest.end() : honest.find(honestKey(check));
        return caught(*check.program, answer, it == honest.end() ? nullptr : &it->second);
    }
    case Section::Same:
    case Section::Slower:
        break;
    }
    return knownRatio(check.percent, answer);
}

void Session::Private::decide(const Job& job, const Answer& answer)
{
    const Check& check = checks[job.check];
    State& state = states[job.check];
    suspects.erase(job.check);
    if (job.honest) {
        honest[honestKey(check)] = answer;
        waiting.push_front({job.check, false});
        return;
    }
    // Before its answer counts, the honest form's has to be there; judged next to it, so that both have the same machine.
    if (answer.accepted() && !check.honest.empty() && !honest.contains(honestKey(check))) {
        waiting.push_front({job.check, true});
        return;
    }
    ++state.evaluations;
    const Finding finding = findingOf(check, answer);
    const bool open = finding.gained || (state.gains > 0 && finding.good());
    if (!open)
        return conclude(job.check, answer, finding);
    const int votes = finding.gained ? ++state.gains : ++state.others;
    if (votes >= decisive)
        return conclude(job.check, answer, finding);
    waiting.push_front({job.check, false});
}

void Session::Private::conclude(std::size_t number, const Answer& answer, const Finding& finding)
{
    const State& state = states[number];
    Row row{checks[number], answer, finding, state.evaluations, double(state.clock.elapsed()) / 1000};
    if (row.answer.evaluation && !row.answer.evaluation->pairs.empty()) {
        auto lean = std::make_shared<protocol::Evaluation>(*row.answer.evaluation); // samples of hundreds of rounds are not kept
        lean->pairs.clear();
        row.answer.evaluation = lean;
    }
    weightDone += row.check.weight;
    const bool attack = row.check.alone || (row.check.section == Section::Exploits && !finding.good());
    found.emplace(number, std::move(row));
    emit q->rowReady(found.at(number));
    if (!attack)
        return;
    worn = true;
    cancelAll();
}

void Session::Private::cancelAll()
{
    // Youngest first, so that the evaluator does not begin one that is cancelled next.
    std::vector<farm::RequestId> ids;
    for (const auto& [id, job] : flights)
        ids.push_back(id);
    for (auto it = ids.rbegin(); it != ids.rend(); ++it)
        evaluator->cancel(*it);
}

void Session::Private::fail(const Error& error)
{
    if (!failure)
        failure = error;
    if (evaluator)
        cancelAll();
    settle();
}

void Session::Private::settle()
{
    if (!running || !flights.empty() || !lost.empty())
        return;
    if (failure) {
        lastError = *failure;
        return end(Ended::Failed);
    }
    if (stopping)
        return end(Ended::Stopped);
    if (waiting.empty())
        end(Ended::Finished);
}

void Session::Private::end(Ended how)
{
    running = false;
    progressTimer.stop();
    sendProgress();
    for (auto& [number, row] : found)
        rows.push_back(std::move(row));
    found.clear();
    // Not from within one of its signals; and `finished` only when its process is gone.
    QMetaObject::invokeMethod(
        this,
        [this, how] {
            evaluator.reset();
            emit q->finished(how);
        },
        Qt::QueuedConnection);
}

void Session::Private::sendProgress()
{
    Progress out;
    out.done = int(found.size());
    out.planned = int(checks.size());
    if (weightPlanned > 0)
        out.fraction = std::min(1.0, weightDone / weightPlanned);
    if (weightDone > 0)
        out.secondsLeft = double(clock.elapsed()) / 1000 / weightDone * std::max(0.0, weightPlanned - weightDone);
    if (!flights.empty())
        out.text = checks[flights.begin()->second.check].name;
    emit q->progress(out);
}

// ---- the public face -----------------------------------------------------------------------------------------------

Session::Session(QStringList command, QObject* parent) : QObject(parent), d(std::make_unique<Private>(this, std::move(command))) {}

Session::~Session() { d->running = false; }

void Session::start(const Options& options, Plan plan)
{
    if (d->running)
        return;
    d->options = options;
    d->checks = std::move(plan.checks);
    d->states.assign(d->checks.size(), {});
    d->found.clear();
    d->rows.clear();
    d->honest.clear();
    d->waiting.clear();
    d->suspects.clear();
    d->deathsInARow = 0;
    d->weightDone = d->weightPlanned = 0;
    for (std::size_t i = 0; i < d->checks.size(); ++i) {
        d->waiting.push_back({i, false});
        d->weightPlanned += d->checks[i].weight;
    }
    d->failure.reset();
    d->stopping = false;
    d->running = true;
    d->clock.start();
    // From the event loop, so that a caller sees every signal after start() returned.
    d->fillSoon();
}

void Session::stop()
{
    if (!d->running || d->stopping)
        return;
    d->stopping = true;
    if (d->evaluator)
        d->cancelAll();
    QMetaObject::invokeMethod(d.get(), [this] { d->settle(); }, Qt::QueuedConnection);
}

bool Session::isRunning() const { return d->running; }
const std::vector<Row>& Session::rows() const { return d->rows; }
const base::Error& Session::error() const { return d->lastError; }

} // namespace cudal1::selftest
