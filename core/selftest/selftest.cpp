// SPDX-License-Identifier: GPL-3.0-or-later
// What a self-test asks the crew for: order, honest forms, confirmation of gains, new evaluators after attacks.
#include "core/selftest/selftest.h"

#include "core/crew/crew.h"
#include "core/crew/pace.h"
#include "core/crew/throttle.h"
#include "core/crew/usualtimes.h"

#include <algorithm>
#include <map>
#include <optional>

namespace cudal1::selftest {

using base::Error;
using base::ErrorCode;

namespace {

constexpr double buildLimit_s = 240;
/// A gain is one when two of three evaluations say so.
constexpr int decisive = 2;
/// A canary that a busy or unsteady machine has made unclear is judged so many times at the most.
constexpr int mostOnABusyMachine = 5;

} // namespace

class SelfTest::Private : public QObject {
public:
    struct Job {
        std::size_t check = 0;
        bool honest = false; ///< of the honest form, not of the program
    };
    struct State {
        int gains = 0, others = 0, evaluations = 0;
        double seconds = 0; ///< of them, and of the honest form's
    };

    Private(SelfTest* owner, farm::Launcher how);

    void begin();
    void submit(const Job& job, bool first);
    void take(crew::JobId id, const crew::JobOutcome& outcome);
    void decide(const Job& job, const Judgement& answer);
    Finding findingOf(const Check& check, const Judgement& answer) const;
    void conclude(std::size_t number, const Judgement& answer, const Finding& finding);
    void settle();
    void end(Ended how);
    void sendProgress();

    std::string honestKey(const Check& check) const { return check.task.name + "\n" + check.honest; }

    SelfTest* q;
    farm::Launcher launcher;
    SelfTestOptions options;
    std::vector<Check> checks;
    std::vector<State> states;
    std::map<std::size_t, CheckRow> found; ///< by number of the check
    std::vector<CheckRow> rows;            ///< of `found`, when the session has ended
    std::map<std::string, Judgement> honest;

    std::unique_ptr<crew::Crew> crew; ///< null when no session runs
    std::map<crew::JobId, Job> flights;
    std::string atWork; ///< name of the check that told of progress last

