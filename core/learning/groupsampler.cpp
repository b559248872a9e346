// SPDX-License-Identifier: GPL-3.0-or-later
// Questions to the trainer, replies to the judge, samples into the project.
#include "core/learning/groupsampler.h"

#include "core/policy/chattext.h"

#include <QMetaObject>

#include <stdexcept>
#include <utility>

namespace cudal1::learning {

using base::Error;
using base::ErrorCode;

GroupSum sumOf(const std::vector<SampledGroup>& groups)
{
    GroupSum out;
    int known = 0, faster = 0;
    for (const SampledGroup& group : groups)
        for (const SampledReply& reply : group.replies) {
            const JudgedReply& judged = reply.judged;
            const bool exploit = judged.verdict == protocol::Verdict::Exploit;
            ++out.replies;
            out.usable += bool(judged.variant);
            out.correct += judged.correct();
            out.exploits += exploit;
            out.timedOut += judged.timedOut;
            out.unknown += !judged.reward;
            out.hacksAccepted += exploit && judged.reward.value_or(0) > 0;
            known += judged.reward.has_value();
            out.reward += judged.reward.value_or(0);
            const bool gains = judged.reward.value_or(0) > store::TaskRow::leastGain;
            faster += gains;
            out.besideLibrary += group.libraryBest.has_value();
            out.beyondLibrary += gains && group.libraryBest && *judged.reward > *group.libraryBest;
        }
    out.reward = known ? out.reward / known : 0;
    out.faster = out.replies ? double(faster) / out.replies : 0;
    return out;
}

GroupSampler::GroupSampler(store::Project& project, ReplyJudge& judge, QObject* parent)
    : QObject(parent), m_project(project), m_judge(judge)
{
    connect(&m_judge, &ReplyJudge::failed, this, [this](const Error& error) {
        m_failure = error;
        finishLater();
    });
}

void GroupSampler::cancel()
{
    ++m_turn;
    m_drawn = {};
    m_sampled = {};
    m_judge.cancel();
}

void GroupSampler::begin(std::vector<SampledGroup> groups, const Draw& how)
{
    ++m_turn;
    m_groups = std::move(groups);
    m_draw = how;
    m_drawn = {};
    m_sampled = {};
    m_left = m_groups.size() * std::size_t(how.replies);
    m_undrawn = 0;
}

void GroupSampler::sample(TrainerClient& trainer, std::vector<SampledGroup> questions, const Draw& how, Sampled sampled)
{
    draw(trainer, std::move(questions), how);
    collect(std::move(sampled));
}

void GroupSampler::draw(TrainerClient& trainer, std::vector<SampledGroup> questions, const Draw& how,
                        std::function<void()> drawn)
{
    begin(std::move(questions), how);
    m_drawn = std::move(drawn);
    m_undrawn = m_left;
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        m_groups[i].replies.assign(std::size_t(how.replies), {});
        protocol::GenerateRequest request;
        for (const policy::ChatMessage& message : m_groups[i].question.request.messages)
            request.messages.push_back({message.role, message.content});
        request.settings.temperature = how.temperature;
        request.settings.topP = 1; // cuts would make it another distribution than the trainer's
        request.settings.minP = 0;
        request.settings.maxTokens = how.maxTokens;
        request.settings.seed = how.seed + i * std::uint64_t(how.replies);
        request.replies = how.replies;
        request.partials = false;
        request.logprobs = request.tokens = true;
        trainer.generate(request, [this, turn = m_turn, i](const nlohmann::json& answer) {
            take(turn, i, answer.get<protocol::GeneratedReply>());
        });
    }
    if (m_undrawn == 0)
        tellDrawn();
}

void GroupSampler::tellDrawn()
{
    QMetaObject::invokeMethod(
        this,
        [this, turn = m_turn] {
            if (turn == m_turn && m_drawn)
                std::exchange(m_drawn, {})();
        },
        Qt::QueuedConnection);
}

void GroupSampler::takeUp(std::vector<SampledGroup> drawn, const Draw& how)
{
    begin(std::move(drawn), how);
    judgeAll();
}

