// SPDX-License-Identifier: GPL-3.0-or-later
// A recursive descent over the little of Python that inputs and constructor arguments are written in.
#include "core/tasks/inputspec.h"

#include "core/tasks/pythonletters.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace cudal1::tasks {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::array Dtypes{"float16", "bfloat16", "float32",   "float64",    "half",   "float",  "double",
                            "int8",    "int16",    "int32",     "int64",      "uint8",  "short",  "int",
                            "long",    "bool",     "complex64", "complex128", "cfloat", "cdouble"};

constexpr const char* WhatAnInputIs =
    "An input is a call such as randn(8, 3, 224, 224), randint(0, 10, (8,)) or ones(4, dtype=float16), "
    "or a number, True, False or a quoted text";
constexpr const char* WhatAConstantIs =
    "Constructor arguments are numbers, True, False, None, quoted texts, and tuples, lists or "
    "dictionaries of those: \"64, 10\"";

/// Thrown at the first character that does not fit.
struct Misfit {
    std::size_t at;
    std::string message;
    std::string hint;
};

class Reader {
public:
    Reader(std::string_view text, const ModuleScan& module) : m_text(text), m_module(module) { skipBlank(); }

    bool atEnd() const { return m_at >= m_text.size(); }

    std::string input()
    {
        if (atEnd())
            fail("an input is empty");
        std::string out;
        if (isNameStart(peek()) && !atPrefixedString()) {
            const std::size_t begin = m_at;
            std::string name = dottedName();
            if (peek() == '(')
                out = call(std::move(name), begin);
            else if (name == "True" || name == "False")
                out = name;
            else
                fail("'" + name + "' is no call and no literal", begin);
        } else {
            if (peek() == '(' || peek() == '[' || peek() == '{')
                fail("an input is one tensor or one value, not a list of them");
            out = value();
        }
        if (!atEnd())
            fail("nothing may follow the input");
        return out;
    }

    std::vector<std::string> values()
    {
        std::vector<std::string> out;
        while (!atEnd()) {
            if (isNameStart(peek()) && !atPrefixedString())
                refuseKeyword("a task's get_init_inputs gives arguments by place, not by name; write the values in the "
                              "order of __init__");
            out.push_back(value());
            if (!atEnd())
                expect(',');
        }
        return out;
    }

private:
    char peek(std::size_t ahead = 0) const { return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0'; }
    [[noreturn]] void fail(std::string message, std::size_t at, std::string hint = {}) const
    {
        throw Misfit{at, std::move(message), std::move(hint)};
    }
    [[noreturn]] void fail(std::string message) const { fail(std::move(message), m_at); }

    void skipBlank()
    {
        while (!atEnd() && std::isspace(static_cast<unsigned char>(peek())))
            ++m_at;
    }

    bool take(char c)
    {
        if (peek() != c)
            return false;
        ++m_at;
        skipBlank();
        return true;
    }

    void expect(char c)
    {
        if (take(c))
            return;
        fail(atEnd() ? std::string("the text ends where '") + c + "' should stand"
                     : std::string("'") + c + "' should stand here");
    }

    bool atPrefixedString() const { return (peek() == 'r' || peek() == 'R') && (peek(1) == '\'' || peek(1) == '"'); }

    std::string dottedName()
    {
        const std::size_t begin = m_at;
        while (isNameStart(peek()) || isDigit(peek()) || (peek() == '.' && isNameStart(peek(1))))
            ++m_at;
        std::string name(m_text.substr(begin, m_at - begin));
        skipBlank();
        return name;
    }

    std::string call(std::string name, std::size_t begin)
    {
        constexpr std::string_view Torch = "torch.";
        if (name.starts_with(Torch))
            name.erase(0, Torch.size());
        const auto& known = inputGenerators();
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            std::string list;
            for (const std::string& one : known)
                list += (list.empty() ? "" : ", ") + one;
            fail("'" + name + "' is none of the generators that an input may call", begin, "They are " + list);
        }
        std::string out = std::string(Torch) + name + "(";
        expect('(');
        for (bool first = true; peek() != ')'; first = false) {
            if (atEnd())
                fail("the text ends where ')' should stand");
            if (!first) {
                expect(',');
                if (peek() == ')')
                    break;
                out += ", ";
            }
            out += argument();
        }
        expect(')');
        return out + ")";
    }

    std::string argument()
    {
        const std::size_t begin = m_at;
        if (!isNameStart(peek()) || atPrefixedString())
            return value();
        const std::string name = dottedName();
        if (peek() != '=') {
            m_at = begin;
            return value();
        }
        if (name == "device")
            fail("an input names no device: the judge puts it where the task runs", begin);
        if (name == "generator" || name == "out" || name == "requires_grad" || name.find('.') != std::string::npos)
            fail("'" + name + "' cannot be given to an input", begin, "Sizes, limits and dtype can");
        expect('=');
        return name + "=" + value();
    }

    std::string value()
    {
        if (atEnd())
            fail("a value is missing");
        const char c = peek();
        if (c == '(' || c == '[')
            return sequence(c, c == '(' ? ')' : ']');
        if (c == '{')
            return dictionary();
        if (c == '"' || c == '\'' || atPrefixedString())
            return string();
        if (isDigit(c) || c == '.' || c == '-' || c == '+')
            return number();
        if (isNameStart(c))
            return name();
        fail(c == ',' || c == ')' || c == ']' ? "a value is missing" : std::string("'") + c + "' cannot stand here");
    }

