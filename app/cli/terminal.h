// SPDX-License-Identifier: GPL-3.0-or-later
// What is printed, and how: colours and a live line on a terminal, plain lines elsewhere.
//
// Results go to the standard output, progress and errors to the standard error.
#pragma once

#include <string>
#include <string_view>

namespace cudal1::cli {

class Terminal {
public:
    /// `quiet`: the standard output is reserved for one JSON object; print() does nothing.
    explicit Terminal(bool quiet);
    ~Terminal(); ///< takes the live line away

    enum class Tone { Plain, Strong, Dim, Good, Bad, Warn };
    /// `text` in a colour of the standard output, or as it is (NO_COLOR, no terminal).
    std::string toned(Tone tone, std::string_view text) const;

    /// One line (or more) of the result.
    void print(std::string_view text);
    /// Progress that the next call replaces; nothing when the standard error is no terminal.
    void live(std::string_view text);
    void clearLive();
    /// An error or a note, also when quiet.
    void complain(std::string_view text);

private:
    bool m_quiet;
    bool m_colour = false;
    bool m_live = false; ///< the standard error is a terminal
    bool m_shown = false;
};

/// Columns that a text takes: its characters, not its bytes.
int displayWidth(std::string_view text);
/// The first `width` characters, the last of them "…" when something was cut.
std::string elided(std::string_view text, int width);

} // namespace cudal1::cli
