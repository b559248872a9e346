// SPDX-License-Identifier: GPL-3.0-or-later
// cudal1-zygote: started by cudal1-evaluator, never by hand.
#include "core/judge/zygote.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv)
{
    if (argc != 3) {
        std::fputs("cudal1-zygote is started by cudal1-evaluator.\n", stderr);
        return 2;
    }
    return cudal1::judge::runZygote(std::atoi(argv[1]), argv[2]);
}
