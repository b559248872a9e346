// SPDX-License-Identifier: GPL-3.0-or-later
// The CSV of ncu's raw page: a row of names, a row of units, a row a launch.
#include "core/kernels/ncu.h"

#include "core/base/diff.h"
#include "core/base/symbolname.h"
#include "core/kernels/toolrun.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace cudal1::kernels {

namespace fs = std::filesystem;

namespace {

/// The fields of one line of CSV, as RFC 4180 has them; a name has no line break.
std::vector<std::string> fieldsOf(std::string_view line)
{
    std::vector<std::string> out(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"')
            out.back() += line[++i];
        else if (line[i] == '"')
            quoted = !quoted;
        else if (line[i] == ',' && !quoted)
            out.emplace_back();
        else if (line[i] != '\r')
            out.back() += line[i];
    }
    return out;
}

/// Thousands may stand apart by commas.
std::optional<double> numberOf(std::string text)
{
    std::erase(text, ',');
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value - value == 0))
        return {};
    return value;
}

/// What a value in this unit is to be multiplied by. ncu scales where it is not told to keep base units.
double factorOf(std::string_view unit)
{
    constexpr std::pair<std::string_view, double> factors[] = {
        {"us", 1e3},     {"usecond", 1e3}, {"ms", 1e6},    {"msecond", 1e6}, {"s", 1e9},
        {"second", 1e9}, {"Kbyte", 1e3},   {"Mbyte", 1e6}, {"Gbyte", 1e9},   {"Tbyte", 1e12}};
    for (const auto& [name, factor] : factors)
        if (name == unit)
            return factor;
    return 1;
}

std::string complaintsOf(const std::vector<std::string_view>& lines)
{
    std::string out;
    for (const std::string_view line : lines)
        if (line.starts_with("==ERROR==") || line.starts_with("==WARNING=="))
            out += (out.empty() ? "" : "\n") + std::string(line);
    return out;
}

} // namespace

fs::path findNcu()
{
    std::vector<fs::path> elsewhere{"/usr/local/cuda/bin/ncu"};
    std::error_code error;
    std::vector<fs::path> versions;
    for (const auto& version : fs::directory_iterator("/opt/nvidia/nsight-compute", error))
        versions.push_back(version.path() / "ncu");
    std::sort(versions.rbegin(), versions.rend());
    elsewhere.insert(elsewhere.end(), versions.begin(), versions.end());
    return findTool("ncu", "CUDAL1_NCU", elsewhere);
}

std::vector<std::string> ncuCommand(const fs::path& ncu, const std::vector<std::string>& metrics)
{
    constexpr std::pair<const char*, const char*> options[] = {
        {"--page", "raw"},           {"--print-units", "base"},  {"--print-kernel-base", "mangled"},
        {"--clock-control", "none"}, {"--cache-control", "all"}, {"--profile-from-start", "off"}};
    std::vector<std::string> out{ncu.string(), "--csv"};
    for (const auto& [option, value] : options)
        out.insert(out.end(), {option, value});
    std::string names;
    for (const std::string& metric : metrics)
        names += (names.empty() ? "" : ",") + metric;
    out.insert(out.end(), {"--metrics", names});
    return out;
}

base::Result<std::vector<NcuLaunch>> readNcu(std::string_view printed)
{
    const std::vector<std::string_view> lines = base::splitLines(printed);
    const auto head = std::find_if(lines.begin(), lines.end(),
                                   [](std::string_view line) { return line.starts_with("\"ID\","); });
    if (head == lines.end() || lines.end() - head < 3)
        return base::Error{base::ErrorCode::ProcessFailed, "ncu printed no counts", complaintsOf(lines), {}};
    const std::vector<std::string> names = fieldsOf(*head), units = fieldsOf(*(head + 1));
    std::vector<NcuLaunch> launches;
    for (auto line = head + 2; line != lines.end(); ++line) {
        const std::vector<std::string> values = fieldsOf(*line);
        if (!line->starts_with('"') || values.size() != names.size())
            continue; // the program's own, or ncu's last words
        NcuLaunch& launch = launches.emplace_back();
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (names[i] == "Kernel Name")
                launch.kernel = base::demangled(values[i]);
            else if (names[i].find("__") != std::string::npos)
                if (const auto value = numberOf(values[i]))
                    launch.metrics.emplace(names[i], *value * factorOf(i < units.size() ? units[i] : ""));
        }
    }
    return launches;
}

std::string ncuVersion(std::string_view printed)
{
    const std::size_t at = printed.find("Version ");
    if (at == std::string_view::npos)
        return {};
    const std::string_view rest = printed.substr(at + 8);
    return std::string(rest.substr(0, rest.find_first_of(" \n")));
}

} // namespace cudal1::kernels
