// SPDX-License-Identifier: GPL-3.0-or-later
// The marks that stand behind a speed-up which must not be taken at face value.
#pragma once

#include "core/protocol/messages.h"

#include <string>
#include <string_view>

namespace cudal1::protocol {

/// "*" of a correct result at another precision than the reference's, followed by the setting where it is known
/// ("*TF32"); "!" of one with a label that puts its gain in question (Severity::Doubt of core/protocol/codes.h); both,
/// or nothing. `setting` is otherSetting(), `labels` are codes, each followed by a space.
std::string marksOf(bool precisionMatched, std::string_view setting, std::string_view labels);
std::string marksOf(const Evaluation& evaluation);
/// How a correct variant with this speed-up and these marks is classed, wherever it is named, coloured or counted.
enum class Merit {
    NotFaster,      ///< the interval holds 1, or there is none
    Gain,           ///< faster, at the reference's precision, and nothing puts it in question
    OtherPrecision, ///< faster, and nothing but its precision speaks against it
    Questioned,     ///< faster, if what puts it in question is none
    Loss,           ///< slower
};
Merit meritOf(const base::Interval& speedup, std::string_view marks);
/// A gain counts as one if its whole interval lies above this.
inline constexpr double leastGain = 1.01;
/// The order in which the best of several variants is chosen: 3 for such a gain at the reference's precision that
/// nothing puts in question, 2 for one that comes at another precision, 1 for a questioned one, 0 for none.
int gainRank(const base::Interval& speedup, std::string_view marks);
/// Whether the first comes before the second in that order, in the same rank by what is certain of it.
bool isBetter(const base::Interval& a, std::string_view marksOfA, const base::Interval& b, std::string_view marksOfB);
bool isQuestioned(std::string_view marks);       ///< "!" is among them
bool isOfOtherPrecision(std::string_view marks); ///< "*" is among them
/// Whether one of these labels puts in question that this candidate is so much faster; what speaks against the task
/// does too, since a gain on a task that results with little or no work pass says little.
bool gainInQuestion(std::string_view labels);
/// The value with which a task enters means. `best` is the speed-up of its best correct variant; it counts if its whole
/// interval lies above 1 and nothing questions it, else the task counts as 1, since the reference is always at hand.
base::Interval countedInMeans(const base::Interval& best, bool inQuestion);
/// The same rule as a sentence.
std::string countedInMeansText();
/// The codes of an evaluation's labels as marksOf() wants them.
std::string labelCodes(const Evaluation& evaluation);
/// Whether two clocks cannot both be right: their intervals do not touch.
bool clocksDisagree(const base::Interval& wall, const base::Interval& event);
/// What that means, in a sentence or two.
std::string clocksDisagreeText();
/// Why the GPU may seem to be busy for longer than a call takes; empty where it does not.
std::string recordedBusyText(const Speedup& speedup);
/// Says how a candidate's precision differs from the reference's: by settings or, with equal settings, by results.
/// Empty if it does not.
std::string otherPrecision(const PrecisionReport& precision);
/// Where a candidate's precision is another than the reference's, in one word: the lowest that it chose or that its
/// results show, "TF32", "BF16", "FP16"; "FP32" of one that chose no lower than that. Empty where that is not known.
std::string otherSetting(const PrecisionReport& precision);
/// The weightiest of `marks` as one word: "questioned", "TF32", "precision" where the setting is not known; empty for
/// none.
std::string marksWord(std::string_view marks);
/// A line for each of `marks`, which may be those of many in a row, that begins with its word and says what it means.
std::string marksText(std::string_view marks);

} // namespace cudal1::protocol
