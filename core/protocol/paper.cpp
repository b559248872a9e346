// SPDX-License-Identifier: GPL-3.0-or-later
// JSON of the preset `paper`.
#include "core/protocol/paper.h"

#include "core/protocol/fields.h"

#include <algorithm>
#include <utility>

namespace cudal1::protocol {

using nlohmann::json;
using State = PaperRuleState::State;

namespace {

constexpr std::array<std::pair<PaperRule, std::string_view>, 7> ruleWords{{
    {PaperRule::Dedicated, "dedicated"},
    {PaperRule::Paired, "paired"},
    {PaperRule::Window, "window"},
    {PaperRule::Buckets, "buckets"},
    {PaperRule::Median, "median"},
    {PaperRule::Rounding, "rounding"},
    {PaperRule::Verification, "verification"},
}};
constexpr std::array<std::pair<State, std::string_view>, 4> stateWords{{
    {State::Applied, "applied"},
    {State::Off, "off"},
    {State::Impossible, "impossible"},
    {State::Broken, "broken"},
}};

json clockJson(const PaperClock& v)
{
    if (!v.valid())
        return nullptr;
    return {{"measured", v.measured},
            {"reported", v.reported},
            {"bucket_means", v.bucketMeans},
            {"variance", v.variance},
            {"gate_passed", v.gatePassed}};
}

void getClock(const json& j, const char* key, PaperClock& v)
{
    const auto it = j.find(key);
    if (it == j.end() || !it->is_object())
        return;
    get(*it, "measured", v.measured);
    get(*it, "reported", v.reported);
    get(*it, "bucket_means", v.bucketMeans);
    get(*it, "variance", v.variance);
    get(*it, "gate_passed", v.gatePassed);
}

json verificationJson(const PaperVerification& v)
{
    if (!v.due)
        return nullptr;
    return {{"why", v.why}, {"run", v.run}, {"where", v.where}, {"ratio", v.ratio}, {"agreed", v.agreed}, {"problem", v.problem}};
}

void getVerification(const json& j, PaperVerification& v)
{
    const auto it = j.find("verification");
    if (it == j.end() || !it->is_object())
        return;
    v.due = true;
    get(*it, "why", v.why);
    get(*it, "run", v.run);
    get(*it, "where", v.where);
    get(*it, "ratio", v.ratio);
    get(*it, "agreed", v.agreed);
    get(*it, "problem", v.problem);
}

/// A column a quantity: a thousand rounds as objects would be mostly keys.
json samplesJson(const std::vector<PaperRound>& rounds)
{
    std::vector<bool> first;
    std::vector<double> reference, candidate, referenceEvent, candidateEvent;
    for (const PaperRound& round : rounds) {
        first.push_back(round.referenceFirst);
        reference.push_back(round.reference_ns);
        candidate.push_back(round.candidate_ns);
        referenceEvent.push_back(round.referenceEvent_ns);
        candidateEvent.push_back(round.candidateEvent_ns);
    }
    return {{"reference_first", first},
            {"reference_ns", reference},
            {"candidate_ns", candidate},
            {"reference_event_ns", referenceEvent},
            {"candidate_event_ns", candidateEvent}};
}

std::vector<PaperRound> samplesOf(const json& j)
{
    std::vector<bool> first;
    std::vector<double> reference, candidate, referenceEvent, candidateEvent;
    get(j, "reference_first", first);
    get(j, "reference_ns", reference);
    get(j, "candidate_ns", candidate);
    get(j, "reference_event_ns", referenceEvent);
    get(j, "candidate_event_ns", candidateEvent);
    const std::size_t count = std::min({first.size(), reference.size(), candidate.size(), referenceEvent.size(), candidateEvent.size()});
    std::vector<PaperRound> rounds;
    for (std::size_t i = 0; i < count; ++i)
        rounds.push_back({first[i], reference[i], candidate[i], referenceEvent[i], candidateEvent[i]});
    return rounds;
}

} // namespace

std::string_view toString(PaperRule rule) { return wordOf(ruleWords, rule); }
bool fromString(std::string_view word, PaperRule& out) { return valueOf(ruleWords, word, out); }

void to_json(json& j, const PaperRules& v)
{
    json without = json::array();
    for (const PaperRule rule : v.without)
        without.push_back(toString(rule));
    j = {{"without", std::move(without)},
         {"minutes", v.minutes},
         {"buckets", v.buckets},
         {"gate", v.gate},
         {"attempts", v.attempts},
         {"trials", v.trials},
         {"best_so_far", v.bestSoFar}};
}

void from_json(const json& j, PaperRules& v)
{
    std::vector<std::string> words;
    get(j, "without", words);
    for (const std::string& word : words)
        if (PaperRule rule{}; fromString(word, rule))
            v.without.insert(rule);
    get(j, "minutes", v.minutes);
    get(j, "buckets", v.buckets);
    get(j, "gate", v.gate);
    get(j, "attempts", v.attempts);
    get(j, "trials", v.trials);
    get(j, "best_so_far", v.bestSoFar);
}

void to_json(json& j, const PaperResult& v)
{
    json rules = json::array();
    for (const PaperRuleState& rule : v.rules)
        rules.push_back({{"rule", toString(rule.rule)}, {"state", wordOf(stateWords, rule.state)}, {"why", rule.why}});
    j = {{"clock", v.clock},
         {"event", clockJson(v.event)},
         {"wall", clockJson(v.wall)},
         {"accepted", v.accepted},
         {"minutes", v.minutes},
         {"seconds", v.seconds},
         {"attempts", v.attempts},
         {"discarded", v.discarded},
         {"rounds", v.rounds},
         {"rules", std::move(rules)},
         {"verification", verificationJson(v.verification)},
         {"samples", samplesJson(v.samples)}};
}

void from_json(const json& j, PaperResult& v)
{
    get(j, "clock", v.clock);
    getClock(j, "event", v.event);
    getClock(j, "wall", v.wall);
    get(j, "accepted", v.accepted);
    get(j, "minutes", v.minutes);
    get(j, "seconds", v.seconds);
    get(j, "attempts", v.attempts);
    get(j, "discarded", v.discarded);
    get(j, "rounds", v.rounds);
    if (const auto rules = j.find("rules"); rules != j.end())
        for (const json& entry : *rules) {
            PaperRuleState state;
            std::string rule, word;
            get(entry, "rule", rule);
            get(entry, "state", word);
            get(entry, "why", state.why);
            if (fromString(rule, state.rule) && valueOf(stateWords, word, state.state)) // others are of a later version
                v.rules.push_back(std::move(state));
        }
    getVerification(j, v.verification);
    if (const auto samples = j.find("samples"); samples != j.end() && samples->is_object())
        v.samples = samplesOf(*samples);
}

} // namespace cudal1::protocol
