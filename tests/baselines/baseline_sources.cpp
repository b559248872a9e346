// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the programs of all baselines of a task to FOLDER/ID.py, for tests that run where there is no Qt, and prints
// "ID any" or "ID cuda" for each: what device it needs.
//
// usage: baseline_sources TASK.py FOLDER
#include "core/baselines/baselinekinds.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

int main(int count, char** arguments)
{
    if (count != 3) {
        std::cerr << "usage: baseline_sources TASK.py FOLDER\n";
        return 2;
    }
    std::ostringstream task;
    task << std::ifstream(arguments[1]).rdbuf();
    for (const cudal1::baselines::BaselineKind& kind : cudal1::baselines::kinds()) {
        std::ofstream file(std::filesystem::path(arguments[2]) / (std::string(kind.id) + ".py"));
        if (!(file << cudal1::baselines::sourceOf(kind, task.str()))) {
            std::cerr << "cannot write to " << arguments[2] << '\n';
            return 1;
        }
        std::cout << kind.id << (kind.needsCuda ? " cuda\n" : " any\n");
    }
}