    bool running = false, stopping = false;
    std::optional<Error> failure;
    Error lastError;
    crew::Pace pace; ///< counts by the weights of checks
    crew::Throttle progress;
};

SelfTest::Private::Private(SelfTest* owner, farm::Launcher how)
    : q(owner), launcher(std::move(how)), progress([this] { sendProgress(); })
{
}

void SelfTest::Private::begin()
{
    flights.clear();
    atWork.clear();
    crew = std::make_unique<crew::Crew>(crew::Rules{.ahead = ahead, .tries = 1});
    crew->add(launcher);
    connect(crew.get(), &crew::Crew::log, q, &SelfTest::log);
    connect(crew.get(), &crew::Crew::progress, this, [this](quint64 id, const protocol::Progress&) {
        if (const auto flight = flights.find(id); flight != flights.end())
            atWork = checks[flight->second.check].name;
        progress.ask();
    });
    connect(crew.get(), &crew::Crew::broken, this, [this](const Error& error) { failure = error; });
    connect(crew.get(), &crew::Crew::done, this, [this](quint64 id, const crew::JobOutcome& outcome) {
        if (running && flights.contains(id))
            take(id, outcome);
    });
    for (std::size_t i = 0; i < checks.size(); ++i)
        submit({i, false}, false);
    // From the event loop, so that a caller sees every signal after start() returned.
    QMetaObject::invokeMethod(
        this, [this] { settle(); }, Qt::QueuedConnection);
}

void SelfTest::Private::submit(const Job& job, bool first)
{
    const Check& check = checks[job.check];
    crew::CrewJob asked;
    protocol::EvaluateRequest request;
    request.task = check.task;
    request.candidate = job.honest ? check.honest : check.candidate;
    request.candidateName = "candidate.py"; // a name could tell a program what it is
    request.device = options.device.name;
    request.precision = options.precision;
    request.preset = options.preset;
    request.seed = options.seed ? options.seed : farm::freshSeed();
    request.buildLimit_s = buildLimit_s;
    asked.request = std::move(request);
    asked.name = check.name;
    asked.alone = check.alone;
    if (check.oneThread)
        asked.environment = {"OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1"};
    const crew::JobId id = first ? crew->submitFirst(std::move(asked)) : crew->submit(std::move(asked));
    flights.emplace(id, job);
}

void SelfTest::Private::take(crew::JobId id, const crew::JobOutcome& outcome)
{
    using Became = crew::JobOutcome::Kind;
    const Job job = flights.extract(id).mapped();
    states[job.check].seconds += outcome.seconds;
    if (outcome.kind != Became::Cancelled && outcome.kind != Became::Lost && !stopping && !failure)
        decide(job, {outcome.evaluation(), outcome.error});
    progress.ask();
    settle();
}

Finding SelfTest::Private::findingOf(const Check& check, const Judgement& answer) const
{
    switch (check.section) {
    case TestSection::Canaries: return canary(*check.program, answer);
    case TestSection::Lookalikes: return flagged(*check.program, answer);
    case TestSection::Exploits: {
        const auto it = check.honest.empty() ? honest.end() : honest.find(honestKey(check));
        return caught(*check.program, answer, it == honest.end() ? nullptr : &it->second);
    }
    case TestSection::Same:
    case TestSection::Slower: break;
    }
    return knownRatio(check.percent, answer);
}

void SelfTest::Private::decide(const Job& job, const Judgement& answer)
{
    const Check& check = checks[job.check];
    State& state = states[job.check];
    if (job.honest) {
        honest[honestKey(check)] = answer;
        submit({job.check, false}, true);
        return;
    }
    // Before its answer counts, the honest form's has to be there; judged next to it, so that both have the same
    // machine.
    if (answer.accepted() && !check.honest.empty() && !honest.contains(honestKey(check))) {
        submit({job.check, true}, true);
        return;
    }
    ++state.evaluations;
    const Finding finding = findingOf(check, answer);
    if (check.section == TestSection::Canaries && !finding.good() &&
        (finding.mark == Grade::Off || machineWasBusy(answer)) && state.evaluations < mostOnABusyMachine)
        return submit({job.check, false}, true);
    const bool open = finding.gained || (state.gains > 0 && finding.good());
    if (!open)
        return conclude(job.check, answer, finding);
    const int votes = finding.gained ? ++state.gains : ++state.others;
    if (votes >= decisive)
        return conclude(job.check, answer, finding);
    submit({job.check, false}, true);
}

void SelfTest::Private::conclude(std::size_t number, const Judgement& answer, const Finding& finding)
{
    const State& state = states[number];
    CheckRow row{checks[number], answer, finding, state.evaluations, state.seconds};
    if (row.answer.evaluation && !row.answer.evaluation->pairs.empty()) {
        auto lean = std::make_shared<protocol::Evaluation>(
            *row.answer.evaluation); // samples of hundreds of rounds are not kept
        lean->pairs.clear();
        row.answer.evaluation = lean;
    }
    pace.finish(row.check.weight);
    const bool attack = row.check.alone || (row.check.section == TestSection::Exploits && !finding.good());
    found.emplace(number, std::move(row));
    emit q->rowReady(found.at(number));
    if (attack)
        crew->renew();
}

void SelfTest::Private::settle()
{
    if (!running || !flights.empty())
        return;
    if (failure) {
        lastError = *failure;
        return end(Ended::Failed);
    }
    if (stopping)
        return end(Ended::Stopped);
    end(Ended::Finished);
}

void SelfTest::Private::end(Ended how)
{
    running = false;
    progress.stop();
    sendProgress();
    for (auto& [number, row] : found)
        rows.push_back(std::move(row));
    found.clear();
    // Not from within one of the crew's signals; and `finished` only when its process is gone.
    QMetaObject::invokeMethod(
        this,
        [this, how] {
            crew.reset();
            emit q->finished(how);
        },
        Qt::QueuedConnection);
}

void SelfTest::Private::sendProgress()
{
    SelfTestProgress out;
    out.done = int(found.size());
    out.planned = int(checks.size());
    out.fraction = pace.fraction();
    out.secondsLeft = pace.left_s();
    out.guessed = pace.isGuess();
    if (running)
        out.text = atWork;
    emit q->progress(out);
}

// ---- the public face -----------------------------------------------------------------------------------------------

SelfTest::SelfTest(farm::Launcher launcher, QObject* parent)
    : QObject(parent), d(std::make_unique<Private>(this, std::move(launcher)))
{
}

SelfTest::~SelfTest()
{
    d->running = false;
}

void SelfTest::start(const SelfTestOptions& options, SelfTestPlan plan)
{
    if (d->running)
        return;
    d->options = options;
    d->checks = std::move(plan.checks);
    d->states.assign(d->checks.size(), {});
    d->found.clear();
    d->rows.clear();
    d->honest.clear();
    d->pace = {};
    d->pace.expect(crew::usualJudging_s(options.preset));
    for (const Check& check : d->checks)
        d->pace.plan(check.weight);
    d->failure.reset();
    d->stopping = false;
    d->running = true;
    d->pace.go();
    d->begin();
}

void SelfTest::stop()
{
    if (!d->running || d->stopping)
        return;
    d->stopping = true;
    std::vector<crew::JobId> left;
    for (const auto& [id, job] : d->flights)
        left.push_back(id);
    d->crew->cancel(left);
    QMetaObject::invokeMethod(
        d.get(), [this] { d->settle(); }, Qt::QueuedConnection);
}

bool SelfTest::isRunning() const
{
    return d->running;
}
const std::vector<CheckRow>& SelfTest::rows() const
{
    return d->rows;
}
const base::Error& SelfTest::error() const
{
    return d->lastError;
}

} // namespace cudal1::selftest
