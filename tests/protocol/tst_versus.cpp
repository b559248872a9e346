// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/versus.h"

#include <QTest>

using namespace cudal1;
using protocol::Evaluation;

namespace {

Evaluation measured(double speedup)
{
    Evaluation evaluation;
    evaluation.task = "1/12";
    evaluation.verdict = protocol::Verdict::Correct;
    evaluation.device.model = "NVIDIA H200";
    evaluation.speedup.wall.speedup = {speedup, speedup * 0.99, speedup * 1.01};
    return evaluation;
}

} // namespace

class TestVersus : public QObject {
    Q_OBJECT
private slots:
    void ratioAndVerdict()
    {
        const auto versus = protocol::versus(measured(3), measured(2));
        QVERIFY(versus.ok());
        QCOMPARE(versus->wall.estimate, 1.5);
        QVERIFY(versus->wall.low < 1.5 * 0.99 && versus->wall.high > 1.5 * 1.01); // two uncertainties, not one
        QVERIFY(base::compare(versus->wall) == base::Comparison::Faster);
        QVERIFY(base::compare(protocol::versus(measured(2), measured(3))->wall) == base::Comparison::Slower);
        QVERIFY(base::compare(protocol::versus(measured(2), measured(2.01))->wall) == base::Comparison::Unclear);
        QVERIFY(!versus->event.valid());
    }

    // Both take 25 ms of which the host has none; the second was judged while the host was slower by 1.3.
    void theHostsSpeedIsNoDifference()
    {
        Evaluation fast = measured(4), slow = measured(5.2);
        fast.speedup.wall.reference_ns = 100e6;
        slow.speedup.wall.reference_ns = 130e6;
        for (Evaluation* one : {&fast, &slow}) {
            one->speedup.wall.candidate_ns = 25e6;
            one->speedup.event = one->speedup.wall;
        }
        QVERIFY(base::compare(protocol::versus(slow, fast)->wall) ==
                base::Comparison::Faster); // nothing is known of the host
        for (Evaluation* one : {&fast, &slow})
            one->speedup.gpuBusy = {{1.2, 1.19, 1.21}, 30e6, 25e6};
        QVERIFY(qAbs(protocol::versus(slow, fast)->wall.estimate - 1) < 1e-9);
        QVERIFY(base::compare(protocol::versus(slow, fast)->event) == base::Comparison::Unclear);
    }

    void whatCannotBeComparedIsSaid_data()
    {
        QTest::addColumn<Evaluation>("other");
        QTest::addColumn<QString>("says");
        Evaluation task = measured(2), device = measured(2), precision = measured(2), wrong = measured(2),
                   untimed = measured(2);
        task.task = "1/1";
        device.device.model = "NVIDIA A100";
        precision.precision.mode = protocol::Precision::Ieee;
        wrong.verdict = protocol::Verdict::Incorrect;
        untimed.speedup.wall = {};
        QTest::newRow("task") << task << "1/1";
        QTest::newRow("device") << device << "A100";
        QTest::newRow("precision") << precision << "ieee";
        QTest::newRow("verdict") << wrong << "not correct";
        QTest::newRow("no time") << untimed << "not timed";
    }
    void whatCannotBeComparedIsSaid()
    {
        QFETCH(Evaluation, other);
        QFETCH(QString, says);
        for (const auto& versus : {protocol::versus(measured(3), other), protocol::versus(other, measured(3))}) {
            QVERIFY(!versus.ok());
            QCOMPARE(versus.error().code, base::ErrorCode::InvalidArgument);
            QVERIFY2(QString::fromStdString(versus.error().message).contains(says), versus.error().message.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestVersus)
#include "tst_versus.moc"
