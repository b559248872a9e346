// SPDX-License-Identifier: GPL-3.0-or-later
// The share of the floor: whose floor counts, and where there is no number.
#include "core/protocol/floorshare.h"

#include <QTest>

using namespace cudal1::protocol;

class TestFloorShare : public QObject {
    Q_OBJECT
    static Evaluation timed()
    {
        Evaluation evaluation;
        evaluation.verdict = Verdict::Correct;
        evaluation.speedup.wall = {{2, 1.9, 2.1}, 100e3, 50e3};
        return evaluation;
    }
private slots:
    void ownFloorWins()
    {
        Evaluation evaluation = timed();
        QCOMPARE(floorShare(evaluation), 0.0);
        QCOMPARE(floorShare(evaluation, 10e3), 0.2); // 10 of 50 us
        evaluation.floor.time_ns = 40e3;
        QCOMPARE(floorShare(evaluation, 10e3), 0.8);
        evaluation.floor.time_ns = 60e3;
        QCOMPARE(floorShare(evaluation), 1.2);
    }

    void onlyOfWhatIsCorrectAndTimed()
    {
        Evaluation evaluation = timed();
        evaluation.verdict = Verdict::Incorrect;
        QCOMPARE(floorShare(evaluation, 10e3), 0.0);
        evaluation = timed();
        evaluation.speedup.wall = {};
        QCOMPARE(floorShare(evaluation, 10e3), 0.0);
    }
};

QTEST_APPLESS_MAIN(TestFloorShare)
#include "tst_floorshare.moc"
