// SPDX-License-Identifier: GPL-3.0-or-later
// Standings from evaluations.
#include "core/report/suiterow.h"

#include "core/protocol/hostspeed.h"
#include "core/protocol/marks.h"

namespace cudal1::report {

Standing standingOf(const store::VariantRow& row)
{
    Standing out;
    out.variant = row.id;
    const store::EvaluationSummary& found = *row.evaluation;
    if (found.verdict != protocol::Verdict::Correct || !found.wall.valid())
        return out;
    out.correct = true;
    out.inQuestion = found.wall.estimate > 1 && protocol::gainInQuestion(found.labels);
    if (out.inQuestion)
        return out;
    out.counted = found.wall;
    out.measured = found;
    return out;
}

const Standing& better(const Standing& a, const Standing& b)
{
    if (a.isMeasured() != b.isMeasured())
        return a.isMeasured() ? a : b;
    if (a.correct != b.correct)
        return a.correct ? a : b;
    return b.counted.low > a.counted.low ? b : a;
}

Standing keptWhereSlower(Standing standing)
{
    if (!standing.measured)
        return standing;
    const base::Interval counted = protocol::countedInMeans(standing.counted, standing.inQuestion);
    if (counted == standing.counted)
        return standing;
    standing.kept = true;
    standing.counted = counted;
    standing.measured.reset();
    return standing;
}

base::Interval ratioOf(const Standing& a, const Standing& b)
{
    if (!a.measured || !b.measured || a.measured->reference_ns <= 0 || b.measured->reference_ns <= 0)
        return base::ratioOf(a.counted, b.counted);
    const auto wallOf = [](const store::EvaluationSummary& one) {
        return protocol::ClockSpeedup{one.wall, one.reference_ns, one.candidate_ns};
    };
    return protocol::ratioAtOneSpeed(wallOf(*a.measured), a.measured->followsHost, wallOf(*b.measured),
                                     b.measured->followsHost);
}

} // namespace cudal1::report
