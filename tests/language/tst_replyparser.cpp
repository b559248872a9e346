// SPDX-License-Identifier: GPL-3.0-or-later
// Replies as models write them: whole, sloppy, cut off, mutilated.
#include "core/language/replyparser.h"

#include <QTest>

#include <random>

using namespace cudal1;
using language::ParsedReply;
using language::parseReply;

namespace {

const std::string program =
    "import torch\n\n\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        return x\n";

std::string fenced(const std::string& code = program, const std::string& language = "python")
{
    return "```" + language + "\n" + code + "```\n";
}

const std::string whole =
    "## Performance Analysis\n\nB is faster, since it fuses.\n\n## Algorithm Design\n\n1. Fuse more.\n\n"
    "## Code Implementation\n\nOne kernel does all:\n\n" +
    fenced() + "";

bool hasAll(const ParsedReply& parsed)
{
    return parsed.usable() && parsed.source == program &&
           parsed.performanceAnalysis == "B is faster, since it fuses." && parsed.algorithmDesign == "1. Fuse more.";
}

} // namespace

class TestReplyParser : public QObject {
    Q_OBJECT
private slots:
    void theThreeSections()
    {
        const ParsedReply parsed = parseReply(whole, false);
        QVERIFY2(hasAll(parsed), parsed.why.c_str());
        QCOMPARE(parsed.codeImplementation, std::string("One kernel does all:"));
        QVERIFY(parsed.missing.empty());
        QVERIFY(hasAll(parseReply(whole, true))); // cut off behind its program
        std::string windows = whole;
        for (std::size_t at = 0; (at = windows.find('\n', at)) != std::string::npos; at += 2)
            windows.insert(at, "\r");
        QVERIFY(hasAll(parseReply(windows, false)));
    }

    void headings_data()
    {
        QTest::addColumn<QString>("first");
        QTest::addColumn<QString>("second");
        QTest::addColumn<QString>("third");
        const auto row = [](const char* name, const char* a, const char* b, const char* c) {
            QTest::newRow(name) << a << b << c;
        };
        row("one sign", "# Performance Analysis", "# Algorithm Design", "# Code Implementation");
        row("four signs", "#### Performance Analysis", "#### Algorithm Design", "#### Code Implementation");
        row("no blank", "##Performance Analysis", "##Algorithm Design", "##Code Implementation");
        row("numbered", "## 1. Performance Analysis", "## 2) Algorithm Design", "## (3) Code Implementation");
        row("numbered as in the paper",
            "(3.1) Performance Analysis:", "(3.2) Algorithm Design:", "(3.3) Code Implementation:");
        row("bold", "**Performance Analysis**", "**Algorithm Design:**", "__Code Implementation__");
        row("bold in a heading", "## **Performance Analysis**",
            "## **2. Algorithm Design**:", "### **Code Implementation**");
        row("bare", "Performance Analysis", "Algorithm Design:", "Code Implementation");
        row("colons", "## Performance Analysis:", "## Algorithm Design :", "## Code Implementation:");
        row("other case", "## PERFORMANCE ANALYSIS", "## algorithm design", "## Code implementation");
        row("with a word", "## Section 1: Performance Analysis", "## Part 2 - Algorithm Design",
            "## Section 3. Code Implementation");
        row("closed", "## Performance Analysis ##", "## Algorithm Design ##", "## Code Implementation ##");
        row("indented", "  ## Performance Analysis", " ## Algorithm Design", "   ## Code Implementation");
    }
    void headings()
    {
        QFETCH(QString, first);
        QFETCH(QString, second);
        QFETCH(QString, third);
        const std::string reply = "Let us see.\n\n" + first.toStdString() + "\nB is faster, since it fuses.\n" +
                                  second.toStdString() + "\n1. Fuse more.\n\n" + third.toStdString() + "\n" + fenced();
        const ParsedReply parsed = parseReply(reply, false);
        QVERIFY2(hasAll(parsed), (parsed.why + parsed.performanceAnalysis + "|" + parsed.algorithmDesign).c_str());
    }

    void sameLineAndSentences()
    {
        const ParsedReply parsed = parseReply("**Performance Analysis:** B is faster, since it fuses.\n"
                                              "Performance analysis shows more.\n\n"
                                              "## Algorithm Design: 1. Fuse more.\n## Code Implementation\n" +
                                                  fenced(),
                                              false);
        QCOMPARE(parsed.performanceAnalysis,
                 std::string("B is faster, since it fuses.\nPerformance analysis shows more."));
        QCOMPARE(parsed.algorithmDesign, std::string("1. Fuse more."));
    }

    void thePlanBeforeIsNotTheAnswer()
    {
        const ParsedReply parsed = parseReply("I will write:\n1. Performance Analysis\n2. Algorithm Design\n"
                                              "3. Code Implementation\n\n" +
                                                  whole,
                                              false);
        QVERIFY(hasAll(parsed));
    }

