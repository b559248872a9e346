// SPDX-License-Identifier: GPL-3.0-or-later
// How alike programs are, whatever their names and comments; and which tasks are held out.
#include "core/collect/collector.h"
#include "core/collect/heldout.h"
#include "core/collect/shingles.h"
#include "core/tasks/split.h"

#include <QTest>

using namespace cudal1;
using namespace cudal1::collect;

namespace {

const std::string program = R"py("""Docstring."""
import torch

BLOCK = 256
KERNEL = r'''
__global__ void add(const float* x, float* y) {  // adds one
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] + 1.0f;
}
'''


class ModelNew(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(size))

    def forward(self, x):
        # the product
        y = torch.matmul(x, self.weight)
        return torch.relu(y)
)py";

std::string with(std::string text, const std::string& from, const std::string& to)
{
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

double alike(const std::string& a, const std::string& b)
{
    return similarity(shinglesOf(a), shinglesOf(b));
}

} // namespace

class TestShingles : public QObject {
    Q_OBJECT
private slots:
    void tokensForgetNames()
    {
        QCOMPARE(normalisedTokens("x = foo(y, 2.5)  # note\n"),
                 (std::vector<std::string>{"@", "=", "@", "(", "@", ",", "2.5", ")"}));
        QCOMPARE(normalisedTokens("def f(a):\n    '''says'''\n    return a.sum()\n"),
                 (std::vector<std::string>{"def", "@", "(", "@", ")", ":", "return", "@", ".", "sum", "(", ")"}));
        // A string is taken apart, and the comments in it are gone.
        QCOMPARE(normalisedTokens("k = \"int i = 0; /* c */ // d\"\n"),
                 (std::vector<std::string>{"@", "=", "\"", "int", "@", "=", "0", ";", "\""}));
        QCOMPARE(normalisedTokens(""), std::vector<std::string>());
        QCOMPARE(normalisedTokens("'never closed"), std::vector<std::string>()); // a docstring, if anything
    }

    void disguisesAreSeenThrough()
    {
        QCOMPARE(alike(program, program), 1.0);
        QCOMPARE(alike(program, with(program, "# the product", "# another remark\n        # and one more")), 1.0);
        QCOMPARE(alike(program, with(with(program, "BLOCK", "THREADS"), "y", "outcome")), 1.0);
        QCOMPARE(alike(program, with(program, "// adds one", "/* other words */")), 1.0);
        QCOMPARE(alike(program, with(program, "    ", "  ")), 1.0);
        QCOMPARE(alike(program, with(program, "\"\"\"Docstring.\"\"\"", "\"\"\"Many\nother words.\"\"\"")), 1.0);
    }

    void otherProgramsAreOthers()
    {
        // Another operator is five rows of 80 or so: alike, and yet below the bound where more than that changes.
        const double one = alike(program, with(program, "torch.relu(y)", "torch.gelu(y)"));
        QVERIFY2(one < 1 && one > 0.8, std::to_string(one).c_str());
        const std::string other = "import torch\n\n\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n"
                                  "        return torch.softmax(x, dim=1)\n";
        QVERIFY(alike(program, other) < 0.5);
        QVERIFY(alike(program, with(program, "y[i] = x[i] + 1.0f;",
                                    "for (int j = 0; j < 4; ++j)\n        y[4 * i + j] = x[4 * i + j] + 1.0f;")) <
                nearDuplicate);
    }

    void similarityIsTheShareOfCommonRows()
    {
        QCOMPARE(similarity({1, 2, 3}, {2, 3, 4}), 0.5);
        QCOMPARE(similarity({}, {}), 1.0);
        QCOMPARE(similarity({1}, {}), 0.0);
    }

    void heldOutTasksAreFound()
    {
        int train = 1, held = 1;
        while (tasks::splitOf(1, train) != tasks::Split::Train)
            ++train;
        while (tasks::splitOf(1, held) != tasks::Split::HeldOut)
            ++held;
        const std::string heldId = "1/" + std::to_string(held), trainId = "1/" + std::to_string(train);
        tasks::Suite bundled;
        bundled.tasks.push_back({{heldId}, 1, held, "H", {}, {}, "text", "hash-of-held"});
        bundled.tasks.push_back({{trainId}, 1, train, "T", {}, {}, "other", "hash-of-train"});
        const auto isHeld = [&](const store::TaskRecord& task) { return heldOutAmong({task}, bundled).size() == 1; };
        QVERIFY(isHeld({{heldId}, "H", "suite", 1, "text", "any"}));
        QVERIFY(isHeld({{heldId + "@1a2b3c4d"}, "H", "suite", 1, "text", "any"}));
        QVERIFY(!isHeld({{trainId}, "T", "suite", 1, "other", "any"}));
        QVERIFY(isHeld({{"/any/copy.py"}, "copy", {}, 0, "text", "hash-of-held"}));
        QVERIFY(!isHeld({{"/any/copy.py"}, "copy", {}, 0, "other", "hash-of-train"}));
        QVERIFY(isHeld({{"/x/level1/" + std::to_string(held) + "_Name.py"}, "Name", {}, 0, "edited", "any"}));
        QVERIFY(!isHeld({{"/x/level1/" + std::to_string(train) + "_Name.py"}, "Name", {}, 0, "edited", "any"}));
    }

    void settingsAreChecked_data()
    {
        QTest::addColumn<QStringList>("policies");
        QTest::addColumn<int>("perTask");
        QTest::addColumn<int>("successes");
        QTest::addColumn<int>("together");
        QTest::addColumn<QString>("says");
        QTest::newRow("good") << QStringList{"library", "endpoint:a"} << 20 << 2 << 2 << "";
        QTest::newRow("none") << QStringList{} << 20 << 2 << 2 << "No policy";
        QTest::newRow("twice") << QStringList{"library", "library"} << 20 << 2 << 2 << "named twice";
        QTest::newRow("unknown") << QStringList{"oracle"} << 20 << 2 << 2 << "oracle";
        QTest::newRow("trials") << QStringList{"library"} << 0 << 2 << 2 << "trials";
        QTest::newRow("successes") << QStringList{"library"} << 2 << 3 << 2 << "successes";
        QTest::newRow("together") << QStringList{"library"} << 20 << 2 << 3 << "divide";
    }
    void settingsAreChecked()
    {
        QFETCH(const QStringList, policies);
        QFETCH(const int, perTask);
        QFETCH(const int, successes);
        QFETCH(const int, together);
        QFETCH(const QString, says);
        CollectOptions options;
        options.policies.clear();
        for (const QString& name : policies)
            options.policies.push_back(name.toStdString());
        options.perTask = perTask;
        options.successes = successes;
        options.together = together;
        const auto status = check(options);
        QCOMPARE(status.ok(), says.isEmpty());
        QVERIFY2(status.ok() || QString::fromStdString(status.error().text()).contains(says),
                 status ? "" : status.error().text().c_str());
    }
};

QTEST_APPLESS_MAIN(TestShingles)
#include "tst_shingles.moc"
