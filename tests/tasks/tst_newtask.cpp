// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks made of a user's module: the text, the inputs that are accepted, and what is said of those that are not.
#include "core/tasks/newtask.h"

#include "core/tasks/inputspec.h"
#include "core/tasks/modulescan.h"
#include "core/tasks/suite.h"
#include "tests/tasks/taskfolder.h"

#include <QTest>

#include <fstream>
#include <iterator>

using namespace cudal1;
using tests::TaskFolder;

namespace {

const std::string netSource =
    "import torch.nn as nn\n\nWIDTH = 64\n\n\nclass Net(nn.Module):\n    def __init__(self, width, bias=True):\n"
    "        super().__init__()\n        self.linear = nn.Linear(width, 10, bias)\n\n"
    "    def forward(self, x):\n        return self.linear(x)";

tasks::NewTask net()
{
    return {netSource, "net.py", "Net", {"randn(8, WIDTH)"}, {"WIDTH, False"}};
}

QString textOf(const base::Error& error)
{
    return QString::fromStdString(error.text());
}

} // namespace

class TestNewTask : public QObject {
    Q_OBJECT

private slots:
    void standsAloneAndKeepsTheUsersText()
    {
        const auto made = tasks::newTaskText(net());
        QVERIFY2(made.ok(), made ? "" : made.error().text().c_str());
        QVERIFY(made->text.starts_with(netSource + "\n"));
        QCOMPARE(made->ownLines, 12);
        const std::string added = made->text.substr(netSource.size());
        QCOMPARE(QString::fromStdString(added),
                 QString("\n\n\n# What makes a task of Net: the file above stands as it was.\n"
                         "class Model(Net):\n    def forward(self, x):\n        return super().forward(x)\n\n\n"
                         "def get_inputs():\n    import torch\n\n    return [torch.randn(8, WIDTH)]\n\n\n"
                         "def get_init_inputs():\n    return [WIDTH, False]\n"));
        const TaskFolder folder;
        QVERIFY(tasks::readTask(folder.write("made.py", QByteArray::fromStdString(made->text))).ok());
    }

    void aClassThatIsCalledModelStays()
    {
        tasks::NewTask request{
            "import torch.nn as nn\r\nclass Model(nn.Module):\r\n    pass\r\n", "m.py", "", {"3.5", "True"}, {}};
        const auto made = tasks::newTaskText(request);
        QVERIFY(made.ok());
        QCOMPARE(made->className, std::string("Model"));
        QVERIFY(made->text.starts_with(request.source)); // its line ends too
        QVERIFY(made->text.find("class Model(", request.source.size()) == std::string::npos);
        QVERIFY(made->text.find("def get_inputs():\n    return [3.5, True]\n") !=
                std::string::npos); // no torch where none is needed
    }

    void severalInputsAndNoArguments()
    {
        tasks::NewTask request = net();
        request.inputs = {"randn(2,3)", "randint(0, 10, (8,))"};
        request.arguments = {};
        const auto made = tasks::newTaskText(request);
        QVERIFY(made.ok());
        QVERIFY(made->text.find("def forward(self, x1, x2):\n        return super().forward(x1, x2)\n") !=
                std::string::npos);
        QVERIFY(made->text.find("return [torch.randn(2, 3), torch.randint(0, 10, (8,))]\n") != std::string::npos);
        QVERIFY(made->text.ends_with("def get_init_inputs():\n    return []\n"));
    }

    void longListsStandOnLinesOfTheirOwn()
    {
        tasks::NewTask request = net();
        request.inputs.assign(5, "randn(1024, 1024, dtype=float16)");
        const auto made = tasks::newTaskText(request);
        QVERIFY(made->text.find("return [\n        torch.randn(1024, 1024, dtype=torch.float16),\n        torch.") !=
                std::string::npos);
    }

    void inputs_data()
    {
        QTest::addColumn<QString>("spec");
        QTest::addColumn<QString>("expression");
        QTest::newRow("call") << "randn(8,3,224,224)"
                              << "torch.randn(8, 3, 224, 224)";
        QTest::newRow("torch's own name") << " torch.rand( 8 , 3 ) "
                                          << "torch.rand(8, 3)";
        QTest::newRow("tuple of one") << "randint(0, 10, (8,))"
                                      << "torch.randint(0, 10, (8,))";
        QTest::newRow("list") << "zeros([2, 3])"
                              << "torch.zeros([2, 3])";
        QTest::newRow("dtype") << "ones(4,dtype=float16)"
                               << "torch.ones(4, dtype=torch.float16)";
        QTest::newRow("long dtype") << "arange(0, 10, dtype = torch.long)"
                                    << "torch.arange(0, 10, dtype=torch.long)";
        QTest::newRow("last comma") << "randn(8,)"
                                    << "torch.randn(8)";
        QTest::newRow("constant of the file") << "randn(N, 3)"
                                              << "torch.randn(N, 3)";
        QTest::newRow("nested list") << "tensor([[1, 2], [3, 4.5]])"
                                     << "torch.tensor([[1, 2], [3, 4.5]])";
        QTest::newRow("negative") << "full((2, 2), -1e-3)"
                                  << "torch.full((2, 2), -1e-3)";
        QTest::newRow("number") << "0.5"
                                << "0.5";
        QTest::newRow("hexadecimal") << "0x1F"
                                     << "0x1F";
        QTest::newRow("bool") << "True"
                              << "True";
        QTest::newRow("text") << "'a, (b'"
                              << "'a, (b'";
    }

