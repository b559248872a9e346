// SPDX-License-Identifier: GPL-3.0-or-later
// What a replay of published results comes to: verdicts, speed-ups by each clock, and where claim and finding disagree.
#pragma once

#include "core/rejudge/claimoutcome.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::rejudge {

/// How a candidate without a speed-up (wrong, not built, no code) enters a mean. It changes means by a lot, so every
/// summary names the one it used.
enum class Failures {
    One,     ///< as 1: whoever has no correct candidate keeps the reference
    Zero,    ///< as 0: a failed attempt is worth nothing
    LeftOut, ///< not at all: the mean of what worked
};

std::string_view toString(Failures rule); ///< "one", "zero", "left-out"
bool fromString(std::string_view word, Failures& out);

struct ClockSummary {
    int count = 0;    ///< values in the means
    int failures = 0; ///< rows without a value
    double mean = 0, geometricMean = 0, maximum = 0, upperQuartile = 0, median = 0, lowerQuartile = 0;
    double above = 0; ///< share of `count` above protocol::leastGain
};

/// Of one value a row, empty for a failure. Nothing when no row has a value: the clock does not exist here.
std::optional<ClockSummary> summarise(std::span<const std::optional<double>> values, Failures rule);

/// A correct candidate whose claimed and found speed-ups differ.
struct Disagreement {
    const ClaimOutcome* row = nullptr;
    double ratio = 1; ///< claimed / found by wall: 100 is a claim of a hundred times too much
};

struct RejudgeSummary {
    int rows = 0; ///< settled ones; the others are in no number below
    int unsettled = 0;
    int stale = 0;                       ///< of the unsettled: made for another text of their task
    std::map<std::string, int> verdicts; ///< by ClaimOutcome::word(), of all rows
    std::map<std::string, int> reasons;  ///< first reason codes of what is not correct
    std::map<std::string, int> labels;
    std::map<std::string, int> suites; ///< versions of the tasks behind `rows`; more than one is to be said
    std::optional<ClockSummary> claimed, event, wall;
    double clearlyFaster = 0; ///< share of the rows whose whole wall interval lies above protocol::leastGain
    Failures rule = Failures::One;
    std::vector<Disagreement>
        disagreements; ///< largest first, at most `most`; only where the claim lies outside of the interval
};

RejudgeSummary summarise(const std::vector<ClaimOutcome>& rows, Failures rule, std::size_t most = 10);

} // namespace cudal1::rejudge
