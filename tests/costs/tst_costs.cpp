// SPDX-License-Identifier: GPL-3.0-or-later
// FLOPs, bytes and memory against numbers worked out by hand; and all bundled tasks.
#include "core/costs/costs.h"
#include "core/costs/liveness.h"
#include "core/costs/memoryforecast.h"
#include "core/costs/roofline.h"
#include "core/tasks/factsfile.h"

#include <QTest>

#include <cmath>

using namespace cudal1;
using namespace cudal1::costs;
using nlohmann::json;

namespace {

Operation operation(const char* name, const char* arguments, std::vector<const char*> results)
{
    std::vector<Tensor> tensors;
    for (const char* text : results)
        tensors.push_back(parseTensor(text).value());
    return operationOf(name, json::parse(arguments), json::object(), std::move(tensors));
}

/// A row of facts with one input x, and nothing that the test does not need.
json row(const char* input, const char* operators, const char* outputs)
{
    return {{"level", 1},
            {"id", 1},
            {"name", "Test"},
            {"inputs", json::parse(input)},
            {"forward_parameters", {"x"}},
            {"parameters", json::array()},
            {"buffers", json::array()},
            {"modules", json::array()},
            {"outputs", json::parse(outputs)},
            {"operators", json::parse(operators)}};
}

} // namespace

class TestCosts : public QObject {
    Q_OBJECT
private slots:
    void tensorsAreReadAsFactsWriteThem()
    {
        QCOMPARE(parseTensor("[2,3]")->elements(), 6.0);
        QCOMPARE(parseTensor("int64[5]")->bytes(), 40.0);
        QCOMPARE(parseTensor("[]")->elements(), 1.0);
        QCOMPARE(parseTensor("bool[0]")->bytes(), 0.0);
        QVERIFY(!parseTensor("mean"));
        QVERIFY(!parseTensor("[2;3]"));
        QVERIFY(!parseTensor(""));
        QCOMPARE(written(*parseTensor("int64[2,3]")), std::string("int64[2,3]"));
        QCOMPARE(shapeText(*parseTensor("[2,3]")), std::string("2 × 3 float32"));
        QCOMPARE(writtenList(std::vector<Tensor>(512, *parseTensor("[10]"))), std::string("512 of [10]"));
    }