    void inputs()
    {
        QFETCH(QString, spec);
        QFETCH(QString, expression);
        const auto made = tasks::inputExpression(spec.toStdString(), tasks::scanModule("N = 1\n"));
        QVERIFY2(made.ok(), made ? "" : made.error().text().c_str());
        QCOMPARE(QString::fromStdString(*made), expression);
    }

    void badInputs_data()
    {
        QTest::addColumn<QString>("spec");
        QTest::addColumn<QString>("place"); ///< the text with a mark before what is wrong
        QTest::addColumn<QString>("part");
        QTest::newRow("empty") << " "
                               << " »"
                               << "empty";
        QTest::newRow("no call") << "randn"
                                 << "»randn"
                                 << "no call";
        QTest::newRow("unknown generator") << "randm(8)"
                                           << "»randm(8)"
                                           << "They are rand, randn";
        QTest::newRow("module call") << "os.system('x')"
                                     << "»os.system('x')"
                                     << "generators";
        QTest::newRow("missing value") << "randn(8,,3)"
                                       << "randn(8,»,3)"
                                       << "value is missing";
        QTest::newRow("open") << "randn(8"
                              << "randn(8»"
                              << "ends where ')'";
        QTest::newRow("after it") << "randn(8).half()"
                                  << "randn(8)».half()"
                                  << "nothing may follow";
        QTest::newRow("operator") << "randn(4*2)"
                                  << "randn(4»*2)"
                                  << "should stand";
        QTest::newRow("unknown name") << "randn(BATCH)"
                                      << "randn(»BATCH)"
                                      << "defines no 'BATCH'";
        QTest::newRow("nested call") << "randn(int(3))"
                                     << "randn(»int(3))"
                                     << "call cannot stand";
        QTest::newRow("device") << "randn(3, device='cuda')"
                                << "randn(3, »device='cuda')"
                                << "names no device";
        QTest::newRow("gradient") << "randn(3, requires_grad=True)"
                                  << "randn(3, »requires_grad=True)"
                                  << "cannot be given";
        QTest::newRow("list of inputs") << "[randn(3)]"
                                        << "»[randn(3)]"
                                        << "not a list";
        QTest::newRow("open text") << "'abc"
                                   << "»'abc"
                                   << "not closed";
        QTest::newRow("two numbers") << "1 2"
                                     << "1 »2"
                                     << "nothing may follow";
        QTest::newRow("leading zero") << "randn(08)"
                                      << "randn(»08)"
                                      << "begin with 0";
        QTest::newRow("unit") << "randn(3k)"
                              << "randn(»3k)"
                              << "no number";
        QTest::newRow("code") << "randn(3); import os"
                              << "randn(3)»; import os"
                              << "nothing may follow";
        QTest::newRow("line") << "randn(3)\nx=1"
                              << "randn(3)\n»x=1"
                              << "nothing may follow";
    }

    void badInputs()
    {
        QFETCH(QString, spec);
        QFETCH(QString, place);
        QFETCH(QString, part);
        tasks::NewTask request = net();
        request.inputs = {"randn(8, 64)", spec.toStdString()};
        const auto made = tasks::newTaskText(request);
        QVERIFY(!made);
        QVERIFY(made.error().code == base::ErrorCode::InvalidArgument);
        QVERIFY2(textOf(made.error()).contains("input 2, column "), made.error().text().c_str());
        QVERIFY2(QString::fromStdString(made.error().context).endsWith(": " + place), made.error().text().c_str());
        QVERIFY2(textOf(made.error()).contains(part), made.error().text().c_str());
        QVERIFY(!made.error().hint.empty());
    }

    void arguments()
    {
        const auto values = [](const char* text) {
            auto read = tasks::constructorValues(text, tasks::scanModule("N = 1\n"));
            std::string out;
            if (read)
                for (const std::string& value : *read)
                    out += value + ";";
            return read ? out : "! " + read.error().text();
        };
        QCOMPARE(values(""), std::string());
        QCOMPARE(values("64,10"), std::string("64;10;"));
        QCOMPARE(values("(1, 2), [3], {'a': 1, 'b': None}, N, -2.5, r'\\d',"),
                 std::string("(1, 2);[3];{'a': 1, 'b': None};N;-2.5;r'\\d';"));
        QCOMPARE(values("()"), std::string("();"));
        QVERIFY(values("64, bias=False").find("by place, not by name") != std::string::npos);
        QVERIFY(values("64 10").find("',' should stand here") != std::string::npos);
        QVERIFY(values("(1, 2").find("ends where ')'") != std::string::npos);
        QVERIFY(values("open('x')").find("column 1: »open") != std::string::npos);
    }

