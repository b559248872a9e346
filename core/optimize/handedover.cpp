// SPDX-License-Identifier: GPL-3.0-or-later
// The choice between the fastest variant and the reference.
#include "core/optimize/handedover.h"

#include "core/optimize/outcometext.h"

namespace cudal1::optimize {

bool referenceIsBest(const base::Interval& fastest)
{
    return !fastest.valid() || base::compare(fastest) != base::Comparison::Faster;
}

const store::VariantRow* fastestOf(const std::vector<store::VariantRow>& rows)
{
    for (const store::VariantRow& row : rows)
        if (row.baseline.empty() && !row.stale && row.counts && row.evaluation &&
            row.evaluation->verdict == protocol::Verdict::Correct && row.evaluation->wall.valid())
            return &row;
    return nullptr;
}

std::string referenceIsBestText(base::VariantId fastest, const base::Interval& speedup)
{
    if (!fastest || !speedup.valid())
        return "The reference is best: no variant is correct and was timed.";
    return "The reference is best: no variant is faster by its whole interval. The fastest is variant " +
           std::to_string(fastest.value) + ", " + speedupText(speedup) + ".";
}

std::string referenceProgram(const store::TaskRecord& task, base::VariantId fastest, const base::Interval& speedup)
{
    std::string name;
    for (const char letter : task.id.value + " " + task.name)
        name += letter == '\n' || letter == '\r' ? ' ' : letter; // it must not end the comment
    const std::string gap = task.source.ends_with('\n') ? "\n\n" : "\n\n\n";
    return "# " + name + "\n# " + referenceIsBestText(fastest, speedup) +
           "\n# So this is the reference itself, under the name that a variant has.\n" + task.source + gap +
           "class ModelNew(Model):\n    pass\n";
}

} // namespace cudal1::optimize
