// SPDX-License-Identifier: GPL-3.0-or-later
// An allow-list of environment variables.
#include "core/judge/sandbox/environment.h"

#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace cudal1::judge {

namespace {

constexpr std::array<std::string_view, 28> names{"PATH",
                                                 "HOME",
                                                 "USER",
                                                 "LOGNAME",
                                                 "SHELL",
                                                 "TERM",
                                                 "TZ",
                                                 "TZDIR",
                                                 "LANG",
                                                 "LANGUAGE",
                                                 "LOCPATH",
                                                 "LOCALE_ARCHIVE",
                                                 "TMPDIR",
                                                 "LIBRARY_PATH",
                                                 "CPATH",
                                                 "C_INCLUDE_PATH",
                                                 "CPLUS_INCLUDE_PATH",
                                                 "CC",
                                                 "CXX",
                                                 "CFLAGS",
                                                 "CXXFLAGS",
                                                 "CPPFLAGS",
                                                 "LDFLAGS",
                                                 "MAX_JOBS",
                                                 "VIRTUAL_ENV",
                                                 "CONDA_PREFIX",
                                                 "GLIBC_TUNABLES",
                                                 "SOURCE_DATE_EPOCH"};

constexpr std::array<std::string_view, 26> starts{
    "LC_",   "LD_",       "CUDA",  "CUDNN_",   "CUBLAS",  "CUSPARSE", "NVIDIA_", "NVCC_", "NVRTC_",
    "NVPL_", "NCCL_",     "TORCH", "PYTORCH_", "TRITON_", "ATEN_",    "OMP_",    "MKL_",  "KMP_",
    "GOMP_", "OPENBLAS_", "BLIS_", "DNNL_",    "ONEDNN_", "MALLOC_",  "NIX_",    "PYTHON"};

/// Also where the name starts like a setting of the framework.
bool soundsSecret(std::string_view name)
{
    return name.ends_with("KEY") || name.find("TOKEN") != name.npos || name.find("SECRET") != name.npos ||
           name.find("PASSWORD") != name.npos || name.find("CREDENTIAL") != name.npos;
}

bool needed(std::string_view name)
{
    if (soundsSecret(name))
        return false;
    return std::find(names.begin(), names.end(), name) != names.end() ||
           std::any_of(starts.begin(), starts.end(), [&](std::string_view start) { return name.starts_with(start); });
}

} // namespace

void keepNeededEnvironment()
{
    char** kept = environ;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text = *entry;
        if (needed(text.substr(0, text.find('='))))
            *kept++ = *entry;
        else
            ::explicit_bzero(*entry, text.size());
    }
    *kept = nullptr;
}

} // namespace cudal1::judge
