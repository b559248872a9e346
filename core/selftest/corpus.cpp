// SPDX-License-Identifier: GPL-3.0-or-later
// Reading of the planted corpus, and where it lies.
#include "core/selftest/corpus.h"

#include "core/base/bundled.h"
#include "core/tasks/sourcefile.h"

#include <algorithm>
#include <system_error>

namespace cudal1::selftest {

namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

/// Sorted; folders of bytecode and hidden files are left out.
std::vector<fs::path> entries(const fs::path& folder)
{
    std::vector<fs::path> out;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        if (const std::string name = it->path().filename().string(); !name.starts_with('.') && !name.starts_with('_'))
            out.push_back(it->path());
    std::sort(out.begin(), out.end());
    return out;
}

base::Status readPrograms(const fs::path& folder, std::vector<PlantedProgram>& out)
{
    for (const fs::path& path : entries(folder)) {
        if (path.extension() != ".py")
            continue;
        const tasks::SourceFile file = tasks::readSource(path);
        if (!file.ok())
            return Error{ErrorCode::Corrupt, "A planted program cannot be read: " + file.flaw.message, path.string(),
                         "Install the corpus anew"};
        auto program = parseProgram(path, file.text);
        if (!program)
            return program.error();
        out.push_back(std::move(*program));
    }
    return {};
}

base::Status readTexts(const fs::path& folder, bool suffix, std::map<std::string, std::string>& out)
{
    for (const fs::path& path : entries(folder)) {
        if (path.extension() != ".py")
            continue;
        const tasks::SourceFile file = tasks::readSource(path);
        if (!file.ok())
            return Error{ErrorCode::Corrupt, "A file of the corpus cannot be read: " + file.flaw.message, path.string(),
                         "Install the corpus anew"};
        out[(suffix ? path.filename() : path.stem()).string()] = file.text;
    }
    return {};
}

base::Status checkWhole(const Corpus& corpus)
{
    const auto bad = [](const PlantedProgram& program, const std::string& why) {
        return Error{ErrorCode::Corrupt, "A planted program cannot be used: " + why, program.path.string(),
                     "Install the corpus anew"};
    };
    for (const auto* list : {&corpus.exploits, &corpus.lookalikes, &corpus.canaries})
        for (const PlantedProgram& program : *list) {
            if (!corpus.tasks.contains(program.task))
                return bad(program, "its task " + program.task + " is missing");
            if (program.hasHonestFile() && !corpus.honest.contains(program.honest))
                return bad(program, "its honest form " + program.honest + " is missing");
            if ((list == &corpus.exploits) == program.kind.empty())
                return bad(program, list == &corpus.exploits ? "it has no class" : "it has a class");
            if ((list == &corpus.canaries) != (program.kind.empty() && !program.expect.empty()))
                return bad(program, list == &corpus.canaries ? "it does not say what to expect"
                                                             : "only canaries have a known verdict");
        }
    if (corpus.exploits.empty() || corpus.lookalikes.empty() || corpus.canaries.empty())
        return Error{ErrorCode::NotFound, "The folder is no planted corpus: it lacks exploits, lookalikes or canaries",
                     corpus.path.string(), "Set CUDAL1_JUDGE_CORPUS to a folder that has them, or unset it"};
    return {};
}

} // namespace

base::Result<Corpus> readCorpus(const fs::path& folder)
{
    Corpus out;
    out.path = folder;
    for (const fs::path& path : entries(folder / "exploits"))
        if (const auto status = readPrograms(path, out.exploits); !status)
            return status.error();
    for (const auto& [name, list] : {std::pair("lookalikes", &out.lookalikes), std::pair("canaries", &out.canaries)})
        if (const auto status = readPrograms(folder / name, *list); !status)
            return status.error();
    if (const auto status = readTexts(folder / "tasks", false, out.tasks); !status)
        return status.error();
    if (const auto status = readTexts(folder / "honest", true, out.honest); !status)
        return status.error();
    if (const auto status = checkWhole(out); !status)
        return status.error();
    auto kinds = readKinds(folder / "kinds");
    if (!kinds)
        return kinds.error();
    out.kinds = std::move(*kinds);
    return out;
}

base::Result<fs::path> bundledCorpus(const fs::path& programFolder)
{
    return base::findBundled({"CUDAL1_JUDGE_CORPUS", "judge", CUDAL1_SOURCE_CORPUS, "the planted programs are",
                              "Set CUDAL1_JUDGE_CORPUS to a folder with exploits, lookalikes and canaries",
                              [](const fs::path& folder) {
                                  std::error_code ignored;
                                  return fs::is_directory(folder / "exploits", ignored);
                              }},
                             programFolder);
}

} // namespace cudal1::selftest
