// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a program with its outputs in files.
#include "core/kernels/toolrun.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

extern char** environ;

namespace cudal1::kernels {

namespace fs = std::filesystem;

namespace {

bool isProgram(const fs::path& path)
{
    return !path.empty() && ::access(path.c_str(), X_OK) == 0 && !fs::is_directory(path);
}

std::string textOf(const fs::path& path, std::size_t most)
{
    std::ifstream file(path, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(file), {});
    if (text.size() > most)
        text.resize(text.rfind('\n', most) + 1);
    return text;
}

std::vector<std::string> environmentWith(const std::vector<std::pair<std::string, std::string>>& more)
{
    std::vector<std::string> out;
    out.reserve(more.size());
    for (const auto& [name, value] : more)
        out.push_back(name + "=" + value);
    for (char** one = environ; *one; ++one) {
        const std::string text = *one;
        bool replaced = false;
        for (const auto& [name, value] : more)
            replaced |= text.starts_with(name + "=");
        if (!replaced)
            out.push_back(text);
    }
    return out;
}

std::vector<char*> pointersTo(std::vector<std::string>& texts)
{
    std::vector<char*> out;
    out.reserve(texts.size() + 1);
    for (std::string& text : texts)
        out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

/// The whole process group of the child, which is its own, ends with it.
int waitFor(pid_t child, double limit_s, bool& timedOut)
{
    const auto begun = std::chrono::steady_clock::now();
    int status = 0;
    for (;;) {
        const pid_t ended = ::waitpid(child, &status, limit_s > 0 ? WNOHANG : 0);
        if (ended == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        if (ended < 0 && errno != EINTR)
            return -1;
        if (limit_s <= 0 || ended < 0)
            continue;
        if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count() > limit_s) {
            timedOut = true;
            ::kill(-child, SIGKILL);
            limit_s = 0;
            continue;
        }
        const timespec pause{0, 20'000'000};
        ::nanosleep(&pause, nullptr);
    }
}

} // namespace

fs::path findTool(const char* name, const char* variable, const std::vector<fs::path>& elsewhere)
{
    if (const char* own = std::getenv(variable))
        return isProgram(own) ? fs::path(own) : fs::path();
    const char* folders = std::getenv("PATH");
    std::stringstream path(folders ? folders : "");
    for (std::string folder; std::getline(path, folder, ':');)
        if (isProgram(fs::path(folder) / name))
            return fs::path(folder) / name;
    for (const fs::path& one : elsewhere)
        if (isProgram(one))
            return one;
    return {};
}

ToolAnswer runTool(const ToolRun& run, std::size_t most)
{
    const fs::path out = run.folder / "tool.out", errors = run.folder / "tool.err";
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&files, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::posix_spawn_file_actions_addopen(&files, 2, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    std::vector<std::string> command = run.command, environment = environmentWith(run.environment);
    pid_t child = -1;
    const int failed = ::posix_spawn(&child, run.command.front().c_str(), &files, &attributes,
                                     pointersTo(command).data(), pointersTo(environment).data());
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
    ToolAnswer answer;
    if (failed == 0)
        answer.status = waitFor(child, run.limit_s, answer.timedOut);
    answer.out = textOf(out, most);
    answer.errors = textOf(errors, most);
    std::error_code ignored;
    fs::remove(out, ignored);
    fs::remove(errors, ignored);
    return answer;
}

} // namespace cudal1::kernels
