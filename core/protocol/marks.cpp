// SPDX-License-Identifier: GPL-3.0-or-later
// Marks and what they mean.
#include "core/protocol/marks.h"

#include "core/protocol/codes.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace cudal1::protocol {

std::string labelCodes(const Evaluation& evaluation)
{
    std::string codes;
    for (const Reason& label : evaluation.labels)
        codes += label.code + ' ';
    return codes;
}

namespace {

template<class Which> bool anyOf(std::string_view labels, const Which& which)
{
    for (std::size_t begin = 0; begin < labels.size();) {
        const std::size_t end = std::min(labels.find(' ', begin), labels.size());
        if (const Code* known = findCode(labels.substr(begin, end - begin)); known && which(*known))
            return true;
        begin = end + 1;
    }
    return false;
}

/// Of a list with commas.
std::vector<std::string_view> partsOf(std::string_view settings)
{
    std::vector<std::string_view> parts;
    while (!settings.empty()) {
        const std::size_t end = std::min(settings.find(", "), settings.size());
        parts.push_back(settings.substr(0, end));
        settings.remove_prefix(std::min(end + 2, settings.size()));
    }
    return parts;
}

} // namespace

std::string marksOf(bool precisionMatched, std::string_view setting, std::string_view labels)
{
    std::string marks = precisionMatched ? std::string() : '*' + std::string(setting);
    return gainInQuestion(labels) ? marks + '!' : marks;
}

Merit meritOf(const base::Interval& speedup, std::string_view marks)
{
    if (!speedup.valid())
        return Merit::NotFaster;
    switch (base::compare(speedup)) {
    case base::Comparison::Faster:
        return isQuestioned(marks)       ? Merit::Questioned
             : isOfOtherPrecision(marks) ? Merit::OtherPrecision
                                         : Merit::Gain;
    case base::Comparison::Slower: return Merit::Loss;
    case base::Comparison::Same:
    case base::Comparison::Unclear: break;
    }
    return Merit::NotFaster;
}

int gainRank(const base::Interval& speedup, std::string_view marks)
{
    if (!(speedup.low > leastGain))
        return 0;
    switch (meritOf(speedup, marks)) {
    case Merit::Gain: return 3;
    case Merit::OtherPrecision: return 2;
    case Merit::Questioned: return 1;
    case Merit::NotFaster:
    case Merit::Loss: break;
    }
    return 0;
}

bool isBetter(const base::Interval& a, std::string_view marksOfA, const base::Interval& b, std::string_view marksOfB)
{
    const int rankOfA = gainRank(a, marksOfA), rankOfB = gainRank(b, marksOfB);
    return rankOfA != rankOfB ? rankOfA > rankOfB : a.low > b.low;
}

bool isQuestioned(std::string_view marks)
{
    return marks.find('!') != std::string_view::npos;
}

bool isOfOtherPrecision(std::string_view marks)
{
    return marks.find('*') != std::string_view::npos;
}

bool gainInQuestion(std::string_view labels)
{
    return anyOf(labels, [](const Code& code) { return code.severity == Severity::Doubt; });
}

base::Interval countedInMeans(const base::Interval& best, bool inQuestion)
{
    return inQuestion || base::compare(best) != base::Comparison::Faster ? base::Interval{1, 1, 1} : best;
}

std::string countedInMeansText()
{
    return "A task counts as 1× where no variant is correct, none is faster by its whole interval, or the gain is "
           "questioned: one would keep the reference.";
}

std::string marksOf(const Evaluation& evaluation)
{
    return evaluation.verdict == Verdict::Correct
             ? marksOf(evaluation.precision.matched, otherSetting(evaluation.precision), labelCodes(evaluation))
             : std::string();
}

bool clocksDisagree(const base::Interval& wall, const base::Interval& event)
{
    return wall.valid() && event.valid() && (event.low > wall.high || event.high < wall.low);
}

std::string clocksDisagreeText()
{
    return "The two clocks do not meet: the work is not all inside the events, or the time is not spent on the GPU. "
           "The wall clock counts.";
}

std::string recordedBusyText(const Speedup& speedup)
{
    const ClockSpeedup &wall = speedup.wall, &busy = speedup.gpuBusy;
    const bool longer = wall.valid() && busy.valid() &&
                        (busy.candidate_ns > wall.candidate_ns || busy.reference_ns > wall.reference_ns);
    return longer ? "How long the GPU is busy is recorded in calls of their own, which recording slows down."
                  : std::string();
}

std::string otherPrecision(const PrecisionReport& precision)
{
    if (precision.matched)
        return {};
    if (precision.candidate != precision.reference)
        return "the candidate computes with " + precision.candidate + ", the reference with " + precision.reference;
    const std::string& effective = precision.oracle.effective;
    return "with the same settings its results are less precise than the reference's" +
           (effective.empty() ? std::string() : ", as precise as " + effective);
}

std::string otherSetting(const PrecisionReport& precision)
{
    if (precision.matched)
        return {};
    constexpr std::array<std::pair<std::string_view, const char*>, 4> fromLowest{
        {{"bf16", "BF16"}, {"fp16", "FP16"}, {"tf32", "TF32"}, {"fp32", "FP32"}}};
    // "products tf32, convolutions tf32": what it chose where the reference chose otherwise.
    const std::vector<std::string_view> own = partsOf(precision.candidate), others = partsOf(precision.reference);
    std::string chosen = precision.oracle.effective;
    for (const std::string_view part : own)
        if (std::find(others.begin(), others.end(), part) == others.end())
            chosen.append(" ").append(part);
    for (const auto& [setting, word] : fromLowest)
        if (chosen.find(setting) != std::string::npos)
            return word;
    return {};
}

std::string marksWord(std::string_view marks)
{
    if (isQuestioned(marks))
        return "questioned";
    if (!isOfOtherPrecision(marks))
        return {};
    const std::string_view setting = marks.substr(marks.find('*') + 1);
    return setting.empty() ? "precision" : std::string(setting.substr(0, setting.find('*')));
}

std::string marksText(std::string_view marks)
{
    std::string text;
    std::vector<std::string> words; // of all that are marked so
    for (std::size_t at = marks.find('*'); at != std::string_view::npos; at = marks.find('*', at + 1))
        if (const std::string word = marksWord(marks.substr(at, marks.find_first_of("*!", at + 1) - at));
            std::find(words.begin(), words.end(), word) == words.end())
            words.push_back(word);
    for (const std::string& word : words)
        text += (text.empty() ? "" : ", ") + word;
    if (!words.empty())
        text +=
            ": its results have another precision than the reference's; its evidence says more, and the speed-up at "
            "equal settings where it was measured";
    if (isQuestioned(marks))
        text += std::string(text.empty() ? "" : "\n") + marksWord("!") +
                ": with a label that puts the gain in question; its evidence says which";
    return text;
}

} // namespace cudal1::protocol
