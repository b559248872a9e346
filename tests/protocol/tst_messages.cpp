// SPDX-License-Identifier: GPL-3.0-or-later
// Every message keeps every field through JSON, and reads what a stranger may send.
#include "core/protocol/messages.h"
#include "tests/protocol/travelled.h"
#include "tests/store/storesamples.h"

#include <QtTest>

using namespace cudal1::protocol;
using nlohmann::json;

class TestMessages : public QObject {
    Q_OBJECT
private slots:
    void words();
    void unknownWords();
    void hello();
    void requests();
    void progress();
    void evaluation();
    void evaluationWithoutTimes();
    void rulesOfThePaper();
    void resultByThePaper();
    void machine();
    void inspection();
    void facts();
    void graph();
    void unknownAndMissingFields();
    void nullFieldsKeepDefaults();
    void wrongTypesAreJsonErrors();
    void lines();
    void invalidUtf8InALine();
};

void TestMessages::words()
{
    for (Verdict verdict :
         {Verdict::Correct, Verdict::Incorrect, Verdict::DoesNotBuild, Verdict::Crashed, Verdict::TimedOut,
          Verdict::OutOfMemory, Verdict::Exploit, Verdict::ReferenceFailed, Verdict::Cancelled}) {
        Verdict out = verdict == Verdict::Correct ? Verdict::Crashed : Verdict::Correct;
        QVERIFY(!toString(verdict).empty());
        QVERIFY(fromString(toString(verdict), out));
        QVERIFY(out == verdict);
    }
    for (Precision precision : {Precision::Kernelbench, Precision::Ieee, Precision::Tf32}) {
        Precision out = precision == Precision::Ieee ? Precision::Tf32 : Precision::Ieee;
        QVERIFY(fromString(toString(precision), out) && out == precision);
    }
    for (Preset preset : {Preset::Quick, Preset::Standard, Preset::Paper}) {
        Preset out = preset == Preset::Quick ? Preset::Paper : Preset::Quick;
        QVERIFY(fromString(toString(preset), out) && out == preset);
    }
    QVERIFY(toString(Verdict::DoesNotBuild) == "does_not_build");
    QVERIFY(toString(cudal1::base::Comparison::Unclear) == "unclear");
}

void TestMessages::unknownWords()
{
    Verdict verdict = Verdict::Exploit;
    QVERIFY(!fromString("brilliant", verdict));
    QVERIFY(!fromString("", verdict));
    QVERIFY(!fromString("Correct", verdict)); // words are lower case
    QVERIFY(verdict == Verdict::Exploit);
    // An evaluation with a verdict of a later protocol must never read as correct.
    json j = cudal1::store::samples::evaluation(2);
    j["verdict"] = "brilliant";
    QVERIFY(j.get<Evaluation>().verdict == Verdict::ReferenceFailed);
    j.erase("verdict");
    QVERIFY(j.get<Evaluation>().verdict == Verdict::ReferenceFailed);
}

void TestMessages::hello()
{
    const Hello in{7, "cudal1-evaluator 9", "3.12.1", "2.11.0"};
    const Hello out = travelled(in);
    QCOMPARE(out.protocolVersion, 7);
    QCOMPARE(out.program, in.program);
    QCOMPARE(out.python, in.python);
    QCOMPARE(out.torch, in.torch);
    QCOMPARE(json::parse("{}").get<Hello>().protocolVersion, 0);
}

