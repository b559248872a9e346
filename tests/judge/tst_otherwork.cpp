// SPDX-License-Identifier: GPL-3.0-or-later
// What counts as other work beside the reference.
#include "core/judge/supervisor/otherwork.h"

#include <QtTest>
#include <unistd.h>

using namespace cudal1::judge;

namespace {

constexpr const char* stat = "cpu  9 9 9 900 90 0 9 9 0 0\n"
                             "cpu0 1 1 1 200 50 0 1 1 0 0\n"
                             "cpu1 1 1 1 300 40 0 1 1 0 0\n"
                             "cpu10 1 1 1 400 0 0 1 1 0 0\n"
                             "intr 7\n";

} // namespace

class TestOtherWork : public QObject {
    Q_OBJECT

private slots:
    void theAllowedCoresAlone()
    {
        const double tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
        QCOMPARE(idleOf(stat, {1}), 340 * tick_s); // not core 10, whose name begins alike
        QCOMPARE(idleOf(stat, {0, 10}), 650 * tick_s);
    }
    void whatTheKernelDoesNotTell()
    {
        QCOMPARE(idleOf(stat, {2}), -1.0);
        QCOMPARE(idleOf("", {0}), -1.0);
        QCOMPARE(idleOf(stat, {}), -1.0);
        OtherWork work;
        work.add({0, -1, 0}, {10, -1, 0});
        QCOMPARE(work.share(), 0.0);
        QVERIFY(!work.isCrowd());
    }
    void neitherIdleNorOwn()
    {
        OtherWork work;
        work.add({100, 50, 20}, {110, 54, 25.5}); // of ten seconds four were idle, five and a half our own
        QCOMPARE(work.share(), 0.05);
        QVERIFY(!work.isCrowd());
        work.add({200, 60, 30}, {210, 64, 33}); // three of ten are others'
        QCOMPARE(work.share(), 0.175);
        QVERIFY(work.isCrowd());
    }
    void roundsWhoseTicksComeLateCancelOut()
    {
        OtherWork work;
        work.add({0, 0, 0}, {1, 0, 0.5}); // no idle tick has been counted yet
        work.add({1, 0, 0.5}, {2, 1, 1}); // and here all of them
        QCOMPARE(work.share(), 0.0);
    }
};

QTEST_APPLESS_MAIN(TestOtherWork)
#include "tst_otherwork.moc"
