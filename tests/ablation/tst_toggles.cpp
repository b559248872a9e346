// SPDX-License-Identifier: GPL-3.0-or-later
// Toggles found in and written to Python text, and designs over them.
#include "core/ablation/design.h"
#include "core/ablation/examples.h"
#include "core/policy/toggles.h"

#include <QTest>

#include <bit>
#include <set>

using namespace cudal1;
using ablation::Design;

namespace {

std::string namesOf(const base::Result<std::vector<policy::Toggle>>& toggles)
{
    std::string out;
    for (const policy::Toggle& one : *toggles)
        out += (out.empty() ? "" : " ") + one.name + (one.on ? "=1" : "=0");
    return out;
}

const std::vector<std::string> three{"USE_A", "USE_B", "USE_LONG_NAME"};

} // namespace

class TestToggles : public QObject {
    Q_OBJECT
private slots:
    void found_data()
    {
        QTest::addColumn<std::string>("source");
        QTest::addColumn<std::string>("expected");
        const auto row = [](const char* name, std::string source, std::string expected) {
            QTest::newRow(name) << std::move(source) << std::move(expected);
        };
        row("plain", "import torch\nUSE_A = True\nUSE_B = False\n", "USE_A=1 USE_B=0");
        row("order of the source", "USE_B = True\nUSE_A = True", "USE_B=1 USE_A=1");
        row("no spaces, comment, no last newline", "USE_A=True#yes", "USE_A=1");
        row("annotated", "USE_A: bool = True\nUSE_B : 'bool' = False\n", "USE_A=1 USE_B=0");
        row("semicolons", "import torch; USE_A = True; USE_B = False\n", "USE_A=1 USE_B=0");
        row("continued line", "USE_A = \\\n    True\n", "USE_A=1");
        row("windows lines", "USE_A = True\r\nUSE_B = False\r\n", "USE_A=1 USE_B=0");
        row("string", "text = '''\nUSE_A = True\n'''\nUSE_B = True\n", "USE_B=1");
        row("string with escaped quote", "text = \"\\\"\\nUSE_A = True\"\nUSE_B = True\n", "USE_B=1");
        row("docstring", "\"\"\"USE_A = True\n\nUSE_C = False\"\"\"\nUSE_B = True\n", "USE_B=1");
        row("comment", "# USE_A = True\nUSE_B = True  # USE_C = True\n", "USE_B=1");
        row("inside blocks", "def f():\n    USE_A = True\nclass C:\n    USE_B = True\nif True:\n\tUSE_C = True\n", "");
        row("keyword and default", "f(USE_A = True)\ndef g(USE_B=True): pass\nh(\nUSE_C = True\n)\n", "");
        row("comparison", "USE_A == True\nassert USE_B != True\nUSE_C is True\n", "");
        row("other values",
            "USE_A = 1\nUSE_B = 'True'\nUSE_C = True and x\nUSE_D = (True)\nUSE_E = Trueish\nUSE_F = None\n", "");
        row("chained and unpacked", "USE_A = USE_B = True\nUSE_C, USE_D = True, False\n", "");
        row("augmented and walrus", "USE_A |= True\n(USE_B := True)\n", "");
        row("attribute and item", "x.USE_A = True\nd[USE_B] = True\n", "");
        row("imported", "from toggles import USE_A\nimport USE_B\n", "");
        row("the last one counts", "USE_A = True\nUSE_B = True\nUSE_A = False\nUSE_B = f()\n", "USE_A=0");
        row("overridden in a block", "USE_A = True\nif not torch.cuda.is_available():\n    USE_A = False\n", "USE_A=1");
        row("other names", "use_a = True\nFAST = True\nREUSE_A = True\nUSE_A = True\n", "USE_A=1");
        row("dictionary over lines", "config = {\n'a': 1,\n}\nUSE_A = True\n", "USE_A=1");
        row("none", "x = 1\n", "");
        row("empty", "", "");
    }

    void found()
    {
        QFETCH(std::string, source);
        QFETCH(std::string, expected);
        const auto toggles = policy::findToggles(source);
        QVERIFY2(toggles.ok(), toggles ? "" : toggles.error().text().c_str());
        QCOMPARE(namesOf(toggles), expected);
    }

    void unreadableNamesItsLine()
    {
        const auto toggles = policy::findToggles("USE_A = True\nx = (\n");
        QVERIFY(!toggles);
        QCOMPARE(int(toggles.error().code), int(base::ErrorCode::Unreadable));
        QVERIFY2(toggles.error().context.find("line 2") != std::string::npos, toggles.error().text().c_str());
    }

    void named()
    {
        const std::string source = "FAST = True\nUSE_A = False\nlow_memory: bool = True\n";
        QCOMPARE(namesOf(policy::findToggles(source, {"low_memory", "FAST", "low_memory"})),
                 std::string("low_memory=1 FAST=1"));
        const auto wrong = policy::findToggles(source, {"USE_A", "FASTER"});
        QCOMPARE(int(wrong.error().code), int(base::ErrorCode::NotFound));
        QVERIFY2(wrong.error().text().find("FAST, USE_A, low_memory") != std::string::npos,
                 wrong.error().text().c_str());
    }

