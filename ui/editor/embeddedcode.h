// SPDX-License-Identifier: GPL-3.0-or-later
// Finds C++ and CUDA that stand in the strings of a Python source, and cuts them into tokens: no Qt, any thread.
#pragma once

#include <string_view>
#include <vector>

namespace cudal1::ui {

/// Bytes of a text that are highlighted alike. Plain is everything that is no other kind, blanks included.
struct CodeToken {
    enum class Kind { Plain, Keyword, Type, Builtin, Function, Number, String, Comment, Preprocessor, Count };
    int first = 0, count = 0;
    Kind kind = Kind::Plain;

    bool operator==(const CodeToken&) const = default;
};

/// The inside of a string, without its quotes.
struct EmbeddedText {
    int first = 0, count = 0;
};

/// Strings of a Python source that read like C++ or CUDA. A string that is never closed ends with the text.
std::vector<EmbeddedText> embeddedCpp(std::string_view python);

/// Tokens of `text`, in order and without gaps; places are moved by `offset`.
std::vector<CodeToken> cppTokens(std::string_view text, int offset = 0);

} // namespace cudal1::ui
