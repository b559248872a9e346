// SPDX-License-Identifier: GPL-3.0-or-later
// Runs nvdisasm on a file and reads what it prints.
#include "core/kernels/disassemble.h"

#include "core/kernels/toolrun.h"

#include <fstream>

namespace cudal1::kernels {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

namespace {

constexpr std::size_t mostText = std::size_t{8} << 20;

} // namespace

fs::path findDisassembler(const fs::path& python)
{
    std::vector<fs::path> elsewhere{"/usr/local/cuda/bin/nvdisasm"};
    std::error_code error;
    if (!python.empty())
        for (const auto& version : fs::directory_iterator(python.parent_path().parent_path() / "lib", error))
            elsewhere.push_back(version.path() / "site-packages/triton/backends/nvidia/bin/nvdisasm");
    return findTool("nvdisasm", "CUDAL1_NVDISASM", elsewhere);
}

base::Result<std::string> disassemble(std::string_view image, const fs::path& tool, const fs::path& folder)
{
    if (tool.empty())
        return Error{ErrorCode::Unavailable,
                     "There is no nvdisasm on the evaluator's machine",
                     {},
                     "Install the CUDA Toolkit's binary utilities, or name the program in CUDAL1_NVDISASM"};
    const fs::path cubin = folder / "image.cubin";
    {
        std::ofstream file(cubin, std::ios::binary);
        file.write(image.data(), static_cast<std::streamsize>(image.size()));
        if (!file.flush())
            return Error{ErrorCode::Unreadable, "The cubin could not be written", cubin.string(), "Is the disk full?"};
    }
    ToolAnswer answer = runTool({{tool.string(), "-c", "-g", cubin.string()}, folder}, mostText);
    std::error_code ignored;
    fs::remove(cubin, ignored);
    if (answer.status != 0)
        return Error{ErrorCode::ProcessFailed, "nvdisasm cannot read the cubin", answer.errors.substr(0, 500),
                     "It may be older than the architecture: install that of the CUDA version in use"};
    return std::move(answer.out);
}

} // namespace cudal1::kernels
