// SPDX-License-Identifier: GPL-3.0-or-later
// What is printed, and how: colours and a live line on a terminal, plain lines elsewhere.
//
// Results go to the standard output, progress and errors to the standard error.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace cudal1::cli {

/// Whether results are coloured. Auto: on a terminal, unless NO_COLOR is set.
enum class Color { Auto, Always, Never };

class Terminal {
public:
    /// With `json` the standard output is reserved for one JSON object; print() does nothing. With `quiet` there is no
    /// progress.
    Terminal(bool json, bool quiet, Color color, std::chrono::seconds untilFirstLine = std::chrono::seconds(10));
    ~Terminal(); ///< takes the live line away

    enum class Tone { Plain, Strong, Dim, Good, Bad, Warn };
    /// `text` in a colour of the standard output, or as it is (NO_COLOR, no terminal).
    std::string toned(Tone tone, std::string_view text) const;

    /// One line (or more) of the result.
    void print(std::string_view text);
    /// Progress that the next call replaces. Where the standard error is no terminal, it is a line now and then: the
    /// first after `untilFirstLine`, then one in half a minute.
    void live(std::string_view text);
    /// To be called now and then: where there is no terminal, what was last shown may be due for a line of its own.
    void remind();
    void clearLive();
    /// What is waited for: a line of the standard error, but nothing when quiet.
    void note(std::string_view text);
    /// An error or a warning, also when quiet.
    void complain(std::string_view text);

private:
    void lineNowAndThen();

    bool m_json, m_quiet;
    bool m_colour = false;
    bool m_live = false; ///< the standard error is a terminal
    bool m_shown = false;
    std::string m_last;                               ///< where it is none: what goes on; empty for nothing
    std::chrono::steady_clock::time_point m_nextLine; ///< where it is none: not before
};

/// Columns of the standard output: of a terminal between 60 and 120, else 100.
int outputWidth();
/// Columns that a table may take: those of the terminal; 0, which is any number, where the output goes elsewhere.
int tableWidth();

/// Columns that a text takes: its characters, not its bytes.
int displayWidth(std::string_view text);
/// The first `width` characters, the last of them "…" when something was cut; colours stay.
std::string elided(std::string_view text, int width);

} // namespace cudal1::cli