void GroupSampler::collect(Sampled sampled)
{
    m_sampled = std::move(sampled);
    finishLater();
}

void GroupSampler::take(quint64 turn, std::size_t group, protocol::GeneratedReply reply)
{
    if (turn != m_turn)
        return;
    SampledGroup& one = m_groups[group];
    const auto at = std::size_t(reply.reply);
    if (reply.reply < 0 || at >= one.replies.size())
        throw std::invalid_argument("a reply that was not asked for");
    one.replies[at].generated = std::move(reply);
    const bool isLast = --m_undrawn == 0;
    if (isLast)
        tellDrawn();
    if (m_draw.judgesAtOnce)
        judgeOne(group, at);
    else if (isLast)
        judgeAll();
}

void GroupSampler::judgeAll()
{
    const quint64 turn = m_turn;
    for (std::size_t i = 0; i < m_groups.size(); ++i)
        for (std::size_t j = 0; turn == m_turn && j < m_groups[i].replies.size(); ++j)
            judgeOne(i, j);
}

void GroupSampler::judgeOne(std::size_t group, std::size_t reply)
{
    const SampledGroup& one = m_groups[group];
    const protocol::GeneratedReply& generated = one.replies[reply].generated;
    m_judge.judge(
        one.task, generated.text, generated.end == protocol::ReplyEnd::Length,
        [this, turn = m_turn, group, reply](JudgedReply done) { judged(turn, group, reply, std::move(done)); });
}

void GroupSampler::judged(quint64 turn, std::size_t group, std::size_t reply, JudgedReply judged)
{
    if (turn != m_turn)
        return;
    m_groups[group].replies[reply].judged = std::move(judged);
    if (--m_left == 0)
        finishLater();
}

void GroupSampler::finishLater()
{
    QMetaObject::invokeMethod(
        this, [this] { finish(); }, Qt::QueuedConnection);
}

/// Unless an earlier leg of the training has stored the same question of the same round.
base::Status GroupSampler::store(const SampledGroup& group, const std::vector<store::SampleRecord>& before) const
{
    const JudgeSettings& settings = m_judge.settings();
    store::Sample question;
    question.run = settings.run;
    question.task = group.task.id;
    question.policy = settings.policy;
    question.policyVersion = settings.policyVersion;
    question.round = m_draw.round;
    question.prompt = policy::messagesText(group.question.request.messages);
    question.shown = group.question.shown;
    question.settings = nlohmann::json{{"temperature", m_draw.temperature}, {"max_tokens", m_draw.maxTokens}}.dump();
    for (const store::SampleRecord& one : before)
        if (one.round == m_draw.round && one.task == group.task.id && one.policy == settings.policy) {
            const auto kept = m_project.sample(one.id);
            if (!kept)
                return kept.error();
            if (kept->prompt == question.prompt)
                return {};
        }
    std::vector<store::Sample> samples;
    for (const SampledReply& reply : group.replies) {
        store::Sample& sample = samples.emplace_back(question);
        sample.promptTokens = reply.generated.promptTokens;
        sample.replyTokens = reply.generated.replyTokens;
        sample.variant = reply.judged.variant;
        sample.unusable = reply.judged.variant ? std::string() : reply.judged.why;
        sample.reply = reply.generated.text;
    }
    const auto ids = m_project.addSamples(samples);
    if (!ids)
        return ids.error();
    std::vector<store::SampleReward> rewards;
    for (std::size_t i = 0; i < ids->size(); ++i)
        if (group.replies[i].judged.reward)
            rewards.push_back({(*ids)[i], *group.replies[i].judged.reward});
    return m_project.setRewards(rewards);
}

void GroupSampler::finish()
{
    if (!m_sampled || (m_left > 0 && !m_failure))
        return;
    const Sampled sampled = std::exchange(m_sampled, {});
    ++m_turn;
    if (m_failure)
        return sampled(*m_failure);
    const auto before = m_project.samples(m_judge.settings().run);
    if (!before)
        return sampled(before.error());
    for (const SampledGroup& group : m_groups)
        if (const auto status = store(group, *before); !status)
            return sampled(status.error());
    sampled(std::move(m_groups));
}

} // namespace cudal1::learning
