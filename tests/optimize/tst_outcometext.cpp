// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as a person reads them.
#include "core/optimize/outcometext.h"

#include <QTest>

using namespace cudal1;

class TestText : public QObject {
    Q_OBJECT
private slots:
    void speedups_data()
    {
        QTest::addColumn<double>("estimate");
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::addColumn<QString>("text");
        QTest::newRow("usual") << 3.861 << 3.83 << 3.888 << "3.86× (3.83–3.89)";
        QTest::newRow("tens") << 19.84 << 19.5 << 20.2 << "19.8× (19.5–20.2)";
        QTest::newRow("hundreds") << 449.2 << 420.0 << 461.0 << "449× (420–461)";
        QTest::newRow("rounds up into tens") << 9.996 << 9.99 << 10.01 << "10.0× (9.99–10.0)";
        QTest::newRow("slower") << 0.52 << 0.51 << 0.53 << "0.52× (0.51–0.53)";
        QTest::newRow("straddles") << 1.02 << 0.96 << 1.09 << "1.02× (0.96–1.09), unclear";
        QTest::newRow("same") << 1.001 << 0.996 << 1.004 << "1.001× (0.996–1.004), same";
        QTest::newRow("none") << 0.0 << 0.0 << 0.0 << "not timed";
    }
    void speedups()
    {
        QFETCH(double, estimate);
        QFETCH(double, low);
        QFETCH(double, high);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(optimize::speedupText({estimate, low, high})), text);
    }

    void whereItWasMeasured()
    {
        store::EvaluationSummary evaluation;
        evaluation.device = "cuda:0";
        QCOMPARE(optimize::measuredOn(evaluation), std::string("cuda:0"));
        evaluation.deviceModel = "NVIDIA H200";
        QCOMPARE(optimize::measuredOn(evaluation), std::string("NVIDIA H200"));
        evaluation.precision = protocol::Precision::Tf32;
        QCOMPARE(optimize::measuredOn(evaluation), std::string("NVIDIA H200, both in TF32"));
        evaluation.precision = protocol::Precision::Ieee;
        QCOMPARE(optimize::measuredOn(evaluation), std::string("NVIDIA H200, both in float32"));
    }

    void words()
    {
        QCOMPARE(optimize::verdictText(protocol::Verdict::OutOfMemory), std::string("out of memory"));
        QCOMPARE(optimize::techniquesText({"a", "b"}, "none"), std::string("a + b"));
        QCOMPARE(optimize::techniquesText({}, "file: x.py"), std::string("file: x.py"));
    }
};

QTEST_GUILESS_MAIN(TestText)
#include "tst_outcometext.moc"
