// SPDX-License-Identifier: GPL-3.0-or-later
// cudal1-trainer: trains a language model for a client that speaks JSON lines over standard input and output.
#include "core/training/trainercommands.h"

#include <signal.h>

#include <cstdlib>

int main(int argc, char** argv)
{
    ::signal(SIGPIPE, SIG_IGN);
    const char* chosen = std::getenv("CUDAL1_PYTHON");
    return cudal1::training::runTrainerProgram({argv + 1, argv + argc}, chosen && *chosen ? chosen : CUDAL1_PYTHON);
}