void TestMessages::requests()
{
    EvaluateRequest in;
    in.task = {"3/41", "class Model: 'ü'"};
    in.candidate = "class ModelNew";
    in.candidateName = "my.py";
    in.device = "cuda:1";
    in.precision = Precision::Ieee;
    in.preset = Preset::Quick;
    in.seed = ~0ULL;
    in.secondLook = false;
    in.onlyDoubts = true;
    const EvaluateRequest out = travelled(in);
    QCOMPARE(out.task.name, in.task.name);
    QCOMPARE(out.task.source, in.task.source);
    QCOMPARE(out.candidate, in.candidate);
    QCOMPARE(out.candidateName, in.candidateName);
    QCOMPARE(out.device, in.device);
    QVERIFY(out.precision == in.precision && out.preset == in.preset);
    QCOMPARE(out.seed, in.seed);
    QVERIFY(!out.secondLook && out.onlyDoubts);

    const GraphRequest graph = travelled(GraphRequest{{"1/1", "s"}, "meta", Precision::Tf32, 5});
    QCOMPARE(graph.task.name, std::string("1/1"));
    QCOMPARE(graph.task.source, std::string("s"));
    QCOMPARE(graph.device, std::string("meta"));
    QVERIFY(graph.precision == Precision::Tf32 && graph.seed == 5);

    const InspectRequest inspect = travelled(InspectRequest{{{"a", "x"}, {"b", "y"}}});
    QCOMPARE(inspect.tasks.size(), std::size_t(2));
    QCOMPARE(inspect.tasks[1].name, std::string("b"));
    QCOMPARE(inspect.tasks[1].source, std::string("y"));
}

void TestMessages::progress()
{
    const Progress out = travelled(Progress{"check", 0.25, "5 of 20 trials"});
    QCOMPARE(out.phase, std::string("check"));
    QCOMPARE(out.fraction, 0.25);
    QCOMPARE(out.text, std::string("5 of 20 trials"));
}

void TestMessages::evaluation()
{
    Evaluation in = cudal1::store::samples::evaluation(3.86);
    in.reasons = {{"wrong_values", "differs", "at [0]"}};
    QCOMPARE(firstDefault(json(in), json(Evaluation{})), std::string());
    const Evaluation out = travelled(in);
    QCOMPARE(json(out).dump(1), json(in).dump(1));
    // Field by field where a symmetric slip of both directions would hide in the comparison above.
    QCOMPARE(out.task, in.task);
    QVERIFY(out.verdict == in.verdict);
    QCOMPARE(out.reasons.at(0).evidence, in.reasons.at(0).evidence);
    QCOMPARE(out.labels.at(0).code, in.labels.at(0).code);
    QVERIFY(out.speedup.wall.speedup == in.speedup.wall.speedup);
    QCOMPARE(out.speedup.wall.reference_ns, in.speedup.wall.reference_ns);
    QCOMPARE(out.speedup.wall.candidate_ns, in.speedup.wall.candidate_ns);
    QVERIFY(out.speedup.event.speedup == in.speedup.event.speedup);
    QVERIFY(out.speedup.gpuBusy.speedup == in.speedup.gpuBusy.speedup);
    QVERIFY(out.precision.mode == in.precision.mode && out.precision.matched == in.precision.matched);
    QCOMPARE(out.precision.candidate, in.precision.candidate);
    QCOMPARE(out.precision.reference, in.precision.reference);
    QVERIFY(out.precision.atCandidateSettings.speedup == in.precision.atCandidateSettings.speedup);
    QVERIFY(out.trials.run == 20 && out.trials.passed == 20 && out.trials.families == in.trials.families);
    QVERIFY(out.trials.skipped == in.trials.skipped && out.trials.worstRelativeError == in.trials.worstRelativeError);
    QVERIFY(out.seconds.total == 12.5 && out.seconds.build == 1.25 && out.seconds.check == 3.75 &&
            out.seconds.reference == 0.5 && out.trials.kept == 14 && out.seconds.time == 7.5);
    QVERIFY(out.device.model == in.device.model && out.device.memory_bytes == in.device.memory_bytes &&
            out.device.l2_bytes == in.device.l2_bytes);
    QVERIFY(out.environment.isolationMissing == in.environment.isolationMissing &&
            out.environment.clock == in.environment.clock);
    QVERIFY(out.preset == in.preset && out.seed == in.seed && out.output == in.output &&
            out.stopReason == in.stopReason);
    QCOMPARE(out.pairs.size(), std::size_t(2));
    QVERIFY(out.pairs[1].dropped && out.pairs[1].droppedWhy == "throttled" && !out.pairs[1].referenceFirst &&
            out.pairs[1].instance == 1);
    QVERIFY(out.pairs[0].reference_ns == in.pairs[0].reference_ns &&
            out.pairs[0].candidate_ns == in.pairs[0].candidate_ns);
    QVERIFY(out.pairs[0].referenceEvent_ns == in.pairs[0].referenceEvent_ns &&
            out.pairs[0].candidateEvent_ns == in.pairs[0].candidateEvent_ns);
}

