// SPDX-License-Identifier: GPL-3.0-or-later
// Runs nvdisasm on a file and reads what it prints.
#include "core/kernels/disassemble.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

extern char** environ;

namespace cudal1::kernels {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

namespace {

constexpr std::size_t mostText = std::size_t{8} << 20;

bool isProgram(const fs::path& path)
{
    return !path.empty() && ::access(path.c_str(), X_OK) == 0 && !fs::is_directory(path);
}

std::string textOf(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(file), {});
    if (text.size() > mostText)
        text.resize(text.rfind('\n', mostText) + 1);
    return text;
}

/// Exit status, or -1 when it could not be started or was ended by a signal.
int run(const fs::path& tool, const fs::path& image, const fs::path& out, const fs::path& err)
{
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&files, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::posix_spawn_file_actions_addopen(&files, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    std::string program = tool.string(), option = "-c", file = image.string();
    char* arguments[] = {program.data(), option.data(), file.data(), nullptr};
    pid_t child = -1;
    const int failed = ::posix_spawn(&child, tool.c_str(), &files, nullptr, arguments, environ);
    ::posix_spawn_file_actions_destroy(&files);
    int status = 0;
    if (failed != 0)
        return -1;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

fs::path findDisassembler(const fs::path& python)
{
    if (const char* own = std::getenv("CUDAL1_NVDISASM"))
        return isProgram(own) ? fs::path(own) : fs::path();
    std::stringstream path(std::getenv("PATH") ? std::getenv("PATH") : "");
    for (std::string folder; std::getline(path, folder, ':');)
        if (isProgram(fs::path(folder) / "nvdisasm"))
            return fs::path(folder) / "nvdisasm";
    if (isProgram("/usr/local/cuda/bin/nvdisasm"))
        return "/usr/local/cuda/bin/nvdisasm";
    if (python.empty())
        return {};
    std::error_code error;
    for (const auto& version : fs::directory_iterator(python.parent_path().parent_path() / "lib", error)) {
        const fs::path tool = version.path() / "site-packages/triton/backends/nvidia/bin/nvdisasm";
        if (isProgram(tool))
            return tool;
    }
    return {};
}

base::Result<std::string> disassemble(std::string_view image, const fs::path& tool, const fs::path& folder)
{
    if (tool.empty())
        return Error{ErrorCode::Unavailable,
                     "There is no nvdisasm on the evaluator's machine",
                     {},
                     "Install the CUDA Toolkit's binary utilities, or name the program in CUDAL1_NVDISASM"};
    const fs::path cubin = folder / "image.cubin", out = folder / "image.sass", err = folder / "image.err";
    {
        std::ofstream file(cubin, std::ios::binary);
        file.write(image.data(), static_cast<std::streamsize>(image.size()));
        if (!file.flush())
            return Error{ErrorCode::Unreadable, "The cubin could not be written", cubin.string(), "Is the disk full?"};
    }
    const int status = run(tool, cubin, out, err);
    const std::string text = textOf(out), said = textOf(err);
    std::error_code ignored;
    for (const fs::path& file : {cubin, out, err})
        fs::remove(file, ignored);
    if (status != 0)
        return Error{ErrorCode::ProcessFailed, "nvdisasm cannot read the cubin", said.substr(0, 500),
                     "It may be older than the architecture: install that of the CUDA version in use"};
    return text;
}

} // namespace cudal1::kernels
