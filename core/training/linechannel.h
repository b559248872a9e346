// SPDX-License-Identifier: GPL-3.0-or-later
// Lines from a client and to it, over two descriptors.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

namespace cudal1::training {

/// next() is for one thread, send() for any.
class LineChannel {
public:
    LineChannel(int input, int output) : m_input(input), m_output(output) {}

    /// Waits for a line. Nothing at the end of the input, when nobody reads the output any more, or when a line is
    /// longer than `longest`.
    std::optional<std::string> next();
    /// Whether a line is there already, or comes within this time.
    bool comesWithin(int milliseconds);
    void send(const std::string& line);
    bool isOutputClosed() const { return m_isOutputClosed; }

    static constexpr std::size_t longest = std::size_t{1} << 30;

private:
    bool read();

    int m_input;
    int m_output;
    std::string m_buffer;
    std::size_t m_searched = 0;
    std::atomic<bool> m_isOutputClosed{false};
    std::mutex m_outputMutex;
};

} // namespace cudal1::training