void TestMessages::rulesOfThePaper()
{
    EvaluateRequest in;
    in.preset = Preset::Paper;
    in.paper = {{PaperRule::Window, PaperRule::Verification}, 0.5, 9, 0.25, 4, 33, 2.75};
    const EvaluateRequest out = travelled(in);
    QVERIFY(out.paper.without == in.paper.without);
    QVERIFY(out.paper.minutes == 0.5 && out.paper.buckets == 9 && out.paper.gate == 0.25 && out.paper.attempts == 4);
    QVERIFY(out.paper.trials == 33 && out.paper.bestSoFar == 2.75);
    QVERIFY(!out.paper.applies(PaperRule::Window) && out.paper.applies(PaperRule::Buckets));

    // Without a word of them the paper's own values hold.
    json j = json(in);
    j.erase("paper");
    const PaperRules rules = j.get<EvaluateRequest>().paper;
    QVERIFY(rules.without.empty() && rules.minutes == 20 && rules.buckets == 7 && rules.gate == 0.005 &&
            rules.trials == 1000);

    in.preset = Preset::Quick;
    QVERIFY(!json(in).contains("paper"));
    for (const PaperRule rule : cudal1::protocol::paperRules) {
        PaperRule back = rule == PaperRule::Paired ? PaperRule::Window : PaperRule::Paired;
        QVERIFY(fromString(toString(rule), back) && back == rule);
    }
    PaperRule untouched = PaperRule::Median;
    QVERIFY(!fromString("medians", untouched) && untouched == PaperRule::Median);
}

void TestMessages::resultByThePaper()
{
    const PaperResult in = cudal1::store::samples::paperResult(3.75);
    QCOMPARE(firstDefault(json(in), json(PaperResult{})), std::string());
    const PaperResult out = travelled(in);
    QCOMPARE(json(out).dump(1), json(in).dump(1));
    QVERIFY(out.clock == "event" && out.deciding().measured == 7.5 && out.wall.measured == 3.75 &&
            out.event.reported == 7.5);
    QVERIFY(out.event.bucketMeans == in.event.bucketMeans && out.wall.variance == 0.003 && out.event.gatePassed);
    QVERIFY(out.accepted && out.attempts == 2 && out.rounds == 4321 && out.discarded == in.discarded);
    QVERIFY(out.rules.size() == 2 && out.rules[0].state == PaperRuleState::State::Impossible &&
            out.rules[0].why == "no NVML");
    QVERIFY(out.rules[1].rule == PaperRule::Rounding && out.rules[1].state == PaperRuleState::State::Off);
    QVERIFY(out.verification.due && out.verification.run && out.verification.agreed && out.verification.ratio == 7.625);
    QVERIFY(out.samples.size() == 2 && !out.samples[1].referenceFirst && out.samples[1].candidateEvent_ns == 0.5 &&
            out.samples[0].candidate_ns == 2);

    // A rule of a later version is left out, not taken for another.
    json j = json(in);
    j["rules"][0]["rule"] = "silence";
    QCOMPARE(j.get<PaperResult>().rules.size(), std::size_t(1));
    QVERIFY(!json(Evaluation{}).at("paper").is_object());
    QVERIFY(!json(Evaluation{}).get<Evaluation>().paper.has_value());
}

