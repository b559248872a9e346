// SPDX-License-Identifier: GPL-3.0-or-later
// The lexer behind scanModule: one pass, a stack of brackets and a stack of class and function blocks.
#include "core/tasks/modulescan.h"

#include "core/tasks/pythonletters.h"

#include <cstddef>

namespace cudal1::tasks {
namespace {

bool isNewline(char c)
{
    return c == '\n' || c == '\r';
}

bool isName(std::string_view token)
{
    return !token.empty() && isNameStart(token.front());
}

bool isStringPrefix(std::string_view name)
{
    return name.size() <= 2 && name.find_first_not_of("rRbBuUfFtT") == std::string_view::npos;
}

class Scanner {
public:
    explicit Scanner(std::string_view source) : m_source(source) {}

    ModuleScan run()
    {
        while (!atEnd() && !m_scan.flaw)
            step();
        if (!m_scan.flaw && !m_brackets.empty())
            flaw(m_brackets.back().line, std::string("'") + m_brackets.back().character + "' is never closed");
        if (!m_scan.flaw)
            finishStatement();
        m_scan.lines = m_line;
        return std::move(m_scan);
    }

private:
    struct Bracket {
        char character;
        int line;
    };

    bool atEnd() const { return m_at >= m_source.size(); }
    char peek(std::size_t ahead = 0) const { return m_at + ahead < m_source.size() ? m_source[m_at + ahead] : '\0'; }
    void flaw(int line, std::string message) { m_scan.flaw = SyntaxFlaw{line, std::move(message)}; }

    void takeNewline()
    {
        m_at += peek() == '\r' && peek(1) == '\n' ? 2 : 1;
        // A final newline ends a line; it does not begin one.
        if (!atEnd())
            ++m_line;
    }

    void step()
    {
        if (m_atLineStart) {
            m_atLineStart = false;
            readIndent();
            return;
        }
        const char c = peek();
        if (isNewline(c)) {
            if (m_brackets.empty()) {
                finishStatement();
                m_atLineStart = true;
            }
            takeNewline();
        } else if (c == '\\' && isNewline(peek(1))) {
            ++m_at;
            takeNewline();
        } else if (c == '#') {
            while (!atEnd() && !isNewline(peek()))
                ++m_at;
        } else if (c == '"' || c == '\'') {
            readString(false);
        } else if (isNameStart(c)) {
            readName();
        } else if (isDigit(c)) {
            while (isNameStart(peek()) || isDigit(peek()) || peek() == '.')
                ++m_at;
            token("0");
        } else if (c == ' ' || c == '\t' || c == '\f') {
            ++m_at;
        } else {
            readPunctuation(c);
        }
    }

    void readIndent()
    {
        int indent = 0;
        for (; peek() == ' ' || peek() == '\t' || peek() == '\f'; ++m_at)
            indent = peek() == ' ' ? indent + 1 : peek() == '\t' ? (indent / 8 + 1) * 8 : 0;
        m_indent = indent;
        m_lineOpenedScope = false;
    }

    void readName()
    {
        const std::size_t begin = m_at;
        while (isNameStart(peek()) || isDigit(peek()))
            ++m_at;
        const auto name = m_source.substr(begin, m_at - begin);
        if ((peek() == '"' || peek() == '\'') && isStringPrefix(name))
            readString(name.find_first_of("fFtT") != std::string_view::npos);
        else
            token(name);
    }

    // A formatted string may hold line ends within its braces since Python 3.12.
    void readString(bool formatted)
    {
        const int begin = m_line;
        const char quote = peek();
        const bool triple = peek(1) == quote && peek(2) == quote;
        m_at += triple ? 3 : 1;
        token("\"");
        int braces = 0;
        while (!atEnd()) {
            const char c = peek();
            if (c == '\\') {
                ++m_at;
                if (isNewline(peek()))
                    takeNewline();
                else
                    ++m_at;
            } else if (isNewline(c)) {
                if (!triple && braces == 0)
                    return flaw(begin, "a string is not closed on its line");
                takeNewline();
            } else if (c == quote && (!triple || (peek(1) == quote && peek(2) == quote))) {
                m_at += triple ? 3 : 1;
                return;
            } else if (formatted && braces == 0 && (c == '{' || c == '}') && peek(1) == c) {
                m_at += 2; // doubled, it is a brace of the text
            } else {
                if (formatted && c == '{')
                    ++braces;
                else if (formatted && c == '}' && braces > 0)
                    --braces;
                ++m_at;
            }
        }
        flaw(begin, triple ? "a triple-quoted string is never closed" : "a string is not closed on its line");
    }