    void products_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QString>("result");
        QTest::addColumn<double>("flops");
        // 2 m n k
        QTest::newRow("mm") << "mm"
                            << R"(["[3,5]","[5,7]"])"
                            << "[3,7]" << 2.0 * 3 * 7 * 5;
        QTest::newRow("addmm") << "addmm"
                               << R"(["[7]","[3,5]","[5,7]"])"
                               << "[3,7]" << 2.0 * 3 * 7 * 5;
        QTest::newRow("bmm") << "bmm"
                             << R"(["[4,3,5]","[4,5,7]"])"
                             << "[4,3,7]" << 2.0 * 4 * 3 * 7 * 5;
        QTest::newRow("mv") << "mv"
                            << R"(["[3,5]","[5]"])"
                            << "[3]" << 2.0 * 3 * 5;
        // 8 results of 6 channels, each of 3 x 3 x 4 inputs
        QTest::newRow("convolution") << "convolution"
                                     << R"(["[1,4,10,3]","[6,4,3,3]",null,[1,1],[0,0],[1,1],false,[0,0],1])"
                                     << "[1,6,8,1]" << 2.0 * 48 * 36;
        // each of 2 groups has 2 of the 4 channels
        QTest::newRow("grouped") << "convolution"
                                 << R"(["[1,4,10,3]","[6,2,3,3]",null,[1,1],[0,0],[1,1],false,[0,0],2])"
                                 << "[1,6,8,1]" << 2.0 * 48 * 18;
        QTest::newRow("depthwise") << "convolution"
                                   << R"(["[1,4,10,3]","[4,1,3,3]",null,[1,1],[0,0],[1,1],false,[0,0],4])"
                                   << "[1,4,8,1]" << 2.0 * 32 * 9;
        // each of the 4 x 10 x 3 inputs gives 6 x 3 x 3 products, whatever the stride makes of them
        QTest::newRow("transposed") << "convolution"
                                    << R"(["[1,4,10,3]","[4,6,3,3]",null,[2,2],[0,0],[1,1],true,[0,0],1])"
                                    << "[1,6,21,7]" << 2.0 * 120 * 54;
        // 2 x 8 queries of 16 by 10 keys, then by values of 24
        QTest::newRow("attention") << "_scaled_dot_product_efficient_attention"
                                   << R"(["[2,4,8,16]","[2,4,10,16]","[2,4,10,24]"])"
                                   << "[2,4,8,24]" << 2.0 * (2 * 4 * 8 * 10) * (16 + 24);
        // 5 steps of a batch of 3; weights of 4 gates of 7 by 6 inputs and 7 states
        QTest::newRow("lstm")
            << "_cudnn_rnn"
            << R"(["[5,3,6]",["[28,6]","[28,7]","[28]","[28]"],4,"[1000]","[1,3,7]","[1,3,7]",2,7,0,1,false])"
            << "[5,3,7]" << 2.0 * 15 * (28 * 6 + 28 * 7);
    }

    void products()
    {
        QFETCH(QString, name);
        QFETCH(QString, arguments);
        QFETCH(QString, result);
        const Operation op = operation(name.toUtf8(), arguments.toUtf8(), {result.toUtf8().constData()});
        QTEST(op.flops.products, "flops");
    }

    void everythingElseByTheElement_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QString>("result");
        QTest::addColumn<double>("flops");
        QTest::addColumn<double>("bytes");
        QTest::newRow("relu") << "relu"
                              << R"(["[4,5]"])"
                              << "[4,5]" << 20.0 << 160.0;
        QTest::newRow("in place") << "add_.Tensor"
                                  << R"(["[4,5]","[4,5]"])"
                                  << "[4,5]" << 20.0 << 240.0;
        QTest::newRow("gelu") << "gelu"
                              << R"(["[4,5]"])"
                              << "[4,5]" << 100.0 << 160.0;
        QTest::newRow("a reduction reads all") << "sum.dim_IntList"
                                               << R"(["[4,5]",[1]])"
                                               << "[4]" << 20.0 << 96.0;
        QTest::newRow("softmax") << "_softmax"
                                 << R"(["[4,5]",1,false])"
                                 << "[4,5]" << 100.0 << 160.0;
        QTest::newRow("pool") << "avg_pool2d"
                              << R"(["[1,2,4,4]",[2,2],[2,2]])"
                              << "[1,2,2,2]" << 8.0 * 4 << 128.0 + 32.0;
        QTest::newRow("max of two") << "max.other"
                                    << R"(["[4,5]","[4,5]"])"
                                    << "[4,5]" << 20.0 << 240.0;
        QTest::newRow("a view is free") << "t"
                                        << R"(["[4,5]"])"
                                        << "[5,4]" << 0.0 << 0.0;
        QTest::newRow("a copy only moves") << "clone"
                                           << R"(["[4,5]"])"
                                           << "[4,5]" << 0.0 << 160.0;
        QTest::newRow("an allocation does nothing") << "empty.memory_format"
                                                    << "[[4,5]]"
                                                    << "[4,5]" << 0.0 << 0.0;
        QTest::newRow("unknown") << "some_new_operator"
                                 << R"(["[4,5]"])"
                                 << "[4,5]" << 20.0 << 160.0;
    }

    void everythingElseByTheElement()
    {
        QFETCH(QString, name);
        QFETCH(QString, arguments);
        QFETCH(QString, result);
        const Operation op = operation(name.toUtf8(), arguments.toUtf8(), {result.toUtf8().constData()});
        QCOMPARE(op.flops.products, 0.0);
        QTEST(op.flops.others, "flops");
        QTEST(op.bytes, "bytes");
    }

    void memoryIsHeldUntilItsLastUse()
    {
        Liveness flow;
        const int a = flow.allocate(1000); // 1024: blocks of 512
        flow.nextStep();
        flow.use(a);
        const int b = flow.allocate(2048);
        flow.nextStep();
        flow.use(b);
        flow.allocate(512); // a is gone: 2048 + 512 against 1024 + 2048
        flow.nextStep();
        QCOMPARE(flow.peak_bytes(), 3072.0);
        flow.keep(a);
        QCOMPARE(flow.peak_bytes(), 1024.0 + 2048 + 512);
    }

    /// Eight rows of a table of a million are read, and of a slice nothing moves.
    void partsOfWhatIsHeld()
    {
        const auto embedding = nlohmann::json::parse(R"graph(
         {"task":"t","device":"meta","values":[
            {"id":0,"shape":[8],"dtype":"int64","name":"input 0","kind":"input"},
            {"id":1,"shape":[1000000,256],"dtype":"float32","name":"table.weight","kind":"parameter"},
            {"id":2,"shape":[8,256],"dtype":"float32","kind":"intermediate"}],
          "nodes":[{"id":0,"op":"aten.embedding.default","module":"table","args":[{"value":1},{"value":0}],"kwargs":{},"outputs":[2],"time_ns":0}],
          "inputs":[0],"outputs":[2],"output_kind":"tensor","modules":["table: Embedding(1000000, 256)"],"total_ns":0})graph");
        const Costs rows = costsOf(programOf(embedding.get<protocol::OperatorGraph>()));
        QCOMPARE(rows.written_bytes, 8.0 * 256 * 4);
        QCOMPARE(rows.read_bytes, 8.0 * 256 * 4 + 8 * 8);
        QCOMPARE(rows.parameter_bytes, 1e6 * 256 * 4);
        const auto slice = nlohmann::json::parse(R"graph(
         {"task":"t","device":"meta","values":[
            {"id":0,"shape":[100000,1024],"dtype":"float32","name":"input 0","kind":"input"},
            {"id":1,"shape":[1,1024],"dtype":"float32","kind":"intermediate"}],
          "nodes":[{"id":0,"op":"aten.slice.Tensor","module":"","args":[{"value":0},0,0,1],"kwargs":{},"outputs":[1],"time_ns":0}],
          "inputs":[0],"outputs":[1],"output_kind":"tensor","modules":[],"total_ns":0})graph");
        QCOMPARE(costsOf(programOf(slice.get<protocol::OperatorGraph>())).read_bytes, 0.0);
    }

    void aTracedGraph()
    {
        // y = relu(x @ W^T), where x is [2,256] and W [512,256]
        const json graph = json::parse(R"graph({"values":[
            {"id":0,"shape":[2,256],"dtype":"float32","name":"x","kind":"input"},
            {"id":1,"shape":[512,256],"dtype":"float32","name":"fc.weight","kind":"parameter"},
            {"id":2,"shape":[256,512],"dtype":"float32","kind":"intermediate"},
            {"id":3,"shape":[2,512],"dtype":"float32","kind":"intermediate"},
            {"id":4,"shape":[2,512],"dtype":"float32","kind":"intermediate"}],
          "nodes":[{"id":0,"op":"aten.t.default","module":"fc","args":[{"value":1}],"kwargs":{},"outputs":[2],"time_ns":0},
            {"id":1,"op":"aten.mm.default","module":"fc","args":[{"value":0},{"value":2}],"kwargs":{},"outputs":[3],"time_ns":3000},
            {"id":2,"op":"aten.relu.default","module":"","args":[{"value":3}],"kwargs":{},"outputs":[4],"time_ns":1000}],
          "inputs":[0],"outputs":[4],"output_kind":"tensor","modules":["fc: Linear(256, 512)"],"total_ns":9000})graph");
        const Program program = programOf(graph.get<protocol::OperatorGraph>());
        const Costs sums = costsOf(program);
        QCOMPARE(sums.flops.products, 2.0 * 2 * 512 * 256);
        QCOMPARE(sums.flops.others, 1024.0);
        QCOMPARE(sums.read_bytes, 4.0 * (2 * 256 + 512 * 256));
        QCOMPARE(sums.written_bytes, 4096.0);
        QCOMPARE(sums.intermediates_bytes, 2 * 4096.0); // the product and the result; the transpose is a view
        QCOMPARE(sums.forward_bytes(), sums.read_bytes + 8192);
        QCOMPARE(sums.parameter_count, 512.0 * 256);
        QVERIFY(program.timed && sums.complete);
        QCOMPARE(program.calls.size(), std::size_t(3));
        QCOMPARE(program.modulePaths[std::size_t(program.calls[1].module)], std::string("fc"));
        QCOMPARE(program.operations[1].name, std::string("mm"));
        QCOMPARE(program.modules[0].second, std::string("Linear(256, 512)"));
    }

    void factsGiveWhatATraceGives()
    {
        json facts = row(
            R"([{"shape":[2,256],"dtype":"float32"}])",
            R"([["t",["[512,256]"],{"out":"[256,512]"}],["mm",["[2,256]","[256,512]"],{"out":"[2,512]"}],["relu",["[2,512]"],{"out":"[2,512]"}]])",
            R"({"shape":[2,512],"dtype":"float32"})");
        facts["parameters"] = json::parse(R"([["fc.weight",[512,256]]])");
        facts["modules"] = json::parse(R"list([["fc","Linear(256, 512)"]])list");
        const auto program = programOf(facts);
        QVERIFY(program.ok());
        const Costs sums = costsOf(*program);
        QCOMPARE(sums.flops.products, 2.0 * 2 * 512 * 256);
        QCOMPARE(sums.minimum_bytes(), 4.0 * (2 * 256 + 512 * 256 + 2 * 512));
        QCOMPARE(sums.intermediates_bytes, 2 * 4096.0);
        // The product reads the parameter through its view, so it is the module's; nothing says so of what comes after.
        QCOMPARE(program->modulePaths[std::size_t(program->calls[1].module)], std::string("fc"));
        QCOMPARE(program->calls[2].module, 0);
    }

    void whatIsInPlaceTakesNoMemory()
    {
        const auto program = programOf(row(
            R"([{"shape":[1024],"dtype":"float32"}])",
            R"([["mul.Tensor",["[1024]",2],{"out":"[1024]"}],{"repeat":3,"block":[["relu_",["[1024]"],{"out":"[1024]"}]]}])",
            R"({"shape":[1024],"dtype":"float32"})"));
        QVERIFY(program.ok());
        QCOMPARE(program->calls.size(), std::size_t(4));
        QCOMPARE(program->intermediates_bytes, 4096.0);
    }

    void aRecurrenceReadsItsParametersAgain()
    {
        json facts = row(
            R"([{"shape":[2,4],"dtype":"float32"}])",
            R"([{"repeat":2,"block":[{"repeat":100,"block":[["mm",["[2,4]","[4,4]"],{"out":"[2,4]"}],["tanh_",["[2,4]"],{"out":"[2,4]"}]]}]}])",
            R"({"shape":[2,4],"dtype":"float32"})");
        facts["parameters"] = json::parse(R"([["first.w",[4,4]],["second.w",[4,4]]])");
        const auto program = programOf(facts);
        QVERIFY(program.ok());
        QCOMPARE(program->calls.size(), std::size_t(400));
        QCOMPARE(program->operations.size(), std::size_t(2));
        QCOMPARE(program->modulePaths[std::size_t(program->calls[100].module)], std::string("first"));
        QCOMPARE(program->modulePaths[std::size_t(program->calls[200].module)], std::string("second"));
        QCOMPARE(costsOf(*program).flops.products, 200 * 2.0 * 2 * 4 * 4);
        // Two layers of 100 steps each; between them the module changes.
        std::size_t calls = 0;
        for (const Fold& fold : folded(*program)) {
            QVERIFY(fold.repeat == 1 || fold.repeat >= 98);
            calls += fold.length * fold.repeat;
        }
        QCOMPARE(calls, std::size_t(400));
        QVERIFY(folded(*program).size() <= 6);
    }

    void whatIsNoRowIsAnError()
    {
        QVERIFY(!programOf(json::parse("{}")).ok());
        QVERIFY(!programOf(json::parse(R"({"inputs":7})")).ok());
        json wrong = row("[]", R"([["mm"]])", "[]");
        QCOMPARE(programOf(wrong).error().code, base::ErrorCode::Unreadable);
    }

    void floors()
    {
        Costs costs;
        costs.flops.products = 67e9;
        costs.read_bytes = 480e6;
        const Roofline sheet = floorOf(costs, "NVIDIA H200", 0);
        QCOMPARE(sheet.source, Roofline::Source::DataSheet);
        QCOMPARE(sheet.fp32_ns, 1e6); // 67 GFLOP at 67 TFLOP/s
        QCOMPARE(sheet.bytes_ns, 480e6 / 4800e9 * 1e9);
        const Roofline measured = floorOf(costs, "NVIDIA H200", 4000e9);
        QCOMPARE(measured.source, Roofline::Source::Measured);
        QCOMPARE(measured.bytes_ns, 480e6 / 4000e9 * 1e9);
        QCOMPARE(floorOf(costs, "Some Other GPU", 0).source, Roofline::Source::Unknown);
        QCOMPARE(floorOf(costs, "Some Other GPU", 1e12).bytes_ns, 480e3);
    }

    void gpusByTheDriversName()
    {
        const auto bandwidth = [](const char* name) {
            return knownGpu(name) ? knownGpu(name)->bytesPerSecond / 1e9 : 0;
        };
        QCOMPARE(bandwidth("NVIDIA H200"), 4800.0);
        QCOMPARE(bandwidth("NVIDIA H100 PCIe"), 2000.0);
        QCOMPARE(bandwidth("NVIDIA H100 80GB HBM3"), 3350.0);
        QCOMPARE(bandwidth("NVIDIA A100-SXM4-80GB"), 2039.0);
        QCOMPARE(bandwidth("NVIDIA A100-SXM4-40GB"), 1555.0);
        QCOMPARE(bandwidth("NVIDIA L40"), 864.0);
        QCOMPARE(bandwidth("NVIDIA L4"), 300.0);
        QCOMPARE(bandwidth("NVIDIA GeForce RTX 4090"), 1008.0);
        QCOMPARE(bandwidth("NVIDIA GeForce RTX 4090 Laptop GPU"), 0.0);
        QCOMPARE(bandwidth("NVIDIA H800"), 0.0);
        QCOMPARE(knownGpu("NVIDIA A100-SXM4-40GB")->memory_bytes, 40.0 * (1 << 30));
        QCOMPARE(knownGpu("NVIDIA A100-SXM4-80GB")->memory_bytes, 80.0 * (1 << 30));
    }

    void forecastsAddUp()
    {
        Costs costs;
        costs.input_bytes = 1e9;
        costs.parameter_bytes = 2e9;
        costs.written_bytes = 3e9;
        costs.intermediates_bytes = 5e9;
        const MemoryForecast gpu = forecast(costs, true);
        QCOMPARE(gpu.arena_bytes, 2e9 + 2e9 + 3e9);
        QCOMPARE(gpu.timed_bytes, 7e9);
        QCOMPARE(gpu.candidate_bytes, 2e9 + 5e9 + 3e9);
        QCOMPARE(gpu.reference_bytes, 2e9 + 2e9 + 3e9 + 5e9 + 1073741824.0);
        QVERIFY(gpu.contexts_bytes > forecast(costs, false).contexts_bytes);
        QVERIFY(fits(gpu, gpu.total_bytes()));
        QVERIFY(!fits(gpu, gpu.total_bytes() - 1));
        QVERIFY(fits(gpu, 0));      // not known
        costs.written_bytes = 50e6; // ten results are held, but not of more than a GiB
        QCOMPARE(forecast(costs, true).candidate_bytes, 7e9 + 500e6);
        costs.written_bytes = 500e6;
        QCOMPARE(forecast(costs, true).candidate_bytes, 7e9 + 1073741824.0);
    }

    void everyBundledTask()
    {
        const auto file = tasks::FactsFile::read(std::filesystem::path(CUDAL1_SOURCE_DIR) / "kernelbench" /
                                                 "facts.jsonl");
        QVERIFY(file.ok());
        QCOMPARE(file->tasks().size(), std::size_t(250));
        for (const base::TaskId& id : file->tasks()) {
            const auto program = programOf(*file->row(id));
            QVERIFY2(program.ok(), id.value.c_str());
            const Costs sums = costsOf(*program);
            const double total = forecast(sums, true).total_bytes();
            for (const double value :
                 {sums.flops.total(), sums.minimum_bytes(), sums.operator_bytes, sums.forward_bytes(), total})
                QVERIFY2(std::isfinite(value) && value > 0, id.value.c_str());
            // The result is held at the end, and no list of operators holds more than all of its results at once.
            double results = 0, largest = 0;
            for (const Call& call : program->calls)
                for (const Tensor& tensor : program->operations[std::size_t(call.operation)].results)
                    results += tensor.bytes() + 512;
            for (const Tensor& tensor : program->outputs)
                largest = std::max(largest, tensor.bytes());
            QVERIFY2(sums.intermediates_bytes >= largest && sums.intermediates_bytes <= results, id.value.c_str());
            QVERIFY2(total > 2e9 && total < 140e9, id.value.c_str()); // all of them run on an H200
            std::size_t calls = 0;
            for (const Fold& fold : folded(*program))
                calls += fold.length * fold.repeat;
            QCOMPARE(calls, program->calls.size());
        }
    }

    void knownTasks()
    {
        const auto file = tasks::FactsFile::read(std::filesystem::path(CUDAL1_SOURCE_DIR) / "kernelbench" /
                                                 "facts.jsonl");
        QVERIFY(file.ok());
        const auto costs = [&](const char* id) { return costsOf(programOf(*file->row({id})).value()); };
        QCOMPARE(costs("1/1").flops.products, 2.0 * 2048 * 2048 * 2048);
        QCOMPARE(costs("1/1").minimum_bytes(), 3.0 * 4 * 2048 * 2048);
        QCOMPARE(costs("1/12").flops.products, 2.0 * 4096 * 4096 * 4096); // as written, with the diagonal's zeros
        QCOMPARE(costs("2/12").flops.products, 2.0 * 128 * 1024 * 512);
        // 6 layers of 2 directions, 512 steps of a batch of 10: 3 gates of 256, by 128 or 512 inputs and 256 states
        QCOMPARE(costs("3/41").flops.products, 2.0 * 512 * 10 * 768 * 2 * ((128 + 256) + 5 * (512 + 256)));
    }
};

QTEST_APPLESS_MAIN(TestCosts)
#include "tst_costs.moc"
