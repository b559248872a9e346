// SPDX-License-Identifier: GPL-3.0-or-later
// Kind, version and digest of a suite: bundled, a git checkout in each of git's layouts, a plain folder.
#include "core/base/sha256.h"
#include "core/tasks/gitcommit.h"
#include "core/tasks/suite.h"
#include "tests/tasks/taskfolder.h"

#include <QTest>

using namespace cudal1;
using tests::GoodTask;
using tests::TaskFolder;

namespace {

const std::string commit = "0123456789abcdef0123456789abcdef01234567";
const QByteArray commitLine = QByteArray::fromStdString(commit) + "\n";

} // namespace

class TestSuiteVersion : public QObject {
    Q_OBJECT

private slots:
    void bundled()
    {
        const auto folder = tasks::bundledSuite("/nowhere");
        QVERIFY(folder.ok());
        const auto suite = tasks::readSuite(*folder);
        QVERIFY(suite.ok());
        QVERIFY(suite->kind == tasks::Suite::Kind::Bundled); // although the source tree is a checkout
        QCOMPARE(suite->version, std::string("kernelbench-v0, original sizes"));
        QCOMPARE(suite->pin(), suite->version);
        QCOMPARE(suite->tasks.front().suite, suite->version);
        QVERIFY(tasks::describe(*suite).starts_with("kernelbench-v0, original sizes (bundled), digest "));
    }

    void checkout()
    {
        const TaskFolder folder;
        folder.write("KernelBench/level1/1_A.py");
        folder.write(".git/HEAD", "ref: refs/heads/main\n");
        folder.write(".git/refs/heads/main", commitLine);
        const auto suite = tasks::readSuite(folder.path());
        QVERIFY(suite.ok());
        QVERIFY(suite->kind == tasks::Suite::Kind::Checkout);
        QCOMPARE(suite->version, commit);
        QCOMPARE(suite->pin(), std::string("KernelBench@0123456789ab"));
        QCOMPARE(suite->tasks.front().suite, suite->pin());
    }

    void detachedHead()
    {
        const TaskFolder folder;
        folder.write(".git/HEAD", commitLine);
        QCOMPARE(tasks::commitOf(folder.path()), std::optional(commit));
    }

    void packedReference()
    {
        const TaskFolder folder;
        folder.write(".git/HEAD", "ref: refs/heads/main\n");
        folder.write(".git/packed-refs", "# pack-refs with: peeled\n" + QByteArray(40, 'f') + " refs/heads/other\n" +
                                             commitLine.trimmed() + " refs/heads/main\n^" + QByteArray(40, 'e') + "\n");
        QCOMPARE(tasks::commitOf(folder.path("")), std::optional(commit));
    }

    void worktree()
    {
        const TaskFolder folder;
        folder.write("tree/.git", "gitdir: ../main/.git/worktrees/tree\n");
        folder.write("main/.git/worktrees/tree/HEAD", "ref: refs/heads/side\n");
        folder.write("main/.git/worktrees/tree/commondir", "../..\n");
        folder.write("main/.git/refs/heads/side", commitLine);
        folder.write("main/.git/HEAD", QByteArray(40, 'a') + "\n");
        QCOMPARE(tasks::commitOf(folder.path("tree")), std::optional(commit));
    }

    void noCommitIsNoVersion()
    {
        const TaskFolder folder;
        folder.write("level1/1_A.py");
        folder.write(".git/HEAD", "ref: refs/heads/main\n"); // nothing was committed yet
        QCOMPARE(tasks::commitOf(folder.path()), std::optional(std::string()));
        const auto suite = tasks::readSuite(folder.path());
        QVERIFY(suite->kind == tasks::Suite::Kind::Checkout);
        QVERIFY(suite->pin().ends_with("(" + suite->path.string() + ")"));
        QVERIFY(tasks::describe(*suite).find("commit unknown") != std::string::npos);
    }

    void aReferenceToItselfEnds()
    {
        const TaskFolder folder;
        folder.write(".git/HEAD", "ref: HEAD\n");
        QCOMPARE(tasks::commitOf(folder.path()), std::optional(std::string()));
    }

    void folder()
    {
        const TaskFolder folder;
        folder.write("level2/1_B.py");
        folder.write("level1/1_A.py", GoodTask + "# a\n");
        const auto suite = tasks::readSuite(folder.path());
        QVERIFY(suite->kind == tasks::Suite::Kind::Folder);
        QCOMPARE(suite->version, std::string());
        const std::string a = base::sha256Hex((GoodTask + "# a\n").toStdString()),
                          b = base::sha256Hex(GoodTask.toStdString());
        QCOMPARE(suite->digest, base::sha256Hex("1/1 " + a + "\n2/1 " + b + "\n"));
        QCOMPARE(suite->tasks.front().suite, suite->name + " (" + suite->path.string() + ")");
    }

    void digestOfLooseFilesDoesNotDependOnThePlace()
    {
        const TaskFolder one, two;
        for (const TaskFolder* folder : {&one, &two})
            folder->write("mine.py");
        const auto first = tasks::readSuite(one.path()), second = tasks::readSuite(two.path());
        QCOMPARE(first->digest, second->digest);
        QCOMPARE(first->tasks.front().suite, std::string()); // a single file is of no suite
        two.write("mine.py", GoodTask + "# other\n");
        QVERIFY(tasks::readSuite(two.path())->digest != first->digest);
    }

    void sizes()
    {
        const TaskFolder one, two;
        one.write("level1/1_A.py", GoodTask + "N = 1024\n");
        two.write("level1/1_A.py", GoodTask + "N = 4096\n");
        one.write("level1/2_B.py", GoodTask + "N = 1024\n");
        two.write("level1/2_B.py", GoodTask + "BATCH = 1024 # the same in other words\n");
        one.write("level1/3_C.py");
        two.write("level1/4_D.py");
        const auto comparison = tasks::compareSizes(*tasks::readSuite(one.path()), *tasks::readSuite(two.path()));
        QCOMPARE(comparison.common, 2);
        QCOMPARE(comparison.different, 1);
        QVERIFY(tasks::describe(comparison).starts_with("The sizes of 1 of the 2 tasks"));
        QCOMPARE(tasks::describe(tasks::SizeComparison{2, 0}), std::string());
    }
};

QTEST_APPLESS_MAIN(TestSuiteVersion)
#include "tst_suiteversion.moc"
