// SPDX-License-Identifier: GPL-3.0-or-later
// The words of prompts as files with placeholders, the program's and the user's own in their place.
//
// A template is a Markdown file NAME.md. {{placeholder}} in it stands for a value; each template has a list of those
// that it may use. A text that a value brings along is never looked through for placeholders.
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::language {

struct TemplateInfo {
    std::string_view name; ///< "exemplar"
    std::string_view what;
    std::vector<std::string_view> placeholders; ///< that it may use
};
/// All templates that there are.
std::span<const TemplateInfo> templates();

class Templates {
public:
    using Values = std::map<std::string, std::string, std::less<>>;

    /// Every template from `user`, where that folder has a file of its name, else from `bundled`. Unreadable for a file
    /// that cannot be read; InvalidArgument for a placeholder that the template does not have (with the line and those
    /// that it has), for braces that are not closed, and for an .md file in `user` that is no template. `user` need
    /// not exist.
    static base::Result<Templates> load(const std::filesystem::path& bundled, const std::filesystem::path& user = {});
    /// The folder that came with the program.
    static base::Result<std::filesystem::path> bundled(const std::filesystem::path& programFolder);

    /// The template with its values. A placeholder without one is empty. What is empty takes its paragraph with it:
    /// paragraphs, which blank lines divide, that hold nothing but empty values are left out.
    std::string fill(std::string_view name, const Values& values) const;
    /// 16 hexadecimal digits that differ where any text does.
    const std::string& digest() const { return m_digest; }
    /// Names of those that are the user's own.
    const std::vector<std::string>& ownNames() const { return m_own; }

private:
    /// A run of text, or a placeholder's name.
    struct Piece {
        std::string text;
        bool placeholder = false;
    };
    using Paragraph = std::vector<Piece>;

    static base::Result<std::vector<Paragraph>> parse(const TemplateInfo& info, const std::string& text,
                                                      const std::string& path);

    std::map<std::string, std::vector<Paragraph>, std::less<>> m_all;
    std::string m_digest;
    std::vector<std::string> m_own;
};

} // namespace cudal1::language
