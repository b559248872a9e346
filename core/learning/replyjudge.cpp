// SPDX-License-Identifier: GPL-3.0-or-later
// From a reply to its reward.
#include "core/learning/replyjudge.h"

#include "core/base/timetext.h"
#include "core/language/replyparser.h"
#include "core/optimize/judged.h"
#include "core/optimize/searchround.h"
#include "core/protocol/reward.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace cudal1::learning {

using base::Error;
using base::ErrorCode;

namespace {

/// On a machine with much other work a program would be judged for ever.
constexpr int mostAgain = 5;

/// Correct, and yet without a reward, since its times say little.
bool saysTooLittle(const store::EvaluationSummary& summary)
{
    return !protocol::rewardOf(summary.verdict, summary.wall, summary.labels);
}

} // namespace

ReplyJudge::ReplyJudge(store::Project& project, crew::Crew& crew, JudgeSettings settings, QObject* parent)
    : QObject(parent), m_project(project), m_crew(crew), m_settings(std::move(settings))
{
    connect(&m_crew, &crew::Crew::done, this, &ReplyJudge::take);
    connect(&m_crew, &crew::Crew::progress, this, [this](quint64 job, const protocol::Progress& progress) {
        if (progress.phase == "check" || progress.phase == "time") // what is built may be built ahead
            begun(job);
    });
}

ReplyJudge::~ReplyJudge()
{
    cancel();
}

void ReplyJudge::cancel()
{
    std::vector<crew::JobId> jobs;
    for (const auto& [job, work] : m_work)
        jobs.push_back(job);
    m_work.clear();
    m_crew.cancel(jobs);
}

void ReplyJudge::judge(const store::TaskRecord& task, const std::string& reply, bool isCut, Judged judged)
{
    const language::ParsedReply parsed = language::parseReply(reply, isCut);
    if (!parsed.usable()) {
        JudgedReply out;
        out.reward = 0;
        out.why = parsed.why;
        return judged(std::move(out));
    }
    store::VariantRecord record;
    record.task = task.id;
    record.taskHash = task.hash;
    record.source = parsed.source;
    record.performanceAnalysis = parsed.performanceAnalysis;
    record.algorithmDesign = parsed.algorithmDesign;
    record.codeImplementation = parsed.codeImplementation;
    record.origin = m_settings.policy;
    record.run = m_settings.run;
    const auto id = m_project.addVariant(record);
    if (!id)
        return fail(id.error());
    record.id = *id;
    for (auto& [job, work] : m_work)
        if (work.variant.id == record.id) {
            work.waiting.push_back(std::move(judged));
            return;
        }
    Work work{task, std::move(record), m_settings.preset, {}, nullptr};
    const auto before = known(*id);
    if (!before)
        return fail(before.error());
    if (*before && wantsProof(work, **before))
        work.preset = protocol::Preset::Standard;
    else if (*before && m_settings.needsTimes && saysTooLittle(**before) && m_again[*id]++ < mostAgain)
        work.preset = (*before)->preset; // a proof that was disturbed is made again as one
    else if (*before)
        return judged(resultOf(**before));
    work.waiting.push_back(std::move(judged));
    send(std::move(work));
}

/// The newest that says as much as the present settings ask for, or more.
base::Result<std::optional<store::EvaluationSummary>> ReplyJudge::known(base::VariantId variant) const
{
    for (const auto preset : {protocol::Preset::Standard, m_settings.preset}) {
        auto found = m_project.findEvaluation(variant, m_settings.device.model, m_settings.precision, preset);
        if (!found || *found)
            return found;
    }
    return std::optional<store::EvaluationSummary>();
}

base::Result<double> ReplyJudge::bestOf(const store::TaskRecord& task, base::VariantId besides) const
{
    const auto list = optimize::JudgedList::load(m_project, task, m_settings.device.model, m_settings.precision);
    if (!list)
        return list.error();
    double best = 1; // the reference's own
    for (const policy::Exemplar& one : list->exemplars())
        if (one.verdict == protocol::Verdict::Correct && one.wall.valid() && one.variant != besides)
            best = std::max(best, one.wall.estimate);
    return best;
}

