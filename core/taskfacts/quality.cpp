// SPDX-License-Identifier: GPL-3.0-or-later
// Flags from evaluations and from what the suite ships.
#include "core/taskfacts/quality.h"

#include "core/base/percenttext.h"
#include "core/protocol/codes.h"

#include <algorithm>
#include <cmath>
#include <fstream>

namespace cudal1::taskfacts {

namespace {

using nlohmann::json;

/// "zeros, the mean of the result passed 20 trials": the judge's evidence.
std::vector<std::string> nullsIn(const std::string& evidence)
{
    std::vector<std::string> out;
    const std::size_t end = evidence.find(" passed ");
    for (std::size_t at = 0; end != std::string::npos && at < end;) {
        const std::size_t next = std::min(evidence.find(", ", at), end);
        out.push_back(evidence.substr(at, next - at));
        at = next + 2;
    }
    return out;
}

bool has(const std::vector<std::string>& words, const char* word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::string listed(const std::vector<std::string>& words)
{
    std::string out;
    for (const std::string& word : words)
        out += (out.empty() ? "" : ", ") + word;
    return out;
}

} // namespace

std::string_view toString(Flag::Kind kind)
{
    switch (kind) {
    case Flag::Kind::Degenerate: return "degenerate";
    case Flag::Kind::ConstantOutput: return "constant_output";
    case Flag::Kind::LaunchBound: return "launch_bound";
    }
    return "";
}

Observation observationOf(const protocol::Evaluation& evaluation)
{
    Observation out;
    out.device = evaluation.device.model;
    out.source = "an evaluation in this project";
    if (evaluation.speedup.gpuBusy.valid()) {
        out.wall_ns = evaluation.speedup.wall.reference_ns;
        out.busy_ns = evaluation.speedup.gpuBusy.reference_ns;
    }
    for (const protocol::Reason& label : evaluation.labels)
        if (label.code == "degenerate_task" || label.code == "last_operator_unseen") {
            out.degenerate = label.code == "degenerate_task";
            out.nulls = nullsIn(label.evidence);
        }
    return out;
}

std::vector<Observation> recordedObservations(const std::filesystem::path& suite, int level, int number)
{
    std::vector<Observation> out;
    std::ifstream file(suite / "quality.jsonl");
    for (std::string line; std::getline(file, line);) {
        const json row = json::parse(line, nullptr, false);
        try {
            if (!row.is_object() || row.at("level") != level || row.at("id") != number)
                continue;
            Observation one;
            one.device = row.at("device");
            one.source = "recorded with the suite";
            one.wall_ns = row.value("wall_ns", 0.0);
            one.busy_ns = row.value("busy_ns", 0.0);
            one.nulls = row.value("nulls", std::vector<std::string>());
            one.degenerate = has(row.value("labels", std::vector<std::string>()), "degenerate_task");
            out.push_back(std::move(one));
        } catch (const json::exception&) {
            // Written by hand, or by a later version.
        }
    }
    return out;
}

std::vector<Flag> flagsOf(const std::vector<Observation>& observations)
{
    std::vector<Flag> out;
    const auto add = [&](Flag::Kind kind, std::string text, const Observation& from) {
        if (std::none_of(out.begin(), out.end(), [kind](const Flag& flag) { return flag.kind == kind; }))
            out.push_back({kind, std::move(text), from.source + " on " + from.device});
    };
    for (const Observation& one : observations) {
        if (one.degenerate) {
            const bool onlyLast = one.nulls == std::vector{std::string(protocol::lastOperatorLeftOut)};
            add(Flag::Kind::Degenerate,
                onlyLast ? "degenerate: a result without the last operator passes"
                         : "degenerate: a result that takes no work passes" +
                               (one.nulls.empty() ? std::string() : " (" + listed(one.nulls) + ")"),
                one);
        }
        if (has(one.nulls, "zeros") || has(one.nulls, "the mean of the result"))
            add(Flag::Kind::ConstantOutput, "constant output: one number everywhere passes for the result", one);
        if (one.wall_ns > 0 && one.busy_ns > 0 && one.busy_ns <= (1 - launchBoundShare) * one.wall_ns)
            add(Flag::Kind::LaunchBound,
                "launch bound: the GPU is idle for " + base::percentText(1 - one.busy_ns / one.wall_ns) + " of a call",
                one);
    }
    return out;
}

} // namespace cudal1::taskfacts
