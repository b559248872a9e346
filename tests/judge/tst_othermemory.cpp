// SPDX-License-Identifier: GPL-3.0-or-later
// What is seen of another process's memory that it has hidden from itself, thrown away or never written to.
#undef slots      // a name in Python's headers, and a keyword of Qt
#ifndef Q_MOC_RUN // which would read all of torch
#include "core/judge/witness/drivensubject.h"
#include "core/judge/witness/othermemory.h"
#endif

#include <QTest>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstring>
#include <memory>

using namespace cudal1::judge;

namespace {

constexpr std::size_t page = 4096, pages = 4;

std::byte* mapPages()
{
    void* const memory = ::mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

/// A child with memory of its own, of which it has written to all pages. It has then hidden the second from itself and
/// thrown the third away. Ended when this goes away.
class Child {
public:
    explicit Child(std::byte* memory)
    {
        int ends[2];
        if (::pipe(ends) != 0)
            return;
        m_process = ::fork();
        if (m_process == 0) {
            std::memset(memory, 7, pages * page);
            const bool done = ::mprotect(memory + page, page, PROT_NONE) == 0 &&
                              ::madvise(memory + 2 * page, page, MADV_DONTNEED) == 0;
            static_cast<void>(::write(ends[1], done ? "x" : "-", 1));
            for (;;)
                ::pause();
        }
        char byte = 0;
        m_isReady = ::read(ends[0], &byte, 1) == 1 && byte == 'x';
        ::close(ends[0]);
        ::close(ends[1]);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child()
    {
        if (m_process <= 0)
            return;
        ::kill(m_process, SIGKILL);
        ::waitpid(m_process, nullptr, 0);
    }

    pid_t process() const { return m_process; }
    bool isReady() const { return m_isReady; }

private:
    pid_t m_process = -1;
    bool m_isReady = false;
};

} // namespace

class TestOtherMemory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void onlyWhatWasThrownAwayIsGone();
    void onlyWhatWasWrittenPasses();
    void hiddenMemoryIsOverwritten();
    void cleanup() { m_child.reset(); }

private:
    std::uint64_t addressOf(std::size_t number) const { return std::bit_cast<std::uint64_t>(m_memory + number * page); }

    std::byte* m_memory = nullptr;
    std::unique_ptr<Child> m_child;
};

void TestOtherMemory::initTestCase()
{
    if (::access("/proc/self/pagemap", R_OK) != 0)
        QSKIP("This kernel does not tell which pages are there");
    m_memory = mapPages();
    QVERIFY(m_memory);
}

void TestOtherMemory::init()
{
    m_child = std::make_unique<Child>(m_memory);
    QVERIFY(m_child->isReady());
}

void TestOtherMemory::onlyWhatWasThrownAwayIsGone()
{
    QVERIFY(!isGone(m_child->process(), addressOf(0)));
    QVERIFY2(!isGone(m_child->process(), addressOf(1)), "a page that its process may not read is still there");
    QVERIFY(isGone(m_child->process(), addressOf(2)));
    QVERIFY(!isGone(m_child->process(), addressOf(3) + page - 1));
}

void TestOtherMemory::onlyWhatWasWrittenPasses()
{
    requireWrittenMemory(m_child->process(), addressOf(0), 2 * page);
    QVERIFY_THROWS_EXCEPTION(DrivenSubject::Unreadable,
                             requireWrittenMemory(m_child->process(), addressOf(1), 2 * page));
}

void TestOtherMemory::hiddenMemoryIsOverwritten()
{
    const std::array<std::byte, 2> garbage{std::byte{1}, std::byte{2}};
    overwriteMemory(m_child->process(), addressOf(1), page, garbage);
    std::array<std::byte, 4> seen{};
    const int memory = openMemory(m_child->process(), O_RDONLY);
    const ssize_t got = ::pread(memory, seen.data(), seen.size(), static_cast<off_t>(addressOf(1)));
    ::close(memory);
    QCOMPARE(got, static_cast<ssize_t>(seen.size()));
    QVERIFY(seen[0] == garbage[0] && seen[3] == garbage[1]);
}

QTEST_APPLESS_MAIN(TestOtherMemory)
#include "tst_othermemory.moc"
