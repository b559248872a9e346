// SPDX-License-Identifier: GPL-3.0-or-later
// The text of a reply as its tokens come: whole characters, and no further than a stop string.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cudal1::decoder {

/// Bytes come in, UTF-8 comes out. What may still become a stop string, and characters that are not whole yet, are held
/// back. Bytes that are no UTF-8 become U+FFFD.
class ReplyText {
public:
    explicit ReplyText(std::vector<std::string> stops); ///< empty ones are left out

    /// What can be told now. After a stop string was seen nothing more comes.
    std::string add(const std::string& bytes);
    /// The rest, once the last token has come.
    std::string finish();

    bool stopped() const { return m_stopped; }
    const std::string& text() const { return m_text; } ///< all that was told

private:
    std::string release(std::size_t count);

    std::vector<std::string> m_stops;
    std::string m_held; ///< bytes that were not told yet
    std::string m_text;
    bool m_stopped = false;
};

/// Length of the longest beginning of `bytes` that is whole UTF-8 characters or can never become any.
std::size_t wholeCharacters(const std::string& bytes);
/// With U+FFFD for what is no UTF-8.
std::string validUtf8(const std::string& bytes);

} // namespace cudal1::decoder
