// SPDX-License-Identifier: GPL-3.0-or-later
// From what a user types to a task, with hints where there is none; and where the bundled suite is found.
#include "core/tasks/suite.h"
#include "tests/tasks/taskfolder.h"

#include <QTest>

#include <memory>

using namespace cudal1;
using tests::TaskFolder;
namespace fs = std::filesystem;

class TestResolve : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        qunsetenv("CUDAL1_KERNELBENCH");
        m_folder = std::make_unique<TaskFolder>();
        for (const char* name : {"level1/12_Matmul_diagonal.py", "level3/1_MLP.py", "level3/5_AlexNet.py",
                                 "level3/40_GRU.py", "level3/41_GRUBidirectional.py"})
            m_folder->write(name);
        m_folder->write("level3/7_Broken.py", "class Model: pass\nx = (\n");
        auto suite = tasks::readSuite(m_folder->path());
        QVERIFY(suite.ok());
        m_suite = std::move(suite.value());
    }

    void found_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text :
             {"3/41", " 3/41\n", "level3/41", "level3/41_GRUBidirectional.py", "3/41_GRUBidirectional", "03/041"})
            QTest::newRow(text) << text;
    }

    void found()
    {
        QFETCH(QString, text);
        const auto task = tasks::resolve(m_suite, text.toStdString());
        QVERIFY2(task.ok(), task ? "" : task.error().text().c_str());
        QCOMPARE(task->id.value, std::string("3/41"));
    }

    void notFound_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("part");
        QTest::newRow("near ids") << "3/42"
                                  << "Near it: 3/41 GRUBidirectional, 3/40 GRU or 3/5 AlexNet";
        QTest::newRow("no such level") << "2/1"
                                       << "levels 1, 3";
        QTest::newRow("left out") << "3/7"
                                  << "'(' is never closed";
        QTest::newRow("name") << "gru"
                              << "Did you mean 3/40 GRU or 3/41 GRUBidirectional?";
        QTest::newRow("misspelt name") << "Alexnett"
                                       << "3/5 AlexNet";
        QTest::newRow("nothing like it") << "zzz"
                                         << "LEVEL/ID";
        QTest::newRow("no such file") << "some/where.py"
                                      << "there is no such file";
        QTest::newRow("negative") << "3/-41"
                                  << "there is no such file";
        QTest::newRow("overflow") << "3/99999999999999999999"
                                  << "there is no such file";
    }

    void notFound()
    {
        QFETCH(QString, text);
        QFETCH(QString, part);
        const auto task = tasks::resolve(m_suite, text.toStdString());
        QVERIFY(!task.ok());
        QCOMPARE(task.error().code, base::ErrorCode::NotFound);
        QVERIFY2(QString::fromStdString(task.error().text()).contains(part), task.error().text().c_str());
    }

    void leftOutNamesTheLine()
    {
        const auto task = tasks::resolve(m_suite, "3/7");
        QVERIFY(QString::fromStdString(task.error().context).endsWith("7_Broken.py:2"));
    }

    void emptyText() { QCOMPARE(tasks::resolve(m_suite, "  ").error().code, base::ErrorCode::InvalidArgument); }

    void pathOutsideTheSuite()
    {
        const TaskFolder other;
        const auto path = other.write("41_Mine.py");
        const auto task = tasks::resolve(m_suite, path.string());
        QVERIFY(task.ok());
        QCOMPARE(task->id.value, path.string());
        QCOMPARE(task->level, 0);
    }

    void pathOfATaskOfTheSuiteIsThatTask()
    {
        const auto task = tasks::resolve(m_suite, m_folder->path("level3/41_GRUBidirectional.py").string());
        QVERIFY(task.ok());
        QCOMPARE(task->id.value, std::string("3/41"));
    }

    void pathOfABrokenFile()
    {
        const auto task = tasks::resolve(m_suite, m_folder->path("level3/7_Broken.py").string());
        QVERIFY(!task.ok());
        QCOMPARE(task.error().code, base::ErrorCode::Unreadable);
    }

    void aFolderOfModulesKnowsNames()
    {
        const TaskFolder mine;
        mine.write("Net_task.py");
        mine.write("other.py");
        const auto suite = tasks::readSuite(mine.path());
        QVERIFY(suite.ok());
        for (const char* text : {"Net_task", "Net_task.py"}) {
            const auto task = tasks::resolve(*suite, text);
            QVERIFY2(task.ok(), task ? "" : task.error().text().c_str());
            QCOMPARE(task->path, suite->path / "Net_task.py");
        }
        QVERIFY(!tasks::resolve(*suite, "Net").ok());
        QVERIFY(!tasks::resolve(m_suite, "GRU").ok()); // with levels the id is short enough
    }

    void bundledFromTheEnvironment()
    {
        qputenv("CUDAL1_KERNELBENCH", QByteArray::fromStdString(m_folder->path().string()));
        QCOMPARE(tasks::bundledSuite("/nowhere").value(), m_folder->path());
        qputenv("CUDAL1_KERNELBENCH", "/no/such/folder");
        QCOMPARE(tasks::bundledSuite("/nowhere").error().code, base::ErrorCode::NotFound);
    }

    void bundledBesideTheProgram()
    {
        const TaskFolder prefix;
        prefix.write("share/cudal1/kernelbench/level1/1_A.py");
        fs::create_directory(prefix.path("bin"));
        QCOMPARE(tasks::bundledSuite(prefix.path("bin")).value(), prefix.path("share/cudal1/kernelbench"));
    }

    void bundledInTheSourceTree()
    {
        QCOMPARE(tasks::bundledSuite("/nowhere/bin").value(), fs::path(CUDAL1_SOURCE_DIR "/kernelbench"));
    }

private:
    std::unique_ptr<TaskFolder> m_folder;
    tasks::Suite m_suite;
};

QTEST_APPLESS_MAIN(TestResolve)
#include "tst_resolve.moc"
