// SPDX-License-Identifier: GPL-3.0-or-later
// Records for the store's tests: every field filled, with values that differ from the defaults.
#pragma once

#include "core/store/project.h"

#include <string>

namespace cudal1::store::samples {

inline TaskRecord task(const std::string& id = "3/41", const std::string& hash = "a1b2")
{
    return {{id}, "GRUBidirectional", "kernelbench-v0", 3, "class Model: pass  # „ünïcode“ 中文 🚀\n", hash};
}

inline VariantRecord variant(const std::string& source, const std::string& taskId = "3/41")
{
    VariantRecord v;
    v.task = {taskId};
    v.source = source;
    v.performanceAnalysis = "launch gaps of 4 µs";
    v.algorithmDesign = "un graphe, ça suffit";
    v.codeImplementation = "zwei\nZeilen\t<&>'\"";
    v.origin = "technique library";
    v.techniques = {"cuda_graph", "tf32"};
    return v;
}

inline Sample sample(base::VariantId variant, const std::string& prompt = "how?", const std::string& reply = "so")
{
    Sample s;
    s.task = {"3/41"};
    s.variant = variant;
    s.policy = "endpoint: qwen3";
    s.policyVersion = "2507";
    s.settings = R"({"temperature":0.5})";
    s.round = 2;
    s.promptTokens = 812;
    s.replyTokens = 4'000'000'000;
    s.cost = 0.0125;
    s.costUnit = "USD";
    s.prompt = prompt;
    s.reply = reply;
    return s;
}

inline protocol::PaperResult paperResult(double speedup)
{
    using namespace protocol;
    PaperResult p;
    p.clock = "event";
    p.event = {speedup * 2, 7.5, {7.25, 7.5, 8}, 0.004, true};
    p.wall = {speedup, 3.5, {3.25, 3.5, 4}, 0.003, true};
    p.accepted = true;
    p.minutes = 20;
    p.seconds = 1201.5;
    p.attempts = 2;
    p.discarded = {0.5};
    p.rounds = 4321;
    p.rules = {{PaperRule::Dedicated, PaperRuleState::State::Impossible, "no NVML"},
               {PaperRule::Rounding, PaperRuleState::State::Off, {}}};
    p.verification = {true, "7.7 is above 3", true, "fresh processes on cuda:0", 7.625, true, "none"};
    p.samples = {{true, 8, 2, 7, 1}, {false, 9, 3, 6, 0.5}};
    return p;
}

/// Wall interval of +-1 % around `speedup`; every other field has a value of its own.
inline protocol::Evaluation evaluation(double speedup, const std::string& task = "3/41")
{
    using namespace protocol;
    Evaluation e;
    e.task = task;
    e.verdict = Verdict::Correct;
    e.labels = {{"precision", "runs in TF32", "allow_tf32 = True"}};
    e.speedup.wall = {{speedup, speedup * 0.99, speedup * 1.01}, 3.5e6, 3.5e6 / speedup};
    e.speedup.event = {{speedup * 2, speedup * 1.9, speedup * 2.1}, 3.25e6, 1.5e6};
    e.speedup.gpuBusy = {{speedup * 1.5, speedup * 1.4, speedup * 1.6}, 3.0e6, 2.0e6};
    e.stopReason = "interval";
    e.precision = {
        Precision::Tf32, false, "tf32", "ieee fp32", {{1.25, 1.125, 1.375}, 8.0, 6.5}, {1e-7, 4e-4, "tf32", "why not"}};
    e.trials = {20, 20, {"as_given", "scaled"}, {"shifted: integer input"}, 1.5e-7, 2, "replaced", 14};
    e.timedChecks = {12, 340, 56};
    e.control = {{1.001, 0.99, 1.01}, 3};
    e.floor = {1e8, 5e7, 4e12, 2.5e4};
    e.confirmation = {true, Verdict::Incorrect, {{1.5, 1.25, 1.75}, 8.0, 5.5}, 77};
    e.paper = paperResult(speedup);
    e.seconds = {12.5, 1.25, 3.75, 7.5, 0.5};
    e.device = {"cuda:0", "NVIDIA H200", "GPU-12", "580.1", "9.0", 150754820096, 132, 62914560};
    e.environment = {"evaluator 0.1",          "3.11.2",  "2.11.0", "13.0", "host-ß", "Debian 12", {"rlimits"},
                     {"network: not allowed"}, "1980 MHz"};
    e.preset = Preset::Quick;
    e.seed = 18446744073709551615ULL;
    e.pairs = {{0, true, false, "", {1.5, 2.25}, {0.5, 0.1}, {1.0}, {0.25}},
               {1, false, true, "throttled", {1e-300, 0.1 + 0.2}, {1e300}, {}, {}}};
    e.output = "printed: 🙂\r\nnext";
    return e;
}

/// By default at the precision that evaluation() has.
inline protocol::Evaluation failure(protocol::Verdict verdict, const std::string& text,
                                    protocol::Precision precision = protocol::Precision::Tf32)
{
    protocol::Evaluation e;
    e.task = "3/41";
    e.verdict = verdict;
    e.reasons = {{"wrong_values", text, "max error 3.5"}, {"second", "another", ""}};
    e.stopReason = "not_timed";
    e.device.name = "cpu";
    e.device.model = "Some CPU";
    e.precision.mode = precision;
    return e;
}

} // namespace cudal1::store::samples
