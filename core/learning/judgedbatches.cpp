// SPDX-License-Identifier: GPL-3.0-or-later
// Samples of the policy as requests to learn.
#include "core/learning/judgedbatches.h"

#include "core/language/draws.h"
#include "core/learning/drawnahead.h"
#include "core/learning/trainingexamples.h"
#include "core/optimize/judged.h"
#include "core/optimize/taskprompt.h"
#include "core/policy/techniquelibrary.h"

#include <set>
#include <utility>

namespace cudal1::learning {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

protocol::TrainingPrompt promptOf(const SampledGroup& group)
{
    protocol::TrainingPrompt out;
    for (const policy::ChatMessage& message : group.question.request.messages)
        out.messages.push_back({message.role, message.content});
    return out;
}

protocol::TrainingReply replyOf(const SampledReply& reply)
{
    protocol::TrainingReply out;
    out.tokens = reply.generated.tokens;
    out.logprobs.assign(reply.generated.logprobs.begin(), reply.generated.logprobs.end());
    out.reward = reply.judged.reward.value_or(0);
    out.isCut = reply.generated.end == protocol::ReplyEnd::Length;
    return out;
}

} // namespace

protocol::SftRequest successesOf(const std::vector<SampledGroup>& groups)
{
    protocol::SftRequest out;
    std::set<base::VariantId> seen;
    for (const SampledGroup& group : groups)
        for (const SampledReply& reply : group.replies)
            if (reply.judged.correct() && reply.generated.end == protocol::ReplyEnd::Stop &&
                seen.insert(reply.judged.variant).second)
                out.pairs.push_back({promptOf(group), replyOf(reply)});
    for (protocol::SftRequest::Pair& pair : out.pairs)
        pair.reply.logprobs.clear();
    return out;
}

protocol::GrpoRequest groupsOf(const std::vector<SampledGroup>& groups, const protocol::GrpoSettings& settings)
{
    protocol::GrpoRequest out;
    out.settings = settings;
    for (const SampledGroup& group : groups) {
        protocol::GrpoRequest::Group one{promptOf(group), {}};
        for (const SampledReply& reply : group.replies)
            if (reply.judged.reward && !reply.generated.tokens.empty())
                one.replies.push_back(replyOf(reply));
        if (one.replies.size() >= 2)
            out.groups.push_back(std::move(one));
    }
    return out;
}

JudgedBatches::JudgedBatches(const StageOptions& options, std::vector<store::TaskRecord> tasks, Asking asking,
                             store::Project& project, ReplyJudge& judge)
    : m_options(options), m_overlaps(overlaps(options, judge.settings().devices())), m_tasks(std::move(tasks)),
      m_asking(std::move(asking)), m_builder(askMethodOf(options), m_asking.templates), m_project(project),
      m_judge(judge), m_samplers{GroupSampler(project, judge), GroupSampler(project, judge)}
{
    QObject::connect(&judge, &ReplyJudge::log, &m_samplers[0], [this](const QString& line) {
        if (log)
            log(line);
    });
}

/// Whether a prompt has exemplars, if there are any: it follows from the seed, so that a killed training asks the same.
bool JudgedBatches::shows(std::size_t task, int number) const
{
    if (m_options.stage != Stage::Contrastive || m_options.exemplars == "none")
        return false;
    const std::uint64_t batch = language::mixed(language::mixed(m_options.seed, "plain"), std::uint64_t(number));
    return language::Draws(language::mixed(batch, std::uint64_t(task))).unit() >= m_options.plainShare;
}

base::Result<std::vector<SampledGroup>> JudgedBatches::questions(const std::vector<std::size_t>& tasks,
                                                                 int number) const
{
    std::vector<SampledGroup> out;
    for (const std::size_t at : tasks) {
        SampledGroup& group = out.emplace_back();
        group.task = m_tasks[at];
        const auto load = [&](base::RunId run, int rounds) {
            return optimize::JudgedList::load(m_project, group.task, m_judge.settings().device.model,
                                              m_options.precision, run, rounds);
        };
        auto all = load({}, 0);
        if (!all)
            return all.error();
        group.libraryBest = all->bestOf(policy::TechniqueLibrary::storedName);
        auto judged = base::Result(optimize::JudgedList());
        if (shows(at, number))
            judged = m_options.ownExemplars ? load(m_judge.settings().run, number - m_overlaps) : std::move(all);
        if (!judged)
            return judged.error();
        optimize::SearchOptions options;
        options.task = group.task;
        options.device = m_judge.settings().device.name;
        options.precision = m_options.precision;
        options.seed = language::mixed(m_options.seed, std::uint64_t(number));
        policy::Prompt prompt = optimize::taskPrompt(options, m_asking.machine, m_judge.settings().device, {}, *judged);
        prompt.round = number;
        const auto questions = m_builder.questions(prompt, m_judge.settings().policy);
        if (questions.empty())
            return Error{ErrorCode::Internal, "There is no question for a task", group.task.id.value, {}};
        group.question = questions.front();
    }
    return out;
}

