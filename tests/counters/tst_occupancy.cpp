// SPDX-License-Identifier: GPL-3.0-or-later
// Occupancies worked out by hand from the limits in the CUDA C++ Programming Guide.
#include "core/counters/occupancy.h"

#include <QTest>

using namespace cudal1;
using counters::Limiter;
using counters::occupancyOf;
using protocol::KernelLaunch;

Q_DECLARE_METATYPE(cudal1::counters::Limiter)
Q_DECLARE_METATYPE(cudal1::protocol::KernelLaunch)

class OccupancyTest : public QObject {
    Q_OBJECT
private slots:
    void byHand_data()
    {
        QTest::addColumn<KernelLaunch>("launch");
        QTest::addColumn<QString>("capability");
        QTest::addColumn<int>("blocks");
        QTest::addColumn<int>("warps");
        QTest::addColumn<double>("share");
        QTest::addColumn<Limiter>("limiter");
        // 254 registers × 32 are 8,128, and 8,192 in units of 256: 65,536 / 8,192 is 8 warps, one block of 8.
        QTest::newRow("gemm with many registers") << KernelLaunch{{16, 32, 1}, {256, 1, 1}, 254, 0, 67'584} << "9.0"
                                                  << 1 << 8 << 8 / 64.0 << Limiter::Registers;
        // 231,424 + 1,024 are 232,448 of 233,472 bytes: one block of 12 warps, which have registers for 65,536 / 5,376.
        QTest::newRow("gemm with much shared memory") << KernelLaunch{{24, 1, 1}, {384, 1, 1}, 168, 0, 231'424} << "9.0"
                                                      << 1 << 12 << 12 / 64.0 << Limiter::Registers;
        // 98,304 + 1,024 are 99,328: two blocks of 4 warps; registers would do for 65,536 / 7,424 = 8 warps as well.
        QTest::newRow("shared memory, where registers leave more")
            << KernelLaunch{{320, 1, 1}, {128, 1, 1}, 64, 0, 98'304} << "9.0" << 2 << 8 << 8 / 64.0
            << Limiter::SharedMemory;
        // 18 × 32 are 576, and 768 in units: 85 warps, 84 by fours, which is more than 64; 16 blocks of 4 warps.
        QTest::newRow("elementwise") << KernelLaunch{{65'536, 1, 1}, {128, 1, 1}, 18, 0, 0} << "9.0" << 16 << 64 << 1.0
                                     << Limiter::Warps;
        QTest::newRow("the same on a GeForce")
            << KernelLaunch{{65'536, 1, 1}, {128, 1, 1}, 18, 0, 0} << "8.9" << 12 << 48 << 1.0 << Limiter::Warps;
        // 32 blocks of one warp on an A100, 16 on a GPU of capability 8.6.
        QTest::newRow("one warp a block")
            << KernelLaunch{{1000, 1, 1}, {32, 1, 1}, 16, 0, 0} << "8.0" << 32 << 32 << 0.5 << Limiter::Blocks;
        QTest::newRow("one warp a block, 8.6")
            << KernelLaunch{{1000, 1, 1}, {20, 1, 1}, 16, 0, 0} << "8.6" << 16 << 16 << 16 / 48.0 << Limiter::Blocks;
        // 1,024 threads are 32 warps, of which 48 hold one block and a half.
        QTest::newRow("a large block") << KernelLaunch{{1000, 1, 1}, {32, 32, 1}, 32, 0, 0} << "8.6" << 1 << 32
                                       << 32 / 48.0 << Limiter::BlockSize;
        // 33 threads are two warps.
        QTest::newRow("a warp begun") << KernelLaunch{{1, 1, 1}, {33, 1, 1}, 16, 0, 0} << "7.5" << 16 << 32 << 1.0
                                      << Limiter::Warps;
    }

    void byHand()
    {
        QFETCH(KernelLaunch, launch);
        QFETCH(QString, capability);
        QFETCH(int, blocks);
        QFETCH(int, warps);
        QFETCH(double, share);
        QFETCH(Limiter, limiter);
        const auto found = occupancyOf(launch, capability.toStdString(), 132);
        QVERIFY(found.has_value());
        QCOMPARE(found->blocks, blocks);
        QCOMPARE(found->warps, warps);
        QCOMPARE(found->share, share);
        QCOMPARE(int(found->limiter), int(limiter));
    }

    void waves()
    {
        // 16 × 132 blocks are there at a time.
        const KernelLaunch launch{{2112, 2, 1}, {128, 1, 1}, 18, 0, 0};
        QCOMPARE(occupancyOf(launch, "9.0", 132)->waves, 2.0);
        QCOMPARE(occupancyOf(launch, "9.0", 0)->waves, 0.0); // nobody knows
    }

    void whatFitsNowhereHasNone()
    {
        QVERIFY(!occupancyOf({{1, 1, 1}, {128, 1, 1}, 18, 0, 0}, "3.5", 132)); // not in the table
        QVERIFY(!occupancyOf({}, "9.0", 132));
        QVERIFY(!occupancyOf({{1, 1, 1}, {128, 1, 1}, 18, 0, 300'000}, "9.0", 132));
    }

    void theLimitHasItsNumber()
    {
        const KernelLaunch launch{{16, 32, 1}, {256, 1, 1}, 254, 0, 67'584};
        QCOMPARE(limiterText(*occupancyOf(launch, "9.0", 132), launch), std::string("registers, 254 a thread"));
        const KernelLaunch shared{{320, 1, 1}, {128, 1, 1}, 64, 0, 98'304};
        QCOMPARE(limiterText(*occupancyOf(shared, "9.0", 132), shared), std::string("shared memory, 96.0 KiB a block"));
    }
};

QTEST_APPLESS_MAIN(OccupancyTest)
#include "tst_occupancy.moc"
