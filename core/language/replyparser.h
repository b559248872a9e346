// SPDX-License-Identifier: GPL-3.0-or-later
// A model's reply taken apart: the paper's three sections (section 2.4.2) and the program.
#pragma once

#include <string>

namespace cudal1::language {

/// Exactly one of `source` and `why` is empty.
struct ParsedReply {
    std::string performanceAnalysis, algorithmDesign; ///< empty where the reply has none
    std::string codeImplementation;                   ///< the section without the program
    std::string source;                               ///< the program; ends with a newline
    std::string why;     ///< one sentence, why there is no program: "It has no block of code."
    std::string missing; ///< one sentence that names the sections it has not, also where it has a program; else empty

    bool usable() const { return why.empty(); }
};

/// Headings count at any level, numbered, bold, with or without a colon, whatever stands before the first. The program
/// is the last block of code that defines the class ModelNew, preferably in the section Code Implementation, whatever
/// language its fence names; without any fence, the lines from the first import on. What stands between <think> and
/// </think> is not read, and neither is what stands before a </think> that nothing opened. `cutOff`: the reply ended at
/// a limit, so a block that is not closed is not whole.
ParsedReply parseReply(const std::string& reply, bool cutOff);

/// The reply as the next turn of a conversation has it: models are not shown what they thought.
std::string withoutThinking(const std::string& reply);

} // namespace cudal1::language
