// SPDX-License-Identifier: GPL-3.0-or-later
// What a Python module binds at its top level, told from the text alone: a lexer of strings, comments, brackets and
// blocks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::tasks {

/// A name that a statement gives a value to: `class`, `def`, an assignment or an import.
struct Binding {
    enum class Kind { Class, Function, Assignment, Import };
    std::string name;
    Kind kind = Kind::Assignment;
    int line = 0;            ///< 1-based, of the statement
    bool moduleLevel = true; ///< false inside of a class or function; `if`, `try`, `with` and loops do not count
};

/// Text that no Python would accept.
struct SyntaxFlaw {
    int line = 0; ///< 1-based; of the opening side for what is never closed
    std::string message;
};

struct ModuleScan {
    std::vector<Binding> bindings;    ///< in the order of the text; up to the flaw when there is one
    std::vector<int> relativeImports; ///< lines of `from .x import y`, at any level
    std::optional<SyntaxFlaw> flaw;
    int lines = 0;

    /// The first module-level binding of `name`, or null.
    const Binding* find(std::string_view name) const;
};

/// Scans UTF-8 text with any line ends. Not a parser: strings that are never closed and brackets that do not match are
/// flaws, other errors of syntax pass unseen. Names bound by several targets at once (`a, b = …`), by a statement after
/// the colon of another, or by `import *` are not seen either.
ModuleScan scanModule(std::string_view source);

} // namespace cudal1::tasks
