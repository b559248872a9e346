// SPDX-License-Identifier: GPL-3.0-or-later
// The preset `paper` in the messages: its seven rules as switches, and what measuring by them gave.
//
// The rules are those of the paper's section on robust measurement (CUDA-L1, arXiv 2507.14111); docs/measuring.md says
// how each is done here.
#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::protocol {

enum class PaperRule {
    Dedicated,    ///< nothing else runs on the GPU
    Paired,       ///< each round runs both sides, in random order
    Window,       ///< rounds go on for `minutes`
    Buckets,      ///< rounds in buckets; above the variance gate the evaluation is discarded and repeated
    Median,       ///< the median of the bucket means, not their mean
    Rounding,     ///< toward 1, to two decimals
    Verification, ///< above 3, or twice the best so far, a second measurement must agree within 10 %
};
inline constexpr std::array paperRules{PaperRule::Dedicated,   PaperRule::Paired, PaperRule::Window,
                                       PaperRule::Buckets,     PaperRule::Median, PaperRule::Rounding,
                                       PaperRule::Verification};

/// "dedicated", "paired", "window", "buckets", "median", "rounding", "verification"
std::string_view toString(PaperRule rule);
bool fromString(std::string_view word, PaperRule& out); ///< false, and `out` untouched, for an unknown word

/// Part of an EvaluateRequest; of no effect with another preset.
struct PaperRules {
    std::set<PaperRule> without; ///< the rules that are switched off
    double minutes = 20;         ///< the paper's window for evaluations; 30 for rewards
    int buckets = 7;
    double gate = 0.005;  ///< the most that the variance of the bucket means may be
    int attempts = 3;     ///< at the gate, before there is no number; the paper sets no limit
    int trials = 1000;    ///< of correctness, on the dataset's own inputs
    double bestSoFar = 0; ///< largest speed-up known for the task; 0 when there is none

    bool applies(PaperRule rule) const { return !without.contains(rule); }
};

/// What became of a rule.
struct PaperRuleState {
    enum class State {
        Applied,
        Off,        ///< switched off
        Impossible, ///< this machine cannot do or check it; `why`
        Broken,     ///< it was checked and did not hold; `why`
    };
    PaperRule rule = PaperRule::Dedicated;
    State state = State::Applied;
    std::string why;
};

/// By one clock.
struct PaperClock {
    double measured = 0; ///< central value before rounding; 0 without this clock
    double reported = 0; ///< after rounding; the same where that rule is off
    std::vector<double> bucketMeans;
    double variance = 0; ///< of the bucket means
    bool gatePassed = false;

    bool valid() const { return measured > 0; }
};

/// One round: a timed call of each side.
struct PaperRound {
    bool referenceFirst = true;
    double reference_ns = 0, candidate_ns = 0;           ///< wall
    double referenceEvent_ns = 0, candidateEvent_ns = 0; ///< 0 without a GPU
};

struct PaperVerification {
    bool due = false;
    std::string why; ///< which limit was exceeded
    bool run = false;
    std::string where; ///< "cuda:1, another NVIDIA H200", "fresh processes on cuda:0"
    double ratio = 0;  ///< measured there before rounding, by the clock that decides; 0 when there is none
    bool agreed = false;
    std::string problem; ///< why there is no second ratio
};

/// What the paper's protocol makes of a candidate. Beside the evaluation's own speed-up, never instead of it.
struct PaperResult {
    std::string
        clock; ///< "event", or "wall" on a device without events: the one that the gate and the verification go by
    PaperClock event, wall;
    bool accepted = false; ///< through the gate, and verified where that was due
    double minutes = 0;    ///< window that was asked for; 0 when that rule is off
    double seconds = 0;    ///< what measuring took, all attempts
    int attempts = 0;
    std::vector<double> discarded;     ///< the variance of each attempt that the gate discarded
    int rounds = 0;                    ///< of the last attempt
    std::vector<PaperRuleState> rules; ///< all seven, in order
    PaperVerification verification;
    std::vector<PaperRound> samples; ///< of the last attempt: at most 1000 rounds, evenly chosen

    const PaperClock& deciding() const { return clock == "event" ? event : wall; }
};

void to_json(nlohmann::json& j, const PaperRules& v);
void from_json(const nlohmann::json& j, PaperRules& v);
void to_json(nlohmann::json& j, const PaperResult& v);
void from_json(const nlohmann::json& j, PaperResult& v);

} // namespace cudal1::protocol
