// SPDX-License-Identifier: GPL-3.0-or-later
// A small lexer of Python strings and a small lexer of C++; neither needs the text to be correct.
#include "ui/editor/embeddedcode.h"

#include <algorithm>
#include <iterator>

namespace cudal1::ui {

namespace {

using Kind = CodeToken::Kind;

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isName(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c) || c == '_' || (c & 0x80);
}

template<std::size_t N> bool among(const std::string_view (&sorted)[N], std::string_view word)
{
    return std::binary_search(std::begin(sorted), std::end(sorted), word);
}

constexpr std::string_view keywords[] = {"__constant__",
                                         "__device__",
                                         "__forceinline__",
                                         "__global__",
                                         "__host__",
                                         "__launch_bounds__",
                                         "__noinline__",
                                         "__restrict__",
                                         "__shared__",
                                         "alignas",
                                         "asm",
                                         "auto",
                                         "break",
                                         "case",
                                         "catch",
                                         "class",
                                         "const",
                                         "constexpr",
                                         "continue",
                                         "decltype",
                                         "default",
                                         "delete",
                                         "do",
                                         "else",
                                         "enum",
                                         "extern",
                                         "false",
                                         "for",
                                         "if",
                                         "inline",
                                         "namespace",
                                         "new",
                                         "nullptr",
                                         "operator",
                                         "private",
                                         "public",
                                         "reinterpret_cast",
                                         "requires",
                                         "return",
                                         "sizeof",
                                         "static",
                                         "static_cast",
                                         "struct",
                                         "switch",
                                         "template",
                                         "this",
                                         "throw",
                                         "true",
                                         "try",
                                         "typedef",
                                         "typename",
                                         "union",
                                         "using",
                                         "virtual",
                                         "void",
                                         "volatile",
                                         "while",
                                         "wmma"};
constexpr std::string_view types[] = {
    "Tensor", "__half",   "__half2", "__nv_bfloat16", "bfloat16", "bool",    "char",     "cudaError_t", "cudaStream_t",
    "dim3",   "double",   "float",   "float2",        "float3",   "float4",  "half",     "half2",       "int",
    "int2",   "int32_t",  "int4",    "int64_t",       "int8_t",   "long",    "scalar_t", "short",       "signed",
    "size_t", "uint32_t", "uint4",   "uint64_t",      "uint8_t",  "unsigned"};
constexpr std::string_view builtins[] = {"blockDim", "blockIdx", "gridDim", "threadIdx", "warpSize"};
static_assert(std::ranges::is_sorted(keywords) && std::ranges::is_sorted(types) && std::ranges::is_sorted(builtins));

// Words that C++ and CUDA have and the prose of a docstring has not.
constexpr std::string_view marks[] = {"__global__",    "__device__", "#include", "#define",   "extern \"C\"",
                                      "torch::Tensor", "at::Tensor", "blockIdx", "threadIdx", "std::"};

bool readsLikeCpp(std::string_view text)
{
    // A docstring may mention a kernel; code also has a statement's or a directive's marks.
    return text.find_first_of(";#") != std::string_view::npos &&
           std::any_of(std::begin(marks), std::end(marks),
                       [text](std::string_view mark) { return text.find(mark) != std::string_view::npos; });
}

class Lexer {
public:
    Lexer(std::string_view text, int offset) : m_text(text), m_offset(offset) {}

    std::vector<CodeToken> run()
    {
        bool lineStart = true;
        while (m_at < m_text.size()) {
            const std::size_t begin = m_at;
            const char c = m_text[m_at];
            if (starts("//")) {
                toLineEnd();
                add(begin, Kind::Comment);
            } else if (starts("/*")) {
                const std::size_t end = m_text.find("*/", m_at + 2);
                m_at = end == std::string_view::npos ? m_text.size() : end + 2;
                add(begin, Kind::Comment);
            } else if (c == '#' && lineStart) {
                directive();
            } else if (c == '"' || c == '\'') {
                string(c);
                add(begin, Kind::String);
            } else if (isDigit(c) || (c == '.' && m_at + 1 < m_text.size() && isDigit(m_text[m_at + 1]))) {
                number();
                add(begin, Kind::Number);
            } else if (isName(c)) {
                name();
            } else {
                ++m_at;
                add(begin, Kind::Plain);
                if (c == '\n' || c == '\r')
                    lineStart = true;
                else if (c != ' ' && c != '\t')
                    lineStart = false;
                continue;
            }
            lineStart = false;
        }
        return std::move(m_tokens);
    }

private:
    bool starts(std::string_view what) const { return m_text.substr(m_at, what.size()) == what; }

