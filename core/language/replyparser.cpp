// SPDX-License-Identifier: GPL-3.0-or-later
// Replies read line by line: what is thought, what is a heading, what is a block of code.
#include "core/language/replyparser.h"

#include "core/base/cuttext.h"
#include "core/policy/pythonscanner.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <vector>

namespace cudal1::language {

namespace {

enum Section { Analysis, Design, Implementation };
constexpr std::array<std::string_view, 3> titles{"Performance Analysis", "Algorithm Design", "Code Implementation"};

struct Fence {
    char sign = '`';
    std::size_t length = 0, indent = 0;
    std::string_view language;
};

struct SectionHeading {
    std::size_t line = 0;
    Section section = Analysis;
    std::string_view rest; ///< what stands behind the title on its line
};

struct CodeBlock {
    std::size_t open = 0, close = 0; ///< lines of the fences, or the last line where there is no second one
    std::size_t indent = 0;
    bool closed = false; ///< something follows it
    bool ownEnd = true;  ///< the last line is a fence and no code

    std::size_t end() const { return ownEnd ? close : close + 1; }
};

/// Takes `word` off the front of `text`, whatever its case.
bool takeWord(std::string_view& text, std::string_view word)
{
    if (text.size() < word.size())
        return false;
    for (std::size_t at = 0; at < word.size(); ++at)
        if (std::tolower(static_cast<unsigned char>(text[at])) != std::tolower(static_cast<unsigned char>(word[at])))
            return false;
    text.remove_prefix(word.size());
    return true;
}

std::size_t takeAll(std::string_view& text, std::string_view signs)
{
    const std::size_t count = std::min(text.find_first_not_of(signs), text.size());
    text.remove_prefix(count);
    return count;
}

std::optional<Fence> fenceOf(std::string_view line)
{
    Fence out;
    out.indent = takeAll(line, " \t");
    out.sign = line.starts_with('~') ? '~' : '`';
    out.length = takeAll(line, std::string_view(&out.sign, 1));
    out.language = base::trimmed(line);
    if (out.length < 3 || out.language.find('`') != std::string_view::npos)
        return {};
    return out;
}

/// "## 1. **Performance Analysis:** the first words": any of the signs may be missing, but not all, unless nothing
/// stands behind the title. Otherwise "Performance analysis shows …" would be one.
std::optional<SectionHeading> headingOf(std::string_view line, std::size_t number)
{
    takeAll(line, " \t>");
    bool marked = takeAll(line, "#") > 0;
    takeAll(line, " \t");
    marked = takeAll(line, "*_") > 0 || marked;
    if (takeWord(line, "section") || takeWord(line, "part"))
        takeAll(line, " \t");
    if (takeAll(line, "0123456789.()") > 0) { // also "(3.1)"
        takeAll(line, " \t:-");
        marked = true;
    }
    marked = takeAll(line, "*_#") > 0 || marked;
    takeAll(line, " \t");
    for (std::size_t at = 0; at < titles.size(); ++at) {
        std::string_view rest = line;
        if (!takeWord(rest, titles[at]))
            continue;
        const bool ended = rest.empty() || !std::isalnum(static_cast<unsigned char>(rest.front()));
        const bool colon = takeAll(rest, "*_#: \t") > 0;
        if (!ended || (!marked && !rest.empty()))
            return {};
        return SectionHeading{number, static_cast<Section>(at), colon ? base::trimmed(rest) : std::string_view()};
    }
    return {};
}

class ReplyReader {
public:
    explicit ReplyReader(const std::string& text)
    {
        for (std::size_t at = 0; at <= text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            std::string_view line = std::string_view(text).substr(at, end - at);
            if (line.ends_with('\r'))
                line.remove_suffix(1);
            m_lines.push_back(line);
            at = end + 1;
        }
        read();
    }

