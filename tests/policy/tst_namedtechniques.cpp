// SPDX-License-Identifier: GPL-3.0-or-later
// Where techniques stand in a source: lines counted by hand.
#include "core/policy/namedtechniques.h"

#include <QTest>

#include <algorithm>

using namespace cudal1::policy;

namespace {

const NamedTechnique* find(const std::vector<NamedTechnique>& all, const std::string& id)
{
    const auto found = std::find_if(all.begin(), all.end(), [&](const NamedTechnique& one) { return one.id == id; });
    return found == all.end() ? nullptr : &*found;
}

const std::string toggled = R"(import torch

USE_CUDA_GRAPH = True  # replay one graph
USE_TF32: bool = False
USE_MY_TRICK = True
text = "USE_CUDA_GRAPH = False"

class ModelNew(torch.nn.Module):
    def forward(self, x):
        # USE_TF32 is only named here
        if USE_CUDA_GRAPH and x.is_cuda:
            g = torch.cuda.CUDAGraph()
            y = self.run(g,
                         x)
        else:
            y = self.plain(x)
        return y * 2 if USE_MY_TRICK else y
)";

} // namespace

class TestNamedTechniques : public QObject {
    Q_OBJECT
private slots:
    void togglesWithTheirLines()
    {
        const auto all = namedTechniques(toggled, {"cuda_graph", "tf32"});
        QCOMPARE(all.size(), std::size_t(3));
        QCOMPARE(all[0].id, std::string("cuda_graph"));
        QCOMPARE(all[0].title, std::string("CUDA graph")); // the library's
        QCOMPARE(all[0].toggle, std::string("USE_CUDA_GRAPH"));
        QVERIFY(all[0].on);
        QVERIFY((all[0].lines == std::vector<SourceLines>{{3, 3}, {11, 14}})); // the block that it guards, not its else
        QCOMPARE(all[1].toggle, std::string("USE_TF32"));
        QVERIFY(!all[1].on);
        QVERIFY((all[1].lines == std::vector<SourceLines>{{4, 4}})); // a comment is no use
        QCOMPARE(all[2].title, std::string("My trick"));
        QVERIFY((all[2].lines == std::vector<SourceLines>{{5, 5}, {17, 17}}));
    }

    void usesWithoutToggles()
    {
        const std::string source = "import torch\n"
                                   "# torch.compile would do\n"
                                   "torch.backends.cuda.matmul.allow_tf32 = True\n"
                                   "cuda = \"\"\"\n"
                                   "__global__ void f() { __shared__ float a[2]; }\n"
                                   "__global__ void g() { ; }\n"
                                   "\"\"\"\n"
                                   "s = torch.cuda.Stream()\n";
        const auto all = namedTechniques(source, {"mystery"});
        QVERIFY(!find(all, "compiled_graph"));
        QVERIFY(find(all, "tf32") && find(all, "tf32")->toggle.empty());
        QVERIFY((find(all, "tf32")->lines == std::vector<SourceLines>{{3, 3}}));
        QVERIFY((find(all, "cuda_kernel")->lines == std::vector<SourceLines>{{5, 6}}));
        QVERIFY((find(all, "shared_memory")->lines == std::vector<SourceLines>{{5, 5}}));
        QVERIFY((find(all, "streams")->lines == std::vector<SourceLines>{{8, 8}}));
        QVERIFY(find(all, "mystery") && find(all, "mystery")->lines.empty()); // said, and not found
        QCOMPARE(all.front().id, std::string("mystery"));
    }

    void whatIsTurnedOffIsNoUse()
    {
        const auto all = namedTechniques("torch.backends.cudnn.allow_tf32 = False\n"
                                         "torch.backends.cuda.matmul.allow_tf32=False\n"
                                         "torch.set_float32_matmul_precision('highest')\n"
                                         "if torch.compiler.is_compiling(): pass\n"
                                         "torch.backends.cudnn.benchmark = False\n");
        QVERIFY2(all.empty(), all.empty() ? "" : all.front().id.c_str());
        QVERIFY(find(namedTechniques("torch.set_float32_matmul_precision('high')\n"), "tf32"));
        QVERIFY(find(namedTechniques("@torch.compile\ndef f(x): return x\n"), "compiled_graph"));
        QVERIFY(find(namedTechniques("f = torch.compile(g, mode='max-autotune')\n"), "compiled_graph"));
    }

    void theStreamOfACaptureIsNoUseOfStreams()
    {
        const std::string capture = "side = torch.cuda.Stream()\n"
                                    "with torch.cuda.stream(side): f()\n"
                                    "with torch.cuda.graph(g): f()\n";
        QVERIFY(find(namedTechniques(capture), "cuda_graph"));
        QVERIFY(!find(namedTechniques(capture), "streams"));
        QVERIFY(find(namedTechniques(capture, {"streams"}), "streams")); // its author says so
        QVERIFY(find(namedTechniques("other = torch.cuda.Stream()\n" + capture), "streams"));
    }

    void whatIsNoPythonHasNoToggles()
    {
        QVERIFY(namedTechniques("USE_A = True\nx = (\n").empty());
        QVERIFY(namedTechniques("").empty());
    }
};

QTEST_APPLESS_MAIN(TestNamedTechniques)
#include "tst_namedtechniques.moc"
