// SPDX-License-Identifier: GPL-3.0-or-later
// Walks over /proc.
#include "core/judge/sandbox/descendants.h"

#include <filesystem>
#include <fstream>

namespace cudal1::judge {

std::vector<std::string> threadFoldersOf(const std::string& process)
{
    std::vector<std::string> out;
    std::error_code error; // threads and processes may end while they are looked at
    for (std::filesystem::directory_iterator entry(process + "/task", error), end; !error && entry != end;
         entry.increment(error))
        out.push_back(entry->path());
    return out;
}

void addDescendants(const std::string& process, std::set<pid_t>& out)
{
    // Each thread has the processes that it has started itself.
    for (const std::string& thread : threadFoldersOf(process)) {
        std::ifstream file(thread + "/children");
        for (pid_t child = 0; file >> child;)
            if (out.insert(child).second)
                addDescendants("/proc/" + std::to_string(child), out);
    }
}

} // namespace cudal1::judge
