// SPDX-License-Identifier: GPL-3.0-or-later
// Fills marks in a text.
#pragma once

#include <string>

namespace cudal1::base {

/// Each `from` in `text`, which is not empty, becomes `to`; what is put in is not looked at again.
inline void replaceAll(std::string& text, const std::string& from, const std::string& to)
{
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

} // namespace cudal1::base
