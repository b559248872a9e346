// SPDX-License-Identifier: GPL-3.0-or-later
// Files for ncu's program, and what it printed as launches.
#include "core/judge/supervisor/countbyncu.h"

#include "core/judge/generated/ncuprogram_py.h"
#include "core/judge/supervisor/temporaryfolder.h"
#include "core/kernels/ncu.h"
#include "core/kernels/toolrun.h"

#include <fstream>

namespace cudal1::judge {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t mostPrinted = std::size_t{256} << 20;

void writeText(const fs::path& path, const std::string& text)
{
    std::ofstream(path, std::ios::binary) << text;
}

/// The last lines of what was said, which name the cause.
std::string endOf(const std::string& text)
{
    constexpr std::size_t most = 500;
    return text.size() > most ? "…" + text.substr(text.size() - most) : text;
}

} // namespace

NcuCounts countByNcu(const std::string& task, const std::string& source, const std::string& precision,
                     std::uint64_t seed, const std::string& uuid, double limit_s)
{
    NcuCounts out;
    const fs::path ncu = kernels::findNcu();
    if (ncu.empty()) {
        out.problem =
            "there is no ncu on the evaluator's machine (Nsight Compute brings it, and CUDAL1_NCU may name it)";
        return out;
    }
    const TemporaryFolder made("ncu");
    const fs::path folder = made.path(), taskFile = folder / "task.py", candidateFile = folder / "candidate.py",
                   program = folder / "ncuprogram.py";
    writeText(taskFile, task);
    writeText(candidateFile, source);
    writeText(program, pythonNcuProgram);
    const kernels::ToolAnswer version = kernels::runTool({{ncu.string(), "--version"}, folder, {}, 60}, mostPrinted);
    out.tool = "ncu " + kernels::ncuVersion(version.out);
    std::vector<std::string> command = kernels::ncuCommand(ncu, counterMetrics());
    for (const std::string& word :
         {std::string(CUDAL1_PYTHON), program.string(), taskFile.string(),
          source.empty() ? taskFile.string() : candidateFile.string(),
          std::string(source.empty() ? "Model" : "ModelNew"), precision, std::to_string(seed % (1ULL << 63))})
        command.push_back(word);
    const kernels::ToolAnswer answer = kernels::runTool({command,
                                                         folder,
                                                         {{"CUDA_VISIBLE_DEVICES", uuid},
                                                          {"TORCH_EXTENSIONS_DIR", (folder / "extensions").string()},
                                                          {"TRITON_CACHE_DIR", (folder / "triton").string()},
                                                          {"TMPDIR", folder.string()}},
                                                         limit_s},
                                                        mostPrinted);
    if (answer.timedOut) {
        out.problem = "ncu did not end in time";
        return out;
    }
    const auto launches = kernels::readNcu(answer.out);
    if (!launches) {
        out.problem = "ncu counted nothing: " + endOf(launches.error().context + "\n" + answer.errors);
        return out;
    }
    for (const kernels::NcuLaunch& one : *launches)
        out.launches.push_back({one.kernel, one.metrics});
    return out;
}

} // namespace cudal1::judge
