// SPDX-License-Identifier: GPL-3.0-or-later
// Scanner of Python text: tokens, joined lines, classes and functions.
#include "core/policy/pythonscanner.h"

#include <algorithm>
#include <cctype>

namespace cudal1::policy {

namespace {

bool isNameStart(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80);
}
bool isNamePart(char c)
{
    return isNameStart(c) || std::isdigit(static_cast<unsigned char>(c));
}

class Scanner {
public:
    explicit Scanner(PythonModule& module) : m_module(module), m_text(module.text) {}

    base::Status run()
    {
        while (m_at < m_text.size()) {
            if (auto status = readLine(); !status)
                return status;
        }
        return {};
    }

private:
    base::Error error(std::string message, std::size_t at) const
    {
        const auto line = 1 + std::count(m_text.begin(),
                                         m_text.begin() + static_cast<std::ptrdiff_t>(std::min(at, m_text.size())),
                                         '\n');
        return {base::ErrorCode::Unreadable, std::move(message), "line " + std::to_string(line), {}};
    }

    base::Status readLine()
    {
        PythonLine line;
        line.begin = m_at;
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t' || m_text[m_at] == '\f')) {
            line.indent = m_text[m_at] == '\t' ? (line.indent / 8 + 1) * 8 : line.indent + 1;
            ++m_at;
        }
        int depth = 0;
        std::size_t opened = 0;
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == '\n') {
                ++m_at;
                if (depth == 0)
                    break;
            } else if (c == '\\' && m_at + 1 < m_text.size() &&
                       (m_text[m_at + 1] == '\n' || m_text[m_at + 1] == '\r')) {
                m_at += m_text[m_at + 1] == '\r' ? 3 : 2;
            } else if (std::isspace(static_cast<unsigned char>(c))) {
                ++m_at;
            } else if (c == '#') {
                m_at = std::min(m_text.find('\n', m_at), m_text.size());
            } else if (isStringStart()) {
                const std::size_t begin = m_at;
                if (!skipString())
                    return error("a string is not closed", begin);
                line.tokens.push_back({PythonToken::Kind::String, begin, m_at});
            } else if (isNameStart(c)) {
                line.tokens.push_back({PythonToken::Kind::Name, m_at, skipWhile(isNamePart)});
            } else if (std::isdigit(static_cast<unsigned char>(c))) {
                line.tokens.push_back(
                    {PythonToken::Kind::Number, m_at, skipWhile([](char x) { return isNamePart(x) || x == '.'; })});
            } else {
                if (c == '(' || c == '[' || c == '{') {
                    if (depth++ == 0)
                        opened = m_at;
                } else if (c == ')' || c == ']' || c == '}') {
                    if (--depth < 0)
                        return error("a bracket is closed that was not opened", m_at);
                }
                line.tokens.push_back({PythonToken::Kind::Operator, m_at, m_at + 1});
                ++m_at;
            }
        }
        if (depth != 0)
            return error("a bracket is not closed", opened);
        line.end = m_at;
        if (!line.tokens.empty())
            m_module.lines.push_back(std::move(line));
        return {};
    }

    template<class P> std::size_t skipWhile(P predicate)
    {
        while (m_at < m_text.size() && predicate(m_text[m_at]))
            ++m_at;
        return m_at;
    }

    bool isStringStart() const
    {
        std::size_t at = m_at;
        while (at < m_text.size() && at - m_at < 3 &&
               std::string_view("rRbBfFuU").find(m_text[at]) != std::string_view::npos)
            ++at;
        return at < m_text.size() && (m_text[at] == '"' || m_text[at] == '\'');
    }

    // A backslash keeps a quote from ending the string also in raw strings, where it stays in the value.
    bool skipString()
    {
        while (m_text[m_at] != '"' && m_text[m_at] != '\'')
            ++m_at;
        const char quote = m_text[m_at];
        const bool triple = m_text.compare(m_at, 3, std::string(3, quote)) == 0;
        const std::string closing(triple ? 3 : 1, quote);
        m_at += closing.size();
        while (m_at < m_text.size()) {
            if (m_text[m_at] == '\\') {
                m_at += 2;
            } else if (m_text.compare(m_at, closing.size(), closing) == 0) {
                m_at += closing.size();
                return true;
            } else if (!triple && m_text[m_at] == '\n') {
                return false;
            } else {
                ++m_at;
            }
        }
        return false;
    }

    PythonModule& m_module;
    const std::string& m_text;
    std::size_t m_at = 0;
};

std::string_view text(const PythonModule& module, const PythonToken& token)
{
    return std::string_view(module.text).substr(token.begin, token.end - token.begin);
}

std::string_view first(const PythonModule& module, const PythonLine& line)
{
    return text(module, line.tokens.front());
}

// Parameter names of `def f(self, a, b: int = 3, *rest)`: the name that opens each piece at bracket depth one.
void readParameters(const PythonModule& module, const PythonLine& line, PythonFunction& function)
{
    int depth = 0;
    bool expectName = false;
    std::string stars;
    std::size_t open = 0;
    for (const PythonToken& token : line.tokens) {
        const std::string_view word = text(module, token);
        if (word == "(" || word == "[" || word == "{") {
            if (++depth == 1) {
                expectName = true;
                open = token.end;
            }
        } else if (word == ")" || word == "]" || word == "}") {
            if (--depth == 0) {
                function.parameterText = module.text.substr(open, token.begin - open);
                break;
            }
        } else if (depth == 1 && word == ",") {
            expectName = true;
            stars.clear();
        } else if (depth == 1 && expectName && word == "*") {
            stars += '*';
        } else if (depth == 1 && expectName && token.kind == PythonToken::Kind::Name) {
            function.parameters.push_back(stars + std::string(word));
            expectName = false;
        }
    }
    if (!function.parameters.empty() && function.parameters.front() == "self")
        function.parameters.erase(function.parameters.begin());
}