    void readPunctuation(char c)
    {
        ++m_at;
        if (c == '(' || c == '[' || c == '{') {
            token(m_source.substr(m_at - 1, 1));
            m_brackets.push_back({c, m_line});
        } else if (c == ')' || c == ']' || c == '}') {
            const char opening = c == ')' ? '(' : c == ']' ? '[' : '{';
            if (m_brackets.empty())
                return flaw(m_line, std::string("'") + c + "' closes nothing");
            if (m_brackets.back().character != opening) {
                return flaw(m_line, std::string("'") + c + "' does not close '" + m_brackets.back().character +
                                        "' of line " + std::to_string(m_brackets.back().line));
            }
            m_brackets.pop_back();
        } else if (c == ';' && m_brackets.empty()) {
            finishStatement();
        } else if (peek() == '=' && std::string_view("=!<>+-*/%&|^@:").find(c) != std::string_view::npos) {
            ++m_at;
            token(m_source.substr(m_at - 2, 2));
        } else {
            token(m_source.substr(m_at - 1, 1));
        }
    }

    // Three tokens tell what a statement binds, except of an import, which may name many.
    void token(std::string_view text)
    {
        if (m_tokens.empty())
            m_statementLine = m_line;
        if (text == "=" && m_brackets.empty())
            m_assigns = true;
        if (m_tokens.size() < 3 || m_tokens.front() == "from" || m_tokens.front() == "import")
            m_tokens.push_back(text);
    }

    std::string_view tokenAt(std::size_t i) const { return i < m_tokens.size() ? m_tokens[i] : std::string_view(); }

    void bind(std::string_view name, Binding::Kind kind, bool moduleLevel)
    {
        // Half-typed code may lack the name.
        if (isName(name))
            m_scan.bindings.push_back({std::string(name), kind, m_statementLine, moduleLevel});
    }

    void finishStatement()
    {
        if (!m_tokens.empty() && !m_lineOpenedScope)
            record();
        m_tokens.clear();
        m_assigns = false;
    }

    void record()
    {
        while (!m_scopes.empty() && m_scopes.back() >= m_indent)
            m_scopes.pop_back();
        const bool moduleLevel = m_scopes.empty();
        const bool async = tokenAt(0) == "async";
        const auto keyword = tokenAt(async ? 1 : 0);
        if (keyword == "def" || keyword == "class") {
            bind(tokenAt(async ? 2 : 1), keyword == "class" ? Binding::Kind::Class : Binding::Kind::Function,
                 moduleLevel);
            m_scopes.push_back(m_indent);
            m_lineOpenedScope = true;
        } else if (keyword == "from" || keyword == "import") {
            recordImport(moduleLevel);
        } else if (isName(keyword) && m_assigns && (tokenAt(1) == "=" || tokenAt(1) == ":")) {
            bind(keyword, Binding::Kind::Assignment, moduleLevel);
        }
    }

    void recordImport(bool moduleLevel)
    {
        if (tokenAt(0) == "from" && tokenAt(1) == ".")
            m_scan.relativeImports.push_back(m_statementLine);
        bool names = false;
        for (std::size_t i = 0; i < m_tokens.size(); ++i) {
            if (m_tokens[i] == "import")
                names = true;
            else if (names && isName(m_tokens[i]) && m_tokens[i] != "as" && tokenAt(i + 1) != "as")
                bind(m_tokens[i], Binding::Kind::Import, moduleLevel);
        }
    }

    std::string_view m_source;
    std::size_t m_at = 0;
    int m_line = 1;
    int m_indent = 0;
    int m_statementLine = 1;
    bool m_atLineStart = true;
    bool m_lineOpenedScope = false; ///< the rest of the line belongs to a class or function on the same line
    bool m_assigns = false;
    std::vector<std::string_view> m_tokens;
    std::vector<Bracket> m_brackets;
    std::vector<int> m_scopes; ///< indents of the classes and functions around the statement
    ModuleScan m_scan;
};

} // namespace

const Binding* ModuleScan::find(std::string_view name) const
{
    for (const Binding& binding : bindings) {
        if (binding.moduleLevel && binding.name == name)
            return &binding;
    }
    return nullptr;
}

ModuleScan scanModule(std::string_view source)
{
    return Scanner(source).run();
}

} // namespace cudal1::tasks
