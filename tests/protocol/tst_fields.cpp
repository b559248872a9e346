// SPDX-License-Identifier: GPL-3.0-or-later
// Every member of every message has a field, under the name that peers and projects know, and is read from where it is
// written.
#include "core/protocol/counters.h"
#include "core/protocol/kernels.h"
#include "core/protocol/timeline.h"
#include "tests/protocol/travelled.h"
#include "tests/store/storesamples.h"

#include <QTest>

using namespace cudal1::protocol;
using cudal1::store::samples::evaluation;
using nlohmann::json;

namespace {

struct Anything {
    template<class T> operator T() const;
};

/// How many members an aggregate has: as many as it can be made of.
template<class T, class... Given> consteval std::size_t membersOf()
{
    if constexpr (requires { T{Given{}..., Anything{}}; })
        return membersOf<T, Given..., Anything>();
    else
        return sizeof...(Given);
}

/// Fails unless `in`, no member of which has its default, is written as `expected` and read from there. `beside`: how
/// many more fields there are than members.
template<class T> void keeps(const T& in, const std::string& expected, std::size_t beside = 0)
{
    const json j = in;
    QCOMPARE(j.dump(1), json::parse(expected).dump(1));
    QCOMPARE(j.size(), membersOf<T>() + beside);
    QCOMPARE(firstDefault(j, T{}), std::string());
    QCOMPARE(json(travelled(in)).dump(1), j.dump(1));
}

Timeline timeline()
{
    return {"cuda:1",
            {{1, 2, 3, 4}},
            {{1, TimelineTrack::Kind::Copies, "copies", 5}},
            {{1, TimelineEvent::Category::Copy, TimelineEvent::Place::Outside, "gemm", -5, 6, 7, "[2]", 8, 2, 3, 4, 5,
              KernelLaunch{{1, 2, 3}, {4, 5, 6}, 7, 8, 9}}},
            {{6, "python", 7, 8}},
            {"a note"},
            9};
}

constexpr const char* timelineText = R"({
    "device": "cuda:1", "notes": ["a note"], "left_out": 9, "texts": ["gemm", "[2]"],
    "windows": [{"start_ns": 1, "returned_ns": 2, "stream_done_ns": 3, "end_ns": 4}],
    "tracks": [{"id": 1, "kind": "copies", "name": "copies", "thread": 5}],
    "threads": [{"id": 6, "name": "python", "inside_ns": 7, "outside_ns": 8}],
    "events": [{"track": 1, "category": "copy", "place": "outside", "name": 0, "start_ns": -5, "duration_ns": 6, "correlation": 7,
                "detail": 1, "bytes": 8, "device": 2, "stream": 3, "graph": 4, "graph_node": 5,
                "launch": {"grid": [1, 2, 3], "block": [4, 5, 6], "registers": 7, "static_shared_bytes": 8,
                           "dynamic_shared_bytes": 9}}]})";

constexpr const char* deviceText = R"({
    "name": "cuda:0", "model": "NVIDIA H200", "uuid": "GPU-12", "driver": "580.1", "capability": "9.0", "memory_bytes": 150754820096,
    "processors": 132, "l2_bytes": 62914560})";

constexpr const char* environmentText = R"({
    "evaluator": "evaluator 0.1", "python": "3.11.2", "torch": "2.11.0", "cuda": "13.0", "host": "host-ß", "os": "Debian 12",
    "isolation": ["rlimits"], "isolation_missing": ["network: not allowed"], "clock": "1980 MHz"})";

constexpr const char* paperText = R"({
    "clock": "event", "accepted": true, "minutes": 20.0, "seconds": 1201.5, "attempts": 2, "discarded": [0.5], "rounds": 4321,
    "event": {"measured": 4.0, "reported": 7.5, "bucket_means": [7.25, 7.5, 8.0], "variance": 0.004, "gate_passed": true},
    "wall": {"measured": 2.0, "reported": 3.5, "bucket_means": [3.25, 3.5, 4.0], "variance": 0.003, "gate_passed": true},
    "rules": [{"rule": "dedicated", "state": "impossible", "why": "no NVML"}, {"rule": "rounding", "state": "off", "why": ""}],
    "verification": {"why": "7.7 is above 3", "run": true, "where": "fresh processes on cuda:0", "ratio": 7.625, "agreed": true,
                     "problem": "none"},
    "samples": {"reference_first": [true, false], "reference_ns": [8.0, 9.0], "candidate_ns": [2.0, 3.0],
                "reference_event_ns": [7.0, 6.0], "candidate_event_ns": [1.0, 0.5]}})";

