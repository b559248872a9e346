// SPDX-License-Identifier: GPL-3.0-or-later
// Prompts from templates and facts.
#include "core/language/promptbuilder.h"

#include "core/base/ratiotext.h"
#include "core/language/draws.h"
#include "core/language/exemplarsampler.h"
#include "core/language/parttexts.h"
#include "core/language/replyparser.h"
#include "core/policy/chattext.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace cudal1::language {

using policy::ChatMessage;
using policy::PastAnswer;
using policy::Prompt;

namespace {

/// By what a reply is rewarded: the score that the paper's prompts show.
double scoreOf(const policy::Exemplar& one)
{
    return base::roundTowardOne(one.wall.estimate);
}

bool isRejected(const PastAnswer& answer)
{
    if (!answer.unusable.empty())
        return true;
    return answer.evaluation && answer.evaluation->verdict != protocol::Verdict::Correct &&
           answer.evaluation->verdict != protocol::Verdict::ReferenceFailed &&
           answer.evaluation->verdict != protocol::Verdict::Cancelled;
}

/// It was answered, and the judge has said something if there was something to judge.
bool canFollow(const PastAnswer& answer)
{
    return !answer.reply.empty() && (!answer.unusable.empty() || answer.evaluation);
}

std::string letter(std::size_t at)
{
    return std::string(1, static_cast<char>('A' + at % 26));
}

std::string withoutLastNewline(std::string text)
{
    while (text.ends_with('\n'))
        text.pop_back();
    return text;
}

/// The place among `answers` of the first one of the conversation that `answer` belongs to. The same in every project,
/// unlike the numbers of samples, and in whichever order later replies come.
std::int64_t conversationOf(const std::vector<const PastAnswer*>& answers, const PastAnswer* answer)
{
    auto first = std::find(answers.begin(), answers.end(), answer);
    const auto before = [&] {
        return std::find_if(answers.begin(), answers.end(),
                            [&](const PastAnswer* one) { return (*first)->parent && one->sample == (*first)->parent; });
    };
    for (auto one = before(); one != answers.end(); one = before())
        first = one;
    return first - answers.begin();
}

} // namespace

std::uint64_t seedOf(const Prompt& prompt, const std::string& who, std::int64_t place)
{
    std::uint64_t seed = mixed(prompt.seed, who);
    for (const std::int64_t part : {std::int64_t(prompt.round), std::int64_t(prompt.turn), place})
        seed = mixed(seed, static_cast<std::uint64_t>(part));
    return seed & 0x7fffffffU;
}

PromptBuilder::PromptBuilder(AskMethod method, Templates templates, policy::SamplingSettings settings)
    : m_method(std::move(method)), m_templates(std::move(templates)), m_settings(std::move(settings))
{
}

std::vector<std::size_t> PromptBuilder::chosen(const Prompt& prompt, const std::string& who) const
{
    if (m_method.exemplars() == 0 || m_method.leftOut().contains(PromptPart::Exemplars))
        return {};
    std::vector<Scored> scored;
    std::vector<std::size_t> places;
    for (std::size_t at = 0; at < prompt.exemplars.size(); ++at) {
        const policy::Exemplar& one = prompt.exemplars[at];
        if (one.verdict != protocol::Verdict::Correct || !one.wall.valid())
            continue;
        scored.push_back({one.variant, scoreOf(one), one.shown});
        places.push_back(at);
    }
    const auto sampler = makeSampler(m_method.samplerName());
    if (!sampler) // check() has seen it
        return {};
    std::vector<std::size_t> out;
    for (const std::size_t at : (*sampler)->sample(scored, m_method.exemplars(), seedOf(prompt, who, 0)))
        out.push_back(places[at]);
    std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
        return scoreOf(prompt.exemplars[a]) < scoreOf(prompt.exemplars[b]);
    });
    return out;
}

std::string PromptBuilder::exemplarList(const Prompt& prompt, const std::vector<std::size_t>& shown) const
{
    std::string out;
    for (std::size_t at = 0; at < shown.size(); ++at) {
        const policy::Exemplar& one = prompt.exemplars[shown[at]];
        char score[32];
        std::snprintf(score, sizeof score, "%.2f", scoreOf(one));
        out += (at == 0 ? "" : "\n\n") + m_templates.fill("exemplar", {{"letter", letter(at)},
                                                                       {"score", score},
                                                                       {"range", base::rangeText(one.wall)},
                                                                       {"techniques", techniquesList(one.techniques)},
                                                                       {"source", withoutLastNewline(one.source)}});
    }
    return out;
}

