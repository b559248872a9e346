// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of source beside PTX and SASS as nvcc 13.0 and nvdisasm write them.
#include "core/kernels/sourcelines.h"

#include <QTest>

using namespace cudal1;
using kernels::LineSource;

namespace {

const std::string cuda = "extern \"C\" __global__ void twice(const float* x, float* y, int n)\n{\n"
                         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n)\n"
                         "        y[i] = x[i] * 2.0f;\n}\n";

constexpr const char* sass = ".text.twice:\n"
                             "\t//## File \"/tmp/build/line.cu\", line 3\n"
                             "        /*0010*/                   S2R R0, SR_TID.X ;\n"
                             "        /*0020*/                   S2UR UR4, SR_CTAID.X ;\n"
                             "\t//## File \"/tmp/build/line.cu\", line 5\n"
                             "        /*0080*/                   LDC.64 R2, c[0x0][0x210] ;\n";
constexpr const char* ptx = ".visible .entry twice(\n)\n{\n\t.loc\t1 3 5\n\tmov.u32 %r3, %ctaid.x;\n"
                            "\t.loc\t1 3 9\n\tmov.u32 %r4, %ntid.x;\n\t.loc\t1 4 5\n\tsetp.ge.s32 %p1, %r1, %r2;\n}\n"
                            "\t.file\t1 \"/tmp/build/line.cu\"\n";

} // namespace

class SourceLinesTest : public QObject {
    Q_OBJECT
private slots:
    void sassHasItsLines()
    {
        QVERIFY(kernels::hasLineNumbers(sass));
        QCOMPARE(kernels::withSourceLines(sass, {{".cu", cuda, 0}}),
                 std::string(".text.twice:\n"
                             "// line.cu:3  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "        /*0010*/                   S2R R0, SR_TID.X ;\n"
                             "        /*0020*/                   S2UR UR4, SR_CTAID.X ;\n"
                             "// line.cu:5  y[i] = x[i] * 2.0f;\n"
                             "        /*0080*/                   LDC.64 R2, c[0x0][0x210] ;\n"));
    }

    void ptxHasItsLinesOnce()
    {
        const std::string shown = kernels::withSourceLines(ptx, {{".cu", cuda, 0}});
        QCOMPARE(shown, std::string(".visible .entry twice(\n)\n{\n"
                                    "// line.cu:3  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                    "\tmov.u32 %r3, %ctaid.x;\n\tmov.u32 %r4, %ntid.x;\n"
                                    "// line.cu:4  if (i < n)\n\tsetp.ge.s32 %p1, %r1, %r2;\n}\n"
                                    "\t.file\t1 \"/tmp/build/line.cu\"\n"));
    }

    void linesOfOtherFilesAreNamed()
    {
        const std::string shown = kernels::withSourceLines(sass, kernels::lineSourcesOf("import torch\n"));
        QVERIFY(shown.find("\n// line.cu:3\n") != std::string::npos);
    }

    void theFrameworksOwnLinesAreLeftOut()
    {
        const std::string code = "\t//## File \"/x/cuda.cu\", line 6\n",
                          both = code + "\t//## File \"/x/k.py\", line 1\n";
        const auto sources = kernels::lineSourcesOf("import triton\ncode = \"\"\"" + cuda + "\"\"\"\n");
        QCOMPARE(
            kernels::withSourceLines(both, sources),
            std::string("// cuda.cu:6  int i = blockIdx.x * blockDim.x + threadIdx.x;\n// k.py:1  import triton\n"));
    }

    void codeWithoutNumbersStaysAsItIs()
    {
        const std::string plain = "k:\n    EXIT ;"; // no line end either
        QVERIFY(!kernels::hasLineNumbers(plain));
        QCOMPARE(kernels::withSourceLines(plain, {{".cu", cuda, 0}}), plain);
    }

    void damagedNumbersAreNoLines()
    {
        for (const char* line :
             {"\t.loc\tx y\n", "\t.loc\t9 1 1\n", "\t//## File \"a.cu\n", "\t//## File \"a.cu\", line x\n"}) {
            const std::string code = std::string("\n") + line;
            QCOMPARE(kernels::withSourceLines(code, {{".cu", cuda, 0}}), code);
        }
    }
};

QTEST_APPLESS_MAIN(SourceLinesTest)
#include "tst_sourcelines.moc"
