// SPDX-License-Identifier: GPL-3.0-or-later
// Launch commands as text.
#include "core/farm/launcher.h"

#include <QTest>

using namespace cudal1::farm;

class TestLauncher : public QObject {
    Q_OBJECT
private slots:
    void splitsCommands()
    {
        QCOMPARE(Launcher::fromText(" ssh -p 22 gpu1 cudal1-evaluator ").words(),
                 (QStringList{"ssh", "-p", "22", "gpu1", "cudal1-evaluator"}));
        QCOMPARE(Launcher::fromText("\"/my path/evaluator\" --x").words(), (QStringList{"/my path/evaluator", "--x"}));
        QVERIFY(Launcher::fromText("  ").isEmpty());
    }

    void textComesBackAsItWas()
    {
        const Launcher launcher{"/a b/c", "plain", "say \"hi\"", ""};
        QCOMPARE(Launcher::fromText(launcher.text()).words().mid(0, 3), launcher.words().mid(0, 3));
    }

    void environmentChoosesTheEvaluator()
    {
        qputenv("CUDAL1_EVALUATOR", "srun --gres=gpu:1 cudal1-evaluator");
        QCOMPARE(Launcher::standard().words(), (QStringList{"srun", "--gres=gpu:1", "cudal1-evaluator"}));
        qunsetenv("CUDAL1_EVALUATOR");
        QCOMPARE(Launcher::standard().words(),
                 (QStringList{QCoreApplication::applicationDirPath() + "/cudal1-evaluator"}));
    }

    void knowsWhatIsWaitedFor_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("waits");
        QTest::addColumn<QString>("place");
        QTest::newRow("beside the program") << "/opt/cudal1-evaluator" << false << "this machine";
        QTest::newRow("another version") << "cudal1-evaluator-0.2 --x" << false << "this machine";
        QTest::newRow("with an environment")
            << "env -u LD_LIBRARY_PATH A=b /opt/cudal1-evaluator" << false << "this machine";
        QTest::newRow("another machine") << "ssh gpu1 cudal1-evaluator" << true << "gpu1";
        QTest::newRow("with options and a user")
            << "/usr/bin/ssh -p 22 -4 -i key me@gpu1 cudal1-evaluator" << true << "gpu1";
        QTest::newRow("an allocation") << "srun --gres=gpu:1 cudal1-evaluator" << true << "srun";
        QTest::newRow("an allocation with an environment")
            << "env A=b salloc -n 1 cudal1-evaluator" << true << "salloc";
        QTest::newRow("nothing") << "" << false << "this machine";
    }

    void knowsWhatIsWaitedFor()
    {
        QFETCH(QString, text);
        const Launcher launcher = Launcher::fromText(text);
        QTEST(launcher.mayWait(), "waits");
        QTEST(launcher.place(), "place");
    }

    void environmentGoesBefore()
    {
        const Launcher launcher{"cudal1-evaluator"};
        QCOMPARE(launcher.withEnvironment({"A=1"}).words(), (QStringList{"env", "A=1", "cudal1-evaluator"}));
        QVERIFY(launcher.withEnvironment({}) == launcher);
    }

    void saysHowLong()
    {
        const Launcher launcher{"ssh", "gpu1", "cudal1-evaluator"};
        QCOMPARE(waitingText(launcher, 30.4), QString("waiting for gpu1 for 30 s"));
        QCOMPARE(waitingText(launcher, 185), QString("waiting for gpu1 for 3 min 05 s"));
    }
};

QTEST_GUILESS_MAIN(TestLauncher)
#include "tst_launcher.moc"