    void fences_data()
    {
        QTest::addColumn<QString>("code");
        const auto row = [](const char* name, const std::string& code) {
            QTest::newRow(name) << QString::fromStdString(code);
        };
        row("python", fenced());
        row("no language", fenced(program, ""));
        row("py3", fenced(program, "py3"));
        row("words behind", fenced(program, "python title=\"new\""));
        row("four signs", "````python\n" + program + "````\n");
        row("tildes", "~~~\n" + program + "~~~\n");
        row("no end", "```python\n" + program);
        row("others before", fenced("__global__ void k() {}\n", "cpp") + "and\n" + fenced("print(1)\n") + fenced());
        row("others behind", fenced() + "Try it:\n" + fenced("model = ModelNew()\n") + fenced("pip install x\n", "sh"));
        row("a draft before", fenced("class ModelNew:\n    pass\n") + "Better:\n" + fenced());
        row("a text that names it before", fenced("note = '''\nclass ModelNew:\n'''\n") + fenced());
    }
    void fences()
    {
        QFETCH(QString, code);
        const ParsedReply parsed = parseReply("## Performance Analysis\na\n## Algorithm Design\nb\n"
                                              "## Code Implementation\n" +
                                                  code.toStdString(),
                                              false);
        QVERIFY2(parsed.usable(), parsed.why.c_str());
        QCOMPARE(parsed.source, program);
    }

    void theSectionOfCodeCounts()
    {
        // A program of the analysis is somebody else's, also where it stands last.
        const std::string other = "class ModelNew:\n    other = 1\n";
        QCOMPARE(parseReply("## Code Implementation\n" + fenced() + "## Performance Analysis\n" + fenced(other), false)
                     .source,
                 program);
        QCOMPARE(parseReply("## Performance Analysis\n" + fenced(other) + "## Code Implementation\n" + fenced(), false)
                     .source,
                 program);
    }

