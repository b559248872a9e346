// SPDX-License-Identifier: GPL-3.0-or-later
// Samples of the policy as requests to learn.
#include "core/learning/judgedbatches.h"

#include "core/language/draws.h"
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
    : m_options(options), m_tasks(std::move(tasks)), m_asking(std::move(asking)),
      m_builder(askMethodOf(options), m_asking.templates), m_project(project), m_judge(judge), m_sampler(project, judge)
{
    QObject::connect(&judge, &ReplyJudge::log, &m_sampler, [this](const QString& line) {
        if (log)
            log(line);
    });
}

base::Result<std::vector<SampledGroup>> JudgedBatches::questions(const std::vector<std::size_t>& tasks,
                                                                 int number) const
{
    const bool shows = m_options.stage == Stage::Contrastive && m_options.exemplars != "none";
    std::vector<SampledGroup> out;
    for (const std::size_t at : tasks) {
        SampledGroup& group = out.emplace_back();
        group.task = m_tasks[at];
        const auto load = [&](base::RunId run) {
            return optimize::JudgedList::load(m_project, group.task, m_judge.settings().device.model,
                                              m_options.precision, run);
        };
        auto all = load({});
        if (!all)
            return all.error();
        group.libraryBest = all->bestOf(policy::TechniqueLibrary::storedName);
        auto judged = base::Result(optimize::JudgedList());
        if (shows)
            judged = m_options.ownExemplars ? load(m_judge.settings().run) : std::move(all);
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

void JudgedBatches::make(int number, TrainerClient& trainer, std::function<void(base::Result<MadeBatch>)> made)
{
    auto asked = questions(
        learning::batchOf(m_tasks.size(), std::size_t(m_options.batch), std::uint64_t(number), m_options.seed), number);
    if (!asked)
        return made(asked.error());
    GroupSampler::Draw draw;
    draw.replies = m_options.group;
    draw.maxTokens = m_options.maxTokens;
    draw.temperature = m_options.temperature;
    draw.seed = language::mixed(m_options.seed, "replies") % (std::uint64_t(1) << 40) +
                std::uint64_t(number) * std::uint64_t(m_options.batch) * std::uint64_t(m_options.group);
    draw.round = number;
    m_sampler.sample(trainer, std::move(*asked), draw,
                     [this, made = std::move(made)](base::Result<std::vector<SampledGroup>> groups) {
                         if (!groups)
                             return made(groups.error());
                         made(batchOf(*groups));
                     });
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
                 {"draw_seconds", m_sampler.drawSeconds()},
                 {"judge_seconds", m_sampler.judgeSeconds()}};
    if (m_options.stage == Stage::SelfSupervised) {
        protocol::SftRequest request = successesOf(groups);
        out.facts["learnt_from"] = request.pairs.size();
        out.request = std::move(request);
        return out;
    }
    protocol::GrpoSettings settings = m_options.grpo;
    settings.temperature = m_options.temperature;
    protocol::GrpoRequest request = groupsOf(groups, settings);
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
    m_sampler.cancel();
}

} // namespace cudal1::learning
