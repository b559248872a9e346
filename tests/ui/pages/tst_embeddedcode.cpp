// SPDX-License-Identifier: GPL-3.0-or-later
// C++ in the strings of Python: found where it is, and nowhere else; its tokens by hand.
#include "ui/editor/embeddedcode.h"

#include <QTest>

#include <string>

using namespace cudal1::ui;
using Kind = CodeToken::Kind;

namespace {

Kind kindOf(std::string_view text, std::string_view word)
{
    const int at = int(text.find(word));
    for (const CodeToken& token : cppTokens(text))
        if (at >= token.first && at < token.first + token.count)
            return token.kind;
    return Kind::Count;
}

} // namespace

class TestEmbeddedCode : public QObject {
    Q_OBJECT
private slots:
    void findsTheStringsThatHoldCode()
    {
        const std::string python = "\"\"\"Calls a __global__ function.\"\"\"\n"
                                   "# \"\"\" __global__ void no() { ; }\n"
                                   "source = r'''\n__global__ void scale(float* x) { x[threadIdx.x] *= 2.0f; }\n'''\n"
                                   "name = 'plain; text'\n"
                                   "header = \"#include <cuda.h>\"\n"
                                   "open = '''__device__ int f();";
        const auto found = embeddedCpp(python);
        QCOMPARE(found.size(), std::size_t(3)); // a docstring, a comment and plain text are none
        const auto text = [&](std::size_t i) {
            return python.substr(std::size_t(found[i].first), std::size_t(found[i].count));
        };
        QCOMPARE(text(0), std::string("\n__global__ void scale(float* x) { x[threadIdx.x] *= 2.0f; }\n"));
        QCOMPARE(text(1), std::string("#include <cuda.h>"));
        QCOMPARE(text(2), std::string("__device__ int f();"));
    }

    void anEscapedQuoteEndsNothing()
    {
        const std::string python = "a = \"printf(\\\"%d;\\\", threadIdx.x)\" + 'b'";
        const auto found = embeddedCpp(python);
        QCOMPARE(found.size(), std::size_t(1));
        QCOMPARE(found[0].first, 5);
        QCOMPARE(python[std::size_t(found[0].first + found[0].count)], '"');
        QCOMPARE(python.substr(std::size_t(found[0].first + found[0].count)), std::string("\" + 'b'"));
    }

    void tokensHaveTheirKinds()
    {
        const std::string_view text = "#include <cuda_runtime.h>\n"
                                      "// twice\n"
                                      "__global__ void scale(float* x, int n) {\n"
                                      "  /* a; b */ int i = blockIdx.x * 256 + threadIdx.x;\n"
                                      "  if (i < n) x[i] = fmaf(x[i], 1.5e-3f, 0x1F);\n"
                                      "  printf(\"no // comment\");\n"
                                      "}\n";
        QCOMPARE(kindOf(text, "#include"), Kind::Preprocessor);
        QCOMPARE(kindOf(text, "<cuda_runtime.h>"), Kind::String);
        QCOMPARE(kindOf(text, "// twice"), Kind::Comment);
        QCOMPARE(kindOf(text, "__global__"), Kind::Keyword);
        QCOMPARE(kindOf(text, "scale"), Kind::Function);
        QCOMPARE(kindOf(text, "float"), Kind::Type);
        QCOMPARE(kindOf(text, "/* a; b */"), Kind::Comment);
        QCOMPARE(kindOf(text, "blockIdx"), Kind::Builtin);
        QCOMPARE(kindOf(text, "256"), Kind::Number);
        QCOMPARE(kindOf(text, "1.5e-3f"), Kind::Number);
        QCOMPARE(kindOf(text, "0x1F"), Kind::Number);
        QCOMPARE(kindOf(text, "fmaf"), Kind::Function);
        QCOMPARE(kindOf(text, "if"), Kind::Keyword);
        QCOMPARE(kindOf(text, "// comment"), Kind::String);
        QCOMPARE(kindOf(text, "x["), Kind::Plain);
    }

    void tokensCoverTheTextWithoutGaps()
    {
        for (const std::string_view text : {"", "\"open", "/* open", "a\\", "#", "'", "1e+", ".5.", "<<<g, b>>>",
                                            "x = \"a\\\"b\"; // \xc3\xa4\r\n#define A\\\n B"}) {
            int at = 7;
            for (const CodeToken& token : cppTokens(text, 7)) {
                QCOMPARE(token.first, at);
                QVERIFY(token.count > 0);
                at += token.count;
            }
            QCOMPARE(at, 7 + int(text.size()));
        }
    }
};

QTEST_APPLESS_MAIN(TestEmbeddedCode)
#include "tst_embeddedcode.moc"