void TestMessages::evaluationWithoutTimes()
{
    const json j = Evaluation{};
    QVERIFY(j.at("speedup").at("wall").is_null());
    QVERIFY(!j.get<Evaluation>().speedup.wall.valid());
}

void TestMessages::machine()
{
    Machine in;
    in.environment = cudal1::store::samples::evaluation(2).environment;
    in.devices = {{"cpu", "CPU", "", "", "", 1, 2, 3}, {"cuda:0", "H200", "u", "d", "9.0", 4, 5, 6}};
    in.nvcc = "/usr/bin/nvcc";
    in.compiler = "/usr/bin/g++";
    in.memory_bytes = 1LL << 40;
    in.disk_bytes = 5;
    in.missing = {{"cupti", "No timelines", "install it"}};
    QCOMPARE(firstDefault(json(in), json(Machine{})), std::string());
    const Machine out = travelled(in);
    QCOMPARE(json(out).dump(1), json(in).dump(1));
    QVERIFY(out.devices.at(1).capability == "9.0" && out.devices.at(1).uuid == "u" &&
            out.devices.at(1).processors == 5);
    QVERIFY(out.nvcc == in.nvcc && out.compiler == in.compiler && out.memory_bytes == in.memory_bytes &&
            out.disk_bytes == 5);
    QCOMPARE(out.missing.at(0).evidence, std::string("install it"));
    QCOMPARE(out.environment.host, in.environment.host);
}

void TestMessages::inspection()
{
    const Inspection out = travelled(Inspection{{{"1/1", true, "", 0}, {"bad.py", false, "SyntaxError", 12}}});
    QCOMPARE(out.items.size(), std::size_t(2));
    QVERIFY(out.items[0].ok && out.items[0].name == "1/1");
    QVERIFY(!out.items[1].ok && out.items[1].message == "SyntaxError" && out.items[1].line == 12);
}

void TestMessages::facts()
{
    const FactsRequest request = travelled(FactsRequest{{{"1/1", "x"}, {"1/2", "y"}}, 7.5});
    QCOMPARE(request.tasks.at(1).source, std::string("y"));
    QCOMPARE(request.limit_s, 7.5);
    const Facts out = travelled(
        Facts{{{"1/1", {{"init_inputs", {1, 1.0, true}}}, "", 0}, {"1/2", nullptr, "NameError", 12}}});
    QCOMPARE(out.items.size(), std::size_t(2));
    QCOMPARE(out.items[0].facts.dump(), std::string("{\"init_inputs\":[1,1.0,true]}"));
    QVERIFY(out.items[1].facts.is_null() && out.items[1].message == "NameError" && out.items[1].line == 12);
}

void TestMessages::graph()
{
    OperatorGraph in;
    in.values = {{3, {2, -1}, {5, 1}, "float32", "conv.weight", GraphValue::Kind::Parameter}};
    GraphNode node;
    node.id = 4;
    node.op = "aten.addmm.default";
    node.module = "gemm";
    node.args = json::parse(R"([{"value": 3}, [1, null, 2.5], {"literal": "torch.float32"}])");
    node.kwargs = {{"alpha", 2}};
    node.outputs = {9};
    node.time_ns = 12.5;
    in.nodes = {node};
    in.inputs = {1};
    in.outputs = {9};
    in.outputKind = "tuple";
    in.forwardParameters = {"x"};
    in.modules = {"conv: Conv2d(3, 16)"};
    in.total_ns = 99.5;
    in.parameter_bytes = 77;
    in.truncated = true;
    in.randomised = true;
    in.device = "cuda:0";
    QCOMPARE(firstDefault(json(in), json(OperatorGraph{})), std::string());
    const OperatorGraph out = travelled(in);
    QCOMPARE(json(out).dump(1), json(in).dump(1));
    QVERIFY(out.values.at(0).kind == GraphValue::Kind::Parameter && out.values.at(0).shape == in.values.at(0).shape);
    QVERIFY(out.values.at(0).stride == in.values.at(0).stride && out.values.at(0).dtype == "float32" &&
            out.values.at(0).id == 3);
    QVERIFY(out.nodes.at(0).args == node.args && out.nodes.at(0).kwargs == node.kwargs &&
            out.nodes.at(0).outputs == node.outputs);
    QVERIFY(out.truncated && out.randomised && out.parameter_bytes == 77 && out.outputKind == "tuple");
    for (auto kind : {GraphValue::Kind::Input, GraphValue::Kind::Buffer, GraphValue::Kind::Constant,
                      GraphValue::Kind::Intermediate}) {
        in.values[0].kind = kind;
        QVERIFY(travelled(in).values.at(0).kind == kind);
    }
}

