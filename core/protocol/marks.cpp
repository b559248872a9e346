// SPDX-License-Identifier: GPL-3.0-or-later
// Marks and what they mean.
#include "core/protocol/marks.h"

#include "core/protocol/codes.h"

#include <algorithm>

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

} // namespace

std::string marksOf(bool precisionMatched, std::string_view labels)
{
    const std::string marks(precisionMatched ? "" : "*");
    return gainInQuestion(labels) ? marks + '!' : marks;
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
    return evaluation.verdict == Verdict::Correct ? marksOf(evaluation.precision.matched, labelCodes(evaluation))
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

std::string marksWord(std::string_view marks)
{
    if (marks.find('!') != std::string_view::npos)
        return "questioned";
    return marks.empty() ? "" : "precision";
}

std::string marksText(std::string_view marks)
{
    std::string text;
    if (marks.find('*') != std::string_view::npos)
        text = marksWord("*") + ": at another precision than the reference's; its evidence says which, and the "
                                "speed-up at equal settings where it was measured";
    if (marks.find('!') != std::string_view::npos)
        text += std::string(text.empty() ? "" : "\n") + marksWord("!") +
                ": with a label that puts the gain in question; its evidence says which";
    return text;
}

} // namespace cudal1::protocol