std::vector<std::size_t> JudgedBatches::tasksOf(int number) const
{
    return learning::batchOf(m_tasks.size(), std::size_t(m_options.batch), std::uint64_t(number), m_options.seed);
}

GroupSampler::Draw JudgedBatches::drawOf(int number) const
{
    GroupSampler::Draw out;
    out.replies = m_options.group;
    out.maxTokens = m_options.maxTokens;
    out.temperature = m_options.temperature;
    out.seed = language::mixed(m_options.seed, "replies") % (std::uint64_t(1) << 40) +
               std::uint64_t(number) * std::uint64_t(m_options.batch) * std::uint64_t(m_options.group);
    out.round = number;
    out.judgesAtOnce = !shareDevice(m_options.device, m_judge.settings().devices());
    return out;
}

base::Status JudgedBatches::draw(int number, TrainerClient& trainer)
{
    auto asked = questions(tasksOf(number), number);
    if (!asked)
        return asked.error();
    m_newest = number;
    samplerOf(number).draw(trainer, std::move(*asked), drawOf(number), [this, number] { drawn(number); });
    return {};
}

bool JudgedBatches::takeUp(int number)
{
    std::vector<store::TaskRecord> tasks;
    for (const std::size_t place : tasksOf(number))
        tasks.push_back(m_tasks[place]);
    auto before = drawnBefore(m_options.out, number, tasks, m_options.group);
    if (before)
        samplerOf(number).takeUp(std::move(*before), drawOf(number));
    return before.has_value();
}

void JudgedBatches::make(int number, TrainerClient& trainer, Made made)
{
    m_since.start();
    m_draw_s = 0;
    m_number = number;
    m_made = std::move(made);
    m_isOld = m_overlaps && (number == m_newest || takeUp(number));
    base::Status asked;
    if (!m_isOld)
        asked = draw(number, trainer);
    const bool goesAhead = m_overlaps && number + 1 < m_options.steps;
    if (asked && goesAhead)
        asked = draw(number + 1, trainer);
    if (!asked)
        tell(asked.error());
    else if (!goesAhead)
        collect();
}

/// The batch that is asked for may be learnt from when the one ahead of it has been drawn.
void JudgedBatches::drawn(int number)
{
    m_draw_s = m_since.elapsed() / 1e3;
    if (number == m_number)
        return;
    if (const auto kept = keepDrawn(m_options.out, number, samplerOf(number).groups()); !kept)
        return tell(kept.error());
    collect();
}

void JudgedBatches::collect()
{
    samplerOf(m_number).collect([this](base::Result<std::vector<SampledGroup>> groups) {
        tell(groups ? base::Result<MadeBatch>(batchOf(*groups)) : groups.error());
    });
}

void JudgedBatches::tell(base::Result<MadeBatch> batch)
{
    if (m_made)
        std::exchange(m_made, {})(std::move(batch));
}

MadeBatch JudgedBatches::batchOf(const std::vector<SampledGroup>& groups) const
{
    MadeBatch out;
    const GroupSum sum = sumOf(groups);
    out.facts = {{"replies", sum.replies},
                 {"usable", sum.usable},
                 {"correct", sum.correct},
                 {"success", sum.success()},
                 {"faster_share", sum.faster},
                 {"judged_reward", sum.reward},
                 {"exploits", sum.exploits},
                 {"judge_timeouts", sum.timedOut},
                 {"without_reward", sum.unknown},
                 {"hacks_accepted", sum.hacksAccepted},
                 {"beyond_library", sum.beyondLibrary},
                 {"beside_library", sum.besideLibrary},
                 {"draw_seconds", m_draw_s},
                 {"judge_seconds", m_since.elapsed() / 1e3 - m_draw_s}};
    if (m_options.stage == Stage::SelfSupervised) {
        protocol::SftRequest request = successesOf(groups);
        request.epochs = m_options.epochs;
        request.minibatches = m_options.minibatches;
        out.facts["learnt_from"] = request.pairs.size();
        out.request = std::move(request);
        return out;
    }
    protocol::GrpoRequest request = groupsOf(groups, grpoOf(m_options));
    if (m_overlaps)
        out.facts["sampler_age"] = int(m_isOld);
    out.facts["groups_left_out"] = groups.size() - request.groups.size();
    int shown = 0;
    for (const SampledGroup& group : groups)
        shown += int(group.question.shown.size());
    out.facts["exemplars_shown"] = shown;
    out.request = std::move(request);
    return out;
}

void JudgedBatches::cancel()
{
    m_made = {};
    m_newest = -1;
    for (GroupSampler& sampler : m_samplers)
        sampler.cancel();
}

} // namespace cudal1::learning