    void unusableSources_data()
    {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("className");
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("part");
        QTest::newRow("no such class") << "class A: pass\nclass B: pass\n"
                                       << "C"
                                       << "f.py"
                                       << "It defines A, B";
        QTest::newRow("which class") << "class A: pass\nclass B: pass\n"
                                     << ""
                                     << "f.py"
                                     << "Choose one with --class: A, B";
        QTest::newRow("no class") << "def f(): pass\n"
                                  << "A"
                                  << "f.py"
                                  << "no class at its top level";
        QTest::newRow("inner class") << "def f():\n    class A: pass\n"
                                     << "A"
                                     << "f.py"
                                     << "no class at its top level";
        QTest::newRow("relative import") << "import torch\nfrom .blocks import Block\nclass A: pass\n"
                                         << "A"
                                         << "f.py:2"
                                         << "stands alone";
        QTest::newRow("inner relative import") << "class A:\n    def f(self):\n        from .. import x\n"
                                               << "A"
                                               << "f.py:3"
                                               << "stands alone";
        QTest::newRow("other Model") << "class A: pass\nModel = 3\n"
                                     << "A"
                                     << "f.py:2"
                                     << "defines Model";
        QTest::newRow("get_inputs") << "class A: pass\ndef get_inputs(): pass\n"
                                    << "A"
                                    << "f.py:2"
                                    << "defines get_inputs";
        QTest::newRow("a task") << QString::fromUtf8(tests::GoodTask) << "Model"
                                << "f.py"
                                << "is a task already";
        QTest::newRow("syntax") << "class A: pass\nx = (\n"
                                << "A"
                                << "f.py:2"
                                << "never closed";
    }

    void unusableSources()
    {
        QFETCH(QString, source);
        QFETCH(QString, className);
        QFETCH(QString, place);
        QFETCH(QString, part);
        const auto made = tasks::newTaskText({source.toStdString(), "f.py", className.toStdString(), {}, {}});
        QVERIFY(!made);
        QCOMPARE(QString::fromStdString(made.error().context), place);
        QVERIFY2(textOf(made.error()).contains(part), made.error().text().c_str());
        QVERIFY(!made.error().hint.empty());
    }

    void aFailedRunIsSaidAtTheUsersLine()
    {
        const auto made = tasks::newTaskText(net());
        const base::Error seen{
            base::ErrorCode::Unreadable,
            "The reference of Net cannot be traced: RuntimeError: shapes (8x9 and 64x10) (line 865)",
            {},
            "Traceback (most recent call last):\n  File \"/tmp/x/task.py\", line 18, in forward\n"
            "  File \"/tmp/x/task.py\", line 12, in forward\n  File \"/y/linear.py\", line 134, in forward\n"};
        const auto said = tasks::runFailure(seen, *made, "net.py");
        QCOMPARE(said.message, std::string("the module does not run: RuntimeError: shapes (8x9 and 64x10)"));
        QCOMPARE(said.context, std::string("net.py:12")); // line 18 was added
        const base::Error dead{base::ErrorCode::ProcessFailed, "The evaluator ended", {}, {}};
        QCOMPARE(tasks::runFailure(dead, *made, "net.py").message, dead.message);
    }

    void classes()
    {
        const auto found = tasks::classesOf(
            "import x as Y\nclass A: pass\nif True:\n    class B(A): pass\nZ = 1\nclass C:\n    class D: pass\n");
        QCOMPARE(found.size(), 3u);
        QCOMPARE(found[1].name, std::string("B"));
        QCOMPARE(found[2].line, 6);
    }

    void writes()
    {
        const TaskFolder folder;
        const auto path = folder.path("task.py");
        QVERIFY(tasks::writeTask(path, "one\n", false).ok());
        const auto again = tasks::writeTask(path, "two\n", false);
        QVERIFY(!again && again.error().code == base::ErrorCode::InvalidArgument);
        QVERIFY(tasks::writeTask(path, "two\n", true).ok());
        std::ifstream stream(path);
        QCOMPARE(std::string(std::istreambuf_iterator<char>(stream), {}), std::string("two\n"));
        QCOMPARE(QDir(QString::fromStdString(folder.path().string())).entryList(QDir::Files),
                 QStringList("task.py")); // no part is left
        const auto nowhere = tasks::writeTask(folder.path("no/such/task.py"), "x", false);
        QVERIFY(!nowhere && nowhere.error().code == base::ErrorCode::Unavailable);
        QVERIFY(nowhere.error().message.find("No such file") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestNewTask)
#include "tst_newtask.moc"
