// SPDX-License-Identifier: GPL-3.0-or-later
// Server-sent events out of bytes.
#include "core/models/eventstream.h"

namespace cudal1::models {

void EventStream::feed(std::string_view bytes, const std::function<bool(const std::string& data)>& event)
{
    for (std::size_t at = 0; at < bytes.size() && !m_stopped;) {
        if (m_afterReturn) {
            m_afterReturn = false;
            if (bytes[at] == '\n') {
                ++at;
                continue;
            }
        }
        const std::size_t end = bytes.find_first_of("\r\n", at);
        m_line += bytes.substr(at, end == bytes.npos ? bytes.npos : end - at);
        if (end == bytes.npos)
            return;
        m_afterReturn = bytes[end] == '\r';
        at = end + 1;
        m_stopped = !endLine(event);
    }
}

bool EventStream::endLine(const std::function<bool(const std::string& data)>& event)
{
    std::string line;
    line.swap(m_line);
    if (m_first && line.starts_with("\xEF\xBB\xBF"))
        line.erase(0, 3);
    m_first = false;
    if (line.empty()) {
        if (!m_hasData)
            return true;
        m_hasData = false;
        std::string data;
        data.swap(m_data);
        return event(data);
    }
    const std::size_t colon = line.find(':');
    if (std::string_view(line).substr(0, colon) != "data")
        return true; // a comment, or a field of no use here
    std::string_view value = colon == line.npos ? std::string_view() : std::string_view(line).substr(colon + 1);
    if (value.starts_with(' '))
        value.remove_prefix(1);
    if (m_hasData)
        m_data += '\n';
    m_data += value;
    m_hasData = true;
    return true;
}

} // namespace cudal1::models