constexpr const char* pairText = R"({
    "instance": 1, "reference_first": false, "dropped": true, "dropped_why": "hot", "reference_ns": [1.5], "candidate_ns": [2.5],
    "reference_event_ns": [3.5], "candidate_event_ns": [4.5]})";

const std::string evaluationText = std::string(R"({
    "task": "3/41", "verdict": "correct", "stop_reason": "interval", "preset": "quick", "seed": 18446744073709551615, "output": "printed",
    "reasons": [{"code": "wrong_values", "text": "differs", "evidence": "at [0]"}],
    "labels": [{"code": "precision", "text": "runs in TF32", "evidence": "allow_tf32 = True"}],
    "speedup": {
        "wall": {"estimate": 2.0, "low": 1.98, "high": 2.02, "reference_ns": 3500000.0, "candidate_ns": 1750000.0},
        "event": {"estimate": 4.0, "low": 3.8, "high": 4.2, "reference_ns": 3250000.0, "candidate_ns": 1500000.0},
        "gpu_busy": {"estimate": 3.0, "low": 2.8, "high": 3.2, "reference_ns": 3000000.0, "candidate_ns": 2000000.0}},
    "precision": {
        "mode": "tf32", "matched": false, "candidate": "tf32", "reference": "ieee fp32",
        "at_candidate_settings": {"estimate": 1.25, "low": 1.125, "high": 1.375, "reference_ns": 8.0, "candidate_ns": 6.5},
        "oracle": {"effective": "tf32", "reference_error": 1e-07, "candidate_error": 0.0004, "why": "why not"}},
    "trials": {"run": 20, "passed": 20, "families": ["as_given", "scaled"], "skipped": ["shifted: integer input"],
               "worst_relative_error": 1.5e-07, "weight_sets": 2, "weights": "replaced", "kept": 14},
    "timed_checks": {"compared": 12, "timed": 340, "flushed_outside": 56},
    "control": {"wall": {"estimate": 1.001, "low": 0.99, "high": 1.01}, "pairs": 3},
    "floor": {"read_bytes": 1e8, "written_bytes": 5e7, "bytes_per_s": 4e12, "time_ns": 25000.0},
    "confirmation": {"verdict": "incorrect", "seed": 77,
                     "wall": {"estimate": 1.5, "low": 1.25, "high": 1.75, "reference_ns": 8.0, "candidate_ns": 5.5}},
    "seconds": {"total": 12.5, "reference": 0.5, "build": 1.25, "check": 3.75, "time": 7.5},
    "paper": )") + paperText + R"(, "device": )" +
                                   deviceText + R"(, "environment": )" + environmentText + R"(, "pairs": [)" +
                                   pairText + "]}";

const PairSamples pair{1, false, true, "hot", {1.5}, {2.5}, {3.5}, {4.5}};

} // namespace

