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
        QCOMPARE(commandFromText(" ssh -p 22 gpu1 cudal1-evaluator "),
                 (QStringList{"ssh", "-p", "22", "gpu1", "cudal1-evaluator"}));
        QCOMPARE(commandFromText("\"/my path/evaluator\" --x"), (QStringList{"/my path/evaluator", "--x"}));
        QVERIFY(commandFromText("  ").isEmpty());
    }

    void textComesBackAsItWas()
    {
        const QStringList command{"/a b/c", "plain", "say \"hi\"", ""};
        QCOMPARE(commandFromText(commandText(command)).mid(0, 3), command.mid(0, 3));
    }

    void environmentChoosesTheEvaluator()
    {
        qputenv("CUDAL1_EVALUATOR", "srun --gres=gpu:1 cudal1-evaluator");
        QCOMPARE(defaultEvaluatorCommand(), (QStringList{"srun", "--gres=gpu:1", "cudal1-evaluator"}));
        qunsetenv("CUDAL1_EVALUATOR");
        QCOMPARE(defaultEvaluatorCommand(), (QStringList{QCoreApplication::applicationDirPath() + "/cudal1-evaluator"}));
    }
};

QTEST_GUILESS_MAIN(TestLauncher)
#include "tst_launcher.moc"
