// SPDX-License-Identifier: GPL-3.0-or-later
// Facts of a prompt as lines for a reader.
#include "core/language/parttexts.h"

#include "core/base/bytestext.h"
#include "core/base/percenttext.h"
#include "core/base/ratiotext.h"
#include "core/base/timetext.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

namespace cudal1::language {

namespace {

constexpr std::size_t mostOperators = 25, mostFailures = 6, mostEffects = 10;
/// Of a traceback its ends say most: where it began, and what it came to.
constexpr std::size_t mostEvidence = 2400, mostReason = 400;

std::string countOf(double value, const char* unit)
{
    static const std::array<const char*, 5> prefixes{"", "k", "M", "G", "T"};
    std::size_t at = 0;
    while (value >= 999.5 && at + 1 < prefixes.size()) {
        value /= 1000;
        ++at;
    }
    char out[48];
    std::snprintf(out, sizeof out, "%.3g %s%s", value, prefixes[at], unit);
    return out;
}

/// A place at or before `at` that cuts no character of UTF-8 in two.
std::size_t whole(const std::string& text, std::size_t at)
{
    while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80)
        --at;
    return at;
}

std::string cutInTheMiddle(const std::string& text, std::size_t most)
{
    if (text.size() <= most)
        return text;
    return text.substr(0, whole(text, most / 3)) + "\n[…]\n" + text.substr(whole(text, text.size() - most * 2 / 3));
}

std::string firstLine(const std::string& text)
{
    const std::string line = text.substr(0, text.find('\n'));
    return line.size() <= mostReason ? line : line.substr(0, whole(line, mostReason)) + "…";
}

bool onGpu(const protocol::DeviceInfo& device)
{
    return device.name.starts_with("cuda");
}

void addReason(std::string& out, const protocol::Reason& reason)
{
    out += (out.empty() ? "" : "\n\n") + std::string("- ") + reason.text;
    if (!reason.evidence.empty())
        out += "\n\n```\n" + cutInTheMiddle(reason.evidence, mostEvidence) +
               (reason.evidence.ends_with('\n') ? "```" : "\n```");
}

} // namespace

std::string deviceText(const protocol::DeviceInfo& device)
{
    std::string out = device.model.empty() ? device.name : device.model;
    auto add = [&, first = true](const std::string& fact) mutable {
        out += (first ? " (" : ", ") + fact;
        first = false;
    };
    add(onGpu(device) ? "GPU" : "CPU");
    if (!device.capability.empty())
        add("compute capability " + device.capability);
    if (device.processors > 0)
        add(std::to_string(device.processors) + (onGpu(device) ? " multiprocessors" : " cores"));
    if (device.memory_bytes > 0)
        add(base::bytesText(static_cast<double>(device.memory_bytes)) + " of memory");
    if (device.l2_bytes > 0)
        add(base::bytesText(static_cast<double>(device.l2_bytes)) +
            (onGpu(device) ? " of L2 cache" : " of last-level cache"));
    return out + ")";
}

std::string precisionText(protocol::Precision precision)
{
    switch (precision) {
    case protocol::Precision::Kernelbench:
        return "the framework's defaults, with which the reference runs too; a program that lowers it is marked";
    case protocol::Precision::Ieee: return "IEEE float32, no TF32";
    case protocol::Precision::Tf32: return "float32 where TF32 is allowed in products";
    }
    return {};
}

std::string toolsText(const policy::Prompt& prompt)
{
    const std::string compiler = std::filesystem::path(prompt.compiler).filename().string();
    std::string out = "PyTorch";
    if (onGpu(prompt.device)) {
        out += ", CUDA graphs, Triton";
        out += prompt.cudaCompiler.empty() ? "; there is no nvcc, so no CUDA C++"
                                           : ", CUDA C++ by torch.utils.cpp_extension.load_inline";
        return out;
    }
    if (compiler.empty())
        return out + "; there is no C++ compiler, so neither torch.compile nor C++";
    return out + ", torch.compile, C++ by torch.utils.cpp_extension.load_inline (" + compiler + ")";
}

std::string workText(const policy::LeastWork& least)
{
    if (least.read_bytes + least.written_bytes <= 0)
        return {};
    std::string out = "- Bytes: " + base::bytesText(least.read_bytes) + " to read";
    if (least.parameter_bytes > 0)
        out += " (" + base::bytesText(least.parameter_bytes) + " of them parameters)";
    out += ", " + base::bytesText(least.written_bytes) + " to write, each once.";
    if (least.flop > 0)
        out = "- Operations: " + countOf(least.flop, "FLOP") + " as the reference is written" +
              (least.complete ? ".\n" : ", and more that were not counted.\n") + out;
    return out;
}

std::string floorText(const policy::LeastWork& least)
{
    if (least.floor_ns <= 0)
        return {};
    return "Moving these bytes takes " + base::timeText(least.floor_ns) +
           (least.bytesPerSecond > 0 ? " at " + base::rateText(least.bytesPerSecond) : std::string()) +
           ", so hardly any correct call is faster.";
}