class TestFields : public QObject {
    Q_OBJECT
private slots:
    void requests()
    {
        const TaskSource task{"3/41", "class Model"};
        keeps(Hello{7, "evaluator", "3.12", "2.11"},
              R"({"protocol": 7, "program": "evaluator", "python": "3.12", "torch": "2.11"})");
        keeps(
            EvaluateRequest{task,
                            "class ModelNew",
                            "my.py",
                            "cuda:1",
                            Precision::Ieee,
                            Preset::Paper,
                            9,
                            1.5,
                            2.5,
                            false,
                            {{PaperRule::Window}, 0.5, 9, 0.25, 4, 33, 2.75},
                            true},
            R"({"task": {"name": "3/41", "source": "class Model"}, "candidate": "class ModelNew", "candidate_name": "my.py",
                  "device": "cuda:1", "precision": "ieee", "preset": "paper", "seed": 9, "build_limit_s": 1.5,
                  "call_limit_s": 2.5, "second_look": false, "only_doubts": true,
                  "paper": {"without": ["window"], "minutes": 0.5, "buckets": 9, "gate": 0.25, "attempts": 4, "trials": 33,
                            "best_so_far": 2.75}})");
        QCOMPARE(membersOf<PaperRules>(), json(PaperRules{}).size());
        keeps(
            GraphRequest{task, "meta", Precision::Tf32, 5},
            R"({"task": {"name": "3/41", "source": "class Model"}, "device": "meta", "precision": "tf32", "seed": 5})");
        keeps(InspectRequest{{task}}, R"({"tasks": [{"name": "3/41", "source": "class Model"}]})");
        keeps(FactsRequest{{task}, 7.5}, R"({"tasks": [{"name": "3/41", "source": "class Model"}], "limit_s": 7.5})");
        keeps(
            KernelsRequest{task, "class ModelNew", "my.py", "cuda:1", Precision::Ieee, 9, 1.5},
            R"({"task": {"name": "3/41", "source": "class Model"}, "candidate": "class ModelNew", "candidate_name": "my.py",
                  "device": "cuda:1", "precision": "ieee", "seed": 9, "build_limit_s": 1.5})");
        keeps(
            CountersRequest{task, "class ModelNew", "my.py", "cuda:1", Precision::Ieee, 9, CounterSource::Ncu, true,
                            1.5},
            R"({"task": {"name": "3/41", "source": "class Model"}, "candidate": "class ModelNew", "candidate_name": "my.py",
                  "device": "cuda:1", "precision": "ieee", "seed": 9, "source": "ncu", "may_leave_isolation": true, "build_limit_s": 1.5})");
        keeps(
            TimelineRequest{task, "class ModelNew", "my.py", "cuda:1", Precision::Ieee, 9, 7, 1.5},
            R"({"task": {"name": "3/41", "source": "class Model"}, "candidate": "class ModelNew", "candidate_name": "my.py",
                  "device": "cuda:1", "precision": "ieee", "seed": 9, "calls": 7, "build_limit_s": 1.5})");
    }

    void partsOfAnswers()
    {
        const Evaluation e = evaluation(2);
        keeps(Progress{"check", 0.25, "5 of 20"}, R"({"phase": "check", "fraction": 0.25, "text": "5 of 20"})");
        keeps(Reason{"nan", "not a number", "at [0]"},
              R"({"code": "nan", "text": "not a number", "evidence": "at [0]"})");
        keeps(ClockSpeedup{{1.5, 1.25, 1.75}, 8, 5.5},
              R"({"estimate": 1.5, "low": 1.25, "high": 1.75, "reference_ns": 8.0, "candidate_ns": 5.5})", 2);
        keeps(pair, pairText);
        keeps(e.device, deviceText);
        keeps(e.environment, environmentText);
        keeps(*e.paper, paperText);
    }

    void evaluations()
    {
        Evaluation in = evaluation(2);
        in.reasons = {{"wrong_values", "differs", "at [0]"}};
        in.pairs = {pair};
        in.output = "printed";
        keeps(in, evaluationText);
        const json j = in;
        QCOMPARE(j["speedup"].size(), membersOf<Speedup>());
        QCOMPARE(j["precision"].size(), membersOf<PrecisionReport>());
        QCOMPARE(j["precision"]["oracle"].size(), membersOf<Oracle>());
        QCOMPARE(j["trials"].size(), membersOf<Trials>());
        QCOMPARE(j["timed_checks"].size(), membersOf<TimedChecks>());
        QCOMPARE(j["control"].size(), membersOf<Control>());
        QCOMPARE(j["control"]["wall"].size(), membersOf<cudal1::base::Interval>());
        QCOMPARE(j["floor"].size(), membersOf<Floor>());
        QCOMPARE(j["confirmation"].size() + 1, membersOf<Confirmation>()); // one that was not run is null
        QCOMPARE(j["seconds"].size(), membersOf<Seconds>());
        QCOMPARE(j["paper"]["event"].size(), membersOf<PaperClock>());
        QCOMPARE(j["paper"]["rules"][0].size(), membersOf<PaperRuleState>());
        QCOMPARE(j["paper"]["samples"].size(), membersOf<PaperRound>());
        QCOMPARE(j["paper"]["verification"].size() + 1, membersOf<PaperVerification>()); // one that was not due is null
    }

    void answers()
    {
        const Evaluation e = evaluation(2);
        const std::string machine =
            std::string(R"({"devices": [)") + deviceText + R"(], "environment": )" + environmentText +
            R"(, "nvcc": "/bin/nvcc", "compiler": "/bin/g++", "memory_bytes": 7, "disk_bytes": 8,
                 "missing": [{"code": "cupti", "text": "No timelines", "evidence": "install it"}]})";
        keeps(
            Machine{
                e.environment, {e.device}, "/bin/nvcc", "/bin/g++", 7, 8, {{"cupti", "No timelines", "install it"}}},
            machine);
        keeps(Inspection{{{"bad.py", true, "SyntaxError", 12}}},
              R"({"items": [{"name": "bad.py", "ok": true, "message": "SyntaxError", "line": 12}]})");
        QCOMPARE(json(Inspection{{{}}})["items"][0].size(), membersOf<Inspection::Item>());
        keeps(Facts{{{"1/2", {{"inputs", 1}}, "NameError", 12}}},
              R"({"items": [{"name": "1/2", "facts": {"inputs": 1}, "message": "NameError", "line": 12}]})");
        QCOMPARE(json(Facts{{{}}})["items"][0].size(), membersOf<Facts::Item>());

        const KernelModule module{{"_Z1k"}, std::string("\0\xff", 2), 17, "ptx", "sass"};
        const char* moduleText =
            R"({"kernels": ["_Z1k"], "image": "AP8=", "image_bytes": 17, "ptx": "ptx", "sass": "sass"})";
        keeps(module, moduleText);
        const std::string kernels = std::string(R"({"task": "1/1", "notes": ["a note"], "device": )") + deviceText +
                                    R"(, "modules": [)" + moduleText + "]}";
        keeps(Kernels{"1/1", e.device, {module}, {"a note"}}, kernels);
        counters(e.device, deviceText);
    }

