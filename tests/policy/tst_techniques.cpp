// SPDX-License-Identifier: GPL-3.0-or-later
// Each technique on traced graphs: where it matches, where it declines and why, and what the generated source keeps.
#include "core/policy/emitter.h"
#include "core/policy/graph.h"
#include "core/policy/sourcewriter.h"
#include "core/policy/techniquelibrary.h"

#include <QFile>
#include <QtTest>

#include <algorithm>

using namespace cudal1;
using namespace cudal1::policy;

namespace {

Prompt load(const std::string& name, const std::string& device = "cpu")
{
    QFile file(QString::fromStdString(CUDAL1_SOURCE_DIR "/tests/policy/fixtures/" + name + ".json"));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("no fixture %s", name.c_str());
    const auto json = nlohmann::json::parse(file.readAll().toStdString());
    Prompt prompt;
    prompt.task.name = name;
    prompt.task.source = json.at("source").get<std::string>();
    prompt.graph = json.at("graph").get<protocol::OperatorGraph>();
    prompt.graph.device = device;
    prompt.device.model = device == "cpu" ? "a processor" : "NVIDIA H200";
    prompt.compiler = "/usr/bin/c++";
    prompt.limit = 64;
    return prompt;
}

std::string why(const Reply& reply, const std::string& technique)
{
    for (const Declined& declined : reply.declined) {
        if (declined.technique == technique)
            return declined.why;
    }
    return {};
}

const Proposal* alone(const Reply& reply, const std::string& technique)
{
    for (const Proposal& proposal : reply.proposals) {
        if (proposal.techniques == std::vector<std::string>{technique})
            return &proposal;
    }
    return nullptr;
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class TestTechniques : public QObject {
    Q_OBJECT
private slots:
    void matches_data()
    {
        QTest::addColumn<QString>("fixture");
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("technique");
        QTest::addColumn<QString>("written"); ///< text that the generated source must have
        const auto row = [](const char* fixture, const char* device, const char* technique, const char* written) {
            QTest::addRow("%s %s %s", technique, fixture, device) << fixture << device << technique << written;
        };
        row("diagonal_left", "cpu", "diagonal_product", "B * unsqueeze_");
        row("upper", "cpu", "triangular_product", "triangular_product(A, B, block=");
        row("constant_mean", "cpu", "constant_result", "torch.full([5, 1], 0.0, device=x.device)");
        row("scaled_residual", "cpu", "fold_scale", "weight * 1.5");
        row("bias_relu", "cpu", "fold_scale", "+ 1.0 * p0");
        row("bias_relu", "cuda:0", "gemm_epilogue", "USE_GEMM_EPILOGUE");
        row("bias_relu", "cpu", "cpu_products", "_reorder_linear_weight");
        row("sum_of_linear", "cpu", "reassociate_reduction", ".sum(0, keepdim=True)");
        row("rms_norm", "cpu", "fuse_elementwise", "compile_c(\"fused_");
        row("rms_norm", "cuda:0", "fuse_elementwise", "CudaKernel(\"fused_");
        row("conv_relu_bias", "cuda:0", "fuse_elementwise", "its result takes the memory of a0");
        row("images", "cuda:0", "channels_last", "memory_format=torch.channels_last");
        row("volumes", "cuda:0", "channels_last", "if parameter.dim() == 5:");
        row("capped", "cuda:0", "fuse_elementwise", "e0 < 0.5f"); // not the address of a number in the host's memory
        row("grouped", "cuda:0", "fold_scale", " = torch.group_norm("); // which takes any layout
        row("group_images", "cuda:0", "fuse_elementwise", "mul, native_group_norm, relu, add over [3, 3, 4, 5, 7]");
        row("conv_training_batch_norm", "cuda:0", "split_reduction", "sets of 196 elements, by 1 block each; running");
        row("images", "cuda:0", "window_kernels", "Computes relu, max_pool2d_with_indices in one kernel");
        row("images", "cuda:0", "cudnn_benchmark", "torch.backends.cudnn.benchmark = True");
        row("images", "cuda:0", "cuda_graph", "torch.cuda.CUDAGraph()");
        row("bias_relu", "cuda:0", "tf32", "allow_tf32 = True");
        row("bias_relu", "cpu", "compiled_graph", "torch.compile(self.original");
    }

    void matches()
    {
        QFETCH(QString, fixture);
        QFETCH(QString, device);
        QFETCH(QString, technique);
        QFETCH(QString, written);
        TechniqueLibrary library;
        const Reply reply = library.propose(load(fixture.toStdString(), device.toStdString()));
        const Proposal* proposal = alone(reply, technique.toStdString());
        QVERIFY2(proposal, why(reply, technique.toStdString()).c_str());
        QVERIFY2(contains(proposal->source, written.toStdString()), proposal->source.c_str());
        QVERIFY(!proposal->performanceAnalysis.empty() && !proposal->algorithmDesign.empty() &&
                !proposal->codeImplementation.empty());
    }

    void declines_data()
    {
        QTest::addColumn<QString>("fixture");
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("technique");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* fixture, const char* device, const char* technique, const char* reason) {
            QTest::addRow("%s %s %s", technique, fixture, device) << fixture << device << technique << reason;
        };
        row("upper", "cpu", "diagonal_product", "diag");
        row("diagonal_left", "cpu", "triangular_product", "triu");
        row("rms_norm", "cpu", "constant_result", "no single value");
        row("conv_training_batch_norm", "cpu", "constant_result", "updates buffers");
        row("conv_training_batch_norm", "cpu", "fold_scale", "statistics of the batch");
        row("conv_relu_bias", "cpu", "fold_scale", "directly follows");
        row("scaled_residual", "cpu", "reassociate_reduction", "summed or averaged");
        row("dropout", "cpu", "fuse_elementwise", "random");
        row("dropout", "cuda:0", "cuda_graph", "random");
        row("images", "cpu", "cuda_graph", "GPU");
        row("images", "cuda:0", "tf32", "only convolutions");
        row("rms_norm", "cuda:0", "channels_last", "no convolution");
        row("rms_norm", "cuda:0", "split_reduction", "layer norm");
        row("rms_norm", "cuda:0", "window_kernels", "No pool");
        row("rms_norm", "cuda:0", "scan_kernels", "No running sum");
        row("running_products", "cpu", "scan_kernels", "for GPUs");
        row("running_products", "cuda:0", "scan_kernels", "is expected to take"); // and takes 1 µs
        row("rms_norm", "cpu", "heap_reuse", "KiB");
        row("rms_norm", "cuda:0", "arg_reduction", "No argmax");
        row("places_of_columns", "cpu", "arg_reduction", "CPU");
        row("places_of_columns", "cuda:0", "arg_reduction", "a kernel of our own would take");
        row("odd_matrices", "cpu", "aligned_products", "CPU");
        row("odd_matrices", "cuda:0", "aligned_products", "does not pay"); // it takes a microsecond
        row("upper", "cuda:0", "aligned_products", "no multiple of four");
        row("odd_matrices", "cpu", "scaled_halves", "for GPUs");
        row("odd_matrices", "cuda:0", "scaled_halves", "with halves it is expected to take"); // and takes 1 µs
        row("places_of_columns", "cuda:0", "scaled_halves", "no product of float32 matrices");
        row("twice_pooled", "cpu", "pool_into_convolution", "No average pool"); // a norm stands between
    }

    void declines()
    {
        QFETCH(QString, fixture);
        QFETCH(QString, device);
        QFETCH(QString, technique);
        QFETCH(QString, reason);
        TechniqueLibrary library;
        const Reply reply = library.propose(load(fixture.toStdString(), device.toStdString()));
        const std::string sentence = why(reply, technique.toStdString());
        QVERIFY2(contains(sentence, reason.toStdString()), sentence.c_str());
        QVERIFY(sentence.ends_with("."));
        QVERIFY(!alone(reply, technique.toStdString()));
    }

    void noGraphIsCapturedOfNumbersThatAreSent()
    {
        TechniqueLibrary library;
        Prompt prompt = load("capped", "cuda:0"); // has torch.tensor(0.5), in the host's memory
        QVERIFY(alone(library.propose(prompt), "cuda_graph"));
        for (protocol::GraphNode& node : prompt.graph.nodes)
            for (nlohmann::json& argument : node.args)
                if (Graph::writtenNumber(argument))
                    argument["literal"] = "torch.tensor(0.5, dtype=torch.float32, device='cuda:0')";
        const Reply reply = library.propose(prompt);
        QVERIFY(!alone(reply, "cuda_graph"));
        // Forward that is written anew has a number where the reference makes a tensor.
        const auto captured = std::find_if(reply.proposals.begin(), reply.proposals.end(), [](const Proposal& one) {
            return std::ranges::find(one.techniques, "cuda_graph") != one.techniques.end();
        });
        QVERIFY(captured != reply.proposals.end() && captured->techniques.size() > 1);
        QVERIFY(contains(captured->source, "only while USE_"));
        for (protocol::GraphNode& node : prompt.graph.nodes) // nothing that takes the number as one
            if (node.op == "aten.minimum.default")
                node.op = "aten.atan2.default";
        const Reply without = library.propose(prompt);
        QVERIFY(contains(why(without, "cuda_graph"), "cannot be captured"));
    }

    void aShortCallIsNotCompiledOnAGpu()
    {
        TechniqueLibrary library;
        Prompt prompt = load("deep", "cuda:0");
        prompt.graph.total_ns = 100e3;
        const Reply reply = library.propose(prompt);
        QVERIFY(!alone(reply, "compiled_graph"));
        QVERIFY(contains(why(reply, "compiled_graph"), "100 µs"));
        prompt.graph.total_ns = 200e3;
        QVERIFY(alone(library.propose(prompt), "compiled_graph"));
    }

    void theFirstProposalHasWhatUsuallyPays_data()
    {
        QTest::addColumn<QString>("fixture");
        QTest::addColumn<double>("call_ns");
        QTest::addColumn<QString>("technique");
        QTest::addColumn<bool>("isIn");
        QTest::newRow("many wide convolutions") << "deep" << 100e3 << "channels_last" << true;
        QTest::newRow("two narrow convolutions") << "images" << 100e3 << "channels_last" << false;
        QTest::newRow("short call") << "deep" << 300e3 << "compiled_graph" << false;
        QTest::newRow("call that others shorten") << "deep" << 900e3 << "compiled_graph" << false;
        QTest::newRow("long call") << "deep" << 3e6 << "compiled_graph" << false;
        QTest::newRow("many launches") << "deep" << 100e3 << "cuda_graph" << true;
        QTest::newRow("two launches") << "upper" << 100e3 << "cuda_graph" << true;
    }

    void theFirstProposalHasWhatUsuallyPays()
    {
        QFETCH(QString, fixture);
        QFETCH(double, call_ns);
        QFETCH(QString, technique);
        QFETCH(bool, isIn);
        Prompt prompt = load(fixture.toStdString(), "cuda:0");
        prompt.graph.total_ns = call_ns;
        // As where the device is busy, so that no graph of launches is chosen, and not with what we have kernels for.
        if (technique == "compiled_graph")
            for (protocol::GraphNode& node : prompt.graph.nodes)
                node.time_ns = node.op == "aten.relu.default" ? 2 * call_ns / double(prompt.graph.nodes.size()) : 0;
        TechniqueLibrary library;
        const Reply reply = library.propose(prompt);
        QVERIFY(!reply.proposals.empty());
        const auto& first = reply.proposals.front().techniques;
        QCOMPARE(std::find(first.begin(), first.end(), technique.toStdString()) != first.end(), isIn);
        QVERIFY2(alone(reply, technique.toStdString()), "it is still tried by itself");
    }

    void whatATechniqueSettlesIsNotInTheFirstProposal()
    {
        Prompt prompt = load("conv_relu_bias", "cuda:0");
        prompt.graph.total_ns = 5e6;
        for (protocol::GraphNode& node : prompt.graph.nodes)
            node.time_ns = node.op == "aten.convolution.default" ? 1e6 : 1e3; // so that the device seems to wait
        TechniqueLibrary library;
        const Reply reply = library.propose(prompt);
        const std::vector<std::string> wanted{"direct_convolution", "cuda_graph"};
        QCOMPARE(reply.proposals.front().techniques, wanted); // its kernel computes what follows too: nothing to fuse
        QVERIFY(alone(reply, "cudnn_benchmark"));
    }

    void withoutACompilerNothingIsCompiledOnACpu()
    {
        Prompt prompt = load("rms_norm");
        prompt.compiler.clear();
        TechniqueLibrary library;
        const Reply reply = library.propose(prompt);
        QVERIFY(contains(why(reply, "fuse_elementwise"), "compiler"));
        QVERIFY(contains(why(reply, "compiled_graph"), "compiler"));
    }

    void ieeeForbidsLowerPrecision()
    {
        Prompt gpu = load("bias_relu", "cuda:0"), cpu = load("bias_relu");
        gpu.precision = cpu.precision = protocol::Precision::Ieee;
        TechniqueLibrary library;
        QVERIFY(contains(why(library.propose(gpu), "tf32"), "ieee"));
        QVERIFY(!why(library.propose(cpu), "bf16_products").empty());
    }

    void longProductsOfOddSizesArePaddedBesideTf32()
    {
        Prompt prompt = load("odd_matrices", "cuda:0");
        prompt.graph.total_ns = 5e6;
        for (protocol::GraphNode& node : prompt.graph.nodes)
            node.time_ns = 5e6;
        TechniqueLibrary library;
        const Reply reply = library.propose(prompt);
        // As exact as float32 comes first, and no TF32 beside it; then TF32, which is faster still.
        const std::vector<std::string> exact{"scaled_halves"}, wanted{"aligned_products", "tf32"};
        QCOMPARE(reply.proposals.front().techniques, exact);
        QCOMPARE(reply.proposals[1].techniques, wanted);
        const Proposal* proposal = alone(reply, "aligned_products");
        QVERIFY(proposal);
        QVERIFY2(contains(proposal->source, "with_aligned_rows(B, (2008, 2056))"), proposal->source.c_str());
        QVERIFY2(contains(proposal->source, "[..., :2051].contiguous()"), proposal->source.c_str());
        prompt.precision = protocol::Precision::Ieee;
        QVERIFY(contains(why(library.propose(prompt), "aligned_products"), "ieee"));
    }

    void longProductsAreMadeOfHalvesAtEachPrecision()
    {
        Prompt prompt = load("halves_of_layers", "cuda:0");
        prompt.precision = protocol::Precision::Ieee;
        prompt.graph.total_ns = 15e6;
        for (protocol::GraphNode& node : prompt.graph.nodes)
            node.time_ns = 5e6;
        TechniqueLibrary library;
        const Reply reply = library.propose(prompt);
        const Proposal* proposal = alone(reply, "scaled_halves");
        QVERIFY2(proposal, why(reply, "scaled_halves").c_str());
        // Weights are split once, two layers share their input's halves, and sums over 1,200 numbers are cut in three.
        QVERIFY2(contains(proposal->source, "return right_halves(weight)"), proposal->source.c_str());
        QCOMPARE(QString::fromStdString(proposal->source).count("= left_halves("), 1);
        QVERIFY2(contains(proposal->source, "torch.empty((3, 72, 1248), dtype=torch.float16"),
                 proposal->source.c_str());
        QVERIFY2(contains(proposal->source, "+ bias[column + i];"), proposal->source.c_str());
        prompt.graph.nodes.front().time_ns = 1e3;
        prompt.precision = protocol::Precision::Tf32; // the times are of TF32 then, and decide alike
        QVERIFY(alone(library.propose(prompt), "scaled_halves"));
    }

    void placesOfExtremesGetAKernelWhereTheyTakeLong()
    {
        Prompt prompt = load("places_of_columns", "cuda:0");
        for (protocol::GraphNode& node : prompt.graph.nodes)
            node.time_ns = 40e3;
        prompt.graph.total_ns = 140e3;
        TechniqueLibrary library;
        const Reply reply = library.propose(prompt);
        const std::vector<std::string> wanted{"arg_reduction", "cuda_graph"};
        QCOMPARE(reply.proposals.front().techniques, wanted);
        const Proposal* proposal = alone(reply, "arg_reduction");
        QVERIFY2(proposal, why(reply, "arg_reduction").c_str());
        QVERIFY2(contains(proposal->source, "torch.empty((3, 1, 37), dtype=torch.int64"), proposal->source.c_str());
        QVERIFY2(contains(proposal->source, "largest value is along dimension 0 of [3, 300, 37], in one kernel"),
                 proposal->source.c_str());
    }

    void anOperatorAloneIsFusedWhereItTakesLongerThanALaunch()
    {
        TechniqueLibrary library;
        Prompt prompt = load("softmax_rows", "cuda:0");
        QVERIFY(contains(why(library.propose(prompt), "fuse_elementwise"), "worth a kernel by itself"));
        for (protocol::GraphNode& node : prompt.graph.nodes)
            node.time_ns = 50e3;
        const Reply reply = library.propose(prompt);
        const Proposal* proposal = alone(reply, "fuse_elementwise");
        QVERIFY2(proposal, why(reply, "fuse_elementwise").c_str());
        QVERIFY2(contains(proposal->source, "softmax over [5, 5000] in one kernel"), proposal->source.c_str());
    }

    void anInstanceNormIsAGroupNormWithoutViews()
    {
        TechniqueLibrary library;
        const Reply reply = library.propose(load("instance", "cuda:0"));
        const Proposal* proposal = alone(reply, "fuse_elementwise");
        QVERIFY2(proposal, why(reply, "fuse_elementwise").c_str());
        QVERIFY2(contains(proposal->source, "native_group_norm, div over [2, 5, 1, 6, 7]"), proposal->source.c_str());
    }

    void scansTakeInWhatOnlyMovesElements()
    {
        TechniqueLibrary library;
        const auto written = [&](const char* fixture) {
            Prompt prompt = load(fixture, "cuda:0");
            for (protocol::GraphNode& node : prompt.graph.nodes)
                node.time_ns = 50e3;
            const Reply reply = library.propose(prompt);
            const Proposal* proposal = alone(reply, "scan_kernels");
            return proposal ? proposal->source : why(reply, "scan_kernels");
        };
        const std::string reversed = written("running_sums_from_the_end");
        QVERIFY2(contains(reversed, "Computes flip, cumsum, flip in one kernel"), reversed.c_str());
        QVERIFY2(contains(reversed, "(996u - p)"), reversed.c_str()); // the first of four places, of a thousand
        QVERIFY2(!contains(reversed, "aten.flip.default(x"), reversed.c_str());
        QVERIFY2(contains(reversed, "aten.flip.default(y, [0])"), reversed.c_str()); // not of the scanned dimension
        const std::string exclusive = written("exclusive_running_sums");
        QVERIFY2(contains(exclusive, "Computes zeros_like, cat, slice, cumsum in one kernel"), exclusive.c_str());
        QVERIFY2(contains(exclusive, "Computes constant_pad_nd, slice, cumsum in one kernel"), exclusive.c_str());
        QVERIFY2(contains(exclusive, "Computes slice, new_zeros, cat, flip, cumsum in one kernel"), exclusive.c_str());
        QVERIFY2(!contains(exclusive, "torch.ops.aten"), exclusive.c_str());
    }

    void scansThatAreLeftToTheFramework_data()
    {
        QTest::addColumn<QList<qint64>>("shape");
        QTest::addColumn<int>("dim");
        QTest::addColumn<QString>("dtype");
        QTest::addColumn<QString>("reason"); ///< empty where it is not left
        using Extents = QList<qint64>;
        QTest::newRow("rows") << Extents{128, 4000} << -1 << "float32"
                              << "";
        QTest::newRow("another type") << Extents{128, 4000} << 1 << "float64"
                                      << "float64";
        QTest::newRow("few long rows") << Extents{4, 100000} << 1 << "float32"
                                       << "4 rows of 100000 elements";
        QTest::newRow("short rows") << Extents{4000, 8} << 1 << "float32"
                                    << "too short";
        QTest::newRow("many columns") << Extents{100, 5000} << 0 << "float32"
                                      << "";
        QTest::newRow("few columns") << Extents{4000, 128} << 0 << "float32"
                                     << "over 128 columns";
        QTest::newRow("nothing") << Extents{128, 0} << 1 << "float32"
                                 << "has no elements";
    }

    void scansThatAreLeftToTheFramework()
    {
        QFETCH(QList<qint64>, shape);
        QFETCH(int, dim);
        QFETCH(QString, dtype);
        QFETCH(QString, reason);
        Prompt prompt = load("running_products", "cuda:0");
        for (protocol::GraphValue& value : prompt.graph.values) {
            value.shape.assign(shape.begin(), shape.end());
            value.dtype = dtype.toStdString();
        }
        for (protocol::GraphNode& node : prompt.graph.nodes) {
            node.args[1] = dim;
            node.time_ns = 1e9;
        }
        TechniqueLibrary library;
        const Reply reply = library.propose(prompt);
        const std::string sentence = why(reply, "scan_kernels");
        QCOMPARE(alone(reply, "scan_kernels") != nullptr, reason.isEmpty());
        QVERIFY2(contains(sentence, reason.toStdString()), sentence.c_str());
        QVERIFY(reason.isEmpty() || sentence.ends_with("."));
    }

    void aSourceNamesNoGpuOfTheMachineWhereItWasTraced()
    {
        Prompt prompt = load("capped", "cuda:3");
        for (protocol::GraphNode& node : prompt.graph.nodes)
            if (node.op == "aten.lift_fresh.default") {
                node.args[0] = {{"literal", "torch.tensor(0.5, dtype=torch.float32, device='cuda:3')"}};
                node.kwargs = {{"device", {{"literal", "torch.device('cuda:3')"}}},
                               {"host", {{"literal", "torch.device('cpu')"}}}};
            }
        std::string text;
        for (const std::string& line : emitStatements(Graph(prompt.graph)))
            text += line + '\n';
        QVERIFY2(contains(text, "(torch.tensor(0.5, dtype=torch.float32, device=x.device), device=x.device, "
                                "host=torch.device('cpu'))"),
                 text.c_str());
    }

    void fastProductsAreCutIntoFewerBands()
    {
        TechniqueLibrary library;
        Prompt prompt = load("upper", "cuda:0");
        const Reply fast = library.propose(prompt);
        QVERIFY(contains(alone(fast, "triangular_product")->source, "block=192,")); // of 520 rows
        prompt.precision = protocol::Precision::Ieee;
        const Reply slow = library.propose(prompt);
        QVERIFY(contains(alone(slow, "triangular_product")->source, "block=128,"));
    }

    void aGraphWithoutAResult()
    {
        TechniqueLibrary library;
        Prompt prompt = load("constant_mean");
        prompt.graph.nodes.clear();
        prompt.graph.values.clear();
        prompt.graph.inputs.clear();
        prompt.graph.outputs.clear();
        const Reply reply = library.propose(prompt);
        QVERIFY(contains(why(reply, "constant_result"), "the graph has no result"));
        QVERIFY(!alone(reply, "constant_result"));
    }
    void sourceKeepsConstructorAndOriginal()
    {
        TechniqueLibrary library;
        const Reply reply = library.propose(load("scaled_residual"));
        const Proposal* proposal = alone(reply, "fold_scale");
        QVERIFY(proposal);
        const std::string& source = proposal->source;
        QVERIFY(contains(
            source,
            "class ModelNew(nn.Module):\n    \"\"\"Text that mentions class Model and def forward(self).\"\"\"\n"));
        QVERIFY(contains(source, "        super(ModelNew, self).__init__()\n        self.matmul = nn.Linear(10, 12)\n  "
                                 "      self.factor = 0.5\n"));
        QVERIFY(contains(
            source, "    def original(self, x):\n        x = self.matmul(x)\n        original = x.clone().detach()\n"));
        QVERIFY(contains(source, "\nUSE_FOLD_SCALE = True  # "));
        QVERIFY(!contains(source, "def get_inputs") && !contains(source, "def get_init_inputs"));
        QCOMPARE(std::count(source.begin(), source.end(), '\t'), 0);
    }

    void aConstructorOnOneLineGetsLinesOfItsOwn()
    {
        Prompt prompt = load("bias_relu");
        std::string& source = prompt.task.source;
        const std::size_t begin = source.find("    def __init__(self");
        const std::size_t end = source.find("    def forward(self");
        QVERIFY(begin != source.npos && end != source.npos);
        source.replace(begin, end - begin,
                       "    def __init__(self): super().__init__(); self.gemm = {\"a\": 1}  # all\n");
        TechniqueLibrary library;
        const Reply reply = library.propose(prompt);
        const Proposal* proposal = alone(reply, "compiled_graph");
        QVERIFY(proposal);
        QVERIFY2(contains(proposal->source, "    def __init__(self):\n"
                                            "        super().__init__(); self.gemm = {\"a\": 1}  # all\n"
                                            "        self._compiled = None\n"),
                 proposal->source.c_str());
    }

    void addedLinesAreIndentedAsTheConstructors()
    {
        Prompt prompt = load("bias_relu");
        std::string& source = prompt.task.source;
        const std::size_t begin = source.find("    def __init__(self");
        const std::size_t end = source.find("    def forward(self");
        source.replace(begin, end - begin, "    def __init__(self):\n      super().__init__()\n");
        TechniqueLibrary library;
        const Reply reply = library.propose(prompt);
        const Proposal* proposal = alone(reply, "compiled_graph");
        QVERIFY(proposal);
        QVERIFY2(contains(proposal->source, "\n      super().__init__()\n      self._compiled = None\n"),
                 proposal->source.c_str());
    }

    void everyTechniqueInTheListHasAToggle()
    {
        TechniqueLibrary library;
        for (const char* fixture : {"bias_relu", "images", "rms_norm", "sum_of_linear"}) {
            for (const char* device : {"cpu", "cuda:0"}) {
                for (const Proposal& proposal : library.propose(load(fixture, device)).proposals) {
                    for (const std::string& id : proposal.techniques) {
                        QString toggle = "\nUSE_" + QString::fromStdString(id).toUpper() + " = True  # ";
                        QVERIFY2(contains(proposal.source, toggle.toStdString()), proposal.source.c_str());
                    }
                }
            }
        }
    }

    void laterRoundsBuildOnWhatWasMeasuredAndNeverRepeat()
    {
        TechniqueLibrary library;
        Prompt prompt = load("bias_relu", "cuda:0");
        prompt.limit = 4;
        std::set<std::string> seen;
        bool combined = false;
        int rounds = 0;
        for (; rounds < 40; ++rounds) {
            prompt.round = rounds;
            const Reply reply = library.propose(prompt);
            if (reply.proposals.empty())
                break;
            QVERIFY(reply.proposals.size() <= 4);
            for (const Proposal& proposal : reply.proposals) {
                QVERIFY2(seen.insert(proposal.source).second, "a source was proposed twice");
                // fold_scale and tf32 help, cuda_graph is wrong, the rest changes nothing
                double speedup = 1;
                bool wrong = false;
                for (const std::string& id : proposal.techniques) {
                    speedup *= id == "fold_scale" ? 1.3 : id == "tf32" ? 1.5 : 1.0;
                    wrong = wrong || id == "cuda_graph";
                }
                combined = combined || (proposal.techniques == std::vector<std::string>{"fold_scale", "tf32"});
                Exemplar exemplar{proposal.source,
                                  proposal.techniques,
                                  wrong ? protocol::Verdict::Incorrect : protocol::Verdict::Correct,
                                  {},
                                  {}};
                if (!wrong)
                    exemplar.wall = {speedup, speedup * 0.99, speedup * 1.01};
                prompt.exemplars.push_back(exemplar);
            }
        }
        QVERIFY(combined);
        QVERIFY(rounds > 1 && rounds < 40);
    }

    void whatAnotherTechniqueOpensIsProposedBehindItAlone()
    {
        TechniqueLibrary library;
        Prompt prompt = load("twice_pooled", "cuda:0");
        for (protocol::GraphNode& node : prompt.graph.nodes)
            node.time_ns = node.op == "aten.convolution.default" || contains(node.op, "pool") ? 1e9 : 1e3;
        prompt.graph.total_ns = 3e9;
        prompt.least.emplace().bytesPerSecond = 1e10; // so that convolving again pays for a few results, too
        prompt.limit = 12;
        const std::string opener = "convolve_twice", opened = "pool_into_convolution";
        int together = 0;
        for (int round = 0; round < 4; ++round) {
            prompt.round = round;
            const Reply reply = library.propose(prompt);
            QVERIFY(why(reply, opened).empty());
            if (round == 0) {
                QVERIFY(!reply.proposals.empty());
                const Proposal& first = reply.proposals.front();
                QVERIFY(std::count(first.techniques.begin(), first.techniques.end(), opened));
                QVERIFY(contains(first.performanceAnalysis,
                                 "to what \"Convolve twice\" leaves of the reference. An average"));
                QVERIFY(contains(first.source, ", only while USE_CONVOLVE_TWICE is on\n"));
                QVERIFY(contains(first.codeImplementation, ", only while USE_CONVOLVE_TWICE is on\n"));
            }
            for (const Proposal& proposal : reply.proposals) {
                const std::set<std::string> ids(proposal.techniques.begin(), proposal.techniques.end());
                QVERIFY(ids.contains(opener) || !ids.contains(opened));
                together += ids == std::set{opener, opened};
                const double speedup = ids.contains(opened) ? 3 : ids.contains(opener) ? 2 : 1;
                prompt.exemplars.push_back({proposal.source,
                                            proposal.techniques,
                                            protocol::Verdict::Correct,
                                            {speedup, speedup * 0.99, speedup * 1.01},
                                            {}});
            }
        }
        QCOMPARE(together, 1);
    }

    void analysisQuotesTheGraph()
    {
        TechniqueLibrary library;
        const Reply reply = library.propose(load("rms_norm", "cuda:0"));
        const Proposal* proposal = alone(reply, "fuse_elementwise");
        QVERIFY(proposal);
        // five operators of 1 us each, 7.5 us in all, as the fixture says
        QVERIFY2(contains(proposal->performanceAnalysis, "takes 7.50 µs") &&
                     contains(proposal->performanceAnalysis, "5 operators take 5.00 µs"),
                 proposal->performanceAnalysis.c_str());
        QVERIFY(contains(proposal->performanceAnalysis, "4.80 TB/s"));
        QVERIFY(contains(proposal->performanceAnalysis, "over [3, 16, 9, 9]"));
    }

    void brokenSourceIsDeclinedWithItsLine()
    {
        Prompt prompt = load("rms_norm");
        prompt.task.source = "class Model:\n    x = (1,\n";
        TechniqueLibrary library;
        const Reply reply = library.propose(prompt);
        QVERIFY(reply.proposals.empty());
        QVERIFY(contains(why(reply, "cuda_graph"), "line 2"));
    }
};

QTEST_APPLESS_MAIN(TestTechniques)
#include "tst_techniques.moc"