void TestMessages::unknownAndMissingFields()
{
    json j = cudal1::store::samples::evaluation(2);
    const std::string before = j.dump();
    j["of a later version"] = {1, 2, {{"x", nullptr}}};
    j["speedup"]["another_clock"] = 5;
    j["device"]["colour"] = "green";
    QCOMPARE(json(j.get<Evaluation>()).dump(), before);

    const auto sparse = json::parse(R"({"task": {"name": "1/1"}, "candidate": "x"})").get<EvaluateRequest>();
    QVERIFY(sparse.preset == Preset::Standard && sparse.precision == Precision::Kernelbench && sparse.device == "cpu");
    QVERIFY(json::parse("{}").get<Evaluation>().pairs.empty());
    QCOMPARE(json::parse("{}").get<Progress>().fraction, 0.0);
}

void TestMessages::nullFieldsKeepDefaults()
{
    const auto device = json::parse(R"({"name": null, "processors": null, "model": "m"})").get<DeviceInfo>();
    QCOMPARE(device.name, std::string());
    QCOMPARE(device.processors, 0);
    QCOMPARE(device.model, std::string("m"));
}

void TestMessages::wrongTypesAreJsonErrors()
{
    // Readers catch json::exception at the border; anything else would end the program.
    QVERIFY_EXCEPTION_THROWN((void)json::parse(R"({"fraction": "half"})").get<Progress>(), json::exception);
    QVERIFY_EXCEPTION_THROWN((void)json::parse(R"({"candidate": "no task"})").get<EvaluateRequest>(), json::exception);
    QVERIFY_EXCEPTION_THROWN((void)json::parse(R"({"pairs": [{"reference_ns": [null]}]})").get<Evaluation>(),
                             json::exception);
}

void TestMessages::lines()
{
    const std::string text = line("progress", 18446744073709551615ULL, json(Progress{"build", 0.5, "two\nlines"}));
    QVERIFY(text.ends_with('\n'));
    QCOMPARE(std::count(text.begin(), text.end(), '\n'), std::ptrdiff_t(1));
    const json j = json::parse(text);
    QCOMPARE(j.at("type").get<std::string>(), std::string("progress"));
    QCOMPARE(j.at("id").get<std::uint64_t>(), 18446744073709551615ULL);
    QCOMPARE(j.get<Progress>().text, std::string("two\nlines"));
    QCOMPARE(json::parse(line("quit", 0)).size(), std::size_t(2));
}

void TestMessages::invalidUtf8InALine()
{
    const std::string text = line("progress", 1, json(Progress{"check", 0, "bad \xff\xfe byte"}));
    const json j = json::parse(text);
    const std::string kept = j.at("text").get<std::string>();
    QVERIFY(kept.starts_with("bad ") && kept.ends_with(" byte"));
    QVERIFY(QString::fromStdString(kept).contains(QChar(0xfffd)));
}

QTEST_GUILESS_MAIN(TestMessages)
#include "tst_messages.moc"
