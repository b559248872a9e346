// SPDX-License-Identifier: GPL-3.0-or-later
// HEAD, references and packed references.
#include "core/tasks/gitcommit.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <string_view>
#include <system_error>

namespace cudal1::tasks {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view Reference = "ref: ";

/// The first line of a small file without the space around it; empty when it cannot be read.
std::string firstLine(const fs::path& file)
{
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())))
        line.pop_back();
    return line;
}

bool isCommit(std::string_view text)
{
    return (text.size() == 40 || text.size() == 64) && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

/// The folder that .git is, or that a .git file of a worktree or submodule names.
std::optional<fs::path> gitFolder(const fs::path& folder)
{
    std::error_code ignored;
    for (fs::path at = folder; !at.empty(); at = at.parent_path()) {
        const fs::path git = at / ".git";
        if (fs::is_directory(git, ignored))
            return git;
        constexpr std::string_view Pointer = "gitdir: ";
        if (const std::string line = firstLine(git); line.starts_with(Pointer))
            return (at / line.substr(Pointer.size())).lexically_normal();
        if (at == at.root_path())
            break;
    }
    return std::nullopt;
}

std::string packed(const fs::path& file, std::string_view reference)
{
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        const std::size_t space = line.find(' ');
        if (space != std::string::npos && std::string_view(line).substr(space + 1) == reference)
            return line.substr(0, space);
    }
    return {};
}

} // namespace

std::optional<std::string> commitOf(const fs::path& folder)
{
    const auto git = gitFolder(folder);
    if (!git)
        return std::nullopt;
    // A worktree has a HEAD of its own and shares the references of the repository it belongs to.
    const std::string shared = firstLine(*git / "commondir");
    const fs::path common = shared.empty() ? *git : (*git / shared).lexically_normal();
    std::string found = firstLine(*git / "HEAD");
    constexpr int Chain = 5; // a reference may name another one
    for (int links = 0; found.starts_with(Reference) && links < Chain; ++links) {
        const std::string name = found.substr(Reference.size());
        found = firstLine(*git / name);
        if (found.empty())
            found = firstLine(common / name);
        if (found.empty())
            found = packed(common / "packed-refs", name);
    }
    return isCommit(found) ? found : std::string();
}

} // namespace cudal1::tasks
