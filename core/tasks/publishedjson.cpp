// SPDX-License-Identifier: GPL-3.0-or-later
// Tolerant reading of published JSON.
#include "core/tasks/publishedjson.h"

#include "core/tasks/taskfile.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

namespace cudal1::tasks {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

/// Far above any release, and far below what would fill a machine's memory.
constexpr std::uintmax_t mostBytes = 1u << 30;

/// `text` with the words that Python writes for what JSON has no numbers for, outside of strings, replaced.
std::string withoutPythonNumbers(const std::string& text, const PythonNumbers& numbers)
{
    const std::pair<std::string_view, const char*> words[]{
        {"-Infinity", numbers.minusInfinity}, {"Infinity", numbers.infinity}, {"NaN", numbers.nan}};
    std::string out;
    out.reserve(text.size());
    bool inString = false;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (inString && c == '\\' && at + 1 < text.size()) {
            out.append(text, at, 2);
            at += 2;
            continue;
        }
        if (c == '"')
            inString = !inString;
        std::size_t skipped = 0;
        if (!inString && (c == '-' || c == 'I' || c == 'N'))
            for (const auto& [word, instead] : words)
                if (std::string_view(text).substr(at, word.size()) == word) {
                    skipped = word.size();
                    out += instead;
                }
        if (skipped == 0)
            out += c;
        at += std::max<std::size_t>(skipped, 1);
    }
    return out;
}

} // namespace

json parsePublished(const std::string& text, const PythonNumbers& numbers)
{
    json value = json::parse(text, nullptr, false);
    return value.is_discarded() ? json::parse(withoutPythonNumbers(text, numbers), nullptr, false) : value;
}

std::optional<double> numberIn(const json& object, const char* name)
{
    const auto it = object.find(name);
    if (it == object.end())
        return {};
    double value = std::nan("");
    if (it->is_number()) {
        value = it->get<double>();
    } else if (it->is_string()) {
        const std::string text = it->get<std::string>();
        char* end = nullptr;
        value = std::strtod(text.c_str(), &end);
        if (text.empty() || *end)
            return {};
    }
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

int idIn(const json& object, const char* name)
{
    const auto it = object.find(name);
    if (it == object.end())
        return 0;
    if (it->is_string())
        return parseNumber(it->get<std::string>());
    if (!it->is_number())
        return 0;
    const double value = it->get<double>();
    return value >= 1 && value <= 999999 && value == std::floor(value) ? int(value) : 0;
}

std::string textIn(const json& object, const char* name)
{
    const auto it = object.find(name);
    return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

base::Result<std::string> readPublished(const std::filesystem::path& file)
{
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (status.type() == std::filesystem::file_type::not_found)
        return Error{ErrorCode::NotFound, "There is no such file", file.string(),
                     "Give the JSON file that the publication offers; `cudal1 import --help` names the formats"};
    if (status.type() == std::filesystem::file_type::directory)
        return Error{ErrorCode::InvalidArgument, "This is a folder, not a file", file.string(), {}};
    if (status.type() == std::filesystem::file_type::character || status.type() == std::filesystem::file_type::block)
        return Error{ErrorCode::InvalidArgument, "This is a device, not a file", file.string(), {}};
    if (std::filesystem::file_size(file, error) > mostBytes && !error)
        return Error{ErrorCode::InvalidArgument,
                     "The file has more than 1 GiB, where a few MiB are expected",
                     file.string(),
                     {}};
    errno = 0;
    std::ifstream in(file, std::ios::binary);
    if (!in)
        return Error{ErrorCode::Unreadable,
                     std::string("The file cannot be opened: ") + std::strerror(errno),
                     file.string(),
                     {}};
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (in.bad())
        return Error{ErrorCode::Unreadable, "Reading the file failed half way", file.string(), {}};
    constexpr std::string_view byteOrderMark = "\xef\xbb\xbf";
    if (text.starts_with(byteOrderMark))
        text.erase(0, byteOrderMark.size());
    return text;
}

} // namespace cudal1::tasks
