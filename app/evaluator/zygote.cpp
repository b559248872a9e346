// SPDX-License-Identifier: GPL-3.0-or-later
// cudal1-zygote: started by cudal1-evaluator, never by hand. Decides which class answers in a forked process, by its
// role.
#include "core/judge/sandbox/zygote.h"
#include "core/judge/module/requestloop.h"
#include "core/judge/subject/candidatesubject.h"
#include "core/judge/witness/witness.h"

#include <cstdio>
#include <cstdlib>

using namespace cudal1::judge;

namespace {

int serve(const SubjectStart& start)
{
    return serveRequests(start.socket, [&]() -> std::unique_ptr<ModuleHost> {
        if (start.role == "candidate")
            return std::make_unique<CandidateSubject>(start.memoryFile, start.handover, start.folder, "ModelNew");
        if (start.role == "timed_reference")
            return std::make_unique<CandidateSubject>(start.memoryFile, start.handover, start.folder, "Model");
        return std::make_unique<Witness>(start.socket, start.memoryFile, start.folder);
    });
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3) {
        std::fputs("cudal1-zygote is started by cudal1-evaluator.\n", stderr);
        return 2;
    }
    return runZygote(std::atoi(argv[1]), argv[2], serve);
}
