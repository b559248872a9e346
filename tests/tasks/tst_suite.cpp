// SPDX-License-Identifier: GPL-3.0-or-later
// Reading task files and suites: the good, the broken, the odd, and how long it takes.
#include "core/tasks/suite.h"
#include "tests/tasks/taskfolder.h"

#include <QCryptographicHash>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <sys/stat.h>

using namespace cudal1;
using tests::GoodTask;
using tests::TaskFolder;
namespace fs = std::filesystem;

namespace {

const tasks::Problem* problemOf(const tasks::Suite& suite, const std::string& fileName)
{
    for (const auto& problem : suite.problems) {
        if (problem.path.filename() == fileName)
            return &problem;
    }
    return nullptr;
}

} // namespace

class TestSuite : public QObject {
    Q_OBJECT

private slots:
    void singleFile()
    {
        const TaskFolder folder;
        const auto path = folder.write("7_Two_Words_.py");
        const auto task = tasks::readTask(path);
        QVERIFY2(task.ok(), task ? "" : task.error().text().c_str());
        QCOMPARE(task->id.value, path.string());
        QCOMPARE(task->name, std::string("Two_Words_"));
        QCOMPARE(task->level, 0);
        QCOMPARE(task->number, 0);
        QCOMPARE(task->suite, std::string());
        QCOMPARE(task->source, GoodTask.toStdString());
        QCOMPARE(task->hash, QCryptographicHash::hash(GoodTask, QCryptographicHash::Sha256).toHex().toStdString());
        QCOMPARE(tasks::readTask(folder.write("mine.py"))->name, std::string("mine"));
    }

    void byteOrderMarkIsNoSource()
    {
        const TaskFolder folder;
        const auto task = tasks::readTask(folder.write("bom.py", "\xef\xbb\xbf" + GoodTask));
        QVERIFY(task.ok());
        QCOMPARE(task->source, GoodTask.toStdString());
    }

