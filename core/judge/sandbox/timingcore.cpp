// SPDX-License-Identifier: GPL-3.0-or-later
// Cores by their threads, as the kernel lists them.
#include "core/judge/sandbox/timingcore.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace cudal1::judge {

namespace {

bool isVirtual()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("flags"))
            return line.find(" hypervisor") != std::string::npos;
    return false;
}

/// Several threads are shown as one core's.
bool showsThreads()
{
    std::ifstream file("/sys/devices/system/cpu/smt/active");
    int active = 1;
    return !(file >> active) || active != 0;
}

/// 0 where the system's own word is to be taken. A virtual machine that shows each thread as a core mostly has two of a
/// core in a row; where that is wrong, and there are many, a core more is kept free.
int threadsOfACore()
{
    constexpr int many = 8;
    if (const char* said = std::getenv("CUDAL1_THREADS_PER_CORE"))
        return std::clamp(std::atoi(said), 0, 8);
    static const int assumed = ::sysconf(_SC_NPROCESSORS_ONLN) >= many && isVirtual() && !showsThreads() ? 2 : 0;
    return assumed;
}

/// "7,15", "6-7" or both mixed; the thread itself where there is no such file.
Core siblingsOf(int thread)
{
    if (const int said = threadsOfACore(); said > 0) {
        Core out;
        for (int one = thread - thread % said; one < thread - thread % said + said; ++one)
            out.push_back(one);
        return out;
    }
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(thread) + "/topology/thread_siblings_list");
    Core out;
    for (int first = 0; file >> first;) {
        int last = first;
        if (file.peek() == '-') {
            file.ignore();
            file >> last;
        }
        for (int one = first; one <= last; ++one)
            out.push_back(one);
        file.ignore(); // the comma
    }
    return out.empty() ? Core{thread} : out;
}

int countGpus()
{
    int count = 0;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/dev", ignored)) {
        const std::string name = entry.path().filename();
        count += name.starts_with("nvidia") && name.size() > 6 && std::isdigit(static_cast<unsigned char>(name[6]));
    }
    return count;
}

} // namespace

std::vector<Core> usableCores()
{
    std::vector<Core> out;
    cpu_set_t allowed;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return out;
    for (int thread = CPU_SETSIZE - 1; thread >= 0; --thread) {
        const auto knows = [thread](const Core& core) {
            return std::find(core.begin(), core.end(), thread) != core.end();
        };
        if (!CPU_ISSET(static_cast<std::size_t>(thread), &allowed) || std::any_of(out.begin(), out.end(), knows))
            continue;
        Core core = siblingsOf(thread);
        std::erase_if(core, [&](int sibling) { return !CPU_ISSET(static_cast<std::size_t>(sibling), &allowed); });
        out.push_back(core.empty() ? Core{thread} : core);
    }
    std::reverse(out.begin(), out.end());
    return out;
}

std::vector<Core> timingCores(const std::vector<Core>& usable, int gpus)
{
    const std::size_t most = std::max<std::size_t>(usable.size() / 2, 1);
    const std::size_t wanted = std::min(static_cast<std::size_t>(std::max(gpus, 1)), most);
    return {usable.rbegin(), usable.rbegin() + static_cast<std::ptrdiff_t>(std::min(wanted, usable.size()))};
}

const std::vector<Core>& timingCores()
{
    static const std::vector<Core> cores = timingCores(usableCores(), countGpus());
    return cores;
}

TimingCore::TimingCore(const std::vector<Core>& cores)
{
    for (const Core& core : cores) {
        // Named by its first thread, whichever of them the other evaluator may use.
        auto lease = std::make_unique<DeviceLease>("core-" + std::to_string(core.front()));
        if (lease->take()) {
            m_lease = std::move(lease);
            m_thread = core.back();
            return;
        }
    }
    if (!cores.empty())
        m_thread = cores.front().back();
}

} // namespace cudal1::judge
