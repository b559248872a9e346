// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of numbers.
#include "core/optimize/outcometext.h"

#include "core/base/ratiotext.h"
#include "core/base/spelled.h"
#include "core/base/timetext.h"
#include "core/protocol/marks.h"

#include <algorithm>

namespace cudal1::optimize {

std::string speedupText(const base::Interval& speedup, const std::string& marks)
{
    if (!speedup.valid())
        return "not timed";
    std::string out = base::ratioText(speedup);
    const base::Comparison comparison = base::compare(speedup);
    if (comparison == base::Comparison::Unclear || comparison == base::Comparison::Same)
        out += ", " + std::string(protocol::toString(comparison));
    return marks.empty() ? out : out + ", " + protocol::marksWord(marks);
}

std::string bestText(const base::Interval& best, const std::string& marks)
{
    return base::estimateText(best) + (marks.empty() ? "" : " (" + protocol::marksWord(marks) + ")");
}

std::string rivalSentence(const store::Rival& rival)
{
    std::string out = "On an equally fast host #" + std::to_string(rival.variant.value) + " is " +
                      base::ratioText(rival.ratio) + " as fast as #" + std::to_string(rival.best.value);
    if (protocol::isQuestioned(rival.marks))
        out += ", but its gain is questioned";
    else if (!rival.marks.empty())
        out += ", but at another precision (" + protocol::marksWord(rival.marks) + ")";
    return out + ".";
}

std::string rivalText(const store::Rival& rival)
{
    return rivalSentence(rival) + " The reference took " + base::timeText(rival.reference_ns) + " a call beside #" +
           std::to_string(rival.variant.value) + " and " + base::timeText(rival.bestReference_ns) + " beside #" +
           std::to_string(rival.best.value) + ". Judge both again to be sure which is best.";
}

std::string slowHostText(const store::SlowHost& slow)
{
    const std::string name = "#" + std::to_string(slow.best.value);
    return "Beside " + name + " the host was slower: the reference took " + base::timeText(slow.bestReference_ns) +
           " a call, and " + base::timeText(slow.reference_ns) + " beside most others. On a host as fast as there, " +
           name + " would be " + base::ratioText(slow.there) + " as fast as the reference.";
}

std::string verdictText(protocol::Verdict verdict)
{
    std::string word(protocol::toString(verdict));
    std::replace(word.begin(), word.end(), '_', ' ');
    return word;
}

std::string outcomeText(const protocol::Evaluation& evaluation)
{
    const std::string verdict = verdictText(evaluation.verdict);
    if (evaluation.verdict == protocol::Verdict::Correct)
        return verdict + ", " + speedupText(evaluation.speedup.wall.speedup);
    if (evaluation.reasons.empty())
        return verdict;
    const std::string& text = evaluation.reasons.front().text;
    return verdict + ": " + text.substr(0, text.find('\n'));
}

std::string phaseText(const std::string& phase)
{
    if (phase.empty())
        return "starting";
    if (phase == "build")
        return "building";
    if (phase == "check")
        return "checking";
    if (phase == "time")
        return "timing";
    if (phase == "wait")
        return "waiting";
    return phase == "trace" ? "tracing" : phase;
}

std::string techniquesText(const std::vector<std::string>& techniques, const std::string& otherwise)
{
    std::string out;
    for (const std::string& technique : techniques)
        out += (out.empty() ? "" : " + ") + base::spelled(technique);
    return out.empty() ? otherwise : out;
}

std::string sidesText(std::optional<protocol::Precision> precision)
{
    switch (precision.value_or(protocol::Precision::Kernelbench)) {
    case protocol::Precision::Tf32: return "both in TF32";
    case protocol::Precision::Ieee: return "both in float32";
    case protocol::Precision::Kernelbench: break;
    }
    return {};
}

std::string measuredOn(const store::EvaluationSummary& evaluation)
{
    return measuredOn(evaluation.deviceModel.empty() ? evaluation.device : evaluation.deviceModel,
                      evaluation.precision);
}

std::string measuredOn(const std::string& device, std::optional<protocol::Precision> precision)
{
    const std::string sides = sidesText(precision);
    return device + (sides.empty() ? sides : ", " + sides);
}

std::string tensorsText(const protocol::OperatorGraph& graph, const std::vector<int>& ids)
{
    std::string out;
    for (const int id : ids) {
        const auto value = std::find_if(graph.values.begin(), graph.values.end(),
                                        [id](const auto& one) { return one.id == id; });
        if (value == graph.values.end())
            continue;
        std::string shape;
        for (const std::int64_t extent : value->shape)
            shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
        out += (out.empty() ? "" : ", ") + value->dtype + "[" + shape + "]";
    }
    return out.empty() ? "none" : out;
}

} // namespace cudal1::optimize