    void toLineEnd() { m_at = std::min(m_text.find_first_of("\r\n", m_at), m_text.size()); }

    void directive()
    {
        const std::size_t begin = m_at++;
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t'))
            ++m_at;
        const std::size_t word = m_at;
        while (m_at < m_text.size() && isName(m_text[m_at]))
            ++m_at;
        add(begin, Kind::Preprocessor);
        if (m_text.substr(word, m_at - word) != "include")
            return;
        const std::size_t rest = m_at;
        toLineEnd();
        add(rest, Kind::String);
    }

    void string(char quote)
    {
        for (++m_at; m_at < m_text.size() && m_text[m_at] != '\n'; ++m_at) {
            if (m_text[m_at] == '\\')
                ++m_at;
            else if (m_text[m_at] == quote) {
                ++m_at;
                return;
            }
        }
        m_at = std::min(m_at, m_text.size());
    }

    void number()
    {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            const bool exponent = (c == '+' || c == '-') && (m_text[m_at - 1] == 'e' || m_text[m_at - 1] == 'E');
            if (!isName(c) && c != '.' && !exponent)
                return;
            ++m_at;
        }
    }

    void name()
    {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && isName(m_text[m_at]))
            ++m_at;
        const std::string_view word = m_text.substr(begin, m_at - begin);
        std::size_t next = m_at;
        while (next < m_text.size() && m_text[next] == ' ')
            ++next;
        const bool called = next < m_text.size() && (m_text[next] == '(' || m_text.substr(next, 3) == "<<<");
        add(begin, among(keywords, word)   ? Kind::Keyword
                   : among(types, word)    ? Kind::Type
                   : among(builtins, word) ? Kind::Builtin
                   : called                ? Kind::Function
                                           : Kind::Plain);
    }

    void add(std::size_t begin, Kind kind)
    {
        if (begin == m_at)
            return;
        const int first = int(begin) + m_offset, count = int(m_at - begin);
        if (!m_tokens.empty() && m_tokens.back().kind == kind)
            m_tokens.back().count += count;
        else
            m_tokens.push_back({first, count, kind});
    }

    std::string_view m_text;
    int m_offset;
    std::size_t m_at = 0;
    std::vector<CodeToken> m_tokens;
};

} // namespace

std::vector<EmbeddedText> embeddedCpp(std::string_view python)
{
    std::vector<EmbeddedText> found;
    for (std::size_t at = 0; at < python.size();) {
        const char c = python[at];
        if (c == '#') {
            at = std::min(python.find_first_of("\r\n", at), python.size());
            continue;
        }
        if (c != '"' && c != '\'') {
            ++at;
            continue;
        }
        const bool triple = python.substr(at, 3) == std::string_view(c == '"' ? "\"\"\"" : "'''");
        const std::size_t begin = at + (triple ? 3 : 1);
        std::size_t end = begin;
        // A backslash keeps a quote from ending even a raw string.
        for (; end < python.size(); ++end) {
            if (python[end] == '\\')
                ++end;
            else if (triple ? python.substr(end, 3) == python.substr(at, 3) : python[end] == c || python[end] == '\n')
                break;
        }
        end = std::min(end, python.size());
        if (const std::string_view inside = python.substr(begin, end - begin); readsLikeCpp(inside))
            found.push_back({int(begin), int(inside.size())});
        at = std::min(end + (triple ? 3 : 1), python.size());
    }
    return found;
}

std::vector<CodeToken> cppTokens(std::string_view text, int offset)
{
    return Lexer(text, offset).run();
}

} // namespace cudal1::ui
