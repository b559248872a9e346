// SPDX-License-Identifier: GPL-3.0-or-later
// JSON of the preset `paper`.
#include "core/protocol/paper.h"

#include "core/protocol/fields.h"

namespace cudal1::protocol {

using State = PaperRuleState::State;

namespace {

constexpr Words<PaperRule, 7> ruleWords{{
    {PaperRule::Dedicated, "dedicated"},
    {PaperRule::Paired, "paired"},
    {PaperRule::Window, "window"},
    {PaperRule::Buckets, "buckets"},
    {PaperRule::Median, "median"},
    {PaperRule::Rounding, "rounding"},
    {PaperRule::Verification, "verification"},
}};
constexpr Words<State, 4> stateWords{{
    {State::Applied, "applied"},
    {State::Off, "off"},
    {State::Impossible, "impossible"},
    {State::Broken, "broken"},
}};

} // namespace

std::string_view toString(PaperRule rule)
{
    return wordOf(ruleWords, rule);
}
bool fromString(std::string_view word, PaperRule& out)
{
    return valueOf(ruleWords, word, out);
}
static std::string_view toString(State state)
{
    return wordOf(stateWords, state);
}
static bool fromString(std::string_view word, State& out)
{
    return valueOf(stateWords, word, out);
}

void fields(auto& io, Is<PaperRules> auto& v)
{
    io("without", v.without);
    io("minutes", v.minutes);
    io("buckets", v.buckets);
    io("gate", v.gate);
    io("attempts", v.attempts);
    io("trials", v.trials);
    io("best_so_far", v.bestSoFar);
}
CUDAL1_JSON(PaperRules)

void fields(auto& io, Is<PaperRuleState> auto& v)
{
    io("rule", v.rule);
    io("state", v.state);
    io("why", v.why);
}

void fields(auto& io, Is<PaperClock> auto& v)
{
    if (!io.there(v.valid()))
        return;
    io("measured", v.measured);
    io("reported", v.reported);
    io("bucket_means", v.bucketMeans);
    io("variance", v.variance);
    io("gate_passed", v.gatePassed);
}

void fields(auto& io, Is<PaperVerification> auto& v)
{
    if (!io.there(v.due))
        return;
    io.assume(v.due, true);
    io("why", v.why);
    io("run", v.run);
    io("where", v.where);
    io("ratio", v.ratio);
    io("agreed", v.agreed);
    io("problem", v.problem);
}

/// A column a quantity: a thousand rounds as objects would be mostly keys.
void fields(auto& io, Is<std::vector<PaperRound>> auto& v)
{
    io.column("reference_first", v, &PaperRound::referenceFirst);
    io.column("reference_ns", v, &PaperRound::reference_ns);
    io.column("candidate_ns", v, &PaperRound::candidate_ns);
    io.column("reference_event_ns", v, &PaperRound::referenceEvent_ns);
    io.column("candidate_event_ns", v, &PaperRound::candidateEvent_ns);
}

void fields(auto& io, Is<PaperResult> auto& v)
{
    io("clock", v.clock);
    io("event", v.event);
    io("wall", v.wall);
    io("accepted", v.accepted);
    io("minutes", v.minutes);
    io("seconds", v.seconds);
    io("attempts", v.attempts);
    io("discarded", v.discarded);
    io("rounds", v.rounds);
    io.listOfKnown("rules", v.rules);
    io("verification", v.verification);
    io("samples", v.samples);
}
CUDAL1_JSON(PaperResult)

} // namespace cudal1::protocol