std::vector<ChatMessage> PromptBuilder::first(const Prompt& prompt, const std::vector<std::size_t>& shown) const
{
    const std::set<PromptPart> leftOut = m_method.leftOut();
    Templates::Values values;
    // A part whose facts are not known has no heading either.
    const auto put = [&](PromptPart part, bool known, const Templates::Values& facts) {
        const std::string id(idOf(part));
        if (known && !leftOut.contains(part))
            values[id] = m_templates.fill(id, facts);
    };
    put(PromptPart::Task, true,
        {{"task", prompt.task.name},
         {"name", prompt.taskName},
         {"device", deviceText(prompt.device)},
         {"precision", precisionText(prompt.precision)},
         {"tools", toolsText(prompt)}});
    put(PromptPart::Reference, true, {{"source", withoutLastNewline(prompt.task.source)}});
    const policy::LeastWork least = prompt.least.value_or(policy::LeastWork());
    const std::string work = workText(least), floor = floorText(least);
    put(PromptPart::Costs, !work.empty() || !floor.empty(), {{"work", work}, {"floor", floor}});
    put(PromptPart::Operators, !prompt.graph.nodes.empty(),
        {{"total", operatorsTotal(prompt.graph)}, {"list", operatorsList(prompt.graph)}});
    put(PromptPart::Timeline, !prompt.timeline.empty(), {{"summary", prompt.timeline}});
    put(PromptPart::Exemplars, !shown.empty(),
        {{"count", std::to_string(shown.size())}, {"list", exemplarList(prompt, shown)}});
    const std::string failures = failuresList(prompt.exemplars);
    put(PromptPart::Failures, !failures.empty(), {{"list", failures}});
    put(PromptPart::Effects, !prompt.effects.empty(), {{"list", effectsList(prompt.effects)}});
    put(PromptPart::Protocol, true, {{"questions", m_templates.fill(shown.size() > 1 ? "compare" : "first", {})}});
    put(PromptPart::Toggles, true, {});
    put(PromptPart::Restrictions, true, {});
    std::vector<ChatMessage> out;
    if (std::string system = m_templates.fill("system", {}); !system.empty())
        out.push_back({"system", std::move(system)});
    out.push_back({"user", m_templates.fill("prompt", values)});
    return out;
}

std::string PromptBuilder::nextMessage(const PastAnswer& answer) const
{
    if (!answer.unusable.empty())
        return m_templates.fill("unusable", {{"why", answer.unusable}});
    const std::string reasons = reasonsList(*answer.evaluation);
    if (m_method.kind == AskMethod::Kind::MultiTurn)
        return m_templates.fill("turn", {{"outcome", outcomeSentence(*answer.evaluation)}, {"reasons", reasons}});
    return m_templates.fill("repair", {{"verdict", verdictWords(answer.evaluation->verdict)}, {"reasons", reasons}});
}

PlannedQuestion PromptBuilder::following(const PastAnswer& answer, std::vector<ChatMessage> messages) const
{
    PlannedQuestion out;
    messages.push_back({"assistant", withoutThinking(answer.reply)});
    messages.push_back({"user", nextMessage(answer)});
    out.request.messages = std::move(messages);
    out.request.settings = m_settings;
    out.parent = answer.sample;
    out.repair = m_method.kind != AskMethod::Kind::MultiTurn;
    return out;
}

std::vector<PlannedQuestion> PromptBuilder::questions(const Prompt& prompt, const std::string& who) const
{
    std::vector<PlannedQuestion> out;
    std::vector<const PastAnswer*> own;
    for (const PastAnswer& answer : prompt.answers)
        if (answer.policy == who)
            own.push_back(&answer);
    if (prompt.turn == 0) {
        const auto asked = std::count_if(own.begin(), own.end(), [](const PastAnswer* one) { return one->turn == 0; });
        if (asked >= m_method.samples)
            return out;
        PlannedQuestion& question = out.emplace_back();
        // Nobody knows which variants a given text shows.
        auto given = policy::messagesOf(m_method.text);
        const std::vector<std::size_t> shown = given ? std::vector<std::size_t>() : chosen(prompt, who);
        question.request.messages = given ? std::move(*given) : first(prompt, shown);
        question.request.settings = m_settings;
        question.request.settings.seed = seedOf(prompt, who, asked);
        question.request.replies = m_method.samples - int(asked);
        for (const std::size_t at : shown)
            if (prompt.exemplars[at].variant)
                question.shown.push_back(prompt.exemplars[at].variant);
        return out;
    }
    const bool conversation = m_method.kind == AskMethod::Kind::MultiTurn;
    const auto isFollowed = [&](const PastAnswer* answer) {
        return std::any_of(own.begin(), own.end(),
                           [&](const PastAnswer* one) { return one->parent == answer->sample; });
    };
    std::set<base::VariantId> mended;
    for (const PastAnswer* answer : own)
        if (answer->variant && isFollowed(answer))
            mended.insert(answer->variant);
    for (const PastAnswer* answer : own) {
        const bool followed = isFollowed(answer);
        if (answer->turn != prompt.turn - 1 || followed || !canFollow(*answer) ||
            (!conversation && (answer->repair || !isRejected(*answer))))
            continue;
        if (!conversation && answer->variant && !mended.insert(answer->variant).second)
            continue;
        auto messages = policy::messagesOf(answer->prompt);
        if (!messages)
            continue; // a prompt that was edited by hand
        out.push_back(following(*answer, std::move(*messages)));
        out.back().request.settings.seed = seedOf(prompt, who, conversationOf(own, answer));
    }
    return out;
}

std::string PromptBuilder::settingsText(const policy::SamplingSettings& settings) const
{
    nlohmann::json out = nlohmann::json::parse(toJson(m_method));
    if (out.erase("text") > 0)
        out["given_text"] = true; // which is stored as the prompt
    out["templates"] = m_templates.digest();
    out.update(nlohmann::json::parse(policy::settingsText(settings)));
    return out.dump();
}

bool PromptBuilder::readsBackground() const
{
    const std::set<PromptPart> leftOut = m_method.leftOut();
    return !leftOut.contains(PromptPart::Costs) || !leftOut.contains(PromptPart::Timeline) ||
           !leftOut.contains(PromptPart::Effects);
}

bool PromptBuilder::readsGraph() const
{
    return readsBackground() || !m_method.leftOut().contains(PromptPart::Operators);
}

} // namespace cudal1::language
