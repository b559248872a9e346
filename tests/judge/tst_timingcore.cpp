// SPDX-License-Identifier: GPL-3.0-or-later
// Which cores calls are timed on, and that two evaluators do not time on the same one while there is another.
#include "core/judge/sandbox/timingcore.h"

#include <QTest>

#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <set>

using namespace cudal1::judge;

class TestTimingCore : public QObject {
    Q_OBJECT
private slots:
    void theLastCoresAreSetAside()
    {
        const std::vector<Core> eight{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}};
        QCOMPARE(timingCores(eight, 1), (std::vector<Core>{{7}}));
        QCOMPARE(timingCores(eight, 3), (std::vector<Core>{{7}, {6}, {5}}));
        QCOMPARE(timingCores(eight, 0), (std::vector<Core>{{7}}));
    }

    void halfAreLeftForOtherWork()
    {
        QCOMPARE(timingCores({{0}, {1}, {2}, {3}}, 8).size(), std::size_t(2));
        QCOMPARE(timingCores({{0}}, 8), (std::vector<Core>{{0}}));
        QVERIFY(timingCores({}, 1).empty());
    }

    void threadsOfACoreStayTogether()
    {
        QCOMPARE(timingCores({{0, 4}, {1, 5}, {2, 6}, {3, 7}}, 2), (std::vector<Core>{{3, 7}, {2, 6}}));
    }

    void knowsThisMachine()
    {
        const std::vector<Core> usable = usableCores();
        QVERIFY(!usable.empty());
        std::set<int> threads;
        for (const Core& core : usable)
            for (const int thread : core)
                QVERIFY2(threads.insert(thread).second, "a thread belongs to one core");
        cpu_set_t allowed;
        QCOMPARE(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
        QCOMPARE(int(threads.size()), CPU_COUNT(&allowed));
    }

    void aVirtualMachineCanBeTold()
    {
        const std::vector<Core> shown = usableCores();
        ::setenv("CUDAL1_THREADS_PER_CORE", "2", 1);
        const std::vector<Core> said = usableCores();
        ::setenv("CUDAL1_THREADS_PER_CORE", "0", 1);
        QCOMPARE(usableCores(), shown);
        ::unsetenv("CUDAL1_THREADS_PER_CORE");
        std::set<int> threads;
        for (const Core& core : said)
            for (const int thread : core) {
                QCOMPARE(thread / 2, core.front() / 2);
                threads.insert(thread);
            }
        std::size_t all = 0;
        for (const Core& core : shown)
            all += core.size();
        QCOMPARE(threads.size(), all);
    }

    void eachEvaluatorHasItsOwn()
    {
        // No machine has such cores, so no evaluator at work beside this test holds one.
        const int base = 100'000 + int(::getpid()) * 4;
        const std::vector<Core> cores{{base, base + 1}, {base + 2, base + 3}};
        const TimingCore first(cores);
        QCOMPARE(first.thread(), base + 1);
        {
            const TimingCore second(cores);
            QCOMPARE(second.thread(), base + 3);
            QVERIFY(!second.shared());
            const TimingCore third(cores);
            QVERIFY(third.shared());
            QCOMPARE(third.thread(), base + 1);
        }
        QCOMPARE(TimingCore(cores).thread(), base + 3);
        QCOMPARE(TimingCore({}).thread(), -1);
    }
};

QTEST_APPLESS_MAIN(TestTimingCore)
#include "tst_timingcore.moc"
