// SPDX-License-Identifier: GPL-3.0-or-later
// Writes folders of tasks.
#include "core/synthesis/synthesisfolder.h"

#include "core/base/sha256.h"
#include "core/synthesis/graphsignature.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <system_error>

namespace cudal1::synthesis {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

Error cannotWrite(const fs::path& path, const std::string& cause)
{
    return {ErrorCode::Unavailable, "The tasks cannot be written: " + cause, path.string(),
            "Choose another folder with -o"};
}

base::Status writeFile(const fs::path& path, const std::string& text)
{
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file)
        return cannotWrite(path, "the disk is full or the folder may not be written");
    return {};
}

} // namespace

std::string fileName(std::size_t place, const KeptTask& task)
{
    char number[16];
    std::snprintf(number, sizeof number, "%05zu_", place);
    return number + task.task.name + ".py";
}

json manifestOf(const SynthesisResult& result, const Provenance& provenance)
{
    json removed = json::object(), examples = json::array(), tasks = json::array();
    for (const LeftOut one : {LeftOut::DoesNotRun, LeftOut::NotFinite, LeftOut::Degenerate, LeftOut::Duplicate,
                              LeftOut::HeldOutGraph, LeftOut::HeldOutOperators}) {
        const auto found = result.leftOut.find(one);
        removed[std::string(toString(one))] = found == result.leftOut.end() ? 0 : found->second;
    }
    for (const LeftOutTask& one : result.examples)
        examples.push_back(
            {{"number", one.number}, {"name", one.name}, {"left_out", toString(one.why)}, {"evidence", one.evidence}});
    for (std::size_t i = 0; i < result.kept.size(); ++i) {
        const KeptTask& one = result.kept[i];
        tasks.push_back({{"file", fileName(i + 1, one)},
                         {"number", one.number},
                         {"sha256", base::sha256Hex(one.task.source)},
                         {"graph", keyText(one.key)},
                         {"operators", one.operators}});
    }
    return {{"format", 1},
            {"kind", "synthesised tasks"},
            {"program", provenance.program},
            {"composer", composerVersion},
            {"torch", provenance.torch},
            {"seed", provenance.seed},
            {"null_trials", provenance.trials},
            {"rule", Decontamination::rule()},
            {"held_out",
             {{"suite", provenance.heldOut},
              {"tasks", provenance.heldOutTasks},
              {"sequences", provenance.heldOutSequences}}},
            {"counts", {{"composed", result.composed}, {"kept", result.kept.size()}}},
            {"removed", std::move(removed)},
            {"examples", std::move(examples)},
            {"tasks", std::move(tasks)}};
}

base::Status checkTarget(const fs::path& folder)
{
    std::error_code error;
    if (!fs::exists(folder, error))
        return {};
    if (!fs::is_directory(folder, error))
        return Error{ErrorCode::InvalidArgument, "There is a file in the place of the folder", folder.string(),
                     "Choose another folder with -o"};
    if (fs::directory_iterator(folder, error) != fs::directory_iterator() || error)
        return Error{ErrorCode::InvalidArgument, "The folder is not empty", folder.string(),
                     "Choose another folder with -o, or remove this one: equal seeds give equal tasks"};
    return {};
}

base::Status writeFolder(const fs::path& folder, const SynthesisResult& result, const Provenance& provenance)
{
    if (const auto status = checkTarget(folder); !status)
        return status;
    std::error_code error;
    const fs::path whole = fs::absolute(folder, error).lexically_normal();
    const fs::path target = whole.filename().empty() ? whole.parent_path() : whole; // without a slash at the end
    const fs::path part = target.parent_path() /
                          ("." + target.filename().string() + ".part" + std::to_string(::getpid()));
    fs::create_directories(part, error);
    if (error)
        return cannotWrite(part, error.message());
    base::Status status;
    for (std::size_t i = 0; i < result.kept.size() && status; ++i)
        status = writeFile(part / fileName(i + 1, result.kept[i]), result.kept[i].task.source);
    if (status)
        status = writeFile(part / "manifest.json",
                           manifestOf(result, provenance).dump(1, ' ', false, json::error_handler_t::replace) + "\n");
    if (status) {
        fs::remove(target, error); // an empty folder
        fs::rename(part, target, error);
        if (error)
            status = cannotWrite(target, error.message());
    }
    if (!status)
        fs::remove_all(part, error);
    return status;
}

} // namespace cudal1::synthesis