    ParsedReply parsed(bool cutOff) const
    {
        ParsedReply out;
        const CodeBlock* program = nullptr;
        for (const CodeBlock& block : m_blocks)
            if (defines(block) && (block.closed || !cutOff) &&
                (!program || !inImplementation(*program) || inImplementation(block)))
                program = &block;
        std::array<std::string, 3> sections;
        for (std::size_t at = 0; at < m_headings.size(); ++at) {
            const std::size_t end = at + 1 < m_headings.size() ? m_headings[at + 1].line : m_lines.size();
            std::string text = textBetween(m_headings[at], end, program);
            if (!text.empty())
                sections[m_headings[at].section] = std::move(text);
        }
        out.performanceAnalysis = std::move(sections[Analysis]);
        out.algorithmDesign = std::move(sections[Design]);
        out.codeImplementation = std::move(sections[Implementation]);
        if (program) {
            out.source = contentOf(*program);
        } else if (m_blocks.empty() && !cutOff) {
            out.source = unfenced();
            if (!out.source.empty()) // the section is the program
                out.codeImplementation.clear();
        }
        out.missing = missing(out);
        if (out.source.empty())
            out.why = whyNot(cutOff, out);
        return out;
    }

private:
    void read()
    {
        // Of each line: the longest fence behind it that could close a block, by its sign.
        std::array<std::vector<std::size_t>, 2> closing;
        closing.fill(std::vector<std::size_t>(m_lines.size() + 1, 0));
        for (std::size_t at = m_lines.size(); at-- > 0;) {
            const auto fence = fenceOf(m_lines[at]);
            for (std::size_t sign = 0; sign < 2; ++sign) {
                const bool fits = fence && fence->language.empty() && (fence->sign == '~') == (sign == 1);
                closing[sign][at] = std::max(closing[sign][at + 1], fits ? fence->length : 0);
            }
        }
        std::optional<Fence> open;
        bool willClose = false;
        for (std::size_t at = 0; at < m_lines.size(); ++at) {
            const auto fence = fenceOf(m_lines[at]);
            const auto heading = fence ? std::nullopt : headingOf(m_lines[at], at);
            // A block that nobody closes ends where a heading of the reply or another block begins.
            if (open && !willClose &&
                ((heading && m_lines[at].starts_with("##")) || (fence && !fence->language.empty()))) {
                m_blocks.back().close = at - 1;
                m_blocks.back().closed = true;
                m_blocks.back().ownEnd = false;
                open.reset();
            }
            if (!open && fence) {
                open = fence;
                willClose = closing[fence->sign == '~'][at + 1] >= fence->length;
                m_blocks.push_back({at, m_lines.size(), fence->indent});
            } else if (!open && heading) {
                m_headings.push_back(*heading);
            } else if (open && fence && fence->sign == open->sign && fence->length >= open->length &&
                       fence->language.empty()) {
                m_blocks.back().close = at;
                m_blocks.back().closed = true;
                open.reset();
            }
        }
    }

    bool inImplementation(const CodeBlock& block) const
    {
        const auto after = std::upper_bound(
            m_headings.begin(), m_headings.end(), block.open,
            [](std::size_t line, const SectionHeading& one) { return line < one.line; });
        return after != m_headings.begin() && std::prev(after)->section == Implementation;
    }

    std::string contentOf(const CodeBlock& block) const
    {
        std::string out;
        for (std::size_t at = block.open + 1; at < std::min(block.end(), m_lines.size()); ++at) {
            std::string_view line = m_lines[at];
            const std::size_t blank = std::min(line.find_first_not_of(" \t"), line.size());
            line.remove_prefix(std::min(blank, block.indent));
            out += std::string(line) + "\n";
        }
        while ((!block.closed || !block.ownEnd) && out.ends_with("\n\n"))
            out.pop_back();
        return out;
    }

    static bool beginsModelNew(std::string_view line)
    {
        if (!line.starts_with("class ModelNew"))
            return false;
        line.remove_prefix(std::string_view("class ModelNew").size());
        return !line.empty() && !std::isalnum(static_cast<unsigned char>(line.front())) && line.front() != '_';
    }

    bool defines(const CodeBlock& block) const
    {
        const std::string content = contentOf(block);
        // What the scanner cannot read is left to the judge, who says what is wrong with it.
        if (const auto module = policy::scanPython(content))
            return module->find("ModelNew") != nullptr;
        for (std::size_t at = 0; at < content.size(); at = content.find('\n', at) + 1)
            if (beginsModelNew(std::string_view(content).substr(at)))
                return true;
        return false;
    }

    /// The program of a reply without fences.
    std::string unfenced() const
    {
        const auto found = std::find_if(m_lines.begin(), m_lines.end(), &ReplyReader::beginsModelNew);
        if (found == m_lines.end())
            return {};
        const std::size_t line = std::size_t(found - m_lines.begin());
        std::size_t begin = 0, end = m_lines.size();
        for (const SectionHeading& heading : m_headings) {
            if (heading.line < line)
                begin = heading.line + 1;
            else
                end = std::min(end, heading.line);
        }
        while (begin < line && !m_lines[begin].starts_with("import ") && !m_lines[begin].starts_with("from "))
            ++begin;
        std::string out;
        for (std::size_t at = begin; at < end; ++at)
            out += std::string(m_lines[at]) + "\n";
        while (out.ends_with("\n\n"))
            out.pop_back();
        return out;
    }

