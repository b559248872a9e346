// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1` with tasks of several suites in one project, and tasks made of a user's module.
#include "tests/cli/programfolder.h"

#include <QDir>
#include <QFileInfo>
#include <QTest>

using namespace cudal1;
using nlohmann::json;
using tests::Ran;

namespace {

QByteArray taskText(int size)
{
    return "import torch\n\nN = " + QByteArray::number(size) +
           "\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x * 2\n\n\ndef "
           "get_inputs():\n"
           "    return [torch.randn(N)]\n\n\ndef get_init_inputs():\n    return []\n";
}

} // namespace

class TestSuites : public QObject, tests::ProgramFolder {
    Q_OBJECT

    void write(const QString& name, const QByteArray& text)
    {
        const QString path = m_folder->filePath(name);
        QFile file(path);
        QVERIFY(QDir().mkpath(QFileInfo(path).path()) && file.open(QIODevice::WriteOnly) &&
                file.write(text) == text.size());
    }
    QString checkout()
    {
        write("new/.git/HEAD", QByteArray(40, 'a') + "\n");
        write("new/KernelBench/level1/1_Twice.py", taskText(4096));
        return m_folder->filePath("new");
    }
    QString folder()
    {
        write("old/level1/1_Twice.py", taskText(1024));
        return m_folder->filePath("old");
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        playLines("{\"on\":\"evaluate\",\"reply\":{\"verdict\":\"correct\",\"speedup\":{\"wall\":{\"estimate\":2,"
                  "\"low\":1.9,\"high\":2.1}}}}\n");
    }

    void eachKindSaysItsVersion()
    {
        (void)project(); // makes one
        const json plain = cudal1({"tasks", "--json"}).parsed()["suite"];
        QVERIFY(plain["kind"] == json("bundled"));
        QVERIFY(plain["version"] == json("kernelbench-v0, original sizes"));
        QVERIFY(plain["sizes_differ"] == json(0));
        QCOMPARE(QString::fromStdString(plain["digest"]).size(), 64);
        const json git = cudal1({"tasks", "--json", "--suite", checkout()}).parsed()["suite"];
        QVERIFY(git["kind"] == json("checkout"));
        QVERIFY(git["version"] == json(std::string(40, 'a')));
        QVERIFY(git["pin"] == json("KernelBench@aaaaaaaaaaaa"));
        QVERIFY(git["shared_with_bundled"] == json(1));
        QVERIFY(git["sizes_differ"] == json(1)); // the bundled 1/1 has 2048
        const Ran text = cudal1({"tasks", "--suite", checkout()});
        QVERIFY2(text.out.contains("KernelBench (git checkout, commit aaaaaaaaaaaa), digest "), text.out);
        QVERIFY2(text.out.contains("The sizes of 1 of the 1 tasks"), text.out);
        QVERIFY(cudal1({"tasks", "--json", "--suite", folder()}).parsed()["suite"]["kind"] == json("folder"));
    }

    void aFolderWithoutTasksIsRefused()
    {
        QVERIFY(QDir(m_folder->path()).mkdir("empty"));
        const Ran ran = cudal1({"tasks", "--suite", m_folder->filePath("empty")});
        QCOMPARE(ran.status, 2);
        QVERIFY2(ran.err.contains("holds no task files") && ran.err.contains("level1, level2"), ran.err);
    }

    void anotherVersionNeitherReplacesNorMixes()
    {
        const Ran first = cudal1({"evaluate", "1/1", tests::data + "/same.py", "--suite", folder()});
        QCOMPARE(first.status, 0);
        const Ran second = cudal1({"evaluate", "1/1", tests::data + "/same.py", "--suite", checkout()});
        QCOMPARE(second.status, 0);
        QVERIFY2(second.err.contains("1/1 of KernelBench@aaaaaaaaaaaa is kept as 1/1@"), second.err);

        const auto rows = project()->taskRows();
        QCOMPARE(rows->size(), 2u);
        QCOMPARE(rows->at(0).id.value, std::string("1/1"));
        QVERIFY(rows->at(0).suite.starts_with("old (") && rows->at(0).variants == 1 && rows->at(0).otherTexts == 0);
        QVERIFY(rows->at(1).id.value.starts_with("1/1@") && rows->at(1).suite == "KernelBench@aaaaaaaaaaaa");

        // Each suite finds its own result under the id that a person types.
        const json there = cudal1({"tasks", "--json", "--suite", checkout()}).parsed()["tasks"][0];
        QVERIFY(there["task"] == json("1/1"));
        QVERIFY(there["kept_as"] == json(rows->at(1).id.value));
        QVERIFY(there["variants"] == json(1));
        QVERIFY(cudal1({"variants", "1/1", "--json", "--suite", checkout()}).parsed()["task"] ==
                json(rows->at(1).id.value));
        QVERIFY(cudal1({"variants", "1/1", "--json", "--suite", folder()}).parsed()["task"] == json("1/1"));
        QCOMPARE(
            cudal1({"variants", QString::fromStdString(rows->at(1).id.value), "--json"}).parsed()["variants"].size(),
            std::size_t(1));
        QVERIFY(cudal1({"tasks", "--json"}).parsed()["tasks"][0]["variants"] ==
                json(0)); // the bundled 1/1 has no result

        const Ran report = cudal1({"report", "-o", "-", "--suite", checkout()});
        QVERIFY2(report.out.contains("1 task of another version is left out"), report.out.left(3000));
    }