    void badFiles_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("line");
        QTest::addColumn<QString>("part");
        QTest::newRow("empty") << QByteArray() << 0 << "empty";
        QTest::newRow("blank") << QByteArray(" \n\t\r\n") << 0 << "empty";
        QTest::newRow("no Model") << QByteArray("import torch\ndef get_inputs(): pass\ndef get_init_inputs(): pass\n")
                                  << 3 << "class Model";
        QTest::newRow("no get_inputs") << QByteArray("class Model: pass\ndef get_init_inputs(): pass\n") << 2
                                       << "def get_inputs()";
        QTest::newRow("no get_init_inputs")
            << QByteArray("class Model: pass\ndef get_inputs(): pass\n") << 2 << "def get_init_inputs()";
        QTest::newRow("method") << QByteArray(
                                       "class Model:\n    def get_inputs(self): pass\ndef get_init_inputs(): pass\n")
                                << 2 << "inside of another definition";
        QTest::newRow("variant") << QByteArray("import torch\nclass ModelNew: pass\n") << 2 << "variant";
        QTest::newRow("docstring only") << QByteArray("'''class Model: pass'''\n") << 1 << "class Model";
        QTest::newRow("open string") << QByteArray("x = 1\n'''\n" + GoodTask) << 2 << "never closed";
        QTest::newRow("open bracket") << QByteArray(GoodTask + "f(\n") << 9 << "never closed";
        QTest::newRow("latin 1") << QByteArray("x = 1\n# caf\xe9\n" + GoodTask) << 2 << "UTF-8";
        QTest::newRow("surrogate") << QByteArray("# \xed\xa0\x80\n" + GoodTask) << 1 << "UTF-8";
        QTest::newRow("overlong") << QByteArray("# \xc0\xaf\n" + GoodTask) << 1 << "UTF-8";
        QTest::newRow("cut short") << QByteArray(GoodTask + "# \xe2\x82") << 9 << "UTF-8";
        QTest::newRow("binary") << QByteArray("a\n\0b", 4) << 2 << "binary";
        QTest::newRow("huge") << QByteArray((8 << 20) + 1, '#') << 0 << "8.00 MiB";
    }

    void badFiles()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, line);
        QFETCH(QString, part);
        const TaskFolder folder;
        const auto path = folder.write("level1/3_Bad.py", text);
        folder.write("level1/4_Good.py");

        const auto task = tasks::readTask(path);
        QVERIFY(!task.ok());
        QCOMPARE(task.error().context, path.string() + (line > 0 ? ":" + std::to_string(line) : ""));

        const auto suite = tasks::readSuite(folder.path());
        QVERIFY(suite.ok());
        QCOMPARE(suite->tasks.size(), std::size_t(1));
        QCOMPARE(suite->problems.size(), std::size_t(1));
        QCOMPARE(suite->problems[0].path.filename().string(), std::string("3_Bad.py"));
        QCOMPARE(suite->problems[0].line, line);
        QVERIFY2(QString::fromStdString(suite->problems[0].message).contains(part), suite->problems[0].message.c_str());
    }

    void validMultiByteText()
    {
        const TaskFolder folder;
        QVERIFY(tasks::readTask(folder.write("a.py", "# é € 😀\n" + GoodTask)).ok());
    }

    void oddEntriesAreNamedAndSkipped()
    {
        const TaskFolder folder;
        folder.write("level1/1_Good.py");
        folder.write("level1/notes.txt", "not a task");
        folder.write("level1/__init__.py", "");
        folder.write("level1/.hidden.py", "");
        folder.write("level1/helper.py");
        folder.write("level1/0_Zero.py");
        folder.write("level1/5_Folder.py/inner.txt", "");
        fs::create_symlink("2_Loop.py", folder.path("level1/2_Loop.py"));
        fs::create_symlink("nowhere", folder.path("level1/3_Dangling.py"));
        fs::create_symlink("1_Good.py", folder.path("level1/4_Link.py"));
        QCOMPARE(::mkfifo(folder.path("level1/6_Pipe.py").c_str(), 0600), 0);
        fs::create_symlink("level2", folder.path("level2"));

        const auto suite = tasks::readSuite(folder.path());
        QVERIFY(suite.ok());
        QCOMPARE(suite->tasks.size(), std::size_t(2));
        QVERIFY(suite->find({"1/1"}));
        QVERIFY(suite->find({"1/4"}));
        QCOMPARE(suite->problems.size(), std::size_t(6));
        const std::pair<const char*, const char*> expected[] = {
            {"helper.py", "ID_Name.py"},     {"0_Zero.py", "ID_Name.py"},         {"5_Folder.py", "folder"},
            {"2_Loop.py", "back to itself"}, {"3_Dangling.py", "does not exist"}, {"6_Pipe.py", "pipe"}};
        for (const auto& [name, part] : expected) {
            const auto* problem = problemOf(*suite, name);
            QVERIFY2(problem, name);
            QVERIFY2(problem->message.find(part) != std::string::npos, problem->message.c_str());
        }
    }

    void unreadableFile()
    {
        const TaskFolder folder;
        const auto path = folder.write("a.py");
        fs::permissions(path, fs::perms::none);
        if (QFile file(QString::fromStdString(path.string())); file.open(QIODevice::ReadOnly))
            QSKIP("this user may read everything");
        const auto task = tasks::readTask(path);
        QVERIFY(!task.ok());
        QCOMPARE(task.error().code, base::ErrorCode::Unreadable);
    }

    void orderAndIds()
    {
        const TaskFolder folder;
        for (const char* name : {"level10/1_A.py", "level2/10_B.py", "level2/9_C.py", "level1/100_D.py"})
            folder.write(name);
        const auto suite = tasks::readSuite(folder.path());
        QVERIFY(suite.ok());
        std::vector<std::string> ids;
        for (const auto& task : suite->tasks)
            ids.push_back(task.id.value);
        QCOMPARE(ids, (std::vector<std::string>{"1/100", "2/9", "2/10", "10/1"}));
        QCOMPARE(suite->tasks[1].level, 2);
        QCOMPARE(suite->tasks[1].number, 9);
        QCOMPARE(suite->tasks[1].suite, suite->pin());
        QVERIFY(suite->tasks[1].path.is_absolute());
    }

    void sameIdTwice()
    {
        const TaskFolder folder;
        folder.write("level1/1_B.py");
        folder.write("level1/1_A.py");
        const auto suite = tasks::readSuite(folder.path());
        QVERIFY(suite.ok());
        QCOMPARE(suite->tasks.size(), std::size_t(1));
        QCOMPARE(suite->tasks[0].name, std::string("A"));
        QVERIFY(problemOf(*suite, "1_B.py"));
        QVERIFY(problemOf(*suite, "1_B.py")->message.find("1_A.py") != std::string::npos);
    }

    void levelsOneFolderDown()
    {
        const TaskFolder folder;
        folder.write("clone/KernelBench/level1/1_A.py");
        folder.write("clone/setup.py", "setup()\n");
        const auto suite = tasks::readSuite(folder.path("clone"));
        QVERIFY(suite.ok());
        QCOMPARE(suite->name, std::string("KernelBench"));
        QVERIFY(suite->find({"1/1"}));
        QVERIFY(suite->problems.empty());
    }

    void looseFiles()
    {
        const TaskFolder folder;
        const auto path = folder.write("a.py");
        folder.write("b.py", "x = 1\n");
        const auto suite = tasks::readSuite(folder.path());
        QVERIFY(suite.ok());
        QCOMPARE(suite->tasks.size(), std::size_t(1));
        QCOMPARE(suite->tasks[0].id.value, fs::canonical(path).string());
        QCOMPARE(suite->tasks[0].level, 0);
        QVERIFY(problemOf(*suite, "b.py"));
    }

    void foldersThatAreNone()
    {
        const TaskFolder folder;
        const auto file = folder.write("a.py");
        QCOMPARE(tasks::readSuite(folder.path("none")).error().code, base::ErrorCode::NotFound);
        QCOMPARE(tasks::readSuite(file).error().code, base::ErrorCode::InvalidArgument);
        fs::create_directory(folder.path("empty"));
        const auto empty = tasks::readSuite(folder.path("empty"));
        QCOMPARE(empty.error().code, base::ErrorCode::NotFound);
        QVERIFY(!empty.error().hint.empty());
    }

    void bundledTasks()
    {
        const auto suite = tasks::readSuite(CUDAL1_SOURCE_DIR "/kernelbench");
        QVERIFY(suite.ok());
        for (const auto& problem : suite->problems)
            qWarning("%s:%d: %s", problem.path.c_str(), problem.line, problem.message.c_str());
        QVERIFY(suite->problems.empty());
        // The facts have one line for each task that the suite is meant to have.
        std::ifstream facts(CUDAL1_SOURCE_DIR "/kernelbench/facts.jsonl");
        QVERIFY(facts.is_open());
        std::size_t rows = 0;
        for (std::string row; std::getline(facts, row);) {
            const auto fact = nlohmann::json::parse(row);
            const auto id = std::to_string(fact["level"].get<int>()) + "/" + std::to_string(fact["id"].get<int>());
            const tasks::Task* task = suite->find({id});
            QVERIFY2(task, id.c_str());
            QCOMPARE(task->name, fact["name"].get<std::string>());
            ++rows;
        }
        QCOMPARE(suite->tasks.size(), rows);
    }

    // 250 files of a level-3 task's size; its time is shown by `tst_suite -tickcounter readingManyFiles`, never
    // asserted.
    void readingManyFiles()
    {
        const TaskFolder folder;
        QByteArray text = GoodTask;
        while (text.size() < 6000)
            text += "\n    # a line of an ordinary length, with 'quotes' in it\n    x = torch.relu(self.conv1(x))\n";
        for (int i = 1; i <= 250; ++i)
            folder.write(QStringLiteral("level%1/%2_Task.py").arg(i % 3 + 1).arg(i), text);
        std::size_t tasks = 0;
        QBENCHMARK
        {
            const auto suite = tasks::readSuite(folder.path());
            QVERIFY(suite.ok());
            tasks = suite->tasks.size();
        }
        QCOMPARE(tasks, std::size_t(250));
    }
};

QTEST_APPLESS_MAIN(TestSuite)
#include "tst_suite.moc"