    std::string sequence(char opening, char closing)
    {
        std::string out(1, opening);
        expect(opening);
        int count = 0;
        bool comma = false;
        while (peek() != closing) {
            if (count > 0)
                out += ", ";
            out += value();
            ++count;
            comma = take(',');
            if (!comma && peek() != closing)
                expect(closing);
        }
        expect(closing);
        if (opening == '(' && count == 1 && comma)
            out += ",";
        return out + closing;
    }

    std::string dictionary()
    {
        std::string out = "{";
        expect('{');
        while (peek() != '}') {
            out += (out.size() > 1 ? ", " : "") + value();
            expect(':');
            out += ": " + value();
            if (!take(',') && peek() != '}')
                expect('}');
        }
        expect('}');
        return out + "}";
    }

    std::string string()
    {
        const std::size_t begin = m_at;
        m_at += atPrefixedString();
        const char quote = peek();
        for (++m_at; peek() != quote; ++m_at) {
            if (atEnd() || peek() == '\n')
                fail("the quoted text is not closed", begin);
            if (peek() == '\\')
                ++m_at;
        }
        ++m_at;
        std::string out(m_text.substr(begin, m_at - begin));
        skipBlank();
        return out;
    }

    std::string number()
    {
        const std::size_t begin = m_at;
        if (peek() == '-' || peek() == '+')
            ++m_at;
        const std::size_t digits = m_at;
        if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
            m_at += 2;
            while (std::isxdigit(static_cast<unsigned char>(peek())))
                ++m_at;
            if (m_at == digits + 2)
                fail("this is no number", begin);
        } else {
            bool any = takeDigits();
            if (peek() == '.') {
                ++m_at;
                any = takeDigits() || any;
            }
            if (!any)
                fail("a number is missing", digits);
            if (peek() == 'e' || peek() == 'E') {
                m_at += 1 + (peek(1) == '-' || peek(1) == '+');
                if (!takeDigits())
                    fail("the exponent is missing");
            }
        }
        if (isNameStart(peek()))
            fail("this is no number", begin);
        if (digits + 1 < m_at && m_text[digits] == '0' && isDigit(m_text[digits + 1]))
            fail("a number does not begin with 0", begin);
        std::string out(m_text.substr(begin, m_at - begin));
        skipBlank();
        return out;
    }

    bool takeDigits()
    {
        const std::size_t begin = m_at;
        while (isDigit(peek()) || (peek() == '_' && m_at > begin && isDigit(peek(1))))
            ++m_at;
        return m_at > begin;
    }

    std::string name()
    {
        const std::size_t begin = m_at;
        const std::string found = dottedName();
        if (found == "True" || found == "False" || found == "None")
            return found;
        if (peek() == '(')
            fail("a call cannot stand here", begin);
        constexpr std::string_view Torch = "torch.";
        const std::string_view bare = found.starts_with(Torch) ? std::string_view(found).substr(Torch.size())
                                                               : std::string_view(found);
        // The file's own names come first: it may have a constant that is called `half`.
        if (m_module.find(found))
            return found;
        if (std::find(Dtypes.begin(), Dtypes.end(), bare) != Dtypes.end())
            return std::string(Torch) + std::string(bare);
        fail("the file defines no '" + found + "'", begin);
    }

    void refuseKeyword(const char* why)
    {
        const std::size_t begin = m_at;
        const std::string found = dottedName();
        if (peek() == '=' && peek(1) != '=')
            fail("'" + found + "=': " + why, begin);
        m_at = begin;
    }

    std::string_view m_text;
    const ModuleScan& m_module;
    std::size_t m_at = 0;
};

/// "column 9: randn(8, »x)": the text with a mark before what does not fit.
std::string placeOf(std::string_view text, std::size_t at)
{
    at = std::min(at, text.size());
    return "column " + std::to_string(at + 1) + ": " + std::string(text.substr(0, at)) + "»" +
           std::string(text.substr(at));
}

Error errorOf(const Misfit& misfit, std::string_view text, const char* hint)
{
    return Error{ErrorCode::InvalidArgument, misfit.message, placeOf(text, misfit.at),
                 misfit.hint.empty() ? hint : misfit.hint};
}

} // namespace

const std::vector<std::string>& inputGenerators()
{
    static const std::vector<std::string> names{"rand", "randn",  "randint",  "randperm", "zeros", "ones",
                                                "full", "arange", "linspace", "eye",      "tensor"};
    return names;
}

base::Result<std::string> inputExpression(std::string_view spec, const ModuleScan& module)
{
    try {
        return Reader(spec, module).input();
    } catch (const Misfit& misfit) {
        return errorOf(misfit, spec, WhatAnInputIs);
    }
}

base::Result<std::vector<std::string>> constructorValues(std::string_view text, const ModuleScan& module)
{
    try {
        return Reader(text, module).values();
    } catch (const Misfit& misfit) {
        return errorOf(misfit, text, WhatAConstantIs);
    }
}

} // namespace cudal1::tasks
