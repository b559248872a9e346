// SPDX-License-Identifier: GPL-3.0-or-later
// Which freed blocks are used again, and which are not.
#undef slots      // a name in torch's headers, and a keyword of Qt
#ifndef Q_MOC_RUN // which would read all of torch
#include "core/judge/witness/recycledmemory.h"

#include <ATen/ATen.h>
#endif

#include <QTest>

#include <atomic>
#include <thread>
#include <vector>

using namespace cudal1::judge;

class TestRecycledMemory : public QObject {
    Q_OBJECT
private:
    static constexpr std::int64_t megabyte = 1 << 20;

    static at::Tensor bytes(std::int64_t count) { return at::empty({count}, at::kByte); }
    /// Where a block of this size lay that is free again.
    static const void* freed(std::int64_t count) { return bytes(count).data_ptr(); }

private Q_SLOTS:
    void initTestCase()
    {
        m_before = bytes(4 * megabyte); // not of the new allocator, which has to free it all the same
        recycleMemory(16 * megabyte);
        recycleMemory(megabyte); // once a process
    }

    void blocksOfOneSizeAreUsedAgain()
    {
        m_before = at::Tensor();
        const void* place = freed(8 * megabyte);
        const at::Tensor other = bytes(6 * megabyte);
        QVERIFY(other.data_ptr() != place);
        const at::Tensor again = bytes(8 * megabyte);
        QCOMPARE(again.data_ptr(), place);
        QVERIFY(bytes(8 * megabyte).data_ptr() != place); // it is in use
    }

    void blocksAreFreshWhileOneAsksForIt()
    {
        const at::Tensor held = bytes(3 * megabyte);
        {
            const at::Tensor first = bytes(2 * megabyte), second = bytes(2 * megabyte);
        }
        const void* place = freed(2 * megabyte);
        {
            const FreshMemory fresh;
            QVERIFY(bytes(2 * megabyte).data_ptr() != place); // which is still kept
        }
        QCOMPARE(bytes(2 * megabyte).data_ptr(), place);
    }

    void noMoreIsKeptThanAllowed()
    {
        freed(7 * megabyte);
        {
            const at::Tensor first = bytes(5 * megabyte), second = bytes(5 * megabyte), third = bytes(5 * megabyte);
        }
        // Of 22 megabytes the oldest went: what comes now is no block that was kept, and writing to it is safe.
        at::Tensor again = bytes(7 * megabyte);
        again.fill_(1);
        QCOMPARE(again.sum().item<std::int64_t>(), std::int64_t(7 * megabyte));
        at::Tensor large = bytes(32 * megabyte); // more than is ever kept
        large.fill_(1);
        QCOMPARE(large.sum().item<std::int64_t>(), std::int64_t(32 * megabyte));
    }

    void threadsAllocateAndFree()
    {
        std::vector<std::thread> threads;
        std::atomic<int> wrong{0};
        for (int number = 0; number < 4; ++number)
            threads.emplace_back([number, &wrong] {
                for (int i = 0; i < 50; ++i) {
                    at::Tensor own = bytes((2 + i % 3) * megabyte);
                    own.fill_(number);
                    wrong += own.min().item<int>() != number || own.max().item<int>() != number;
                }
            });
        for (std::thread& thread : threads)
            thread.join();
        QCOMPARE(wrong.load(), 0);
    }

private:
    at::Tensor m_before;
};

QTEST_APPLESS_MAIN(TestRecycledMemory)
#include "tst_recycledmemory.moc"
