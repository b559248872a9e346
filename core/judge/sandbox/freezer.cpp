// SPDX-License-Identifier: GPL-3.0-or-later
// Freezing by control groups of both versions, and by signals.
#include "core/judge/sandbox/freezer.h"

#include "core/judge/sandbox/descendants.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace cudal1::judge {

namespace {

using Steady = std::chrono::steady_clock;
constexpr std::chrono::seconds stopLimit(2);

struct Hierarchy {
    std::string kind;   ///< as in FreezerPlace
    std::string folder; ///< this process's own group
};

/// The control groups of this process, the better version first, as the kernel lists mounts and memberships.
std::vector<Hierarchy> hierarchies()
{
    std::map<std::string, std::string> mounts; // kind to mount point
    std::ifstream list("/proc/self/mountinfo");
    for (std::string line; std::getline(list, line);) {
        std::istringstream fields(line);
        std::string field, point;
        for (int i = 1; i <= 5; ++i)
            fields >> (i == 5 ? point : field);
        const auto type = line.find(" - ");
        if (type == std::string::npos)
            continue;
        const std::string rest = line.substr(type + 3);
        if (rest.starts_with("cgroup2 "))
            mounts.try_emplace("cgroup2", point);
        else if (rest.starts_with("cgroup ") && rest.find("freezer") != std::string::npos)
            mounts.try_emplace("cgroup1", point);
    }
    std::map<std::string, std::string> own;
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const auto second = line.find(':'), third = line.find(':', second + 1);
        if (third == std::string::npos)
            continue;
        const std::string controllers = line.substr(second + 1, third - second - 1), path = line.substr(third + 1);
        if (controllers.empty())
            own["cgroup2"] = path;
        else if (controllers.find("freezer") != std::string::npos)
            own["cgroup1"] = path;
    }
    std::vector<Hierarchy> out;
    for (const char* kind : {"cgroup2", "cgroup1"})
        if (mounts.contains(kind) && own.contains(kind))
            out.push_back({kind, mounts[kind] + (own[kind] == "/" ? "" : own[kind])});
    return out;
}

/// Takes away the empty groups of evaluators that were killed. Names are cudal1-PROCESS-NUMBER.
void sweep(const std::string& folder)
{
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename();
        constexpr std::string_view prefix = "cudal1-";
        if (!name.starts_with(prefix))
            continue;
        const pid_t owner = std::atoi(name.c_str() + prefix.size());
        if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH)
            ::rmdir(entry.path().c_str()); // refused where something is left in it
    }
}

bool writeTo(int file, const char* text)
{
    return ::pwrite(file, text, std::strlen(text), 0) == static_cast<ssize_t>(std::strlen(text));
}

bool contains(int file, const char* text)
{
    char buffer[256];
    const ssize_t size = ::pread(file, buffer, sizeof buffer - 1, 0);
    if (size <= 0)
        return false;
    buffer[size] = 0;
    return std::strstr(buffer, text) != nullptr;
}

/// Asks again and again, at first without a pause: a group is frozen some microseconds after it was told. What is to
/// stop may need the core on which this runs: where it did, freezing took up to 0.4 ms without giving way, and 0.12
/// with it.
template<typename Done> bool eventually(const Done& done)
{
    const auto begun = Steady::now();
    for (;;) {
        if (done())
            return true;
        const auto passed = Steady::now() - begun;
        if (passed > stopLimit)
            return false;
        if (passed > std::chrono::microseconds(300))
            ::usleep(50);
        else
            ::sched_yield();
    }
}

/// Field `number` of the file `stat` of a process or a thread: 3 is the state, 4 the parent. Empty when it is gone.
std::string statField(const std::string& folder, int number)
{
    std::ifstream file(folder + "/stat");
    std::string text, field;
    std::getline(file, text);
    const auto name = text.rfind(')');
    if (name == std::string::npos)
        return {};
    std::istringstream fields(text.substr(name + 1));
    for (int i = 3; i <= number; ++i)
        fields >> field;
    return field;
}

std::string folderOf(pid_t process)
{
    return "/proc/" + std::to_string(process);
}

/// Whether a thread in an uninterruptible sleep waits for nothing but a program that it has started to begin, or for a
/// page of its own. In any other call of the system the kernel may be at work for it: it reads a file into a result,
/// for example. Where the kernel does not tell the call, such a thread counts as one that waits.
bool waitsForAProgram(const std::string& thread)
{
    constexpr long clone3 = 435, none = -1; // none: it sleeps outside of any call
    std::ifstream file(thread + "/syscall");
    std::string word;
    if (!(file >> word))
        return true;
    if (word == "running")
        return false;
    const long call = std::atol(word.c_str());
#if defined(__x86_64__)
    if (call == SYS_vfork)
        return true;
#endif
    return call == none || call == SYS_clone || call == clone3 || call == SYS_execve || call == SYS_execveat;
}

/// Whether no thread of a process that was told to stop will run: each has stopped or ended, or it is starting a
/// program (D) and stops before it goes on. The first thread alone says little, since it may have ended before the
/// others.
bool isStopped(pid_t process)
{
    constexpr std::string_view still = "TZX";
    const std::vector<std::string> threads = threadFoldersOf(folderOf(process));
    return std::all_of(threads.begin(), threads.end(), [&](const std::string& thread) {
        const std::string state = statField(thread, 3); // empty when it is gone
        return still.find(state) != std::string_view::npos || (state == "D" && waitsForAProgram(thread));
    });
}

