// SPDX-License-Identifier: GPL-3.0-or-later
// Writes task files.
#include "core/synthesis/tasktext.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace cudal1::synthesis {

namespace {

bool isNamePart(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Where `name` first stands in `text` as a word of its own, and not as a keyword argument or an attribute; npos where
/// it does not.
std::size_t placeOf(std::string_view text, std::string_view name)
{
    for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        const bool begins = at == 0 || (!isNamePart(text[at - 1]) && text[at - 1] != '.');
        const bool ends = end == text.size() || !isNamePart(text[end]);
        const bool keyword = end < text.size() && text[end] == '=';
        if (begins && ends && !keyword)
            return at;
    }
    return std::string_view::npos;
}

std::string joined(const std::vector<std::string>& items)
{
    std::string out;
    for (const std::string& item : items)
        out += (out.empty() ? "" : ", ") + item;
    return out;
}

/// The docstring in lines of at most 100 characters.
std::string docstring(const std::string& text)
{
    std::string out = "\"\"\"";
    std::size_t width = 3, at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const bool breaks = width + end - at >= 100 && at > 0;
        out += (at == 0 ? "" : breaks ? "\n" : " ") + text.substr(at, end - at);
        width = (breaks ? 0 : width + 1) + end - at;
        at = end + 1;
    }
    return out + "\"\"\"\n";
}

} // namespace

std::string TaskText::uniqueIn(std::map<std::string, int>& used, const std::string& name)
{
    const int times = ++used[name];
    return times == 1 ? name : name + std::to_string(times);
}

std::string TaskText::size(const std::string& name, int value)
{
    return number(name, std::to_string(value));
}

std::string TaskText::number(const std::string& name, const std::string& value)
{
    for (const auto& [known, its] : m_sizes)
        if (its == value && known.starts_with(name) &&
            std::all_of(known.begin() + static_cast<std::ptrdiff_t>(name.size()), known.end(),
                        [](unsigned char c) { return std::isdigit(c); }))
            return known;
    m_sizes.emplace_back(uniqueIn(m_names, name), value);
    return m_sizes.back().first;
}

std::string TaskText::attribute(const std::string& name, const std::string& expression)
{
    const std::string own = uniqueIn(m_attributes, name);
    m_constructor.push_back("self." + own + " = " + expression);
    return "self." + own;
}

std::string TaskText::input(const std::string& name, const std::string& expression)
{
    const std::string own = uniqueIn(m_names, name);
    m_inputs.emplace_back(own, expression);
    return own;
}

std::string TaskText::local(const std::string& name)
{
    return uniqueIn(m_names, name);
}

void TaskText::statement(const std::string& line)
{
    m_forward.push_back(line);
}

std::string TaskText::text(const std::string& description) const
{
    std::string body, constructor;
    for (const std::string& line : m_forward)
        body += "        " + line + "\n";
    body += "        return " + m_result + "\n";
    std::vector<std::string> parameters, inputs, made;
    for (const std::string& line : m_constructor)
        constructor += "        " + line + "\n";
    for (const auto& [name, expression] : m_inputs) {
        inputs.push_back(name);
        made.push_back(expression);
    }
    // By where they first stand, not by when they were asked for: compilers differ in that within a statement.
    const std::string everything = joined(made) + "\n" + constructor + body;
    auto sizes = m_sizes;
    std::sort(sizes.begin(), sizes.end(), [&](const auto& a, const auto& b) {
        return placeOf(everything, a.first) < placeOf(everything, b.first);
    });
    for (const auto& [name, value] : sizes)
        if (placeOf(constructor, name) != std::string_view::npos)
            parameters.push_back(name);
    std::sort(parameters.begin(), parameters.end(), [&](const std::string& a, const std::string& b) {
        return placeOf(constructor, a) < placeOf(constructor, b);
    });
    std::string out = docstring(description) + "import torch\nimport torch.nn as nn\n";
    if (placeOf(body, "F") != std::string_view::npos)
        out += "import torch.nn.functional as F\n";
    out += "\n";
    for (const auto& [name, value] : sizes)
        out += name + " = " + value + "\n";
    out += "\n\nclass Model(nn.Module):\n    def __init__(self" +
           (parameters.empty() ? "" : ", " + joined(parameters)) + "):\n        super().__init__()\n" + constructor +
           "\n    def forward(self, " + joined(inputs) + "):\n" + body;
    out += "\n\ndef get_inputs():\n    return [" + joined(made) + "]\n";
    out += "\n\ndef get_init_inputs():\n    return [" + joined(parameters) + "]\n";
    return out;
}

} // namespace cudal1::synthesis
