// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments of cudal1-trainer.
#include "core/training/trainercommands.h"

#include "core/training/trainerserver.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace cudal1::training {

namespace {

constexpr const char* usage =
    R"(cudal1-trainer serve     trains a language model for a client, one JSON object a line on standard input and output

Several processes train one model together where RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT say so, as
torchrun sets them, or SLURM_PROCID, SLURM_NTASKS and SLURM_LOCALID with the last two. The client speaks with the first.

docs/training.md describes the messages.
)";

} // namespace

int runTrainerProgram(const std::vector<std::string>& arguments, const std::string& python)
{
    const std::string command = arguments.empty() ? "" : arguments[0];
    if (command == "--version") {
        std::puts("cudal1-trainer " CUDAL1_VERSION);
        return 0;
    }
    if (command == "--help" || command == "help") {
        std::fputs(usage, stdout);
        return 0;
    }
    if (command != "serve" || arguments.size() > 1) {
        const std::string problem = command.empty()    ? "It is not said what to do."
                                  : command != "serve" ? "'" + command + "' is not known."
                                                       : "'" + arguments[1] + "' is not known.";
        std::fprintf(stderr, "cudal1-trainer: %s\nSee cudal1-trainer --help.\n", problem.c_str());
        return 2;
    }
    // What libraries write to standard output goes to standard error from now on.
    const int output = ::fcntl(1, F_DUPFD_CLOEXEC, 3);
    std::fflush(stdout);
    ::dup2(2, 1);
    if (output < 0) {
        std::fputs("cudal1-trainer: There is no standard output\n", stderr);
        return 1;
    }
    return TrainerServer(0, output, python).run();
}

} // namespace cudal1::training
