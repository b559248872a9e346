// SPDX-License-Identifier: GPL-3.0-or-later
// Stopping by signals, where no control group can be made, and what a group says of its processes.
#include "core/judge/sandbox/freezer.h"

#include <QDir>
#include <QTemporaryFile>
#include <QTest>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <functional>

using namespace cudal1::judge;

namespace {

/// A child that says when it has run `begin`, and then waits. Ended, with what it has started, when this goes away.
class Child {
public:
    explicit Child(const std::function<void()>& begin)
    {
        int ends[2];
        if (::pipe(ends) != 0)
            return;
        m_process = ::fork();
        if (m_process == 0) {
            ::setpgid(0, 0);
            begin();
            static_cast<void>(::write(ends[1], "x", 1));
            for (;;)
                ::pause();
        }
        char byte = 0;
        static_cast<void>(::read(ends[0], &byte, 1));
        ::close(ends[0]);
        ::close(ends[1]);
    }
    ~Child()
    {
        ::kill(-m_process, SIGKILL);
        ::waitpid(m_process, nullptr, 0);
    }
    pid_t process() const { return m_process; }

private:
    pid_t m_process = -1;
};

std::shared_ptr<Freezer> freezerOf(const Child& child)
{
    std::shared_ptr<Freezer> freezer = Freezer::make();
    freezer->setProcess(child.process(), false);
    return freezer;
}

} // namespace

class TestFreezer : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { qputenv("CUDAL1_WITHOUT", "cgroups"); }
    void aProcessAloneStopsAtOnce()
    {
        const Child child([] {});
        const auto freezer = freezerOf(child);
        QCOMPARE(freezer->place().kind, std::string("signals"));
        // On a machine that does other work too, it may be seen before it has been told.
        bool atOnce = false;
        for (int i = 0; i < 50 && !atOnce; ++i) {
            QVERIFY(freezer->freeze());
            atOnce = !freezer->foundOthers();
            freezer->thaw();
        }
        QVERIFY(atOnce);
    }
    void whatItHasStartedIsFoundLater()
    {
        const Child child([] {
            if (::fork() == 0)
                for (;;)
                    ::pause();
        });
        const auto freezer = freezerOf(child);
        for (int i = 0; i < 3; ++i) {
            QVERIFY(freezer->freeze());
            QVERIFY(freezer->foundOthers());
            freezer->thaw();
        }
    }
    void oneThatWaitsForAProgramToBeginHasStopped()
    {
        const Child child([] {
            if (::fork() == 0) {
                if (::vfork() == 0) // until this one starts a program, the one that made it sleeps without being woken
                    for (;;)
                        ::pause();
                ::_exit(0);
            }
            ::usleep(100'000);
        });
        QVERIFY(freezerOf(child)->freeze());
    }
    void whatAGroupHasWorkedIsKnown()
    {
        qunsetenv("CUDAL1_WITHOUT");
        const auto freezer = Freezer::make();
        qputenv("CUDAL1_WITHOUT", "cgroups");
        QVERIFY(!Freezer::make()->used_ns()); // by signals nobody tells
        if (freezer->place().kind != "cgroup2")
            QSKIP("this user can make no control group of version 2");
        const Child child([&] {
            static_cast<void>(::write(freezer->joinFile(), "0", 1));
            const auto worksFor = [](std::clock_t seconds) {
                for (const std::clock_t begun = std::clock(); std::clock() - begun < seconds * CLOCKS_PER_SEC / 20;) {}
            };
            if (::fork() == 0) { // one that has ended counts too
                worksFor(2);
                ::_exit(0);
            }
            ::wait(nullptr);
            worksFor(1);
        });
        freezer->setProcess(child.process(), false);
        QVERIFY(freezer->freeze());
        const double worked_ns = freezer->used_ns().value_or(0);
        QVERIFY2(worked_ns > 0.145e9 && worked_ns < 0.3e9, qPrintable(QString::number(worked_ns)));
        ::usleep(50'000);
        QCOMPARE(freezer->used_ns().value_or(0), worked_ns); // one that has stopped works no more
    }
    void theKernelWritesNothingForOneThatHasStopped_data()
    {
        QTest::addColumn<QByteArray>("without");
        QTest::newRow("by signals") << QByteArray("cgroups");
        QTest::newRow("by a control group") << QByteArray();
    }
    void theKernelWritesNothingForOneThatHasStopped();
};

/// A direct read of a file sleeps without being woken while the device writes into the reader's memory.
void TestFreezer::theKernelWritesNothingForOneThatHasStopped()
{
    constexpr std::size_t bytes = std::size_t{64} << 20;
    QFETCH(QByteArray, without);
    qputenv("CUDAL1_WITHOUT", without);
    const auto freezer = Freezer::make();
    qputenv("CUDAL1_WITHOUT", "cgroups");
    if (without.isEmpty() && freezer->place().kind == "signals")
        QSKIP("this user can make no control group");
    QTemporaryFile file(QDir::currentPath() + "/zerosXXXXXX");
    QVERIFY(file.open() && file.resize(qint64(bytes)) && file.write(QByteArray(qsizetype(bytes), 0)) == qint64(bytes) &&
            file.flush());
    const int direct = ::open(file.fileName().toLocal8Bit().constData(), O_RDONLY | O_DIRECT | O_CLOEXEC);
    if (direct < 0)
        QSKIP("files of this folder cannot be read past the page cache");
    auto* const memory = static_cast<char*>(
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    const Child child([&] {
        if (freezer->joinFile() >= 0)
            static_cast<void>(::write(freezer->joinFile(), "0", 1));
        if (::fork() == 0)
            for (;;)
                static_cast<void>(::pread(direct, memory, bytes, 0));
    });
    freezer->setProcess(child.process(), false);
    for (int i = 0; i < 5; ++i) {
        ::usleep(static_cast<useconds_t>(3000 + 2000 * i));
        QVERIFY(freezer->freeze());
        std::memset(memory, 7, bytes);
        ::usleep(50'000);
        QCOMPARE(std::count(memory, memory + bytes, 7), std::ptrdiff_t(bytes));
        freezer->thaw();
    }
    ::munmap(memory, bytes);
    ::close(direct);
}

QTEST_GUILESS_MAIN(TestFreezer)
#include "tst_freezer.moc"
