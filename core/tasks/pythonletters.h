// SPDX-License-Identifier: GPL-3.0-or-later
// What the names and numbers of Python are made of. Bytes of UTF-8 beyond ASCII count as letters.
#pragma once

namespace cudal1::tasks {

inline bool isNameStart(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}
inline bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

} // namespace cudal1::tasks
