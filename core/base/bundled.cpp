// SPDX-License-Identifier: GPL-3.0-or-later
// Environment, installation, source tree, in this order.
#include "core/base/bundled.h"

#include <cstdlib>

namespace cudal1::base {

namespace fs = std::filesystem;

Result<fs::path> findBundled(const Bundled& wanted, const fs::path& programFolder)
{
    std::error_code ignored;
    if (const char* chosen = std::getenv(wanted.variable); chosen && *chosen) {
        if (fs::exists(chosen, ignored))
            return fs::path(chosen);
        return Error{ErrorCode::NotFound, std::string(wanted.variable) + " names nothing that exists", chosen,
                     "Unset it to use what comes with the program"};
    }
    const fs::path installed = (programFolder / ".." / "share" / "cudal1" / wanted.name).lexically_normal();
    for (const fs::path& place : {installed, wanted.source})
        if (wanted.usable(place))
            return place;
    return Error{ErrorCode::NotFound, std::string(wanted.what) + " not installed", installed.string(), wanted.hint};
}

} // namespace cudal1::base