    void onlyTheLiteralsChange()
    {
        const std::string source =
            "# USE_A = True\nUSE_A  =  True   # ü\nx = 'USE_B = True'\nUSE_B: bool = False\nif USE_A == True: pass\n";
        const auto toggles = *policy::findToggles(source);
        QCOMPARE(policy::withToggles(source, toggles, 0b01), source);
        QCOMPARE(policy::withToggles(source, toggles, 0b10),
                 std::string("# USE_A = True\nUSE_A  =  False   # ü\nx = 'USE_B = True'\nUSE_B: bool = True\nif USE_A "
                             "== True: pass\n"));
        // In another order than the source's, bits follow the order given.
        const auto turned = *policy::findToggles(source, {"USE_B", "USE_A"});
        QCOMPARE(policy::withToggles(source, turned, 0b01), policy::withToggles(source, toggles, 0b10));
        // There and back.
        const std::string off = policy::withToggles(source, toggles, 0);
        QCOMPARE(policy::withToggles(off, *policy::findToggles(off), 0b01), source);
    }

    void designs()
    {
        const auto full = *ablation::combinations(Design::Full, three);
        QCOMPARE(full, (std::vector<std::uint32_t>{0, 1, 2, 4, 3, 5, 6, 7}));
        QCOMPARE(*ablation::combinations(Design::One, three), (std::vector<std::uint32_t>{0, 1, 2, 4}));
        QCOMPARE(*ablation::combinations(Design::LeaveOneOut, three), (std::vector<std::uint32_t>{7, 6, 5, 3}));
        QCOMPARE(
            *ablation::combinations(Design::List, three, "none, USE_A,a+long_name,  all,USE_LONG_NAME + USE_A,none"),
            (std::vector<std::uint32_t>{0, 1, 5, 7}));
        const std::vector<std::string> ten(10, "USE_X");
        const auto many = *ablation::combinations(Design::Full, ten);
        QCOMPARE(std::set<std::uint32_t>(many.begin(), many.end()).size(), std::size_t(1024));
        for (std::size_t i = 1; i < many.size(); ++i)
            QVERIFY(std::popcount(many[i - 1]) <= std::popcount(many[i]));
    }

    void wrongDesigns()
    {
        const auto code = [](const auto& result) { return result ? -1 : int(result.error().code); };
        const int wrong = int(base::ErrorCode::InvalidArgument);
        QCOMPARE(code(ablation::combinations(Design::Full, {})), wrong);
        QCOMPARE(code(ablation::combinations(Design::Full, std::vector<std::string>(11, "USE_X"))), wrong);
        QCOMPARE(code(ablation::combinations(Design::One, std::vector<std::string>(11, "USE_X"))), -1);
        QCOMPARE(code(ablation::combinations(Design::One, std::vector<std::string>(33, "USE_X"))), wrong);
        QCOMPARE(code(ablation::combinations(Design::List, three, " , ")), wrong);
        const auto unknown = ablation::combinations(Design::List, three, "none,USE_C");
        QVERIFY2(!unknown && unknown.error().text().find("USE_A, USE_B, USE_LONG_NAME") != std::string::npos,
                 "names what there is");
        Design design = Design::One;
        for (const Design one : {Design::Full, Design::One, Design::LeaveOneOut, Design::List})
            QVERIFY(ablation::fromString(ablation::toString(one), design) && design == one);
        QVERIFY(!ablation::fromString("half", design) && design == Design::List);
    }

    void theUsersOwnComeAfterThose()
    {
        const auto found = policy::findSwitches(
            "FAST = True\nUSE_B = False\nn = 3\nUSE_A = True\ndef f():\n    SLOW = True\nWIDE = False\n");
        QVERIFY(found && found->size() == 4);
        QStringList names;
        for (const policy::Toggle& one : *found)
            names << QString::fromStdString(one.name);
        QCOMPARE(names, QStringList({"USE_B", "USE_A", "FAST", "WIDE"}));
        QVERIFY((*found)[2].on && (*found)[2].line == 1 && !(*found)[3].on);
    }

    void examplesHaveTheirToggles()
    {
        const ablation::Example* gru = ablation::exampleFor({"3/41"});
        const ablation::Example* conv = ablation::exampleFor({"1/66"});
        QVERIFY(gru && conv && !ablation::exampleFor({"1/1"}));
        const auto four = policy::findToggles(ablation::sourceOf(*gru)),
                   threeOfThem = policy::findToggles(ablation::sourceOf(*conv));
        QCOMPARE(four->size(), std::size_t(4));
        QCOMPARE(threeOfThem->size(), std::size_t(3));
        for (const auto* toggles : {&four, &threeOfThem})
            for (const policy::Toggle& toggle : **toggles)
                QVERIFY(toggle.on);
    }
};

QTEST_GUILESS_MAIN(TestToggles)
#include "tst_toggles.moc"