/// Where the body begins when it stands on the line of its def; 0 when it does not.
std::size_t inlineBodyOf(const PythonModule& module, const PythonLine& line)
{
    int depth = 0;
    for (std::size_t i = 0; i + 1 < line.tokens.size(); ++i) {
        const std::string_view word = text(module, line.tokens[i]);
        if (word == "(" || word == "[" || word == "{")
            ++depth;
        else if (word == ")" || word == "]" || word == "}")
            --depth;
        else if (word == ":" && depth == 0)
            return line.tokens[i + 1].begin;
    }
    return 0;
}

/// Index after the block that line `at` opens: the first later line that is indented no deeper.
std::size_t blockEnd(const PythonModule& module, std::size_t at)
{
    std::size_t i = at + 1;
    while (i < module.lines.size() && module.lines[i].indent > module.lines[at].indent)
        ++i;
    return i;
}

std::vector<PythonFunction> functionsAt(const PythonModule& module, std::size_t from, std::size_t to, int indent)
{
    std::vector<PythonFunction> out;
    std::size_t decorators = module.lines.size();
    for (std::size_t i = from; i < to; ++i) {
        const PythonLine& line = module.lines[i];
        if (line.indent != indent)
            continue;
        if (first(module, line) == "@") {
            decorators = std::min(decorators, i);
            continue;
        }
        std::size_t def = 0;
        if (first(module, line) == "async" && line.tokens.size() > 1)
            def = 1;
        if (text(module, line.tokens[def]) == "def" && line.tokens.size() > def + 1) {
            PythonFunction function;
            function.name = text(module, line.tokens[def + 1]);
            function.begin = decorators < i ? module.lines[decorators].begin : line.begin;
            function.nameBegin = line.tokens[def + 1].begin;
            function.end = module.lines[blockEnd(module, i) - 1].end;
            function.indentation = module.text.substr(line.begin, line.tokens.front().begin - line.begin);
            function.inlineBody = inlineBodyOf(module, line);
            function.bodyIndentation = function.indentation + "    ";
            if (function.inlineBody == 0 && i + 1 < to) {
                const PythonLine& body = module.lines[i + 1];
                function.bodyIndentation = module.text.substr(body.begin, body.tokens.front().begin - body.begin);
            }
            readParameters(module, line, function);
            out.push_back(std::move(function));
        }
        decorators = module.lines.size();
    }
    return out;
}

} // namespace

const PythonFunction* PythonClass::method(std::string_view wanted) const
{
    const auto it = std::find_if(methods.begin(), methods.end(),
                                 [&](const PythonFunction& f) { return f.name == wanted; });
    return it == methods.end() ? nullptr : &*it;
}

const PythonClass* PythonModule::find(std::string_view name) const
{
    const auto it = std::find_if(classes.begin(), classes.end(), [&](const PythonClass& c) { return c.name == name; });
    return it == classes.end() ? nullptr : &*it;
}

std::string PythonModule::renamed(std::size_t begin, std::size_t end, std::string_view from, std::string_view to) const
{
    std::string out;
    std::size_t copied = begin;
    for (const PythonLine& line : lines) {
        for (std::size_t i = 0; i < line.tokens.size(); ++i) {
            const PythonToken& token = line.tokens[i];
            if (token.begin < begin || token.end > end || token.kind != PythonToken::Kind::Name ||
                policy::text(*this, token) != from)
                continue;
            if (i > 0 && policy::text(*this, line.tokens[i - 1]) == ".")
                continue;
            if (i > 0 && i + 1 < line.tokens.size() && policy::text(*this, line.tokens[i + 1]) == "=" &&
                (i + 2 >= line.tokens.size() || policy::text(*this, line.tokens[i + 2]) != "="))
                continue;
            out.append(text, copied, token.begin - copied).append(to);
            copied = token.end;
        }
    }
    return out.append(text, copied, end - copied);
}

base::Result<PythonModule> scanPython(std::string source)
{
    PythonModule module;
    module.text = std::move(source);
    if (!module.text.empty() && module.text.back() != '\n')
        module.text += '\n';
    if (auto status = Scanner(module).run(); !status)
        return status.error();
    for (std::size_t i = 0; i < module.lines.size(); ++i) {
        const PythonLine& line = module.lines[i];
        if (line.indent != 0)
            continue;
        const std::string_view word = first(module, line);
        if (word == "import" || word == "from" || (i == 0 && line.tokens.front().kind == PythonToken::Kind::String))
            module.importsEnd = line.end;
        if (word == "class" && line.tokens.size() > 1) {
            PythonClass found;
            found.name = text(module, line.tokens[1]);
            found.begin = line.begin;
            const std::size_t end = blockEnd(module, i);
            found.end = module.lines[end - 1].end;
            if (end > i + 1)
                found.methods = functionsAt(module, i + 1, end, module.lines[i + 1].indent);
            module.classes.push_back(std::move(found));
        }
    }
    module.functions = functionsAt(module, 0, module.lines.size(), 0);
    return module;
}

} // namespace cudal1::policy
