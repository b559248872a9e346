// SPDX-License-Identifier: GPL-3.0-or-later
// Output to terminals and files.
#include "app/cli/terminal.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace cudal1::cli {

namespace {

bool dumb()
{
    const char* term = std::getenv("TERM");
    return !term || std::string_view(term) == "dumb";
}

/// 0 where it is no terminal.
int widthOf(int descriptor)
{
    winsize size{};
    return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool continues(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

} // namespace

int outputWidth()
{
    const int width = widthOf(STDOUT_FILENO);
    return width > 0 ? std::clamp(width, 60, 120) : 100;
}

int tableWidth()
{
    const int width = widthOf(STDOUT_FILENO);
    return width > 0 && ::isatty(STDOUT_FILENO) ? std::max(width, 60) : 0;
}

int displayWidth(std::string_view text)
{
    int width = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\033') { // colours take no room: up to and with the 'm'
            at = std::min(text.find('m', at), text.size());
            continue;
        }
        width += !continues(text[at]);
    }
    return width;
}

std::string elided(std::string_view text, int width)
{
    if (displayWidth(text) <= width)
        return std::string(text);
    std::string out;
    int left = width - 1;
    bool isCut = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\033') {
            const std::size_t end = std::min(text.find('m', at), text.size() - 1);
            out += text.substr(at, end - at + 1);
            at = end;
            continue;
        }
        if (!continues(text[at]) && left-- <= 0 && !isCut) {
            isCut = true;
            out += "…";
        }
        if (!isCut)
            out += text[at];
    }
    return out;
}

Terminal::Terminal(bool json, bool quiet, Color color, std::chrono::seconds untilFirstLine)
    : m_json(json), m_quiet(quiet), m_nextLine(std::chrono::steady_clock::now() + untilFirstLine)
{
    const char* noColour = std::getenv("NO_COLOR");
    m_colour = color == Color::Always ||
               (color == Color::Auto && ::isatty(STDOUT_FILENO) && !dumb() && !(noColour && *noColour));
    m_live = ::isatty(STDERR_FILENO) && !dumb();
}

Terminal::~Terminal()
{
    clearLive();
}

std::string Terminal::toned(Tone tone, std::string_view text) const
{
    const char* code = "";
    switch (tone) {
    case Tone::Plain: break;
    case Tone::Strong: code = "1"; break;
    case Tone::Dim: code = "2"; break;
    case Tone::Good: code = "32"; break;
    case Tone::Bad: code = "31"; break;
    case Tone::Warn: code = "33"; break;
    }
    if (!m_colour || !*code)
        return std::string(text);
    return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

void Terminal::print(std::string_view text)
{
    if (m_json)
        return;
    clearLive();
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
}

void Terminal::live(std::string_view text)
{
    if (m_quiet)
        return;
    if (!m_live) {
        m_last = text;
        return lineNowAndThen();
    }
    const int width = widthOf(STDERR_FILENO);
    std::fprintf(stderr, "\r%s\033[K", elided(text, (width > 0 ? width : 80) - 1).c_str());
    std::fflush(stderr);
    m_shown = true;
}

void Terminal::remind()
{
    if (!m_live && !m_quiet && !m_last.empty())
        lineNowAndThen();
}

void Terminal::lineNowAndThen()
{
    const auto now = std::chrono::steady_clock::now();
    if (now < m_nextLine)
        return;
    m_nextLine = now + std::chrono::seconds(30);
    std::fprintf(stderr, "%s\n", m_last.c_str());
    std::fflush(stderr);
}

void Terminal::clearLive()
{
    m_last.clear();
    if (!m_shown)
        return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    m_shown = false;
}

void Terminal::note(std::string_view text)
{
    if (!m_quiet)
        complain(text);
}

void Terminal::complain(std::string_view text)
{
    clearLive();
    std::fprintf(stderr, "%.*s\n", int(text.size()), text.data());
    std::fflush(stderr);
}

} // namespace cudal1::cli