private:
    void counters(const DeviceInfo& device, const std::string& deviceText)
    {
        const char* metricsText =
            R"({"duration_ns": 1.5, "dram_bytes": 2.5, "l2_bytes": 3.5, "l1_bytes": 4.5, "fp32_ops": 5.5, "tensor_ops": 6.5,
                "occupancy": 0.1, "dram_use": 0.2, "l2_use": 0.3, "l1_use": 0.4, "shared_use": 0.5, "tensor_use": 0.6,
                "fp32_use": 0.7, "issue_use": 0.8, "stalls": {"wait": 0.25}})";
        const KernelMetrics metrics{
            1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, {{"wait", 0.25}}};
        keeps(metrics, metricsText);
        QCOMPARE(json(KernelMetrics{}), json::object()); // what was not counted is not told
        const KernelCounters kernel{"k", {{1, 2, 3}, {4, 5, 6}, 7, 8, 9}, 1.5, 10.5, 64.5, metrics};
        const std::string kernelText =
            std::string(R"({"name": "k", "launches": 1.5, "time_ns": 10.5, "tensor_bytes": 64.5, "launch":
                {"grid": [1, 2, 3], "block": [4, 5, 6], "registers": 7, "static_shared_bytes": 8,
                 "dynamic_shared_bytes": 9}, "measured": )") +
            metricsText + "}";
        keeps(kernel, kernelText.c_str());
        const CounterSide side{20.5, {kernel}, {"a note"}};
        const std::string sideText = R"({"call_ns": 20.5, "notes": ["a note"], "kernels": [)" + kernelText + "]}";
        keeps(side, sideText.c_str());
        keeps(Counters{"1/1", "my.py", device, Precision::Tf32, 5, 6, CounterSource::Cupti, "CUPTI 13.0", "why", side,
                       side},
              R"({"task": "1/1", "candidate_name": "my.py", "precision": "tf32", "seed": 5, "recorded_ms": 6,
                  "source": "cupti", "tool": "CUPTI 13.0", "reason": "why", "device": )" +
                  deviceText + R"(, "reference": )" + sideText + R"(, "candidate": )" + sideText + "}");
    }

