// SPDX-License-Identifier: GPL-3.0-or-later
// A lexer that forgets names, and sets of rows of its tokens.
#include "core/collect/shingles.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <string_view>

namespace cudal1::collect {

namespace {

/// Of Python and of C; sorted.
constexpr std::array keywords{
    "False",   "None",     "True",     "and",      "as",       "assert", "await",  "break",  "case",   "class",
    "const",   "continue", "def",      "default",  "del",      "do",     "double", "elif",   "else",   "except",
    "finally", "float",    "for",      "from",     "global",   "half",   "if",     "import", "in",     "int",
    "is",      "lambda",   "long",     "nonlocal", "not",      "or",     "pass",   "raise",  "return", "static",
    "struct",  "switch",   "template", "try",      "unsigned", "void",   "while",  "with",   "yield"};

bool isNamePart(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80);
}

class Lexer {
public:
    Lexer(std::string_view text, bool python, std::vector<std::string>& out)
        : m_text(text), m_python(python), m_out(out)
    {
    }

    void run()
    {
        bool lineBegins = true;
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == '\n')
                lineBegins = true;
            if (std::isspace(static_cast<unsigned char>(c)) || c == '\\')
                ++m_at;
            else if (!comment() && !(m_python && string(lineBegins)))
                token();
            else
                continue;
            if (!std::isspace(static_cast<unsigned char>(c)))
                lineBegins = false;
        }
    }

private:
    bool follows(std::string_view word) const { return m_text.substr(m_at, word.size()) == word; }

    bool comment()
    {
        const bool line = m_python ? m_text[m_at] == '#' : follows("//");
        if (line)
            m_at = std::min(m_text.find('\n', m_at), m_text.size());
        else if (!m_python && follows("/*"))
            m_at = std::min(m_text.find("*/", m_at), m_text.size() - 2) + 2;
        else
            return false;
        return true;
    }

    /// A string with its prefix; one that is a statement of its own is a docstring.
    bool string(bool lineBegins)
    {
        std::size_t at = m_at;
        while (at < m_text.size() && at < m_at + 2 && std::isalpha(static_cast<unsigned char>(m_text[at])))
            ++at;
        if (at >= m_text.size() || (m_text[at] != '"' && m_text[at] != '\''))
            return false;
        const std::string_view quote = m_text.substr(at, m_text.substr(at, 3) == std::string(3, m_text[at]) ? 3 : 1);
        const std::size_t begin = at + quote.size();
        std::size_t end = begin;
        while (end < m_text.size() && m_text.substr(end, quote.size()) != quote)
            end += m_text[end] == '\\' ? 2 : 1;
        end = std::min(end, m_text.size());
        m_at = std::min(end + quote.size(), m_text.size());
        std::size_t behind = m_at;
        while (behind < m_text.size() && (m_text[behind] == ' ' || m_text[behind] == '\r'))
            ++behind;
        const bool alone = lineBegins && (behind == m_text.size() || m_text[behind] == '\n') && !m_out.empty() &&
                           m_out.back() != "(" && m_out.back() != "," && m_out.back() != "=";
        if (alone || (lineBegins && m_out.empty()))
            return true;
        m_out.emplace_back("\"");
        Lexer(m_text.substr(begin, end - begin), false, m_out).run();
        m_out.emplace_back("\"");
        return true;
    }

    void token()
    {
        std::size_t end = m_at + 1;
        if (isNamePart(m_text[m_at])) {
            const bool number = std::isdigit(static_cast<unsigned char>(m_text[m_at]));
            while (end < m_text.size() && (isNamePart(m_text[end]) || (number && m_text[end] == '.')))
                ++end;
            const std::string word(m_text.substr(m_at, end - m_at));
            const bool attribute = !m_out.empty() && m_out.back() == ".";
            const bool kept = number || attribute || std::binary_search(keywords.begin(), keywords.end(), word);
            m_out.push_back(kept ? word : "@");
        } else {
            m_out.emplace_back(m_text.substr(m_at, 1));
        }
        m_at = end;
    }

    std::string_view m_text;
    bool m_python;
    std::vector<std::string>& m_out;
    std::size_t m_at = 0;
};

} // namespace

std::vector<std::string> normalisedTokens(const std::string& source)
{
    std::vector<std::string> out;
    Lexer(source, true, out).run();
    return out;
}

std::vector<std::uint64_t> shinglesOf(const std::string& source)
{
    const std::vector<std::string> tokens = normalisedTokens(source);
    std::vector<std::uint64_t> out;
    const std::size_t rows = tokens.size() < shingleLength ? 1 : tokens.size() - shingleLength + 1;
    for (std::size_t at = 0; at < rows; ++at) {
        std::string row;
        for (std::size_t i = at; i < std::min(at + shingleLength, tokens.size()); ++i)
            row += tokens[i] + '\n';
        out.push_back(std::hash<std::string>()(row));
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

double similarity(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b)
{
    std::size_t both = 0;
    for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
        both += a[i] == b[k];
        const bool first = a[i] <= b[k], second = b[k] <= a[i];
        i += first;
        k += second;
    }
    const std::size_t either = a.size() + b.size() - both;
    return either == 0 ? 1 : double(both) / double(either);
}

} // namespace cudal1::collect