std::string operatorsTotal(const protocol::OperatorGraph& graph)
{
    if (graph.nodes.empty())
        return {};
    double sum_ns = 0;
    for (const protocol::GraphNode& node : graph.nodes)
        sum_ns += node.time_ns;
    std::string out = std::to_string(graph.nodes.size()) + (graph.truncated ? " and more" : "") +
                      (graph.nodes.size() == 1 && !graph.truncated ? " operator" : " operators");
    if (sum_ns > 0)
        out += ", " + base::timeText(sum_ns) + " together when each is measured alone";
    if (graph.total_ns > 0)
        out += "; a call takes " + base::timeText(graph.total_ns);
    return out + ".";
}

std::string operatorsList(const protocol::OperatorGraph& graph)
{
    struct Kind {
        std::string op, module;
        int count = 0;
        double time_ns = 0;
    };
    std::vector<Kind> kinds;
    std::map<std::pair<std::string, std::string>, std::size_t> places;
    double sum_ns = 0;
    for (const protocol::GraphNode& node : graph.nodes) {
        const auto [place, isNew] = places.try_emplace({node.op, node.module}, kinds.size());
        if (isNew)
            kinds.push_back({node.op, node.module, 0, 0});
        ++kinds[place->second].count;
        kinds[place->second].time_ns += node.time_ns;
        sum_ns += node.time_ns;
    }
    std::stable_sort(kinds.begin(), kinds.end(), [](const Kind& a, const Kind& b) { return a.time_ns > b.time_ns; });
    std::string out;
    for (std::size_t at = 0; at < std::min(kinds.size(), mostOperators); ++at) {
        const Kind& kind = kinds[at];
        out += (out.empty() ? "- " : "\n- ") + kind.op + (kind.module.empty() ? "" : " in " + kind.module);
        if (kind.count > 1)
            out += ", " + std::to_string(kind.count) + " times";
        if (kind.time_ns > 0)
            out += ": " + base::timeText(kind.time_ns) + ", " + base::percentText(kind.time_ns / sum_ns);
    }
    if (kinds.size() > mostOperators)
        out += "\n- … and " + std::to_string(kinds.size() - mostOperators) + " more kinds";
    return out;
}

std::string failuresList(const std::vector<policy::Exemplar>& exemplars)
{
    std::vector<const policy::Exemplar*> failed;
    for (const policy::Exemplar& one : exemplars)
        if (one.verdict != protocol::Verdict::Correct)
            failed.push_back(&one);
    std::stable_sort(failed.begin(), failed.end(),
                     [](const policy::Exemplar* a, const policy::Exemplar* b) { return b->variant < a->variant; });
    std::set<std::string> said;
    std::string out;
    for (const policy::Exemplar* one : failed) {
        const std::string reason = verdictWords(one->verdict) +
                                   (one->reason.empty() ? std::string() : ": " + firstLine(one->reason));
        if (said.size() >= mostFailures || !said.insert(reason).second)
            continue;
        out += (out.empty() ? "- " : "\n- ") + techniquesList(one->techniques) + ", " + reason;
    }
    return out;
}

std::string effectsList(const std::vector<policy::KnownEffect>& effects)
{
    std::string out;
    for (std::size_t at = 0; at < std::min(effects.size(), mostEffects); ++at) {
        const policy::KnownEffect& one = effects[at];
        out += (out.empty() ? "- " : "\n- ") + one.technique + ": " + base::ratioText(one.gain) + " on " +
               std::to_string(one.tasks) + (one.tasks == 1 ? " task" : " tasks");
    }
    return out;
}

std::string techniquesList(const std::vector<std::string>& techniques)
{
    std::string out;
    for (const std::string& one : techniques)
        out += (out.empty() ? "" : " + ") + one;
    return out.empty() ? "no named technique" : out;
}

std::string verdictWords(protocol::Verdict verdict)
{
    std::string word(protocol::toString(verdict));
    std::replace(word.begin(), word.end(), '_', ' ');
    return word;
}

std::string outcomeSentence(const protocol::Evaluation& evaluation)
{
    if (evaluation.verdict != protocol::Verdict::Correct)
        return "It is rejected. The verdict: " + verdictWords(evaluation.verdict) + ".";
    const protocol::ClockSpeedup& wall = evaluation.speedup.wall;
    if (!wall.valid())
        return "It is correct; it was not timed.";
    std::string out = "It is correct, and its speed-up over the reference is " + base::ratioText(wall.speedup);
    if (wall.reference_ns > 0 && wall.candidate_ns > 0)
        out += ": " + base::timeText(wall.candidate_ns) + " a call where the reference takes " +
               base::timeText(wall.reference_ns);
    out += ".";
    if (evaluation.floor.time_ns > 0)
        out += " No correct call takes less than " + base::timeText(evaluation.floor.time_ns) + ".";
    return out;
}

std::string reasonsList(const protocol::Evaluation& evaluation)
{
    std::string out;
    for (const protocol::Reason& reason : evaluation.reasons)
        addReason(out, reason);
    for (const protocol::Reason& label : evaluation.labels)
        addReason(out, label);
    return out;
}

} // namespace cudal1::language