private slots:
    void graphs()
    {
        const OperatorGraph graph{
            {{3, {2, -1}, {5, 1}, "float32", "conv.weight", GraphValue::Kind::Parameter}},
            {{4, "aten.addmm.default", "gemm", json::array({1, nullptr}), {{"alpha", 2}}, {9}, 12.5}},
            {1},
            {9},
            "tuple",
            {"x"},
            {"conv: Conv2d"},
            99.5,
            77,
            true,
            true,
            "cuda:0"};
        keeps(graph, R"({
            "values": [{"id": 3, "shape": [2, -1], "stride": [5, 1], "dtype": "float32", "name": "conv.weight", "kind": "parameter"}],
            "nodes": [{"id": 4, "op": "aten.addmm.default", "module": "gemm", "args": [1, null], "kwargs": {"alpha": 2}, "outputs": [9],
                       "time_ns": 12.5}],
            "inputs": [1], "outputs": [9], "output_kind": "tuple", "forward_parameters": ["x"], "modules": ["conv: Conv2d"],
            "total_ns": 99.5, "parameter_bytes": 77, "truncated": true, "randomised": true, "device": "cuda:0"})");
        const json j = graph;
        QCOMPARE(j["values"][0].size(), membersOf<GraphValue>());
        QCOMPARE(j["nodes"][0].size(), membersOf<GraphNode>());
    }

    void timelines()
    {
        keeps(timeline(), timelineText, 1);
        const json j = timeline();
        QCOMPARE(j["windows"][0].size(), membersOf<TimelineWindow>());
        QCOMPARE(j["tracks"][0].size(), membersOf<TimelineTrack>());
        QCOMPARE(j["threads"][0].size(), membersOf<TimelineThread>());
        QCOMPARE(j["events"][0].size(), membersOf<TimelineEvent>());
        QCOMPARE(j["events"][0]["launch"].size(), membersOf<KernelLaunch>());

        const Evaluation e = evaluation(2);
        const std::string answer = std::string(R"({
            "task": "3/41", "candidate_name": "my.py", "precision": "tf32", "seed": 5, "recorded_ms": 6, "output": "printed",
            "device": )") + deviceText +
                                   R"(, "environment": )" + environmentText + R"(, "reference": )" + timelineText +
                                   R"(, "candidate": )" + timelineText + "}";
        keeps(TimelineAnswer{"3/41", "my.py", e.device, e.environment, Precision::Tf32, 5, 6, timeline(), timeline(),
                             "printed"},
              answer);
    }

    void defaultsOfAnEventAreLeftOut()
    {
        Timeline in;
        in.events.resize(1);
        QCOMPARE(json(in)["events"].dump(),
                 std::string(R"([{"category":"operator","duration_ns":0,"name":0,"start_ns":0,"track":0}])"));
        QVERIFY(!travelled(in).events[0].launch);
    }

    void wordsOfALaterVersion()
    {
        const json text = json::parse(R"({"task": {}, "precision": "fp3"})");
        QVERIFY(text.get<EvaluateRequest>().precision == Precision::Kernelbench);
        QVERIFY(text.get<GraphRequest>().precision == Precision::Kernelbench);
        QVERIFY_THROWS_EXCEPTION(json::exception, (void)text.get<KernelsRequest>());
        json paper = *evaluation(2).paper;
        paper["rules"][0]["state"] = "bent";
        QCOMPARE(paper.get<PaperResult>().rules.size(), std::size_t(1));
        paper["rules"][0].erase("rule");
        QCOMPARE(paper.get<PaperResult>().rules.size(), std::size_t(1));
    }

    void imageThatIsNoBase64()
    {
        QVERIFY_THROWS_EXCEPTION(json::exception, (void)json::parse(R"({"image": "AP8"})").get<KernelModule>());
        QVERIFY(json::parse(R"({"image": null})").get<KernelModule>().image.empty());
    }

    void columnsOfDifferentLength()
    {
        json j = *evaluation(2).paper;
        j["samples"]["candidate_ns"] = {2.5};
        const PaperResult out = j.get<PaperResult>();
        QVERIFY(out.samples.size() == 1 && out.samples[0].candidate_ns == 2.5 && out.samples[0].candidateEvent_ns == 1);
        j["samples"].erase("reference_first");
        QVERIFY(j.get<PaperResult>().samples.empty());
    }

    void nameOfACountBefore02()
    {
        json j = evaluation(2);
        j["timed_checks"].erase("timed");
        j["timed_checks"]["fingerprinted"] = 5;
        QCOMPARE(j.get<Evaluation>().timedChecks.timed, 5);
    }
};

QTEST_GUILESS_MAIN(TestFields)
#include "tst_fields.moc"
