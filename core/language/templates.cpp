// SPDX-License-Identifier: GPL-3.0-or-later
// Templates read, checked and filled.
#include "core/language/templates.h"

#include "core/base/bundled.h"
#include "core/language/draws.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace cudal1::language {

using base::Error;
using base::ErrorCode;
namespace fs = std::filesystem;

namespace {

const std::vector<TemplateInfo>& templateTable()
{
    static const std::vector<TemplateInfo> all{
        {"system", "the message of the role \"system\"; none is sent when it is empty", {}},
        {"prompt",
         "the order of the parts",
         {"task", "reference", "costs", "operators", "timeline", "exemplars", "failures", "effects", "protocol",
          "toggles", "restrictions"}},
        {"task", "a part", {"task", "name", "device", "precision", "tools"}},
        {"reference", "a part", {"source"}},
        {"costs", "a part", {"work", "floor"}},
        {"operators", "a part", {"total", "list"}},
        {"timeline", "a part", {"summary"}},
        {"exemplars", "a part", {"count", "list"}},
        {"exemplar", "one exemplar of the list", {"letter", "score", "range", "techniques", "source"}},
        {"failures", "a part", {"list"}},
        {"effects", "a part", {"list"}},
        {"protocol", "a part", {"questions"}},
        {"compare", "what the analysis is to answer where there are exemplars", {}},
        {"first", "what the analysis is to answer where there are none", {}},
        {"toggles", "a part", {}},
        {"restrictions", "a part", {}},
        {"repair", "the message that asks to mend a reply which the judge has rejected", {"verdict", "reasons"}},
        {"turn", "the message that tells what the judge found, and asks for the next reply", {"outcome", "reasons"}},
        {"unusable", "the message after a reply without usable code", {"why"}},
    };
    return all;
}

base::Result<std::string> textOf(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file)
        return Error{ErrorCode::Unreadable, "A template of prompts cannot be read", path.string(),
                     "Make the file readable, or take it away to use the program's own"};
    return text.str();
}

std::string listOf(const std::vector<std::string_view>& names)
{
    std::string out;
    for (const std::string_view name : names)
        out += (out.empty() ? "{{" : ", {{") + std::string(name) + "}}";
    return out.empty() ? "It has none" : "It has " + out;
}

base::Status checkOwn(const fs::path& folder)
{
    std::error_code failed;
    for (fs::directory_iterator file(folder, failed), end; !failed && file != end; file.increment(failed)) {
        const fs::path& path = file->path();
        const bool known = std::any_of(templateTable().begin(), templateTable().end(),
                                       [&](const TemplateInfo& one) { return path.stem().string() == one.name; });
        if (path.extension() != ".md" || known)
            continue;
        std::string names;
        for (const TemplateInfo& one : templateTable())
            names += (names.empty() ? "" : ", ") + std::string(one.name);
        return Error{ErrorCode::InvalidArgument, "There is no template of prompts " + path.stem().string(),
                     path.string(), "The templates are " + names};
    }
    return {};
}

} // namespace

std::span<const TemplateInfo> templates()
{
    return templateTable();
}

base::Result<fs::path> Templates::bundled(const fs::path& programFolder)
{
    return base::findBundled({"CUDAL1_PROMPTS", "prompts", CUDAL1_SOURCE_PROMPTS, "the templates of prompts are",
                              "Install the program again, or set CUDAL1_PROMPTS to their folder",
                              [](const fs::path& folder) {
                                  std::error_code ignored;
                                  return fs::is_regular_file(folder / "prompt.md", ignored);
                              }},
                             programFolder);
}

base::Result<Templates> Templates::load(const fs::path& bundled, const fs::path& user)
{
    Templates out;
    if (!user.empty())
        if (const auto status = checkOwn(user); !status)
            return status.error();
    std::uint64_t digest = 0;
    for (const TemplateInfo& info : templateTable()) {
        const std::string file = std::string(info.name) + ".md";
        std::error_code ignored;
        const bool own = !user.empty() && fs::exists(user / file, ignored);
        const fs::path path = (own ? user : bundled) / file;
        const auto text = textOf(path);
        if (!text)
            return text.error();
        auto parsed = parse(info, *text, path.string());
        if (!parsed)
            return parsed.error();
        if (own)
            out.m_own.emplace_back(info.name);
        digest = mixed(mixed(digest, info.name), *text);
        out.m_all.emplace(info.name, std::move(*parsed));
    }
    char hex[17];
    std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(digest));
    out.m_digest = hex;
    return out;
}

base::Result<std::vector<Templates::Paragraph>> Templates::parse(const TemplateInfo& info, const std::string& text,
                                                                 const std::string& path)
{
    std::vector<Paragraph> paragraphs;
    std::istringstream lines(text);
    std::string line;
    bool inside = false; // of a paragraph
    for (int number = 1; std::getline(lines, line); ++number) {
        if (line.ends_with('\r'))
            line.pop_back();
        if (line.find_first_not_of(" \t") == std::string::npos) {
            inside = false;
            continue;
        }
        if (!inside)
            paragraphs.emplace_back();
        else
            paragraphs.back().push_back({"\n"});
        inside = true;
        const std::string where = path + ":" + std::to_string(number);
        for (std::size_t at = 0; at < line.size();) {
            const std::size_t open = std::min(line.find("{{", at), line.size());
            if (open > at)
                paragraphs.back().push_back({line.substr(at, open - at)});
            if (open == line.size())
                break;
            const std::size_t close = line.find("}}", open);
            if (close == std::string::npos)
                return Error{ErrorCode::InvalidArgument, "A template of prompts has {{ without }} behind it", where,
                             "Write a placeholder on one line. " + listOf(info.placeholders)};
            const std::string name = line.substr(open + 2, close - open - 2);
            if (std::find(info.placeholders.begin(), info.placeholders.end(), name) == info.placeholders.end())
                return Error{ErrorCode::InvalidArgument,
                             "The template " + std::string(info.name) + " has no placeholder {{" + name + "}}", where,
                             listOf(info.placeholders)};
            paragraphs.back().push_back({name, true});
            at = close + 2;
        }
    }
    return paragraphs;
}

std::string Templates::fill(std::string_view name, const Values& values) const
{
    std::string out;
    const auto found = m_all.find(name);
    if (found == m_all.end())
        return out;
    for (const Paragraph& paragraph : found->second) {
        std::string text;
        bool says = false; // more than empty values
        for (const Piece& piece : paragraph) {
            const auto value = piece.placeholder ? values.find(piece.text) : values.end();
            const std::string& added = !piece.placeholder    ? piece.text
                                     : value != values.end() ? value->second
                                                             : std::string();
            says = says || added.find_first_not_of(" \n\t") != std::string::npos;
            text += added;
        }
        while (text.ends_with('\n'))
            text.pop_back();
        if (says)
            out += (out.empty() ? "" : "\n\n") + text;
    }
    return out;
}

} // namespace cudal1::language
