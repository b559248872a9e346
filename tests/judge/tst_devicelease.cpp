// SPDX-License-Identifier: GPL-3.0-or-later
// A device's lease: one holder at a time, free again when its process is killed.
#include "core/judge/sandbox/devicelease.h"

#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using cudal1::judge::DeviceLease;

namespace {

/// No other program's, nor that of a second run of this test.
std::string uuid(const char* what)
{
    return "test-" + std::to_string(::getpid()) + "-" + what;
}

} // namespace

class TestDeviceLease : public QObject {
    Q_OBJECT
private slots:
    void hasOneHolderForEachDevice()
    {
        DeviceLease other(uuid("a"));
        {
            DeviceLease first(uuid("a"));
            QVERIFY(first.take());
            QVERIFY(first.take());
            QVERIFY(!other.take());
            DeviceLease elsewhere(uuid("b"));
            QVERIFY(elsewhere.take());
        }
        QVERIFY(other.take());
    }

    void whoWaitsComesFirst()
    {
        DeviceLease waiting(uuid("d"));
        {
            DeviceLease first(uuid("d"));
            QVERIFY(first.take());
            QVERIFY(!waiting.take());
        }
        DeviceLease again(uuid("d"));
        QVERIFY(!again.take()); // though nobody holds it
        QVERIFY(waiting.take());
        QVERIFY(!again.take());
    }

    void endsWithItsProcess()
    {
        const std::string name = uuid("c");
        int ready[2];
        QCOMPARE(::pipe(ready), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            DeviceLease lease(name);
            const char held = lease.take() ? 'y' : 'n';
            if (::write(ready[1], &held, 1) == 1)
                ::pause();
            ::_exit(0);
        }
        char held = 0;
        QCOMPARE(::read(ready[0], &held, 1), 1);
        QCOMPARE(held, 'y');
        DeviceLease lease(name);
        QVERIFY(!lease.take());
        ::kill(child, SIGKILL);
        QCOMPARE(::waitpid(child, nullptr, 0), child);
        QVERIFY(lease.take());
    }
};

QTEST_APPLESS_MAIN(TestDeviceLease)
#include "tst_devicelease.moc"