/// The subject and all that it has started: its guard's descendants, to whom orphans are handed.
std::set<pid_t> processesOf(const FreezerPlace& place)
{
    std::set<pid_t> out{place.process};
    addDescendants(folderOf(place.process), out);
    const std::string parent = statField(folderOf(place.process), 4);
    if (place.guarded && !parent.empty())
        addDescendants("/proc/" + parent, out);
    return out;
}

/// Until all are stopped and no other has come. The subject's own process is told at once: to find the others takes a
/// tenth of a millisecond and more, in which they go on. `late` says that there were others, or that it went on itself.
bool stopBySignals(const FreezerPlace& place, std::set<pid_t>& stoppedOnes, bool& late)
{
    std::set<pid_t> told{place.process};
    ::kill(place.process, SIGSTOP);
    late = false;
    return eventually([&] {
        bool stopped = true;
        stoppedOnes = processesOf(place);
        for (const pid_t process : stoppedOnes)
            if (told.insert(process).second || !isStopped(process)) {
                ::kill(process, SIGSTOP);
                stopped = false;
            }
        late = late || !stopped;
        return stopped;
    });
}

} // namespace

Freezer::Freezer(FreezerPlace place) : m_place(std::move(place))
{
    if (m_place.kind == "cgroup2") {
        m_state = ::open((m_place.path + "/cgroup.freeze").c_str(), O_RDWR | O_CLOEXEC);
        m_events = ::open((m_place.path + "/cgroup.events").c_str(), O_RDONLY | O_CLOEXEC);
        m_used = ::open((m_place.path + "/cpu.stat").c_str(), O_RDONLY | O_CLOEXEC);
    } else if (m_place.kind == "cgroup1") {
        m_state = ::open((m_place.path + "/freezer.state").c_str(), O_RDWR | O_CLOEXEC);
    }
}

std::shared_ptr<Freezer> Freezer::make()
{
    static std::atomic<int> count{0};
    const char* without = std::getenv("CUDAL1_WITHOUT"); // for tests of machines that lack something
    if (!without || !std::strstr(without, "cgroups")) {
        for (const Hierarchy& own : hierarchies()) {
            if (count == 0)
                sweep(own.folder);
            const std::string path = own.folder + "/cudal1-" + std::to_string(::getpid()) + "-" +
                                     std::to_string(++count);
            if (::mkdir(path.c_str(), 0755) != 0)
                continue;
            std::shared_ptr<Freezer> made(new Freezer({own.kind, path, 0, false}));
            made->m_owner = true;
            made->m_join = ::open((path + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC);
            if (made->m_state >= 0 && made->m_join >= 0 && (own.kind == "cgroup1" || made->m_events >= 0))
                return made;
        }
    }
    return std::shared_ptr<Freezer>(new Freezer({"signals", {}, 0, false}));
}

std::shared_ptr<Freezer> Freezer::open(const FreezerPlace& place)
{
    return std::shared_ptr<Freezer>(new Freezer(place));
}

Freezer::~Freezer()
{
    for (const int file : {m_join, m_state, m_events, m_used})
        if (file >= 0)
            ::close(file);
    if (!m_owner)
        return;
    // What was in it has been killed; the kernel takes a moment to take it out.
    for (int i = 0; i < 100 && ::rmdir(m_place.path.c_str()) != 0 && errno == EBUSY; ++i)
        ::usleep(1000);
}

void Freezer::setProcess(pid_t process, bool guarded)
{
    m_place.process = process;
    m_place.guarded = guarded;
    if (m_place.kind == "signals")
        return;
    std::ifstream members(m_place.path + "/cgroup.procs");
    for (pid_t member = 0; members >> member;)
        if (member == process)
            return;
    m_place.kind = "signals";
}

std::string Freezer::weakness(const FreezerPlace& place)
{
    if (place.kind == "signals")
        return "stopped by the kernel while it has no request: no control group can be made here. It is stopped by "
               "signals instead, which takes longer and which the kernel may undo";
    return {};
}

bool Freezer::freeze()
{
    if (m_frozen)
        return true;
    if (m_place.kind == "cgroup2")
        m_frozen = writeTo(m_state, "1") && eventually([this] { return contains(m_events, "frozen 1"); });
    else if (m_place.kind == "cgroup1")
        m_frozen = writeTo(m_state, "FROZEN") && eventually([this] { return contains(m_state, "FROZEN"); });
    else
        m_frozen = m_place.process > 0 && stopBySignals(m_place, m_stopped, m_late);
    return m_frozen;
}

std::optional<double> Freezer::used_ns() const
{
    constexpr std::string_view name = "usage_usec ";
    char buffer[256];
    const ssize_t size = m_used < 0 ? -1 : ::pread(m_used, buffer, sizeof buffer - 1, 0);
    if (size <= 0)
        return {};
    buffer[size] = 0;
    const char* const found = std::strstr(buffer, name.data());
    return found ? std::optional(std::strtod(found + name.size(), nullptr) * 1e3) : std::nullopt;
}

void Freezer::handOver()
{
    m_frozen = false;
    m_stopped.clear();
}

void Freezer::thaw()
{
    m_frozen = false;
    if (m_place.kind == "cgroup2")
        writeTo(m_state, "0");
    else if (m_place.kind == "cgroup1")
        writeTo(m_state, "THAWED");
    else
        for (const pid_t process : m_stopped.empty() ? processesOf(m_place) : std::exchange(m_stopped, {}))
            ::kill(process, SIGCONT);
}

} // namespace cudal1::judge
