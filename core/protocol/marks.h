// SPDX-License-Identifier: GPL-3.0-or-later
// What stands behind a speed-up that must not be taken at its face, wherever one is shown.
#pragma once

#include "core/protocol/messages.h"

#include <string>
#include <string_view>

namespace cudal1::protocol {

/// "*" of a correct result at another precision than the reference's, "!" of one with a label that puts its gain in
/// question (Severity::Doubt of core/protocol/codes.h); both, or nothing. `labels` are codes, each followed by a space.
std::string marksOf(bool precisionMatched, std::string_view labels);
std::string marksOf(const Evaluation& evaluation);
/// Whether one of these labels puts in question that this candidate is so much faster; what speaks against the task
/// does too, since a gain on a task that results without work pass says little.
bool gainInQuestion(std::string_view labels);
/// What a task counts as in every mean over tasks, whose best correct and timed candidate has this speed-up: the
/// speed-up where its whole interval lies above 1 and nothing puts it in question, else 1, since the reference is
/// always at hand.
base::Interval countedInMeans(const base::Interval& best, bool inQuestion);
/// That in a sentence.
std::string countedInMeansText();
/// The codes of an evaluation's labels as marksOf() wants them.
std::string labelCodes(const Evaluation& evaluation);
/// Whether two clocks cannot both be right: their intervals do not touch.
bool clocksDisagree(const base::Interval& wall, const base::Interval& event);
/// What that means, in a sentence or two.
std::string clocksDisagreeText();
/// Why the GPU may seem to be busy for longer than a call takes; empty where it does not.
std::string recordedBusyText(const Speedup& speedup);
/// In what a candidate's precision is another than the reference's: its settings, or with the same settings its
/// results. Empty where it is not.
std::string otherPrecision(const PrecisionReport& precision);
/// The weightiest of `marks` as one word: "questioned", "precision"; empty for none.
std::string marksWord(std::string_view marks);
/// A line for each of `marks` that begins with its word and says what it means.
std::string marksText(std::string_view marks);

} // namespace cudal1::protocol
