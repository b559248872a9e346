// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of a stream.
#include "core/farm/linereader.h"

namespace cudal1::farm {

void LineReader::append(const QByteArray& bytes)
{
    if (m_overflowed)
        return;
    // Moving the rest to the front only when most of the buffer is spent keeps the cost linear in the bytes read.
    if (m_start > 0 && m_start * 2 >= m_buffer.size()) {
        m_buffer.remove(0, m_start);
        m_scanned -= m_start;
        m_start = 0;
    }
    m_buffer += bytes;
}

std::optional<QByteArray> LineReader::take()
{
    if (m_overflowed)
        return {};
    const qsizetype end = m_buffer.indexOf('\n', m_scanned);
    const qsizetype length = (end < 0 ? m_buffer.size() : end) - m_start;
    if (length > m_limit) {
        clear();
        m_overflowed = true;
        return {};
    }
    if (end < 0) {
        m_scanned = m_buffer.size();
        return {};
    }
    QByteArray line = m_buffer.mid(m_start, length);
    m_start = m_scanned = end + 1;
    if (line.endsWith('\r'))
        line.chop(1);
    return line;
}

void LineReader::clear()
{
    m_buffer.clear();
    m_start = m_scanned = 0;
    m_overflowed = false;
}

} // namespace cudal1::farm
