// SPDX-License-Identifier: GPL-3.0-or-later
// cudal1-model: runs a language model for a client that speaks JSON lines over standard input and output.
#include "core/decoder/modelcommands.h"

#include <signal.h>

#include <cstdlib>

int main(int argc, char** argv)
{
    ::signal(SIGPIPE, SIG_IGN);
    const char* chosen = std::getenv("CUDAL1_PYTHON");
    return cudal1::decoder::runModelProgram({argv + 1, argv + argc}, chosen && *chosen ? chosen : CUDAL1_PYTHON);
}
