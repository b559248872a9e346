// SPDX-License-Identifier: GPL-3.0-or-later
// Processes of an agent, from its first to its last.
#include "app/agent/keeper.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cudal1::agent {

namespace {

using Clock = std::chrono::steady_clock;

void say(const std::string& what, int error = 0)
{
    std::fprintf(stderr, "cudal1-agent: %s%s%s\n", what.c_str(), error ? ": " : "", error ? std::strerror(error) : "");
}

bool writeFile(const char* path, const std::string& text)
{
    const int file = ::open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const bool good = ::write(file, text.data(), text.size()) == ssize_t(text.size());
    ::close(file);
    return good;
}

/// The parent of each process.
std::map<pid_t, pid_t> parents()
{
    std::map<pid_t, pid_t> out;
    DIR* folder = ::opendir("/proc");
    if (!folder)
        return out;
    while (const dirent* entry = ::readdir(folder)) {
        const pid_t pid = std::atoi(entry->d_name);
        if (pid <= 0)
            continue;
        std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
        std::string text;
        std::getline(file, text);
        const std::size_t name = text.rfind(')'); // the name may have any character
        char state = 0;
        int parent = 0;
        if (name != std::string::npos && std::sscanf(text.c_str() + name + 1, " %c %d", &state, &parent) == 2)
            out[pid] = parent;
    }
    ::closedir(folder);
    return out;
}

/// To all that descend from this process; those that lose their parent become its children, since it is a subreaper.
void signalAll(int number)
{
    const std::map<pid_t, pid_t> all = parents();
    for (const auto& [pid, unused] : all) {
        pid_t at = pid;
        for (int depth = 0; depth < 1000; ++depth) {
            const auto it = all.find(at);
            if (it == all.end() || it->second <= 1)
                break;
            at = it->second;
            if (at == ::getpid()) {
                ::kill(pid, number);
                break;
            }
        }
    }
}

/// Private files become empty ones in the agent's own view of the files.
void isolate(const std::vector<std::string>& hidden)
{
    const uid_t user = ::geteuid();
    const gid_t group = ::getegid();
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return say("the project's files are not hidden from the agent", errno);
    writeFile("/proc/self/setgroups", "deny");
    if (!writeFile("/proc/self/uid_map", std::to_string(user) + " " + std::to_string(user) + " 1") ||
        !writeFile("/proc/self/gid_map", std::to_string(group) + " " + std::to_string(group) + " 1"))
        say("the agent's user could not be mapped", errno);
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
        return say("the project's files are not hidden from the agent", errno);
    for (const std::string& path : hidden)
        if (::access(path.c_str(), F_OK) == 0 && ::mount("/dev/null", path.c_str(), nullptr, MS_BIND, nullptr) != 0)
            say(path + " is not hidden from the agent", errno);
}

[[noreturn]] void becomeAgent(const Keeping& keeping, const sigset_t& before)
{
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setsid();
    isolate(keeping.hidden);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // new credentials have cleared it
    std::vector<char*> words;
    for (const std::string& word : keeping.command)
        words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words.front(), words.data());
    say(keeping.command.front() + " could not be started", errno);
    ::_exit(127);
}

int statusOf(int waited)
{
    return WIFSIGNALED(waited) ? 128 + WTERMSIG(waited) : WEXITSTATUS(waited);
}

/// Reaps the children that have ended, and writes the status of `first` to `status`. Returns false when no child is
/// left.
bool reap(pid_t first, int& status)
{
    for (;;) {
        int waited = 0;
        const pid_t pid = ::waitpid(-1, &waited, WNOHANG);
        if (pid == 0)
            return true;
        if (pid < 0)
            return errno != ECHILD;
        if (pid == first)
            status = statusOf(waited);
    }
}

void killAll(pid_t first, int& status)
{
    while (reap(first, status)) {
        signalAll(SIGKILL);
        ::usleep(2000);
    }
}

} // namespace

int keep(const Keeping& keeping)
{
    ::setsid(); // no signal of a terminal reaches it
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigset_t heard, before;
    sigemptyset(&heard);
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGCHLD})
        sigaddset(&heard, number);
    ::sigprocmask(SIG_BLOCK, &heard, &before);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (keeping.parent > 0 && ::getppid() != keeping.parent)
        return 128 + SIGTERM; // it has ended meanwhile
    const pid_t first = ::fork();
    if (first < 0) {
        say("no process could be made", errno);
        return 127;
    }
    if (first == 0)
        becomeAgent(keeping, before);
    int status = -1;
    std::optional<Clock::time_point> deadline;
    while (status < 0) {
        const timespec pause{0, 50'000'000};
        const int number = ::sigtimedwait(&heard, nullptr, &pause);
        if (number == SIGINT)
            break;
        if (number == SIGTERM && !deadline) {
            signalAll(SIGTERM);
            deadline = Clock::now() +
                       std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(keeping.grace_s));
        }
        reap(first, status);
        if (deadline && Clock::now() >= *deadline)
            break;
    }
    killAll(first, status);
    return status < 0 ? 128 + SIGKILL : status;
}

} // namespace cudal1::agent