    void anIndentedBlockLosesItsIndent()
    {
        std::string indented = "3. The code:\n   ```python\n";
        std::string rest = program;
        for (std::size_t end; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1))
            indented += (end > 0 ? "   " : "") + rest.substr(0, end + 1);
        QCOMPARE(parseReply(indented + "   ```\n", false).source, program);
    }

    void anOpenBlockEndsAtTheNextHeading()
    {
        const ParsedReply parsed = parseReply("## Code Implementation\n```python\n" + program +
                                                  "## Algorithm Design\n1. Fuse more.\n## Performance Analysis\nwhy\n",
                                              false);
        QCOMPARE(parsed.source, program);
        QCOMPARE(parsed.algorithmDesign, std::string("1. Fuse more."));
        QCOMPARE(parsed.performanceAnalysis, std::string("why"));
    }

    void codeWithoutFences()
    {
        const ParsedReply parsed = parseReply("## Performance Analysis\na\n\n## Algorithm Design\nb\n\n"
                                              "## Code Implementation\nHere it is:\n" +
                                                  program,
                                              false);
        QVERIFY2(parsed.usable(), parsed.why.c_str());
        QCOMPARE(parsed.source, program);
        QVERIFY(parsed.missing.empty());
    }

    void whatIsMissing_data()
    {
        QTest::addColumn<QString>("reply");
        QTest::addColumn<bool>("cutOff");
        QTest::addColumn<QString>("why");
        const std::string head = "## Performance Analysis\na\n## Algorithm Design\nb\n## Code Implementation\n";
        const auto row = [](const char* name, const std::string& reply, bool cutOff, const char* why) {
            QTest::newRow(name) << QString::fromStdString(reply) << cutOff << QString(why);
        };
        row("nothing", "", false, "It is empty.");
        row("blanks", " \n\t\n", false, "It is empty.");
        row("nothing yet", "", true, "It was cut off at its limit of length before it said anything.");
        row("chat", "I cannot do that.", false,
            "It has no block of code and lacks the sections Performance Analysis, Algorithm Design and Code "
            "Implementation.");
        row("no code", head + "see above", false, "It has no block of code.");
        row("no class", head + fenced("x = 1\n"), false, "Its code defines no class ModelNew.");
        row("another class", head + fenced("class ModelNewer:\n    pass\n"), false,
            "Its code defines no class ModelNew.");
        row("a class in a text", head + fenced("'''\nclass ModelNew:\n'''\n"), false,
            "Its code defines no class ModelNew.");
        row("no class, no design", "## Performance Analysis\na\n" + fenced("x = 1\n"), false,
            "Its code defines no class ModelNew, and it lacks the sections Algorithm Design and Code Implementation.");
        row("cut off in the analysis", "## Performance Analysis\nThe first", true,
            "It was cut off at its limit of length before its program began.");
        row("cut off in the code", head + "```python\n" + program, true,
            "It was cut off at its limit of length before its program was complete.");
        row("cut off in the thoughts", "<think>hm\n" + fenced(), true,
            "It was cut off at its limit of length while the model still thought.");
        row("thoughts alone", "<think>hm " + fenced() + "</think>\n", false, "It has thoughts alone, and no answer.");
    }
    void whatIsMissing()
    {
        QFETCH(QString, reply);
        QFETCH(bool, cutOff);
        QFETCH(QString, why);
        const ParsedReply parsed = parseReply(reply.toStdString(), cutOff);
        QVERIFY(!parsed.usable() && parsed.source.empty());
        QCOMPARE(QString::fromStdString(parsed.why), why);
    }

    void aProgramWithoutWordsIsUsable()
    {
        const ParsedReply parsed = parseReply(fenced(), false);
        QVERIFY(parsed.usable());
        QCOMPARE(parsed.missing, std::string("It lacks the sections Performance Analysis and Algorithm Design."));
    }

    void thoughtsAreNotRead()
    {
        const std::string thought = "## Performance Analysis\nno\n```python\nclass ModelNew: pass\n";
        QVERIFY(hasAll(parseReply("<think>\n" + thought + "</think>\n\n" + whole, false)));
        QVERIFY(hasAll(parseReply(thought + "</think>\n\n" + whole, false))); // the prompt opened it
        QVERIFY(hasAll(parseReply("Well.\n<think>" + thought + "</think>" + whole + "<think>more</think>", false)));
        QCOMPARE(language::withoutThinking("<think>hm</think>\n\nYes."), std::string("Yes."));
        QCOMPARE(language::withoutThinking(whole), whole);
        // A program may have the words in a text of its own.
        const std::string tags = "TAG = '<think>'\n" + program;
        QCOMPARE(parseReply(fenced(tags), false).source, tags);
    }

    void whatTheScannerCannotReadIsLeftToTheJudge()
    {
        const std::string broken = "class ModelNew:\n    x = (1\n";
        QCOMPARE(parseReply(fenced(broken), false).source, broken);
    }

    void mutilatedRepliesHaveOneOutcome()
    {
        // Pieces of replies, cut, doubled, swapped and strewn with signs that mean something.
        const std::vector<std::string> seeds{
            whole,
            "<think>" + whole + "</think>" + whole,
            "Sure!\n" + fenced("int main() {}\n", "cpp") + whole + "~~~\n",
            "```\n```\n```python\n" + program + "## Algorithm Design\n```",
            std::string("\0\xff\xfe## Performance Analysis\0\n", 28) + whole,
        };
        const std::vector<std::string> signs{"```",     "~~~",
                                             "<think>", "</think>",
                                             "##",      "\n",
                                             "\r\n",    "\"\"\"",
                                             "'''",     "\\\n",
                                             "(",       "class ModelNew",
                                             "**",      std::string(1, '\0'),
                                             "\xc3",    "`",
                                             "import "};
        std::mt19937 engine(20);
        const auto below = [&](std::size_t count) { return count == 0 ? 0 : engine() % count; };
        int usable = 0, unusable = 0;
        for (int round = 0; round < 20'000; ++round) {
            std::string text = seeds[below(seeds.size())];
            for (std::size_t step = below(6); step > 0; --step) {
                const std::size_t a = below(text.size() + 1), b = below(text.size() + 1);
                const std::string piece = text.substr(std::min(a, b), a > b ? a - b : b - a);
                switch (below(5)) {
                case 0: text.erase(std::min(a, b), piece.size()); break;
                case 1: text.insert(below(text.size() + 1), piece.substr(0, 400)); break;
                case 2: text.resize(a); break;
                case 3: text = text.substr(a) + text.substr(0, a); break;
                default: text.insert(a, signs[below(signs.size())]); break;
                }
            }
            const bool cutOff = below(2) == 1;
            const ParsedReply parsed = parseReply(text, cutOff);
            QVERIFY2(parsed.why.empty() != parsed.source.empty(), text.c_str());
            if (parsed.usable()) {
                QVERIFY(parsed.source.find("class ModelNew") != std::string::npos && parsed.source.ends_with('\n'));
                ++usable;
            } else {
                QVERIFY(parsed.why.ends_with('.') && parsed.why.find('\n') == std::string::npos);
                ++unusable;
            }
            (void)language::withoutThinking(text);
        }
        QVERIFY2(usable > 2000 && unusable > 2000, qPrintable(QString("%1 %2").arg(usable).arg(unusable)));
    }

    void longRepliesTakeNoTime()
    {
        // Quadratic work would take minutes on these.
        std::string fences, headings;
        for (int at = 0; at < 20'000; ++at) {
            fences += "```python\n";
            headings += "## Performance Analysis\n```\nx\n```\n";
        }
        QVERIFY(!parseReply(fences, false).usable());
        QVERIFY(!parseReply(headings, false).usable());
    }
};

QTEST_GUILESS_MAIN(TestReplyParser)
#include "tst_replyparser.moc"
