// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts a reference's Python text into the pieces that a rewritten module keeps, renames or replaces.
//
// Works on tokens (names, strings, brackets, indentation), so that text in strings and comments is never taken for
// code. Offsets are bytes into the text that was scanned.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::policy {

struct PythonToken {
    enum class Kind { Name, Number, String, Operator, Comment, Newline, Indentation };
    Kind kind = Kind::Operator;
    std::size_t begin = 0, end = 0;
};

/// A statement's line: all physical lines that brackets, triple quotes and backslashes join.
struct PythonLine {
    std::size_t begin = 0;           ///< start of the first physical line
    std::size_t end = 0;             ///< after the last newline
    int indent = 0;                  ///< columns, a tab to the next multiple of 8
    std::vector<PythonToken> tokens; ///< without comments and newlines; never empty
};

/// `def name(...)` with its decorators, up to the next statement that is not part of it.
struct PythonFunction {
    std::string name;
    std::size_t begin = 0; ///< of the first decorator, or of def
    std::size_t nameBegin = 0;
    std::size_t end = 0;
    std::string indentation;             ///< the whitespace in front of def
    std::size_t inlineBody = 0;          ///< where the body begins if it stands on def's line; 0 if it does not
    std::string bodyIndentation;         ///< the whitespace in front of the body's statements, or what it would be
    std::vector<std::string> parameters; ///< names, without self, defaults and annotations; "*args" keeps its stars
    std::string parameterText;           ///< between the parentheses
};

struct PythonClass {
    std::string name;
    std::size_t begin = 0, end = 0;
    std::vector<PythonFunction> methods;

    const PythonFunction* method(std::string_view wanted) const;
};

struct PythonModule {
    std::string text;
    std::vector<PythonLine> lines;
    std::vector<PythonClass> classes;      ///< at module level
    std::vector<PythonFunction> functions; ///< at module level
    std::size_t importsEnd = 0;            ///< after the last import at module level; after the docstring without one

    const PythonClass* find(std::string_view name) const;
    /// `text` from begin to end with the name token `from` written as `to`; attributes (`x.from`) and keyword
    /// arguments stay as they are.
    std::string renamed(std::size_t begin, std::size_t end, std::string_view from, std::string_view to) const;
};

/// Unreadable, with the line, for an open bracket or an open string.
base::Result<PythonModule> scanPython(std::string text);

} // namespace cudal1::policy
