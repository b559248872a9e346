// SPDX-License-Identifier: GPL-3.0-or-later
// The planted corpus as it lies on disk: cheats, look-alikes, canaries, their tasks, and kinds of work.
#pragma once

#include "core/selftest/plantedprogram.h"
#include "core/selftest/workkinds.h"

#include <map>
#include <string>
#include <vector>

namespace cudal1::selftest {

struct Corpus {
    std::filesystem::path path;
    std::vector<PlantedProgram> exploits;      ///< by class, then by number
    std::vector<PlantedProgram> lookalikes;    ///< by name
    std::vector<PlantedProgram> canaries;      ///< by name
    std::map<std::string, std::string> tasks;  ///< by name: the file's text
    std::map<std::string, std::string> honest; ///< by file name: the honest form of a cheat
    Kinds kinds;
};

/// Corrupt when a program's head, task or honest form is not there: a self-test with holes would pass for the wrong
/// reason.
base::Result<Corpus> readCorpus(const std::filesystem::path& folder);

/// $CUDAL1_JUDGE_CORPUS, the installed data folder beside `programFolder`, or the source tree.
base::Result<std::filesystem::path> bundledCorpus(const std::filesystem::path& programFolder);

} // namespace cudal1::selftest