    void baselinesOfAnotherVersionLeaveTheFirstAlone()
    {
        QCOMPARE(cudal1({"evaluate", "1/1", tests::data + "/same.py", "--suite", folder()}).status, 0);
        const Ran ran = cudal1({"baselines", "--kinds", "eager", "--suite", checkout()});
        QVERIFY2(ran.status == 0, ran.err);
        QVERIFY2(ran.out.contains("Tasks of KernelBench@aaaaaaaaaaaa."), ran.out);
        const auto rows = project()->taskRows();
        QCOMPARE(rows->size(), 2u);
        QVERIFY(rows->at(0).variants == 1 && rows->at(0).otherTexts == 0);
        QCOMPARE(project()->baselineRows(rows->at(1).id)->size(), std::size_t(1));
    }

    void aChangedFileOfOneSuiteMakesResultsStale()
    {
        QCOMPARE(cudal1({"evaluate", "1/1", tests::data + "/same.py", "--suite", folder()}).status, 0);
        write("old/level1/1_Twice.py", taskText(1024) + "# changed\n");
        QCOMPARE(cudal1({"evaluate", "1/1", tests::data + "/wrong.py", "--suite", m_folder->filePath("old")}).status,
                 0);
        QCOMPARE(project()->taskRows()->size(), 1u);
        const Ran listed = cudal1({"tasks", "--suite", m_folder->filePath("old")});
        QVERIFY2(listed.out.contains("1 result for another text of these tasks"), listed.out);
        const Ran variants = cudal1({"variants", "1/1"});
        QVERIFY2(variants.out.contains("† for another text of the task"), variants.out);
        const json rows = cudal1({"variants", "1/1", "--json"}).parsed()["variants"];
        QVERIFY(rows[0]["stale"] == json(false) && rows[1]["stale"] == json(true));
    }

    void makesATask()
    {
        write("net.py", "import torch\n\n\nclass Block(torch.nn.Module):\n    pass\n\n\nclass Net(torch.nn.Module):\n"
                        "    def forward(self, x):\n        return x + 1\n");
        playLines("{\"on\":\"graph\",\"reply\":{\"device\":\"meta\",\"values\":[{\"id\":0,\"shape\":[8,3],\"dtype\":"
                  "\"float32\"},"
                  "{\"id\":1,\"shape\":[8],\"dtype\":\"int64\"}],\"inputs\":[0],\"outputs\":[1]}}\n");
        const QStringList made{"tasks", "new", "net.py", "--class", "Net", "--input", "randn(8,3)"};
        const Ran ran = cudal1(made);
        QVERIFY2(ran.status == 0, ran.err);
        QVERIFY2(ran.out.contains("inputs   float32[8, 3]") && ran.out.contains("outputs  int64[8]") &&
                     ran.out.contains("Net_task.py"),
                 ran.out);
        QFile file(m_folder->filePath("Net_task.py"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("return [torch.randn(8, 3)]"));
        const Ran again = cudal1(made);
        QCOMPARE(again.status, 2);
        QVERIFY2(again.err.contains("exists already") && again.err.contains("--force"), again.err);
        const json forced = cudal1(made + QStringList{"--force", "--json"}).parsed();
        QVERIFY(forced["class"] == json("Net"));
        QVERIFY(forced["outputs"] == (json{{{"shape", {8}}, {"dtype", "int64"}}}));
        QVERIFY(forced["checked_on"] == json("meta"));
    }

    void nothingIsWrittenWhenTheModuleFails()
    {
        write("net.py", "class Net: pass\n");
        playLines("{\"on\":\"graph\",\"act\":\"error\",\"reply\":{\"code\":\"unreadable\",\"message\":\"It cannot be "
                  "traced: no forward\"}}\n");
        const Ran ran = cudal1({"tasks", "new", "net.py", "-o", "t.py"});
        QCOMPARE(ran.status, 2);
        QVERIFY2(ran.err.contains("no forward") && ran.err.contains("Nothing was written"), ran.err);
        QCOMPARE(asked("graph"), 2); // by shapes, then on the CPU
        QVERIFY(!QFile::exists(m_folder->filePath("t.py")));
        QCOMPARE(cudal1({"tasks", "new", "net.py", "-o", "t.py", "--no-check"}).status, 0);
        QVERIFY(QFile::exists(m_folder->filePath("t.py")));
        const Ran wrong = cudal1({"tasks", "new", "net.py", "--class", "Nut"});
        QVERIFY2(wrong.status == 2 && wrong.err.contains("It defines Net"), wrong.err);
        QCOMPARE(cudal1({"tasks", "new", "nowhere.py"}).status, 2);
    }
};

QTEST_GUILESS_MAIN(TestSuites)
#include "tst_suites.moc"
