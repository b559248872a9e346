// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1-agent`: keeps a coding agent's processes, and carries the agent's calls to the judge.
//
//   cudal1-agent run [--parent PID] [--grace SECONDS] [--hide FILE]… -- COMMAND…
//   cudal1-agent connect SOCKET
//   cudal1-agent call SOCKET TOOL [ARGUMENTS]
//
// The first is how this program starts an agent; the others are what the agent's configuration names.
#include "app/agent/bridge.h"
#include "app/agent/keeper.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int usageStatus = 2;

int usage()
{
    std::fprintf(stderr, "usage: cudal1-agent connect SOCKET | call SOCKET TOOL [ARGUMENTS] | run [--parent PID] "
                         "[--grace SECONDS] [--hide FILE]… -- COMMAND…\n");
    return usageStatus;
}

int run(const std::vector<std::string>& words)
{
    cudal1::agent::Keeping keeping;
    std::size_t at = 0;
    for (; at + 1 < words.size() && words[at] != "--"; at += 2) {
        if (words[at] == "--parent")
            keeping.parent = pid_t(std::atoi(words[at + 1].c_str()));
        else if (words[at] == "--grace")
            keeping.grace_s = std::atof(words[at + 1].c_str());
        else if (words[at] == "--hide")
            keeping.hidden.push_back(words[at + 1]);
        else
            return usage();
    }
    if (at + 1 >= words.size() || words[at] != "--")
        return usage();
    keeping.command.assign(words.begin() + std::ptrdiff_t(at) + 1, words.end());
    return cudal1::agent::keep(keeping);
}

} // namespace

int main(int count, char** words)
{
    const std::vector<std::string> all(words + 1, words + count);
    const std::string verb = all.empty() ? std::string() : all[0];
    if (verb == "run")
        return run({all.begin() + 1, all.end()});
    if (verb == "connect" && all.size() == 2)
        return cudal1::agent::connectTo(all[1]);
    if (verb == "call" && (all.size() == 3 || all.size() == 4))
        return cudal1::agent::callTool(all[1], all[2], all.size() == 4 ? all[3] : std::string());
    if (verb == "--version") {
        std::printf("%s\n", CUDAL1_VERSION);
        return 0;
    }
    return usage();
}
