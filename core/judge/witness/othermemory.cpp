// SPDX-License-Identifier: GPL-3.0-or-later
// What /proc tells of another process's memory, and how it is read and overwritten.
#include "core/judge/witness/othermemory.h"

#include "core/judge/witness/drivensubject.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace cudal1::judge {

void requireOwnMemory(int process, std::uint64_t from, std::size_t bytes)
{
    std::ifstream file("/proc/" + std::to_string(process) + "/maps");
    const std::uint64_t to = from + bytes;
    for (std::string line; std::getline(file, line);) {
        std::uint64_t start = 0, end = 0, inode = 0;
        char rights[5] = {};
        if (std::sscanf(line.c_str(), "%lx-%lx %4s %*s %*s %lu", &start, &end, rights, &inode) != 4 || end <= from ||
            start >= to)
            continue;
        if (rights[3] != 'p' || inode != 0)
            throw DrivenSubject::Unreadable("it lies in memory that is a file's or is shared");
    }
}

/// /proc/PID/pagemap has a word a page: bit 63 present, 62 in swap, 56 mapped nowhere else, as the kernel's one page of
/// zeros is.
void requireWrittenMemory(int process, std::uint64_t from, std::size_t bytes)
{
    static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const std::uint64_t first = from / page, count = (from + bytes - 1) / page - first + 1;
    std::vector<std::uint64_t> words(count);
    const int map = ::open(("/proc/" + std::to_string(process) + "/pagemap").c_str(), O_RDONLY | O_CLOEXEC);
    if (map < 0 && errno == ENOENT)
        return; // a kernel without it; docs/threats.md says so
    if (map < 0)
        throw DrivenSubject::Unreadable(std::string("its pages cannot be looked up: ") + std::strerror(errno));
    const auto wanted = static_cast<ssize_t>(count * sizeof words[0]);
    const ssize_t got = ::pread(map, words.data(), static_cast<std::size_t>(wanted), static_cast<off_t>(first * 8));
    ::close(map);
    if (got != wanted)
        throw DrivenSubject::Unreadable("its pages cannot be looked up");
    for (const std::uint64_t word : words) {
        if ((word >> 62 & 3) == 0)
            throw DrivenSubject::Unreadable("a part of its memory was never written to");
        if ((word >> 63 & 1) && !(word >> 56 & 1))
            throw DrivenSubject::Unreadable("a part of its memory is shared, or was never written to");
    }
}

void readMemory(int process, std::uint64_t address, void* to, std::size_t bytes)
{
    auto* out = static_cast<char*>(to);
    while (bytes > 0) {
        const iovec own{out, bytes}, theirs{std::bit_cast<void*>(address), bytes};
        const ssize_t read = ::process_vm_readv(process, &own, 1, &theirs, 1, 0);
        if (read <= 0)
            throw DrivenSubject::Unreadable(read == 0 ? "nothing can be read there" : std::strerror(errno));
        out += read;
        address += static_cast<std::uint64_t>(read);
        bytes -= static_cast<std::size_t>(read);
    }
}

bool isGone(int process, std::uint64_t address)
{
    static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const int map = ::open(("/proc/" + std::to_string(process) + "/pagemap").c_str(), O_RDONLY | O_CLOEXEC);
    std::uint64_t word = 0;
    const ssize_t got = ::pread(map, &word, sizeof word, static_cast<off_t>(address / page * sizeof word));
    ::close(map); // of -1 it does nothing
    return got != static_cast<ssize_t>(sizeof word) || (word >> 62 & 3) == 0;
}

int openMemory(int process, int rights)
{
    return ::open(("/proc/" + std::to_string(process) + "/mem").c_str(), rights | O_CLOEXEC);
}

void overwriteMemory(int process, std::uint64_t address, std::size_t bytes, std::span<const std::byte> garbage)
{
    // Not by process_vm_writev, which respects that a process has made its memory read-only.
    const int memory = openMemory(process, O_WRONLY);
    ssize_t written = memory < 0 ? -1 : 0;
    for (std::size_t done = 0; written >= 0 && done < bytes; done += static_cast<std::size_t>(written)) {
        written = ::pwrite(memory, garbage.data(), std::min(garbage.size(), bytes - done),
                           static_cast<off_t>(address + done));
        if (written == 0)
            written = -1;
    }
    const int error = errno;
    ::close(memory); // of -1 it does nothing
    if (written < 0)
        throw DrivenSubject::Unreadable(std::string("its memory cannot be written: ") + std::strerror(error));
}

} // namespace cudal1::judge
