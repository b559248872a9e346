// SPDX-License-Identifier: GPL-3.0-or-later
// Lines from a client and to it, over two descriptors.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>

namespace cudal1::decoder {

/// next() is for one thread, the others for any.
class LineChannel {
public:
    /// The descriptors stay the caller's. `longest`: of a line, in bytes.
    LineChannel(int input, int output, std::size_t longest) : m_input(input), m_output(output), m_longest(longest) {}

    /// Waits for a line. Nothing at the end of the input, when nobody reads the output any more, after a line that is
    /// too long, and within half a second after giveUp().
    std::optional<std::string> next();
    bool isTooLong() const { return m_buffer.size() > m_longest; } ///< why next() had nothing
    /// Waits until the line is taken. Does nothing more when nobody reads the output, or after giveUp() when its reader
    /// is not ready.
    void send(const std::string& line);
    bool isOutputClosed() const;
    void giveUp() { m_hasGivenUp = true; }

private:
    bool read();

    int m_input;
    int m_output;
    std::size_t m_longest;
    std::string m_buffer;
    std::size_t m_searched = 0;
    std::atomic<bool> m_isOutputClosed{false}, m_hasGivenUp{false};
    std::mutex m_outputMutex;
};

} // namespace cudal1::decoder
