// SPDX-License-Identifier: GPL-3.0-or-later
// Line numbers of PTX (.loc, .file) and of nvdisasm ("//## File …, line …").
#include "core/kernels/sourcelines.h"

#include "core/base/diff.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>

namespace cudal1::kernels {

namespace {

struct Place {
    std::string file; ///< without its folders
    int line = 0;

    bool operator==(const Place&) const = default;
};

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
        text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
        text.remove_suffix(1);
    return text;
}

/// Takes a number from the front, with the blanks before it.
std::optional<int> takeNumber(std::string_view& text)
{
    text = trimmed(text);
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc())
        return {};
    text.remove_prefix(std::size_t(end - text.data()));
    return value;
}

std::string quotedIn(std::string_view text)
{
    const std::size_t from = text.find('"');
    const std::size_t to = from == std::string_view::npos ? from : text.find('"', from + 1);
    return to == std::string_view::npos ? std::string() : std::string(text.substr(from + 1, to - from - 1));
}

std::string withoutFolders(const std::string& path)
{
    return path.substr(path.rfind('/') + 1); // npos + 1 is 0
}

/// The files that a PTX text numbers; they may stand at its end.
std::map<int, std::string> filesOf(const std::vector<std::string_view>& lines)
{
    std::map<int, std::string> files;
    for (std::string_view line : lines) {
        line = trimmed(line);
        if (!line.starts_with(".file"))
            continue;
        line.remove_prefix(5);
        if (const auto number = takeNumber(line))
            files[*number] = withoutFolders(quotedIn(line));
    }
    return files;
}

/// What a line says of the place that the next instructions are of; none for an instruction.
std::optional<Place> placeOf(std::string_view line, const std::map<int, std::string>& files)
{
    line = trimmed(line);
    if (line.starts_with(".loc")) {
        line.remove_prefix(4);
        const auto file = takeNumber(line), number = takeNumber(line);
        const auto found = file ? files.find(*file) : files.end();
        return found == files.end() || !number ? std::nullopt : std::optional(Place{found->second, *number});
    }
    if (!line.starts_with("//## File"))
        return {};
    const std::size_t at = line.find("\", line ");
    if (at == std::string_view::npos)
        return {};
    std::string_view rest = line.substr(at + 8);
    const auto number = takeNumber(rest);
    return number ? std::optional(Place{withoutFolders(quotedIn(line)), *number}) : std::nullopt;
}

std::string sourceTextAt(const Place& place, const std::vector<LineSource>& sources)
{
    for (const LineSource& source : sources) {
        const std::vector<std::string_view> lines = base::splitLines(source.text);
        const int number = place.line - source.linesBefore;
        if (place.file.ends_with(source.ending) && number >= 1 && std::size_t(number) <= lines.size())
            return std::string(trimmed(lines[std::size_t(number) - 1]));
    }
    return {};
}

std::string cudaIn(const std::string& python)
{
    const std::size_t kernel = python.find("__global__");
    if (kernel == std::string::npos)
        return {};
    for (const std::string_view quotes : {"\"\"\"", "'''"}) {
        const std::size_t from = python.rfind(quotes, kernel), to = python.find(quotes, kernel);
        if (from != std::string::npos && to != std::string::npos)
            return python.substr(from + quotes.size(), to - from - quotes.size());
    }
    return {};
}

} // namespace

bool hasLineNumbers(std::string_view code)
{
    return code.find("\n\t.loc\t") != std::string_view::npos || code.find("\n\t.loc ") != std::string_view::npos ||
           code.find("//## File \"") != std::string_view::npos;
}

std::string withSourceLines(std::string_view code, const std::vector<LineSource>& sources)
{
    if (!hasLineNumbers(code))
        return std::string(code);
    const std::vector<std::string_view> lines = base::splitLines(code);
    const std::map<int, std::string> files = filesOf(lines);
    std::string out;
    Place last;
    for (const std::string_view line : lines) {
        const auto place = placeOf(line, files);
        if (!place) {
            out += std::string(line) + "\n";
            continue;
        }
        if (*place == last || place->line == 0)
            continue;
        last = *place;
        const std::string text = sourceTextAt(*place, sources);
        out += "// " + place->file + ":" + std::to_string(place->line) + (text.empty() ? "" : "  " + text) + "\n";
    }
    return out;
}

std::vector<LineSource> lineSourcesOf(const std::string& python)
{
    std::vector<LineSource> out{{".py", python, 0}};
    if (const std::string cuda = cudaIn(python); !cuda.empty()) {
        out.push_back({"cuda.cu", cuda, 3});
        out.push_back({".cu", cuda, 0});
    }
    return out;
}

} // namespace cudal1::kernels
