// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts a stream of bytes into lines, with a limit on how long one may grow.
#pragma once

#include <QByteArray>

#include <optional>

namespace cudal1::farm {

class LineReader {
public:
    static constexpr qsizetype defaultLimit = qsizetype(64) << 20;

    explicit LineReader(qsizetype limit = defaultLimit) : m_limit(limit) {}

    void append(const QByteArray& bytes);
    /// The next whole line without its end ("\n" or "\r\n"), empty when there is none yet.
    std::optional<QByteArray> take();
    /// A line, finished or not, was longer than the limit. It was dropped, and nothing more can be read.
    bool overflowed() const { return m_overflowed; }
    void clear();

private:
    qsizetype m_limit;
    QByteArray m_buffer;
    qsizetype m_start = 0;   // of the line being read
    qsizetype m_scanned = 0; // no line end before this
    bool m_overflowed = false;
};

} // namespace cudal1::farm