    std::string textBetween(const SectionHeading& heading, std::size_t end, const CodeBlock* program) const
    {
        std::string out(heading.rest);
        for (std::size_t at = heading.line + 1; at < end; ++at)
            if (!program || at < program->open || at > program->close)
                out += "\n" + std::string(m_lines[at]);
        return std::string(base::trimmed(out));
    }

    /// "and lacks the sections …" without its first word.
    std::string missing(const ParsedReply& reply) const
    {
        std::vector<std::string_view> names;
        if (reply.performanceAnalysis.empty())
            names.push_back(titles[Analysis]);
        if (reply.algorithmDesign.empty())
            names.push_back(titles[Design]);
        if (reply.source.empty() && reply.codeImplementation.empty())
            names.push_back(titles[Implementation]);
        std::string out;
        for (std::size_t at = 0; at < names.size(); ++at)
            out += (at == 0 ? "" : at + 1 == names.size() ? " and " : ", ") + std::string(names[at]);
        return out.empty() ? out : "It lacks the section" + std::string(names.size() > 1 ? "s " : " ") + out + ".";
    }

    std::string whyNot(bool cutOff, const ParsedReply& reply) const
    {
        std::string what;
        if (cutOff)
            return m_blocks.empty() ? "It was cut off at its limit of length before its program began."
                                    : "It was cut off at its limit of length before its program was complete.";
        what = m_blocks.empty() ? "It has no block of code" : "Its code defines no class ModelNew";
        if (reply.missing.empty())
            return what + ".";
        std::string lacks = reply.missing.substr(std::string_view("It ").size());
        return what + (m_blocks.empty() ? " and " : ", and it ") + lacks;
    }

    std::vector<std::string_view> m_lines;
    std::vector<CodeBlock> m_blocks;
    std::vector<SectionHeading> m_headings;
};

struct Thought {
    std::string rest;      ///< the reply without what was thought
    bool thinking = false; ///< to its very end
    bool any = false;
};

Thought thoughtOf(const std::string& reply)
{
    constexpr std::string_view opening = "<think>", closing = "</think>";
    Thought out;
    std::size_t at = 0;
    // Many templates of chats open it in the prompt.
    if (const std::size_t close = reply.find(closing); close < reply.find(opening)) {
        at = close + closing.size();
        out.any = true;
    }
    bool code = false; // a program may have the tag in a text of its own
    while (at < reply.size()) {
        const std::size_t end = std::min(reply.find('\n', at), reply.size() - 1) + 1;
        const std::string_view line = std::string_view(reply).substr(at, end - at);
        const std::size_t open = code ? std::string_view::npos : line.find(opening);
        if (open != std::string_view::npos) {
            out.any = true;
            out.rest += line.substr(0, open);
            const std::size_t close = reply.find(closing, at + open);
            if (close == std::string::npos) {
                out.thinking = true;
                return out;
            }
            at = close + closing.size();
            continue;
        }
        code ^= fenceOf(base::trimmed(line)).has_value();
        out.rest += line;
        at = end;
    }
    return out;
}

} // namespace

ParsedReply parseReply(const std::string& reply, bool cutOff)
{
    const Thought thought = thoughtOf(reply);
    if (base::trimmed(thought.rest).empty()) {
        ParsedReply out;
        out.why = thought.thinking && cutOff ? "It was cut off at its limit of length while the model still thought."
                : thought.any                ? "It has thoughts alone, and no answer."
                : cutOff                     ? "It was cut off at its limit of length before it said anything."
                                             : "It is empty.";
        return out;
    }
    ParsedReply out = ReplyReader(thought.rest).parsed(cutOff);
    if (!out.usable() && thought.thinking && cutOff)
        out.why = "It was cut off at its limit of length while the model still thought.";
    return out;
}

std::string withoutThinking(const std::string& reply)
{
    const Thought thought = thoughtOf(reply);
    return thought.any ? std::string(base::trimmed(thought.rest)) : reply;
}

} // namespace cudal1::language
