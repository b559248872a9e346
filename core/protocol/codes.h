// SPDX-License-Identifier: GPL-3.0-or-later
// The one table of codes of reasons and labels: what each means, how much it weighs, what it is about.
#pragma once

#include "core/protocol/messages.h"

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace cudal1::protocol {

/// How much a finding weighs against the result it stands with.
enum class Severity {
    Note,    ///< good to know: nothing against the result
    Warning, ///< the result is to be read with care
    Doubt,   ///< puts the gain in question: "!" stands behind it (core/protocol/marks.h)
    Failure, ///< why the verdict is another than correct
};

/// What a finding says something of.
enum class About {
    Program,   ///< the candidate
    Task,      ///< the reference or its inputs, whichever candidate is judged
    Machine,   ///< where it is judged: other work, a slower clock, what is not there
    Measuring, ///< what could not be measured, or came out differently the next time
};

/// A reason says why a verdict is another than correct; a label does not change the verdict.
struct Code {
    enum class Kind { Reason, Label };

    std::string_view code; ///< "wrong_values"
    Kind kind = Kind::Reason;
    Severity severity = Severity::Failure;
    About about = About::Program;
    /// Of a reason: that of a candidate which has been built. Before that it is DoesNotBuild, unless memory or time ran
    /// out, and ReferenceFailed for a reference. Of a label: where the second look found it again, the label is a
    /// reason for this verdict.
    std::optional<Verdict> verdict;
    bool secondLook = false;  ///< a correct result with this label is judged once more with fresh seeds
    std::string_view meaning; ///< a sentence for a person
};

/// One of the null candidates, as the evidence of degenerate_task and of last_operator_unseen names it.
inline constexpr std::string_view lastOperatorLeftOut = "last operator left out";

/// All that the judge and the optimise loop give. What a machine lacks (Machine::missing) has codes of its own.
std::span<const Code> codes();
/// Null for one that is not in the table, such as an imported project of a later version may have.
const Code* findCode(std::string_view code);
/// Empty for one that is not in the table.
std::string meaningOf(std::string_view code);
/// "signal  The process was ended by a signal.": a line for each that is in the table, the sentences below each other.
std::string legendText(const std::set<std::string>& codes);

} // namespace cudal1::protocol
