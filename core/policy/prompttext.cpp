// SPDX-License-Identifier: GPL-3.0-or-later
// Prompt and reply as Markdown.
#include "core/policy/prompttext.h"

#include "core/base/timetext.h"

#include <cstdio>
#include <filesystem>

namespace cudal1::policy {

namespace {

// A task may have thousands of operators and variants; a person reads the first ones.
constexpr std::size_t listed = 60;

std::string formatted(double value, const char* format)
{
    char out[48];
    std::snprintf(out, sizeof out, format, value);
    return out;
}

std::string leftOut(std::size_t all, const char* what)
{
    return all > listed ? "- … and " + std::to_string(all - listed) + " more " + what + "\n" : std::string();
}

std::string exemplarLine(const Exemplar& exemplar)
{
    std::string names;
    for (const std::string& technique : exemplar.techniques)
        names += (names.empty() ? "" : " + ") + technique;
    std::string line = "- " + (names.empty() ? "no named technique" : names) + ": " +
                       std::string(protocol::toString(exemplar.verdict));
    if (exemplar.wall.valid())
        line += ", " + formatted(exemplar.wall.estimate, "%.3g") + "× (" + formatted(exemplar.wall.low, "%.3g") +
                " to " + formatted(exemplar.wall.high, "%.3g") + ")";
    if (!exemplar.reason.empty())
        line += ": " + exemplar.reason;
    return line + "\n";
}

} // namespace

std::string promptText(const Prompt& prompt)
{
    std::string out = "# " + prompt.task.name + (prompt.taskName.empty() ? "" : " " + prompt.taskName) + "\n\n";
    out += "Round " + std::to_string(prompt.round + 1) + ", at most " + std::to_string(prompt.limit) + " proposals.\n";
    out += "Device " + (prompt.device.model.empty() ? prompt.device.name : prompt.device.model) + ", precision " +
           std::string(protocol::toString(prompt.precision)) + ".\n";
    // Its name: where it is tells a writer of programs nothing, and a project that is passed on need not say it.
    out += "C++ compiler: " +
           (prompt.compiler.empty() ? "none" : std::filesystem::path(prompt.compiler).filename().string()) + ".\n";
    out += "\n## Reference\n\n```python\n" + prompt.task.source + (prompt.task.source.ends_with('\n') ? "" : "\n") +
           "```\n";
    const protocol::OperatorGraph& graph = prompt.graph;
    out += "\n## Operators of one call" + (graph.total_ns > 0 ? ", " + base::timeText(graph.total_ns) : "") + "\n\n";
    for (std::size_t i = 0; i < std::min(graph.nodes.size(), listed); ++i) {
        const protocol::GraphNode& node = graph.nodes[i];
        out += "- " + node.op + (node.module.empty() ? "" : " in " + node.module) +
               (node.time_ns > 0 ? ": " + base::timeText(node.time_ns) : "") + "\n";
    }
    out += leftOut(graph.nodes.size(), "operators");
    out += "\n## Judged so far\n\n";
    if (prompt.exemplars.empty())
        out += "Nothing.\n";
    for (std::size_t i = 0; i < std::min(prompt.exemplars.size(), listed); ++i)
        out += exemplarLine(prompt.exemplars[i]);
    return out + leftOut(prompt.exemplars.size(), "variants");
}

std::string replyText(const std::string& performanceAnalysis, const std::string& algorithmDesign,
                      const std::string& codeImplementation, const std::string& source)
{
    std::string out;
    const auto section = [&](const char* title, const std::string& text) {
        if (!text.empty())
            out += std::string("## ") + title + "\n\n" + text + (text.ends_with('\n') ? "\n" : "\n\n");
    };
    section("Performance Analysis", performanceAnalysis);
    section("Algorithm Design", algorithmDesign);
    section("Code Implementation", codeImplementation);
    return out + "```python\n" + source + (source.ends_with('\n') ? "" : "\n") + "```\n";
}

} // namespace cudal1::policy
