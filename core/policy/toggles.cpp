// SPDX-License-Identifier: GPL-3.0-or-later
// Reader of toggles, over the scanner that tells code from text in strings and comments.
#include "core/policy/toggles.h"

#include "core/policy/pythonscanner.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>

namespace cudal1::policy {

namespace {

struct Assignment {
    std::string name;
    std::optional<Toggle> toggle; ///< empty when the value is no literal of a boolean
};

class Reader {
public:
    explicit Reader(const std::string& source) : m_source(source) {}

    base::Result<std::vector<Toggle>> run()
    {
        const auto module = scanPython(m_source);
        if (!module)
            return module.error();
        for (const PythonLine& line : module->lines)
            if (line.indent == 0)
                readLine(line.tokens);
        std::vector<Toggle> out;
        for (const Assignment& assignment : m_assignments)
            if (assignment.toggle)
                out.push_back(*assignment.toggle);
        return out;
    }

private:
    std::string text(const PythonToken& token) const { return m_source.substr(token.begin, token.end - token.begin); }
    bool is(const PythonToken& token, std::string_view wanted) const
    {
        return token.kind != PythonToken::Kind::String &&
               m_source.compare(token.begin, token.end - token.begin, wanted) == 0;
    }

    /// Statements that semicolons join.
    void readLine(std::span<const PythonToken> tokens)
    {
        while (!tokens.empty()) {
            const auto end = std::find_if(tokens.begin(), tokens.end(),
                                          [&](const PythonToken& token) { return is(token, ";"); });
            const auto count = static_cast<std::size_t>(end - tokens.begin());
            readStatement(tokens.first(count));
            tokens = tokens.subspan(std::min(count + 1, tokens.size()));
        }
    }

    /// NAME = … or NAME: ANNOTATION = …
    void readStatement(std::span<const PythonToken> tokens)
    {
        if (tokens.size() < 3 || tokens[0].kind != PythonToken::Kind::Name)
            return;
        const auto equals = std::find_if(tokens.begin() + 1, tokens.end(),
                                         [&](const PythonToken& token) { return is(token, "="); });
        if (equals == tokens.end() || equals + 1 == tokens.end() || is(equals[1], "="))
            return;
        if (equals != tokens.begin() + 1 && !is(tokens[1], ":"))
            return;
        const std::string name = text(tokens[0]);
        std::erase_if(m_assignments, [&](const Assignment& one) { return one.name == name; }); // the last one counts
        Assignment& assignment = m_assignments.emplace_back(Assignment{name, {}});
        const PythonToken& value = equals[1];
        if (equals + 2 != tokens.end() || (!is(value, "True") && !is(value, "False")))
            return;
        const auto line = 1 + std::count(m_source.begin(), m_source.begin() + static_cast<std::ptrdiff_t>(value.begin),
                                         '\n');
        assignment.toggle = Toggle{name, is(value, "True"), value.begin, value.end, static_cast<int>(line)};
    }

    const std::string& m_source;
    std::vector<Assignment> m_assignments; ///< of each name the last one
};

} // namespace

base::Result<std::vector<Toggle>> findToggles(const std::string& source)
{
    auto all = Reader(source).run();
    if (all)
        std::erase_if(*all, [](const Toggle& toggle) { return !toggle.name.starts_with("USE_"); });
    return all;
}

base::Result<std::vector<Toggle>> findSwitches(const std::string& source)
{
    auto all = Reader(source).run();
    if (all)
        std::stable_partition(all->begin(), all->end(),
                              [](const Toggle& toggle) { return toggle.name.starts_with("USE_"); });
    return all;
}

base::Result<std::vector<Toggle>> findToggles(const std::string& source, const std::vector<std::string>& names)
{
    const auto all = Reader(source).run();
    if (!all)
        return all.error();
    std::vector<Toggle> out;
    for (const std::string& name : names) {
        const auto found = std::find_if(all->begin(), all->end(), [&](const Toggle& one) { return one.name == name; });
        if (found == all->end()) {
            std::string has;
            for (const Toggle& one : *all)
                has += (has.empty() ? "" : ", ") + one.name;
            return base::Error{base::ErrorCode::NotFound, "The source has no toggle " + name,
                               has.empty() ? "it has none" : "it has " + has,
                               "A toggle is a line such as USE_CUDA_GRAPH = True at the left edge of the source"};
        }
        if (std::none_of(out.begin(), out.end(), [&](const Toggle& one) { return one.name == name; }))
            out.push_back(*found);
    }
    return out;
}

std::string withToggles(const std::string& source, const std::vector<Toggle>& toggles, std::uint32_t on)
{
    std::vector<std::pair<const Toggle*, bool>> order;
    for (std::size_t i = 0; i < toggles.size(); ++i)
        order.emplace_back(&toggles[i], (on >> i & 1U) != 0);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first->begin > b.first->begin; });
    std::string out = source;
    for (const auto& [toggle, value] : order)
        out.replace(toggle->begin, toggle->end - toggle->begin, value ? "True" : "False");
    return out;
}

std::string techniqueOf(const std::string& toggle)
{
    std::string out = toggle.starts_with("USE_") ? toggle.substr(4) : toggle;
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return c == ' ' ? '_' : static_cast<char>(std::tolower(c)); });
    return out;
}

} // namespace cudal1::policy
