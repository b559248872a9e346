// SPDX-License-Identifier: GPL-3.0-or-later
// The lines of a stream of server-sent events, as the HTML standard has them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace cudal1::models {

/// Takes bytes in pieces of any size and gives the data of each event when its empty line has come. Names and ids of
/// events and comments are left out. What an end cuts off is no event.
class EventStream {
public:
    /// `event` is called for each event that `bytes` complete; it returns false to have no more of them.
    void feed(std::string_view bytes, const std::function<bool(const std::string& data)>& event);
    /// At the end of the stream: whether something was left that made no event.
    bool cutOff() const { return !m_line.empty() || m_hasData; }

private:
    /// False when `event` wants no more.
    bool endLine(const std::function<bool(const std::string& data)>& event);

    std::string m_line, m_data;
    bool m_hasData = false;
    bool m_afterReturn = false; ///< a '\n' now belongs to the '\r' before
    bool m_first = true;        ///< a byte order mark may stand there
    bool m_stopped = false;
};

} // namespace cudal1::models
