// SPDX-License-Identifier: GPL-3.0-or-later
// Texts cut: at their ends, or for people who need not read all that a program printed or said of itself.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cudal1::base {

/// The part of `text` between the blanks, tabs and ends of lines and pages at its ends.
std::string_view trimmed(std::string_view text);
/// `text` where it has at most `most` bytes; else its beginning and its end, with a sentence between them that says how
/// much is left out. About so many bytes are kept of it, two thirds of them at the beginning; characters of UTF-8 stay
/// whole.
std::string withoutMiddle(std::string_view text, std::size_t most);
/// The same by lines: at most `most` of them, and of each at most `width` characters.
std::string fewLines(std::string_view text, std::size_t most, std::size_t width);

} // namespace cudal1::base
