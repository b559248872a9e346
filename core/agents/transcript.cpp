// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of an agent's output.
#include "core/agents/transcript.h"

#include "core/base/bytestext.h"

#include <QString>

#include <utility>

namespace cudal1::agents {

namespace {

constexpr std::size_t mostLine = 64 << 10; ///< a longer one is cut in two

} // namespace

Transcript::Transcript(std::vector<models::Secret> secrets) : m_secrets(std::move(secrets)) {}

std::string Transcript::clean(std::string_view line) const
{
    std::string out;
    const std::string text = QString::fromUtf8(line).toStdString();
    for (std::size_t at = 0; at < text.size(); ++at) {
        const unsigned char c = static_cast<unsigned char>(text[at]);
        if (c == 0x1b && at + 1 < text.size() && text[at + 1] == '[') { // a sequence of a terminal, up to its last byte
            for (at += 2; at < text.size() && (text[at] < 0x40 || text[at] > 0x7e);)
                ++at;
        } else if (c == '\r' && at + 1 < text.size() && text[at + 1] != '\n' && text[at + 1] != '\r') {
            out.clear(); // a line that is written over, such as a bar of progress
        } else if (c >= 0x20 || c == '\t' || c == '\n') {
            out += text[at];
        }
    }
    for (const models::Secret& secret : m_secrets)
        if (!secret.empty())
            out = secret.scrubbed(out);
    return out;
}

void Transcript::keep(const std::string& text)
{
    constexpr std::size_t half = mostPiece / 2;
    if (m_tail.empty() && m_head.size() + text.size() <= half) {
        m_head += text;
        return;
    }
    m_tail += text;
    if (m_tail.size() <= half)
        return;
    std::size_t cut = m_tail.find('\n', m_tail.size() - half);
    cut = cut == std::string::npos ? m_tail.size() - half : cut + 1;
    m_leftOut += cut;
    m_tail.erase(0, cut);
}

std::string Transcript::add(std::string_view bytes)
{
    m_line += bytes;
    std::string out;
    std::size_t begin = 0;
    for (std::size_t end; (end = m_line.find('\n', begin)) != std::string::npos; begin = end + 1)
        out += clean(std::string_view(m_line).substr(begin, end + 1 - begin));
    m_line.erase(0, begin);
    if (m_line.size() > mostLine)
        out += clean(std::exchange(m_line, {})) + "\n";
    keep(out);
    return out;
}

std::string Transcript::note(const std::string& text)
{
    std::string out = m_line.empty() ? std::string() : clean(std::exchange(m_line, {})) + "\n";
    out += clean("[" + text + "]") + "\n";
    keep(out);
    return out;
}

std::string Transcript::takePiece()
{
    if (!m_line.empty())
        keep(clean(std::exchange(m_line, {})) + "\n");
    std::string out = std::exchange(m_head, {});
    if (const std::size_t leftOut = std::exchange(m_leftOut, 0); leftOut > 0)
        out += "[… " + base::bytesText(double(leftOut)) + " left out …]\n";
    return out + std::exchange(m_tail, {});
}

} // namespace cudal1::agents
