// SPDX-License-Identifier: GPL-3.0-or-later
// What an agent has written, as it is shown and stored.
#pragma once

#include "core/models/secret.h"

#include <string>
#include <string_view>
#include <vector>

namespace cudal1::agents {

/// Text of bounded length, without secrets and without what a terminal would act on. Bytes that are no UTF-8 become
/// U+FFFD.
class Transcript {
public:
    /// `secrets` are replaced by "[key]" wherever they stand in a line.
    explicit Transcript(std::vector<models::Secret> secrets);

    /// Bytes as they came; gives the lines that they complete, as a person may read them.
    std::string add(std::string_view bytes);
    /// A line of this program's own, in brackets.
    std::string note(const std::string& text);
    /// What came since the last piece, with the line that has no end yet. Of more than `mostPiece` the middle is left
    /// out, and it says so.
    std::string takePiece();

    static constexpr std::size_t mostPiece = 256 << 10;

private:
    std::string clean(std::string_view line) const;
    void keep(const std::string& text);

    std::vector<models::Secret> m_secrets;
    std::string m_line; ///< without its end so far
    std::string m_head, m_tail;
    std::size_t m_leftOut = 0; ///< bytes between the two
};

} // namespace cudal1::agents