bool ReplyJudge::wantsProof(const Work& work, const store::EvaluationSummary& summary) const
{
    const auto reward = protocol::rewardOf(summary.verdict, summary.wall, summary.labels);
    if (!reward || summary.preset == protocol::Preset::Standard)
        return false;
    if (*reward > m_settings.certain)
        return true;
    const auto best = bestOf(work.task, work.variant.id);
    return !best || *reward > m_settings.leap * *best; // without knowing it, rather once more than too little
}

void ReplyJudge::send(Work work)
{
    crew::CrewJob job;
    job.request = optimize::evaluateRequest(work.task, work.variant, m_settings.device.name, m_settings.precision,
                                            work.preset, m_settings.seed);
    job.name = work.task.name + ", variant " + std::to_string(work.variant.id.value);
    work.limit = std::make_unique<QTimer>();
    work.limit->setSingleShot(true);
    QTimer& limit = *work.limit;
    const crew::JobId id = m_crew.submit(std::move(job));
    m_work.insert_or_assign(id, std::move(work));
    connect(&limit, &QTimer::timeout, this, [this, id] {
        waitAnew(); // for what may be stuck behind this one
        m_crew.cancel(id);
    });
    limit.start(std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(m_settings.limit_s)));
}

void ReplyJudge::begun(crew::JobId job)
{
    const auto found = m_work.find(job);
    if (found == m_work.end() || std::exchange(found->second.isBegun, true))
        return;
    found->second.limit->start();
}

void ReplyJudge::waitAnew()
{
    for (auto& [job, work] : m_work)
        if (!work.isBegun)
            work.limit->start();
}

void ReplyJudge::take(crew::JobId job, const crew::JobOutcome& outcome)
{
    using Kind = crew::JobOutcome::Kind;
    auto node = m_work.extract(job);
    if (node.empty())
        return;
    waitAnew();
    Work& work = node.mapped();
    const std::string name = work.task.name + ", variant " + std::to_string(work.variant.id.value);
    JudgedReply out;
    out.variant = work.variant.id;
    switch (outcome.kind) {
    case Kind::Answered: return takeEvaluation(std::move(work), *outcome.evaluation());
    case Kind::Lost: return fail(outcome.error);
    case Kind::Cancelled:
        out.timedOut = true;
        out.why = "Judging " + name + " took longer than " + base::durationText(m_settings.limit_s);
        break;
    case Kind::Fatal: { // as a search has it
        optimize::SearchOptions options;
        options.task = work.task;
        options.precision = m_settings.precision;
        options.preset = work.preset;
        options.seed = m_settings.seed;
        return takeEvaluation(std::move(work), optimize::evaluatorFailedTwice(options, m_settings.device,
                                                                              outcome.seconds, outcome.error));
    }
    case Kind::Refused: out.why = "The evaluator refused " + name + ": " + outcome.error.text(); break;
    }
    emit log(QString::fromStdString(out.why + "; it is left out of its group"));
    for (const Judged& judged : work.waiting)
        judged(out);
}

void ReplyJudge::takeEvaluation(Work work, const protocol::Evaluation& evaluation)
{
    if (const auto stored = m_project.addEvaluation(work.variant.id, evaluation); !stored)
        return fail(stored.error());
    const auto summaries = m_project.evaluations(work.variant.id);
    if (!summaries)
        return fail(summaries.error());
    if (summaries->empty())
        return fail({ErrorCode::Internal, "An evaluation that was stored is not there", {}, {}});
    const store::EvaluationSummary& newest = summaries->front();
    if (wantsProof(work, newest)) {
        work.preset = protocol::Preset::Standard;
        return send(std::move(work));
    }
    const JudgedReply out = resultOf(newest);
    for (const Judged& judged : work.waiting)
        judged(out);
}

JudgedReply ReplyJudge::resultOf(const store::EvaluationSummary& summary) const
{
    JudgedReply out;
    out.variant = summary.variant;
    out.verdict = summary.verdict;
    out.degenerate = summary.labels.find("degenerate_task ") != std::string::npos;
    out.reward = protocol::rewardOf(summary.verdict, summary.wall, summary.labels);
    if (out.degenerate)
        out.reward.reset();
    if (!out.reward)
        out.why = out.degenerate ? "The task passes results that take no work, or less" : "Its times say little";
    return out;
}

void ReplyJudge::fail(const Error& error)
{
    if (std::exchange(m_failed, true))
        return;
    cancel();
    emit failed(error);
}

} // namespace cudal1::learning
