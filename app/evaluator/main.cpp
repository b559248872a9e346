// SPDX-License-Identifier: GPL-3.0-or-later
// cudal1-evaluator: judges candidates for a client that speaks JSON lines over standard input and output.
#include "core/judge/supervisor/supervisor.h"

#include <signal.h>

#include <cstdio>
#include <cstring>
#include <filesystem>

int main(int argc, char** argv)
{
    if (argc > 1) {
        if (std::strcmp(argv[1], "--version") == 0) {
            std::puts("cudal1-evaluator " CUDAL1_VERSION);
            return 0;
        }
        std::fputs(
            "cudal1-evaluator takes no arguments: it reads requests from standard input, one JSON object a line.\n"
            "People use `cudal1 evaluate` and `cudal1 optimize`, which start it.\n",
            stderr);
        return std::strcmp(argv[1], "--help") == 0 ? 0 : 2;
    }
    ::signal(SIGPIPE, SIG_IGN);
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    const auto zygote = self.parent_path() / "cudal1-zygote";
    return cudal1::judge::Supervisor(0, 1, zygote.string()).run();
}
